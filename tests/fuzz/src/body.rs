//! One body, decoded alone and compared with what serde_json makes of it.

use chunk::Chunk;
use chunk::decode::{DecodeError, DecodeErrorKind, DecodedBody, Decoder, ERRORS, FINDINGS, MAX_NESTING};
use chunk::rows::json;
use chunk::value::dictionary::Dictionary;

use crate::json::{nesting, text};
use crate::reference::{Json, names_of};

/// The reference reads the values of a deeper body once for each level, so such a body is only accepted or refused.
const DEEPEST: usize = MAX_NESTING + 16;

/// The most messages of a body that are kept.
const MOST_MESSAGES: usize = 1000;

/// Decodes a body to its end, slice after slice.
pub fn decode(body: &[u8], slice: usize, dictionary: Dictionary) -> Result<DecodedBody, DecodeError> {
    let mut decoder = Decoder::new(body.to_vec(), dictionary);
    while !decoder.advance(slice)? {}
    Ok(decoder.finish())
}

/// An empty dictionary that keeps these columns, or all.
pub fn dictionary(columns: Option<&[Vec<String>]>) -> Dictionary {
    let mut dictionary = Dictionary::default();
    dictionary.keep_only(columns.map(names_of).as_deref()).unwrap();
    dictionary
}

/// The findings of a chunk as JSON.
pub fn findings(chunk: &Chunk) -> Vec<Json> {
    (0..chunk.len()).map(|row| Json::of(&json::finding(chunk, row))).collect()
}

/// Decodes a body, but keeps only some columns, and compares with what serde_json makes of it.
pub fn check(body: &[u8], slice: usize, columns: Option<&[Vec<String>]>) {
    match (decode(body, slice, dictionary(columns)), text(body)) {
        (Err(error), None) => check_error(&error, body),
        (Err(error), Some(json)) => {
            assert_eq!(error.kind, DecodeErrorKind::TooDeep, "{error}");
            assert!(nesting(json) > MAX_NESTING);
            check_error(&error, body);
        }
        (Ok(_), None) => panic!("accepted what serde_json refuses"),
        (Ok(decoded), Some(json)) => {
            if nesting(json) <= DEEPEST {
                check_contents(&decoded, &Json::of(json), columns);
            }
        }
    }
}

/// An error is the same whatever the slices, and what is before its place is no kind for it.
fn check_error(error: &DecodeError, body: &[u8]) {
    assert!(error.offset <= body.len() && error.path.starts_with('$'), "{error}");
    let again = decode(body, usize::MAX, Dictionary::default());
    assert_eq!(again.err().as_ref(), Some(error));
    let before = decode(&body[..error.offset], usize::MAX, Dictionary::default());
    let is_cut_short = |kind| {
        matches!(kind, DecodeErrorKind::UnexpectedEnd | DecodeErrorKind::EmptyBody | DecodeErrorKind::InvalidUtf8)
    };
    assert!(before.err().is_none_or(|before| is_cut_short(before.kind)), "{error}");
}

fn check_contents(decoded: &DecodedBody, json: &Json, columns: Option<&[Vec<String>]>) {
    check_messages(decoded.errors.as_deref(), json.get(ERRORS));
    let ours = decoded.findings.as_ref().map(|chunk| Json::Array(findings(chunk)));
    match (ours, json.get(FINDINGS)) {
        (Ok(ours), Some(theirs)) => assert_eq!(ours, pruned(theirs, columns)),
        (Err(error), None) => {
            let is_object = matches!(json, Json::Object(_));
            assert_eq!(
                error.kind,
                if is_object { DecodeErrorKind::MissingField(FINDINGS) } else { DecodeErrorKind::NotAnObject }
            );
        }
        (Err(error), Some(Json::Array(elements))) => {
            assert_eq!(error.kind, DecodeErrorKind::NotAnObject);
            let at = elements.iter().position(|element| !matches!(element, Json::Object(_))).unwrap();
            // A key is written with the escapes that it has in the body.
            let escaped = format!("\"][{at}]");
            assert!(error.path == format!("$.Findings[{at}]") || error.path.ends_with(&escaped), "{}", error.path);
        }
        (Err(error), Some(_)) => assert_eq!(error.kind, DecodeErrorKind::NotAnArray),
        (Ok(_), None) => panic!("findings out of nothing"),
    }
}

/// Leaves out of findings what is in none of the columns.
fn pruned(findings: &Json, columns: Option<&[Vec<String>]>) -> Json {
    match (findings, columns) {
        (Json::Array(findings), Some(columns)) => {
            let columns: Vec<&[String]> = columns.iter().map(Vec::as_slice).collect();
            Json::Array(findings.iter().map(|finding| finding.pruned(&columns)).collect())
        }
        _ => findings.clone(),
    }
}

/// Compares the messages of the service where they are a text or a list of texts, as many as are kept.
fn check_messages(ours: Option<&[String]>, theirs: Option<&Json>) {
    let texts: Option<Vec<&str>> = match theirs {
        None | Some(Json::Null) => return assert_eq!(ours, None),
        Some(Json::Array(theirs)) => theirs.iter().map(message).collect(),
        Some(theirs) => message(theirs).map(|text| vec![text]),
    };
    match (ours, texts) {
        (Some(ours), Some(texts)) if texts.len() <= MOST_MESSAGES => assert_eq!(ours, texts),
        (ours, _) => assert!(ours.is_some()),
    }
}

/// A message that is a text without lone surrogates.
fn message(json: &Json) -> Option<&str> {
    let Json::Text(text) = json else { return None };
    std::str::from_utf8(text).ok()
}
