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
/// The elements of an array are messages, and so is any other value: a string as its text, anything else as its raw JSON. At most 16 KiB and 1000
/// messages are kept. If there are more, or if memory runs out, the last message ends in an ellipsis.
pub fn read_messages(json: &[u8]) -> Option<Vec<String>> {
    if json.is_empty() || json == b"null" {
        return None;
    }
    let mut messages = Messages { list: Vec::new(), remaining: MAX_BYTES };
    // The JSON has been checked, so only a limit ends this.
    if read_values(&mut Cursor { body: json, at: 0 }, &mut messages).is_none() {
        messages.mark_truncated();
    }
    Some(messages.list)
}

struct Messages {
    list: Vec<String>,
    /// The number of bytes that can still be kept.
    remaining: usize,
}

impl Messages {
    /// Adds as much of a message as can be kept; `None` if that is not all.
    fn add(&mut self, message: &[u8]) -> Option<()> {
        if self.list.len() >= MAX_MESSAGES {
            return None;
        }
        let message = std::str::from_utf8(message).unwrap_or_default();
        let kept = message.get(..message.floor_char_boundary(self.remaining)).unwrap_or_default();
        push(&mut self.list, try_to_owned(kept).ok()?).ok()?;
        self.remaining -= kept.len();
        (kept.len() == message.len()).then_some(())
    }

    /// Appends an ellipsis to the last message.
    fn mark_truncated(&mut self) {
        match self.list.last_mut() {
            Some(last) => last.push_str(ELLIPSIS),
            None => self.list.push(ELLIPSIS.to_owned()),
        }
    }
}

fn read_values(cursor: &mut Cursor<'_>, messages: &mut Messages) -> Option<()> {
    if !cursor.consume(b"[") {
        return read_value(cursor, messages);
    }
    while cursor.peek_past_whitespace() != b']' {
        if cursor.consume(b",") {
            cursor.peek_past_whitespace();
        }
        read_value(cursor, messages)?;
    }
    Some(())
}

fn read_value(cursor: &mut Cursor<'_>, messages: &mut Messages) -> Option<()> {
    if cursor.peek() == b'"' {
        return read_string(cursor, messages);
    }
    let value = skip_value(cursor, usize::MAX).ok()?;
    messages.add(cursor.between(value.start, value.end))
}

fn read_string(cursor: &mut Cursor<'_>, messages: &mut Messages) -> Option<()> {
    let mut scratch = Vec::new();
    match string::read(cursor, &mut scratch).ok()? {
        JsonString::Ascii(text) | JsonString::NonAscii(text) | JsonString::LoneSurrogates(text) => messages.add(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(json: &str) -> Option<Vec<String>> {
        read_messages(json.as_bytes())
    }

    #[test]
    fn only_null_and_absent_mean_success_and_values_that_are_no_strings_are_raw_json() {
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
            (r#"{"a":["b"]}"#, &[r#"{"a":["b"]}"#]),
            (r#"[["a"], {"message":"b"}]"#, &[r#"["a"]"#, r#"{"message":"b"}"#]),
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
