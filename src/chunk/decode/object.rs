//! The top-level fields of a JSON object.

use std::ops::Range;

use super::value::{Key, next_key};
use crate::json::cursor::Cursor;
use crate::json::decimal::Decimal;
use crate::json::error::{DecodeError, DecodeErrorKind, SyntaxError};
use crate::json::skip::skip_value;

/// The raw JSON of some top-level fields of a body.
pub struct ObjectFields<'body, const N: usize> {
    cursor: Cursor<'body>,
    names: [&'static str; N],
    /// Where the value of each field lies; empty for a missing field.
    values: [Range<usize>; N],
    /// The error for a body that is JSON but not an object.
    not_an_object: Option<SyntaxError>,
}

impl<'body, const N: usize> ObjectFields<'body, N> {
    /// Reads a whole body and keeps the fields with these names. If a field repeats, the last value counts.
    ///
    /// # Errors
    /// The body is not JSON in UTF-8. JSON that is not an object is not an error: it has no fields.
    pub fn read(body: &'body [u8], names: [&'static str; N]) -> Result<Self, DecodeError> {
        let mut fields =
            ObjectFields { cursor: Cursor { body, at: 0 }, names, values: [const { 0..0 }; N], not_an_object: None };
        fields.read_body().map_err(|error| error.in_body(body, None))?;
        Ok(fields)
    }

    /// Checks that the body is an object.
    ///
    /// # Errors
    ///
    /// The body is another JSON value.
    pub fn check_object(&self) -> Result<(), DecodeError> {
        self.not_an_object.map_or(Ok(()), |error| Err(error.in_body(self.cursor.body, None)))
    }

    /// Returns the raw JSON of a field; empty for a missing one.
    pub fn raw_json(&self, name: &str) -> &'body [u8] {
        let value = self.span(name);
        self.cursor.between(value.start, value.end)
    }

    /// Returns the value of a field if it is a non-negative integer, however it is written: `10`, `10.0` and `1e1` are all 10. `None` if it is
    /// another value, or written with more digits than fit into 64 bits.
    pub fn unsigned_integer(&self, name: &str) -> Option<u64> {
        let mut cursor = Cursor { at: self.span(name).start, ..self.cursor };
        Decimal::read(&mut cursor).ok()?.unsigned_integer()
    }

    /// Returns an error at the value of a field, or at the beginning of the body for a missing field.
    pub fn error_at(&self, name: &str, kind: DecodeErrorKind) -> DecodeError {
        SyntaxError { offset: self.span(name).start, kind }.in_body(self.cursor.body, None)
    }

    fn span(&self, name: &str) -> Range<usize> {
        let value = self.names.iter().zip(&self.values).find(|(known, _)| **known == name);
        value.map_or(0..0, |(_, span)| span.clone())
    }

    fn read_body(&mut self) -> Result<(), SyntaxError> {
        let cursor = &mut self.cursor;
        self.not_an_object = cursor.open_body()?;
        match self.not_an_object {
            None => read_members(cursor, &self.names, &mut self.values)?,
            Some(_) => {
                skip_value(cursor, usize::MAX)?;
            }
        }
        cursor.check_end()
    }
}

fn read_members(cursor: &mut Cursor<'_>, names: &[&str], values: &mut [Range<usize>]) -> Result<(), SyntaxError> {
    let mut scratch = Vec::new();
    let mut is_first = true;
    while let Some(key) = next_key(cursor, &mut scratch, is_first)? {
        is_first = false;
        let field = match key {
            Key::Name(name) => names.iter().position(|known| *known == name),
            Key::LoneSurrogates => None,
        };
        let value = skip_value(cursor, usize::MAX)?;
        if let Some(span) = field.and_then(|field| values.get_mut(field)) {
            *span = value;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &str) -> Result<ObjectFields<'_, 2>, DecodeError> {
        ObjectFields::read(body.as_bytes(), ["a", "b"])
    }

    #[test]
    fn keeps_the_raw_json_of_the_last_value_of_each_field() {
        let fields = read("\u{FEFF} {\"a\": [1, 2], \"c\":3, \"\\u0061\":{\"b\":4} } ").unwrap();
        assert_eq!((fields.raw_json("a"), fields.raw_json("b")), (b"{\"b\":4}".as_slice(), b"".as_slice()));
        assert_eq!(fields.check_object(), Ok(()));
    }

    #[test]
    fn another_value_has_no_fields() {
        let fields = read(" [{\"a\":1}]").unwrap();
        assert_eq!(fields.raw_json("a"), b"");
        assert_eq!(
            fields.check_object().map_err(|error| error.to_string()),
            Err("the body is not an object (at byte 1)".into())
        );
    }

    #[test]
    fn refuses_what_is_not_json() {
        for body in ["", " ", "{", "{}}", "{\"a\":1,}", "[1", "{\"a\":\u{1}}"] {
            assert!(read(body).is_err(), "{body}");
        }
    }
}
