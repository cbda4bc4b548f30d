//! Raw JSON: the text of a value that has no columns.

use super::cursor::Cursor;
use super::decimal::Decimal;
use super::error::{MAX_NESTING, SyntaxError};
use super::skip::skip_value;
use super::string;

/// `Number.MAX_SAFE_INTEGER`
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// Returns true if bytes are the JSON of one value, without white space around it.
pub(crate) fn is_valid(bytes: &[u8]) -> bool {
    skip_value(&mut Cursor { body: bytes, at: 0 }, MAX_NESTING)
        .is_ok_and(|value| value == (0..bytes.len()) && bytes.first().is_some_and(|first| *first > b' '))
}

/// Returns true if valid JSON has an integer that is not safe: `Number.isSafeInteger` is false.
pub(crate) fn has_unsafe_integer(json: &[u8]) -> bool {
    let mut cursor = Cursor { body: json, at: 0 };
    while !cursor.rest().is_empty() {
        if find_unsafe_integer(&mut cursor) != Ok(false) {
            return true;
        }
    }
    false
}

/// Skips a string, a number or another byte. Returns true if it is an integer that is not safe.
fn find_unsafe_integer(cursor: &mut Cursor<'_>) -> Result<bool, SyntaxError> {
    match cursor.peek() {
        b'"' => string::skip(cursor)?,
        b'-' | b'0'..=b'9' => {
            let start = cursor.at;
            Decimal::read(cursor)?;
            let digits = cursor.between(start, cursor.at);
            let digits = str::from_utf8(digits.strip_prefix(b"-").unwrap_or(digits)).unwrap_or_default();
            let is_integer = digits.bytes().all(|byte| byte.is_ascii_digit());
            return Ok(is_integer && digits.parse().map_or(true, |integer: u64| integer > MAX_SAFE_INTEGER));
        }
        _ => cursor.at += 1,
    }
    Ok(false)
}

/// Returns true if a number is an integer that is not safe.
pub(crate) fn is_unsafe_integer(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() > MAX_SAFE_INTEGER as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_json_of_one_value() {
        for json in ["[]", "{\"a\":[1,null]}", "\"\\ud800\"", "1", "true"] {
            assert!(is_valid(json.as_bytes()), "{json}");
        }
        for text in ["", " ", " []", "[] ", "[][]", "[", "\"a", "abc", "\"\x01\"", "[1,]"] {
            assert!(!is_valid(text.as_bytes()), "{text}");
        }
        assert!(!is_valid(b"\"\xFF\"") && !is_valid("[".repeat(1000).as_bytes()));
        assert!(is_valid(("[".repeat(MAX_NESTING) + &"]".repeat(MAX_NESTING)).as_bytes()));
    }

    #[test]
    fn finds_integers_that_are_not_safe() {
        for json in ["[9007199254740992]", "[1,-9007199254740993]", r#"{"a":["\"",123456789012345678901234567890]}"#] {
            assert!(has_unsafe_integer(json.as_bytes()), "{json}");
        }
        for json in [
            "[9007199254740991,-9007199254740991]",
            r#"["9007199254740993","\"9007199254740993"]"#,
            "[0.12345678901234567890,1e300]",
        ] {
            assert!(!has_unsafe_integer(json.as_bytes()), "{json}");
        }
        for number in [2_f64.powi(53), -1e300] {
            assert!(is_unsafe_integer(number));
        }
        for number in [2_f64.powi(53) - 1.0, 0.5, -0.0, f64::INFINITY, f64::NAN] {
            assert!(!is_unsafe_integer(number));
        }
    }
}
