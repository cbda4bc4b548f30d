//! JSON texts: the one value in a body, how deep it is, and its texts as JavaScript has them.

use chunk::memory::OutOfMemory;
use serde_json::value::RawValue;

use crate::reference::Json;

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

/// The UTF-16 code units of a text in which lone surrogates are encoded as other code points are.
pub fn units(text: &[u8]) -> Vec<u16> {
    let mut units = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let (valid, invalid) = match std::str::from_utf8(rest) {
            Ok(_) => (rest.len(), 0),
            Err(error) => (error.valid_up_to(), 3),
        };
        units.extend(std::str::from_utf8(&rest[..valid]).unwrap().encode_utf16());
        if let [_, middle, last] = rest[valid..valid + invalid] {
            units.push(0xD000 | u16::from(middle & 0x3F) << 6 | u16::from(last & 0x3F));
        }
        rest = &rest[valid + invalid..];
    }
    units
}

/// A text that all equal values have, and that of a string is its JSON.
pub fn canonical(text: &str) -> Result<String, OutOfMemory> {
    Ok(match Json::of(text) {
        // With an escape for each code unit.
        Json::Text(text) => {
            format!("\"{}\"", units(&text).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>())
        }
        value => format!("{value:?}"),
    })
}
