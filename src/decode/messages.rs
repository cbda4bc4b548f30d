//! What the service says about a failure: the value of `errors`.

use super::counts::skip_value;
use super::cursor::{Cursor, Fault};
use super::text::{self, Text};

/// The messages in the JSON text of `errors`: `None`, a success, where it is null or absent. Strings of an array are its
/// messages; anything else is one as its JSON text.
pub fn read_errors(json: &[u8]) -> Option<Vec<String>> {
    if json.is_empty() || json == b"null" {
        return None;
    }
    let mut messages = Vec::new();
    let mut cursor = Cursor { body: json, at: 0 };
    // The text has been checked already, so that what was read is all there is.
    let read = if cursor.peek() == b'[' {
        read_elements(&mut cursor, &mut messages)
    } else {
        read_message(&mut cursor).map(|message| messages.push(message))
    };
    read.ok().map_or_else(|| Some(vec![lossy(json)]), |()| Some(messages))
}

fn read_elements(cursor: &mut Cursor<'_>, messages: &mut Vec<String>) -> Result<(), Fault> {
    cursor.at += 1;
    while cursor.peek_token() != b']' {
        if cursor.take(b",") {
            cursor.peek_token();
        }
        messages.push(read_message(cursor)?);
    }
    Ok(())
}

fn read_message(cursor: &mut Cursor<'_>) -> Result<String, Fault> {
    if cursor.peek() != b'"' {
        let value = skip_value(cursor)?;
        return Ok(lossy(cursor.between(value.start, value.end)));
    }
    let mut scratch = Vec::new();
    Ok(match text::read(cursor, &mut scratch)? {
        Text::Ascii(text) | Text::Other(text) | Text::Unpaired(text) => lossy(text),
    })
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(json: &str) -> Option<Vec<String>> {
        read_errors(json.as_bytes())
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
}
