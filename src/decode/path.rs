//! The JSON path of a byte, found by walking over what stands before it; only taken when there is something to report.

use std::fmt::Write;
use std::ops::Range;

/// The path of the value that a byte of a body belongs to, such as `$.Findings[3].Topic.Text`. What stands before the
/// byte should be JSON as far as it goes; whatever it is, there is a path.
pub fn path_at(body: &[u8], offset: usize) -> String {
    let before = body.get(..offset).unwrap_or(body);
    let mut path = String::from("$");
    for level in levels(before) {
        match level {
            Level::Object { key: Some(key) } => write_key(&mut path, before.get(key).unwrap_or_default()),
            Level::Object { key: None } => {}
            // Writing to a string cannot fail.
            Level::Array { index } => write!(path, "[{index}]").unwrap_or_default(),
        }
    }
    path
}

/// An object or array that is open at the end of the walk, with the place in it.
enum Level {
    /// The key whose value comes, where it has been read; the bytes between its quotes.
    Object {
        key: Option<Range<usize>>,
    },
    Array {
        index: usize,
    },
}

fn levels(before: &[u8]) -> Vec<Level> {
    let mut levels = Vec::new();
    let mut position = 0;
    while let Some(&byte) = before.get(position) {
        match byte {
            b'{' => levels.push(Level::Object { key: None }),
            b'[' => levels.push(Level::Array { index: 0 }),
            b'}' | b']' => drop(levels.pop()),
            b',' => next_member(levels.last_mut()),
            b'"' => {
                let content = string_content(before, position + 1);
                position = content.end;
                if position < before.len() {
                    take_key(levels.last_mut(), content);
                }
            }
            _ => {}
        }
        position += 1;
    }
    levels
}

fn next_member(level: Option<&mut Level>) {
    match level {
        Some(Level::Object { key }) => *key = None,
        Some(Level::Array { index }) => *index += 1,
        None => {}
    }
}

fn take_key(level: Option<&mut Level>, content: Range<usize>) {
    if let Some(Level::Object { key: key @ None }) = level {
        *key = Some(content);
    }
}

/// From after the opening quote to the closing one, or to the end where there is none.
fn string_content(before: &[u8], start: usize) -> Range<usize> {
    let mut end = start;
    while let Some(&byte) = before.get(end) {
        match byte {
            b'"' => break,
            b'\\' => end += 2,
            _ => end += 1,
        }
    }
    start..end.min(before.len())
}

fn write_key(path: &mut String, key: &[u8]) {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let name = String::from_utf8_lossy(key);
    let starts_as_name = key.first().is_some_and(|first| !first.is_ascii_digit());
    let written =
        if starts_as_name && key.iter().all(plain) { write!(path, ".{name}") } else { write!(path, "[\"{name}\"]") };
    written.unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn path_before(body: &str, mark: &str) -> String {
        path_at(body.as_bytes(), body.find(mark).unwrap())
    }

    #[test]
    fn a_value_is_named_by_the_keys_and_indexes_above_it() {
        let body = r#"{"errors": null, "Findings": [{"a": 1}, {"Topic": {"Text": MARK}}]}"#;
        assert_eq!(path_before(body, "MARK"), "$.Findings[1].Topic.Text");
        assert_eq!(path_before(body, "null"), "$.errors");
        assert_eq!(path_before(body, "{\"Topic"), "$.Findings[1]");
        assert_eq!(path_before(r#"{"a":[[],[1,[2,MARK"#, "MARK"), "$.a[1][1][1]");
    }

    #[test]
    fn after_a_value_its_container_goes_on() {
        assert_eq!(path_before(r#"{"a":{"b":[1,2]}, MARK"#, "MARK"), "$");
        assert_eq!(path_before(r#"{"a":1} MARK"#, "MARK"), "$");
        assert_eq!(path_before(r#"[{"a":1}, MARK"#, "MARK"), "$[1]");
    }

    #[test]
    fn quotes_and_braces_inside_strings_are_text() {
        assert_eq!(path_before(r#"{"a":"}]{[,\"","b":MARK"#, "MARK"), "$.b");
        assert_eq!(path_before(r#"{"a":"x MARK"#, "MARK"), "$.a");
    }

    #[test]
    fn keys_that_are_no_names_stand_in_brackets() {
        assert_eq!(path_before(r#"{"a.b":{"":{"0":{"ä":MARK"#, "MARK"), r#"$["a.b"][""]["0"]["ä"]"#);
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_path_at_any_offset(body in prop::collection::vec(any::<u8>(), 0..80), offset in 0usize..100) {
            prop_assert!(path_at(&body, offset).starts_with('$'));
        }
    }
}
