//! One body, decoded alone and compared with what serde_json makes of it.

use std::rc::Rc;

use chunk::Chunk;
use chunk::decode::{DecodeError, DecodeErrorKind, DecodedBody, Decoder, MAX_NESTING};
use chunk::fields::FINDINGS;
use chunk::rows::json;
use chunk::value::dictionary::Dictionary;

use crate::json::{nesting, text};
use crate::reference::{Json, names_of};

/// The reference reads the values of a deeper body once for each level, so such a body is only accepted or refused.
const DEEPEST: usize = MAX_NESTING + 16;

/// Decodes a body to its end, slice after slice.
pub fn decode(body: &[u8], slice: usize, dictionary: Dictionary) -> Result<DecodedBody, DecodeError> {
    let mut decoder = Decoder::new(body.to_vec(), dictionary);
    while !decoder.advance(slice)? {}
    Ok(decoder.finish())
}

/// An empty dictionary that keeps these columns, or all.
pub fn dictionary(columns: Option<&[Vec<String>]>) -> Dictionary {
    let mut dictionary = Dictionary::default();
    dictionary.columns = columns.map(|columns| Rc::new(names_of(columns)));
    dictionary
}

/// The findings of a chunk as JSON.
pub fn findings(chunk: &Chunk) -> Vec<Json> {
    (0..chunk.len()).map(|row| Json::of(&json::finding(chunk, row))).collect()
}

/// Decodes a body, but keeps only some columns, and compares with what serde_json makes of it: `src/chunk/decode/tests.rs` asks for the
/// kinds and paths of the errors, and for the messages.
pub fn check(body: &[u8], slice: usize, columns: Option<&[Vec<String>]>) {
    match (decode(body, slice, dictionary(columns)), text(body)) {
        (Err(error), json) => {
            assert!(json.is_none_or(|json| error.kind == DecodeErrorKind::TooDeep && nesting(json) > MAX_NESTING));
            check_error(&error, body);
        }
        (Ok(_), None) => panic!("accepted what serde_json refuses"),
        (Ok(decoded), Some(json)) => {
            if nesting(json) <= DEEPEST {
                check_findings(decoded.findings.as_ref().ok(), &Json::of(json), columns);
            }
        }
    }
}

/// An error is the same whatever the slices, and what is before its place is no kind for it.
fn check_error(error: &DecodeError, body: &[u8]) {
    assert!(error.offset <= body.len(), "{error}");
    let again = decode(body, usize::MAX, Dictionary::default());
    assert_eq!(again.err().as_ref(), Some(error));
    let before = decode(&body[..error.offset], usize::MAX, Dictionary::default());
    let is_cut_short = |kind| {
        matches!(kind, DecodeErrorKind::UnexpectedEnd | DecodeErrorKind::EmptyBody | DecodeErrorKind::InvalidUtf8)
    };
    assert!(before.err().is_none_or(|before| is_cut_short(before.kind)), "{error}");
}

/// There are findings if the body has an array of objects, without what is in none of the columns.
fn check_findings(ours: Option<&Chunk>, json: &Json, columns: Option<&[Vec<String>]>) {
    let columns: Option<Vec<&[String]>> = columns.map(|columns| columns.iter().map(Vec::as_slice).collect());
    let pruned = |finding: &Json| columns.as_ref().map_or_else(|| finding.clone(), |columns| finding.pruned(columns));
    let is_object = |json: &Json| matches!(json, Json::Object(_));
    let theirs = match json.get(FINDINGS) {
        Some(Json::Array(theirs)) if theirs.iter().all(is_object) => Some(theirs.iter().map(pruned).collect()),
        _ => None,
    };
    assert_eq!(ours.map(findings), theirs);
}
