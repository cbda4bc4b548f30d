//! JSON texts: the one value in a body, and how deep it is.

use serde_json::value::RawValue;

/// The text of the one value in bytes that are JSON in strict UTF-8, a byte order mark before it or not.
pub fn text(bytes: &[u8]) -> Option<&str> {
    let without_mark = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let raw: &RawValue = serde_json::from_str(std::str::from_utf8(without_mark).ok()?).ok()?;
    Some(raw.get())
}

/// How deep arrays and objects lie inside each other in a JSON text.
pub fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut is_in_string = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => is_in_string = !is_in_string,
            b'\\' => drop(bytes.next()),
            b'{' | b'[' if !is_in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' if !is_in_string => depth -= 1,
            _ => {}
        }
    }
    deepest
}
