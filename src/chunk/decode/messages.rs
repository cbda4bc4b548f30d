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
    let mut messages = Messages { list: Vec::new(), remaining: MAX_BYTES };
    // The JSON has been checked, so only a limit ends this.
    if messages.read(&mut Cursor { body: json, at: 0 }).is_none() {
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
    fn read(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        let is_list = cursor.consume(b"[");
        loop {
            cursor.peek_past_whitespace();
            if is_list && cursor.consume(b"]") || cursor.rest().is_empty() {
                return Some(());
            }
            if cursor.consume(b",") {
                cursor.peek_past_whitespace();
            }
            let value = skip_value(cursor, usize::MAX).ok()?;
            let (json, before) = (cursor.between(value.start, value.end), self.list.len());
            self.read_texts(&mut Cursor { body: json, at: 0 })?;
            if self.list.len() == before {
                self.add(json)?;
            }
        }
    }

    fn read_texts(&mut self, cursor: &mut Cursor<'_>) -> Option<()> {
        let mut scratch = Vec::new();
        while !cursor.rest().is_empty() {
            if cursor.peek() != b'"' {
                cursor.at += 1;
                continue;
            }
            let (JsonString::Ascii(text) | JsonString::NonAscii(text) | JsonString::LoneSurrogates(text)) =
                string::read(cursor, &mut scratch).ok()?;
            if cursor.peek_past_whitespace() != b':' {
                self.add(text)?;
            }
        }
        Some(())
    }

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
