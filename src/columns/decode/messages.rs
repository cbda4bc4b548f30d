//! What the service says about a failure: the value of `errors`.

use super::cursor::Cursor;
use super::error::SyntaxError;
use super::skip::skip_value;
use super::string::{self, JsonString};
use crate::memory::{OutOfMemory, push, try_to_owned};

/// So much of what the service says is kept, in bytes, and so many messages.
const MAX_BYTES: usize = 16 * 1024;
const MAX_MESSAGES: usize = 1000;

/// What stands for all that is not kept.
const ELLIPSIS: &str = "…";

/// The messages in the JSON text of `errors`: `None`, a success, where it is null or absent. StringInterner of an array are its
/// messages; anything else is one as its JSON text. At most 16 KiB and 1000 messages are kept; where there is more, or no memory for
/// it, an ellipsis ends the last one.
pub fn read_messages(json: &[u8]) -> Option<Vec<String>> {
    if json.is_empty() || json == b"null" {
        return None;
    }
    let mut messages = Messages { list: Vec::new(), remaining: MAX_BYTES };
    let mut cursor = Cursor { body: json, at: 0 };
    // The text has been checked already, so that what was read is all there is, but for what is too much.
    let read = if cursor.peek() == b'[' {
        read_elements(&mut cursor, &mut messages)
    } else {
        read_message(&mut cursor, &mut messages)
    };
    if read.is_err() {
        messages.mark_truncated();
    }
    Some(messages.list)
}

struct Messages {
    list: Vec<String>,
    /// How many bytes more are kept.
    remaining: usize,
}

/// There is more than can be kept.
struct LimitReached;

impl From<SyntaxError> for LimitReached {
    fn from(_: SyntaxError) -> Self {
        LimitReached
    }
}

impl From<OutOfMemory> for LimitReached {
    fn from(_: OutOfMemory) -> Self {
        LimitReached
    }
}

impl Messages {
    /// Adds a message, as much of it as can be kept.
    fn add(&mut self, message: &[u8]) -> Result<(), LimitReached> {
        if self.list.len() >= MAX_MESSAGES {
            return Err(LimitReached);
        }
        let message = std::str::from_utf8(message).unwrap_or_default();
        let kept = message.get(..message.floor_char_boundary(self.remaining)).unwrap_or_default();
        push(&mut self.list, try_to_owned(kept)?)?;
        self.remaining -= kept.len();
        if kept.len() < message.len() { Err(LimitReached) } else { Ok(()) }
    }

    /// Says that there was more.
    fn mark_truncated(&mut self) {
        match self.list.last_mut() {
            Some(last) => last.push_str(ELLIPSIS),
            None => self.list.push(ELLIPSIS.to_owned()),
        }
    }
}

fn read_elements(cursor: &mut Cursor<'_>, messages: &mut Messages) -> Result<(), LimitReached> {
    cursor.at += 1;
    while cursor.peek_past_whitespace() != b']' {
        if cursor.consume(b",") {
            cursor.peek_past_whitespace();
        }
        read_message(cursor, messages)?;
    }
    Ok(())
}

fn read_message(cursor: &mut Cursor<'_>, messages: &mut Messages) -> Result<(), LimitReached> {
    if cursor.peek() != b'"' {
        let value = skip_value(cursor, usize::MAX)?;
        return messages.add(cursor.between(value.start, value.end));
    }
    let mut scratch = Vec::new();
    match string::read(cursor, &mut scratch)? {
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
    fn null_and_absent_mean_success_and_nothing_else_does() {
        assert_eq!(messages(""), None);
        assert_eq!(messages("null"), None);
        assert_eq!(messages("[]"), Some(vec![]));
        assert_eq!(messages("false"), Some(vec!["false".into()]));
        assert_eq!(messages("0"), Some(vec!["0".into()]));
        assert_eq!(messages("\"\""), Some(vec!["".into()]));
    }

    #[test]
    fn messages_are_strings_and_other_values_as_their_json() {
        assert_eq!(messages(r#"["a", "b\n\u00e9"]"#), Some(vec!["a".into(), "b\né".into()]));
        assert_eq!(messages(r#""boom""#), Some(vec!["boom".into()]));
        assert_eq!(
            messages(r#"[1, {"a":[2]}, "\ud800"]"#),
            Some(vec!["1".into(), r#"{"a":[2]}"#.into(), r#""\ud800""#.into()])
        );
        assert_eq!(messages(r#"{"a":1}"#), Some(vec![r#"{"a":1}"#.into()]));
    }

    #[test]
    fn of_very_much_only_the_beginning_is_kept_and_an_ellipsis_says_so() {
        let kept = |json: &str| messages(json).unwrap();
        let whole = "x".repeat(MAX_BYTES);
        assert_eq!(kept(&format!("[\"{whole}\"]")), [whole.as_str()]);
        assert_eq!(kept(&format!("[\"{whole}y\", 1]")), [whole.clone() + "…"]);
        assert_eq!(kept(&format!("[\"{whole}\", 1]")), [whole.as_str(), "…"]);
        assert_eq!(
            kept(&format!("\"a{}\"", "é".repeat(MAX_BYTES))),
            ["a".to_owned() + &"é".repeat(MAX_BYTES / 2 - 1) + "…"]
        );
        assert_eq!(kept(&format!("{{\"a\":\"{whole}\"}}")), [format!("{{\"a\":\"{}…", &whole[6..])]);
    }

    #[test]
    fn of_very_many_only_the_first_are_kept() {
        let all = kept_of(MAX_MESSAGES);
        assert!(all.len() == MAX_MESSAGES && all.iter().all(String::is_empty));
        let first = kept_of(MAX_MESSAGES + 1);
        assert_eq!((first.len(), first.last().map(String::as_str)), (MAX_MESSAGES, Some("…")));
    }

    fn kept_of(count: usize) -> Vec<String> {
        messages(&format!("[{}]", vec!["\"\""; count].join(","))).unwrap()
    }
}
