//! One body, read as a counts answer and compared with what serde_json makes of it.

use call::contract::{Kind, KindCounts, MAX_SAFE_INTEGER};
use call::counts::CountsBody;
use chunk::decode::ERRORS;

use crate::body::check_messages;
use crate::json::{nesting, text};
use crate::reference::Json;

/// A deeper body is only accepted or refused.
const DEEPEST: usize = 64;

/// Decodes a body and compares with what serde_json makes of it.
pub fn check(body: &[u8]) {
    match (CountsBody::decode(body), text(body)) {
        (Err(error), None) => assert!(error.offset <= body.len() && error.path.starts_with('$'), "{error}"),
        (Ok(answer), Some(json)) => {
            if nesting(json) <= DEEPEST {
                let json = Json::of(json);
                check_messages(answer.errors.as_deref(), json.get(ERRORS));
                for kind in Kind::ALL {
                    assert_eq!(answer.counts.clone().of(kind).ok(), counts(&json, kind));
                }
            }
        }
        (ours, theirs) => panic!("{ours:?} for {theirs:?}"),
    }
}

fn counts(json: &Json, kind: Kind) -> Option<KindCounts> {
    let partitions = count(json.get(kind.partitions_field())?)?;
    match json.get(kind.findings_field()) {
        None | Some(Json::Null) => Some(KindCounts { partitions, findings: None }),
        Some(findings) => Some(KindCounts { partitions, findings: Some(count(findings)?) }),
    }
}

fn count(json: &Json) -> Option<u64> {
    let Json::Number(bits) = json else { return None };
    let number = f64::from_bits(*bits);
    let is_count = (0.0..=MAX_SAFE_INTEGER as f64).contains(&number) && number.trunc() == number;
    is_count.then_some(number as u64)
}
