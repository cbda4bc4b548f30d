//! Checks and skips JSON values of any depth.

use std::ops::Range;

use super::cursor::Cursor;
use super::decimal::Decimal;
use super::error::{DecodeErrorKind, SyntaxError};
use super::string;
use crate::memory::push;

/// Checks and skips one value, in slices. Each level of nesting takes one bit.
pub(crate) struct Skipper {
    expected: Expected,
    depth: usize,
    limit: usize,
    /// Whether each open container is an object. The lowest bit of `inner` is the innermost; `outer` has full words of outer levels.
    inner: u64,
    outer: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq)]
enum Expected {
    Value,
    FirstElement,
    FirstKey,
    Key,
    Comma,
    Nothing,
}

/// Skips the value at the cursor, which may be nested at most `limit` deep, and returns its range.
pub(crate) fn skip_value(cursor: &mut Cursor<'_>, limit: usize) -> Result<Range<usize>, SyntaxError> {
    let start = cursor.at;
    Skipper::new(limit).run(cursor, usize::MAX)?;
    Ok(start..cursor.at)
}

impl Skipper {
    /// Prepares to skip a value that may be nested at most `limit` deep.
    pub(crate) fn new(limit: usize) -> Self {
        Self { expected: Expected::Value, depth: 0, limit, inner: 0, outer: Vec::new() }
    }

    /// Skips up to the end of the value, or to shortly after the offset `pause`. Returns true at the end of the value.
    pub(crate) fn run(&mut self, cursor: &mut Cursor<'_>, pause: usize) -> Result<bool, SyntaxError> {
        while self.expected != Expected::Nothing {
            if cursor.at >= pause {
                return Ok(false);
            }
            self.step(cursor)?;
        }
        Ok(true)
    }

    fn step(&mut self, cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
        let byte = cursor.peek_past_whitespace();
        match (self.expected, byte) {
            (Expected::FirstElement, b']') | (Expected::FirstKey, b'}') => self.close(cursor),
            (Expected::Value | Expected::FirstElement, _) => self.value(cursor, byte)?,
            (Expected::Key | Expected::FirstKey, _) => {
                string::skip(cursor)?;
                cursor.peek_past_whitespace();
                cursor.expect(b":")?;
                self.expected = Expected::Value;
            }
            (Expected::Comma, b',') => {
                cursor.at += 1;
                self.expected = if self.is_in_object() { Expected::Key } else { Expected::Value };
            }
            (Expected::Comma, b'}') if self.is_in_object() => self.close(cursor),
            (Expected::Comma, b']') if !self.is_in_object() => self.close(cursor),
            _ => return Err(cursor.unexpected()),
        }
        Ok(())
    }

    fn value(&mut self, cursor: &mut Cursor<'_>, first: u8) -> Result<(), SyntaxError> {
        match first {
            b'{' | b'[' => return self.open(cursor, first == b'{'),
            b'"' => string::skip(cursor)?,
            b'-' | b'0'..=b'9' => {
                Decimal::read(cursor)?;
            }
            b't' => cursor.expect(b"true")?,
            b'f' => cursor.expect(b"false")?,
            b'n' => cursor.expect(b"null")?,
            _ => return Err(cursor.unexpected()),
        }
        self.value_ended();
        Ok(())
    }

    fn open(&mut self, cursor: &mut Cursor<'_>, is_object: bool) -> Result<(), SyntaxError> {
        if self.depth >= self.limit {
            return Err(cursor.error(DecodeErrorKind::TooDeep));
        }
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            push(&mut self.outer, self.inner)?;
        }
        self.depth += 1;
        self.inner = self.inner << 1 | u64::from(is_object);
        self.expected = if is_object { Expected::FirstKey } else { Expected::FirstElement };
        cursor.at += 1;
        Ok(())
    }

    fn close(&mut self, cursor: &mut Cursor<'_>) {
        cursor.at += 1;
        self.depth -= 1;
        self.inner >>= 1;
        if self.depth > 0 && self.depth.is_multiple_of(64) {
            self.inner = self.outer.pop().unwrap_or_default();
        }
        self.value_ended();
    }

    fn value_ended(&mut self) {
        self.expected = if self.depth == 0 { Expected::Nothing } else { Expected::Comma };
    }

    fn is_in_object(&self) -> bool {
        self.inner & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn skip(json: &[u8], limit: usize, slice: usize) -> Result<usize, SyntaxError> {
        let mut cursor = Cursor { body: json, at: 0 };
        let mut skip = Skipper::new(limit);
        let mut pause = slice;
        while !skip.run(&mut cursor, pause)? {
            pause += slice;
        }
        Ok(cursor.at)
    }

    #[test]
    fn skips_a_million_levels() {
        let levels = 1_000_000;
        let json = "[".repeat(levels) + &"{\"a\":".repeat(levels) + "1" + &"}".repeat(levels) + &"]".repeat(levels);
        assert_eq!(skip(json.as_bytes(), usize::MAX, 1 << 20), Ok(json.len()));
        assert_eq!(
            skip(json.as_bytes(), 128, 1 << 20),
            Err(SyntaxError { offset: 128, kind: DecodeErrorKind::TooDeep })
        );
    }

    #[test]
    fn refuses_mismatched_brackets_and_misplaced_commas() {
        for (json, offset) in [
            ("[1}", 2),
            ("{\"a\":1]", 6),
            ("[,]", 1),
            ("[1,]", 3),
            ("{,}", 1),
            ("{\"a\":1,}", 7),
            ("{\"a\"}", 4),
            ("{1:2}", 1),
        ] {
            let byte = json.as_bytes()[offset];
            assert_eq!(
                skip(json.as_bytes(), 9, 99),
                Err(SyntaxError { offset, kind: DecodeErrorKind::UnexpectedByte(byte) }),
                "{json}"
            );
        }
    }

    proptest! {
        #[test]
        fn accepts_what_serde_accepts_in_slices_of_any_size(
            json in "[\\[\\]{}:, \"a01.e-]{0,12}|\\[(\\{\"a\":[0-9],\"b\":(\\[\\]|\\{\\})\\},?){0,70}\\]",
            slice in 1usize..20,
        ) {
            let theirs = serde_json::from_str::<&serde_json::value::RawValue>(&json);
            let ours = skip(json.as_bytes(), 128, slice);
            let whole = matches!(ours, Ok(end) if json[end..].trim_ascii().is_empty());
            prop_assert_eq!(whole, theirs.is_ok(), "{} {:?}", json, ours);
        }
    }
}
