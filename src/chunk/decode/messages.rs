//! The messages of the service about a failure: the value of `errors`.

use crate::json::cursor::Cursor;
use crate::json::skip::skip_value;
use crate::json::string::{self, JsonString};
use crate::memory::{push, try_to_owned};

/// The maximum number of bytes of messages to keep.
const MAX_BYTES: usize = 16 * 1024;

/// The maximum number of messages to keep.
const MAX_MESSAGES: usize = 1000;

/// Replaces everything that is not kept.
const ELLIPSIS: &str = "…";

/// Reads the messages in the raw JSON of `errors`; `None`, which means success, if it is null or absent.
///
/// The messages are the texts in it, in their order, but not the keys of its objects. An element of the list without any, or another value without
/// any, is a message as its raw JSON. At most 16 KiB and 1000 messages are kept. If there are more, or if memory runs out, the last message ends in an
/// ellipsis.
pub fn read_messages(json: &[u8]) -> Option<Vec<String>> {
    if json.is_empty() || json == b"null" {
        return None;
    }
    let mut messages = Vec::new();
    // The JSON has been checked, so only a limit ends this.
    if read(json, &mut messages).is_none() {
        match messages.last_mut() {
            Some(last) => last.push_str(ELLIPSIS),
            None => messages.push(ELLIPSIS.to_owned()),
        }
    }
    Some(messages)
}

/// Adds the messages; `None` if they are not all that there are.
fn read(json: &[u8], messages: &mut Vec<String>) -> Option<()> {
    let (mut elements, mut scratch, mut room) = (Cursor { body: json, at: 0 }, Vec::new(), MAX_BYTES);
    elements.consume(b"[");
    while !matches!(elements.peek_past_whitespace(), b']' | 0) {
        elements.consume(b",");
        let range = skip_value(&mut elements, usize::MAX).ok()?;
        let element = elements.between(range.start, range.end).trim_ascii();
        let (mut cursor, before) = (Cursor { body: element, at: 0 }, messages.len());
        while !cursor.rest().is_empty() {
            if cursor.peek() != b'"' {
                cursor.at += 1;
                continue;
            }
            let (JsonString::Ascii(text) | JsonString::NonAscii(text) | JsonString::LoneSurrogates(text)) =
                string::read(&mut cursor, &mut scratch).ok()?;
            if cursor.peek_past_whitespace() != b':' {
                add(messages, &mut room, text)?;
            }
        }
        if messages.len() == before {
            add(messages, &mut room, element)?;
        }
    }
    Some(())
}

/// Adds as much of a message as there is room for; `None` if that is not all.
fn add(messages: &mut Vec<String>, room: &mut usize, message: &[u8]) -> Option<()> {
    let message = std::str::from_utf8(message).unwrap_or_default();
    let kept = message.get(..message.floor_char_boundary(*room)).filter(|_| messages.len() < MAX_MESSAGES)?;
    push(messages, try_to_owned(kept).ok()?).ok()?;
    *room -= kept.len();
    (kept.len() == message.len()).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(json: &str) -> Option<Vec<String>> {
        read_messages(json.as_bytes())
    }

    #[test]
    fn messages_are_the_texts_in_errors_and_json_only_where_there_are_none() {
        for success in ["", "null"] {
            assert_eq!(messages(success), None);
        }
        for (json, expected) in [
            ("[]", &[][..]),
            ("false", &["false"]),
            ("0", &["0"]),
            (r#""""#, &[""]),
            (r#""boom""#, &["boom"]),
            (r#"["a", "b\n\u00e9"]"#, &["a", "b\né"]),
            (r#"[1, {"a":2}, "\ud800"]"#, &["1", r#"{"a":2}"#, r#""\ud800""#]),
            (r#"{"InspectionKey": ["a","b"] , "" : "c"}"#, &["a", "b", "c"]),
            (r#"[{"code":7,"message":"a"}, {"message":{"text" : "b","x":null}}, ["c"]]"#, &["a", "b", "c"]),
            (r#"{"Key":[], "n":[1]}"#, &[r#"{"Key":[], "n":[1]}"#]),
        ] {
            assert_eq!(messages(json).unwrap(), expected, "{json}");
        }
    }

    #[test]
    fn keeps_16_kib_and_ends_in_an_ellipsis() {
        let kept = |json: &str| messages(json).unwrap();
        let whole = "x".repeat(MAX_BYTES);
        assert_eq!(kept(&format!("[\"{whole}\"]")), [whole.as_str()]);
        assert_eq!(kept(&format!("[\"{whole}y\", 1]")), [whole.clone() + "…"]);
        assert_eq!(kept(&format!("[\"{whole}\", 1]")), [whole.as_str(), "…"]);
        assert_eq!(
            kept(&format!("\"a{}\"", "é".repeat(MAX_BYTES))),
            ["a".to_owned() + &"é".repeat(MAX_BYTES / 2 - 1) + "…"]
        );
        assert_eq!(kept(&format!("{{\"a\":1{}}}", " ".repeat(MAX_BYTES))).len(), 1);
        assert_eq!(kept(&format!("{}\"a\"{}", "[".repeat(5_000), "]".repeat(5_000))), ["a"]);
    }

    #[test]
    fn keeps_a_thousand_messages() {
        let all = kept_of(MAX_MESSAGES);
        assert!(all.len() == MAX_MESSAGES && all.iter().all(String::is_empty));
        let first = kept_of(MAX_MESSAGES + 1);
        assert_eq!((first.len(), first.last().map(String::as_str)), (MAX_MESSAGES, Some("…")));
    }

    fn kept_of(count: usize) -> Vec<String> {
        messages(&format!("[{}]", vec!["\"\""; count].join(","))).unwrap()
    }
}
