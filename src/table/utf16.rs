//! The UTF-16 code units of values, as JavaScript compares strings.

use std::str::Chars;

use chunk::value::Value;

/// Returns the code units of a string, or of the raw JSON of any other value.
pub(super) fn utf16_units<'value>(value: &Value<'value>) -> Utf16Units<'value> {
    match *value {
        Value::Text(text) => Utf16Units::of(text),
        Value::Json(json) => Utf16Units::of_string(json).unwrap_or(Utf16Units::of(json)),
        _ => Utf16Units::of(""),
    }
}

/// An iterator over UTF-16 code units.
pub(super) struct Utf16Units<'text> {
    rest: Chars<'text>,
    /// Whether a backslash starts an escape.
    has_escapes: bool,
    /// The low surrogate that follows the unit returned last.
    low: Option<u16>,
}

impl<'text> Utf16Units<'text> {
    fn of(text: &'text str) -> Self {
        Utf16Units { rest: text.chars(), has_escapes: false, low: None }
    }

    /// The code units that a JSON string stands for; `None` for any other JSON value.
    fn of_string(json: &'text str) -> Option<Self> {
        let inside = json.strip_prefix('"')?.strip_suffix('"')?;
        Some(Utf16Units { has_escapes: true, ..Self::of(inside) })
    }
}

impl Iterator for Utf16Units<'_> {
    type Item = u16;

    fn next(&mut self) -> Option<u16> {
        if let Some(low) = self.low.take() {
            return Some(low);
        }
        let next = self.rest.next()?;
        if next != '\\' || !self.has_escapes {
            let mut units = [0; 2];
            next.encode_utf16(&mut units);
            let [first, second] = units;
            self.low = (next.len_utf16() == 2).then_some(second);
            return Some(first);
        }
        Some(match self.rest.next()? {
            'b' => 0x08,
            'f' => 0x0C,
            'n' => 0x0A,
            'r' => 0x0D,
            't' => 0x09,
            'u' => (0..4).try_fold(0, |unit, _| Some(unit << 4 | self.rest.next()?.to_digit(16)? as u16))?,
            other => other as u16,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_lone_surrogates_from_raw_json() {
        let text: Vec<u16> = utf16_units(&Value::Json(r#""\ud800a\n\"é😀""#)).collect();
        assert_eq!(text, [0xD800, 0x61, 0x0A, 0x22, 0xE9, 0xD83D, 0xDE00]);
        assert!(utf16_units(&Value::Json("[1]")).eq("[1]".encode_utf16()));
    }
}
