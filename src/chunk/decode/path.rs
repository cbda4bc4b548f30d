//! The JSON path of a byte of a body.

use super::diagnosis::{diagnosis, shortened};
use crate::json::cursor::Cursor;
use crate::json::error::{DecodeError, DecodeErrorKind, SyntaxError};
use crate::json::string;

/// The maximum number of segments of a path that are written. An ellipsis replaces the deeper ones.
const MAX_SEGMENTS: usize = 64;

/// The maximum number of characters of a key that are written. An ellipsis replaces the others.
const MAX_KEY_CHARACTERS: usize = 100;

/// One step from a container to a value inside.
#[derive(Clone, Copy)]
enum Segment {
    /// The value of the key between these two offsets; both are 0 before the key has been read.
    Key(usize, usize),
    Element(usize),
}

impl SyntaxError {
    /// Adds the path of the value around the error, and what the body has there.
    pub(super) fn with_path(self, body: &[u8]) -> DecodeError {
        let SyntaxError { offset, kind } = if self.is_in_last_character(body) {
            SyntaxError { offset: body.len(), kind: DecodeErrorKind::UnexpectedEnd }
        } else {
            self
        };
        DecodeError {
            offset,
            path: path_at(body, offset),
            kind,
            diagnosis: diagnosis(SyntaxError { offset, kind }, body),
        }
    }

    /// Whether the error is a character that the end of the body cuts off.
    fn is_in_last_character(self, body: &[u8]) -> bool {
        let rest = body.get(self.offset..).unwrap_or_default();
        self.kind == DecodeErrorKind::InvalidUtf8
            && std::str::from_utf8(rest).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
    }
}

/// Returns the JSON path of the value around `offset`, such as `$.Findings[3].Topic.Text`. The bytes before `offset` must be valid.
fn path_at(body: &[u8], offset: usize) -> String {
    let mut segments = [Segment::Element(0); MAX_SEGMENTS];
    let mut depth = 0_usize;
    let mut cursor = Cursor { body, at: 0 };
    while cursor.at < offset {
        let top = depth.checked_sub(1).and_then(|top| segments.get_mut(top));
        match (cursor.peek_past_whitespace(), top) {
            _ if cursor.at >= offset => break,
            (b'{', _) => depth = enter(&mut segments, depth, Segment::Key(0, 0)),
            (b'[', _) => depth = enter(&mut segments, depth, Segment::Element(0)),
            (b'}' | b']', _) => depth = depth.saturating_sub(1),
            (b',', Some(Segment::Element(index))) => *index += 1,
            (b',', Some(key)) => *key = Segment::Key(0, 0),
            (b'"', top) => {
                let start = cursor.at;
                // A string that contains `offset`, or that is invalid, is the value itself, or a key whose value comes later.
                if string::skip(&mut cursor).is_err() || cursor.at > offset {
                    break;
                }
                if let Some(key @ Segment::Key(0, 0)) = top {
                    *key = Segment::Key(start, cursor.at);
                }
                continue;
            }
            _ => {}
        }
        cursor.at += 1;
    }
    let mut path = String::from("$");
    for segment in segments.iter().take(depth) {
        match segment {
            Segment::Key(0, 0) => {}
            Segment::Key(start, end) => write_key(&mut path, cursor.between(*start, *end)),
            Segment::Element(index) => path += &format!("[{index}]"),
        }
    }
    if depth > MAX_SEGMENTS {
        path.push('…');
    }
    path
}

/// Records one more container and returns the new depth.
fn enter(segments: &mut [Segment], depth: usize, segment: Segment) -> usize {
    if let Some(slot) = segments.get_mut(depth) {
        *slot = segment;
    }
    depth + 1
}

/// Writes `.key` if the key looks like an identifier, else `["key"]` with the escapes that it has in the body.
fn write_key(path: &mut String, json: &[u8]) {
    let name = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
    // Any character beyond ASCII counts as a letter: a table of all letters would be too large.
    let is_plain = name.first().is_some_and(|first| !first.is_ascii_digit())
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..));
    let (open, close) = if is_plain { (".", "") } else { ("[\"", "\"]") };
    let name = std::str::from_utf8(name).unwrap_or_default();
    let (name, more) = shortened(name, MAX_KEY_CHARACTERS);
    for part in [open, name, more, close] {
        *path += part;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(body: &str, mark: &str) -> String {
        path_at(body.as_bytes(), body.find(mark).unwrap())
    }

    #[test]
    fn a_path_leads_to_the_value_at_the_byte() {
        let body = r#" {"errors": null, "Findings" : [ {"a":[1,[2,@]]}, {"Topic": {"Text": ?, "b":{}, "c": #}}, ; ], "x": ! } ~"#;
        for (mark, path) in [
            ("null", "$.errors"),
            ("@", "$.Findings[0].a[1][1]"),
            ("?", "$.Findings[1].Topic.Text"),
            ("#", "$.Findings[1].Topic.c"),
            (";", "$.Findings[2]"),
            ("!", "$.x"),
            ("~", "$"),
        ] {
            assert_eq!(at(body, mark), path, "{mark}");
        }
    }

    #[test]
    fn a_key_that_is_no_identifier_is_written_in_brackets() {
        assert_eq!(at(r#"{"a.b":{"":{"x y":{"\"":@"#, "@"), r#"$["a.b"][""]["x y"]["\""]"#);
        assert_eq!(at(r#"{"größe":{"1a":@"#, "@"), r#"$.größe["1a"]"#);
    }

    #[test]
    fn a_byte_inside_a_string_belongs_to_its_value() {
        assert_eq!(at(r#"{"a":["b","c,[{@"]}"#, "@"), "$.a[1]");
        assert_eq!(at(r#"{"a":1,"b@":2}"#, "@"), "$");
    }

    #[test]
    fn deep_paths_and_long_keys_are_truncated() {
        let deep = "[".repeat(100_000);
        assert!(path_at(deep.as_bytes(), deep.len()).len() < 300);
        let long = format!("{{\"{}\":@", "a".repeat(100_000));
        assert!(at(&long, "@").len() < 300);
    }

    #[test]
    fn every_offset_has_a_path() {
        for body in [r#"{"a":[1,{"b":"c\"d"}],"e":{}}"#, "]]]}}}", "\"", "{\"\\", ""] {
            for offset in 0..body.len() + 3 {
                assert!(path_at(body.as_bytes(), offset).starts_with('$'));
            }
        }
    }
}
