//! JSON numbers.

use crate::json::cursor::Cursor;
use crate::json::decimal::{Decimal, leading_digits};
use crate::json::error::{DecodeErrorKind, SyntaxError};
use crate::value::cell::Cell;
use crate::value::number_interner::NumberInterner;

/// Reads the number at the cursor, rounded as `JSON.parse` does.
#[inline(never)]
pub(super) fn read(cursor: &mut Cursor<'_>, numbers: &mut NumberInterner) -> Result<Cell, SyntaxError> {
    let start = cursor.at;
    let decimal = Decimal::read(cursor)?;
    Ok(match decimal.nearest() {
        Some(value) => numbers.intern(value)?,
        None => {
            let json = std::str::from_utf8(cursor.between(start, cursor.at)).unwrap_or_default();
            numbers.read(json)?.ok_or_else(|| cursor.error(DecodeErrorKind::NeedsHost))?
        }
    })
}

/// The fast path of [`read`]: reads an integer of at most eight digits that other bytes follow.
#[inline]
pub(super) fn read_short_integer(cursor: &mut Cursor<'_>) -> Option<Cell> {
    let rest = cursor.rest();
    let sign = usize::from(rest.first() == Some(&b'-'));
    let word = rest.get(sign..)?.first_chunk()?;
    let (value, count) = leading_digits(*word);
    let is_more = matches!(rest.get(sign + count)?, b'0'..=b'9' | b'.' | b'e' | b'E');
    // A leading zero is valid only alone, and `-0` does not fit into a cell.
    let is_plain = count == 1 && sign == 0 || word.first() != Some(&b'0');
    if count == 0 || is_more || !is_plain {
        return None;
    }
    cursor.at += sign + count;
    Some(Cell::integer(if sign == 1 { -value } else { value }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::HashSeed;
    use crate::value::cell::Content;
    use proptest::prelude::*;

    /// Reads a number at the end of a body, and the same number followed by other bytes.
    fn value(json: &str) -> Result<f64, SyntaxError> {
        let alone = value_before(json, "");
        if alone.is_ok() {
            assert_eq!(alone.map(f64::to_bits), value_before(json, ",\"next\":0123").map(f64::to_bits), "{json}");
        }
        alone
    }

    fn value_before(json: &str, behind: &str) -> Result<f64, SyntaxError> {
        let body = [json, behind].concat();
        let mut numbers = NumberInterner::new(Some(crate::value::number_interner::rust_number), HashSeed::default());
        let mut cursor = Cursor { body: body.as_bytes(), at: 0 };
        let mut skipping = cursor;
        let mut short = cursor;
        let cell = read(&mut cursor, &mut numbers);
        assert_eq!(Decimal::read(&mut skipping).map(drop), cell.map(|_| ()), "{json}: reading and skipping agree");
        if let Some(integer) = read_short_integer(&mut short) {
            assert_eq!((Ok(integer), short.at), (cell, cursor.at), "{json}: reading short numbers and any agree");
        }
        match cell?.content() {
            Content::Integer(value) => Ok(f64::from(value)),
            Content::Number(id) => Ok(numbers.value(id)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn reads_the_numbers_that_javascript_reads() {
        let cases = [
            ("0", 0.0),
            ("-0", -0.0),
            ("-0.0e1", -0.0),
            ("10.0", 10.0),
            ("1e2", 100.0),
            ("12345678", 12_345_678.0),
            ("-123456", -123_456.0),
            ("999999999", 999_999_999.0),
            ("1073741823", 1_073_741_823.0),
            ("1073741824", 1_073_741_824.0),
            ("-1073741824", -1_073_741_824.0),
            ("-1073741825", -1_073_741_825.0),
            ("9007199254740993", 9_007_199_254_740_992.0),
            ("123456789012345678901234567890", 1.234_567_890_123_456_8e29),
            ("1e400", f64::INFINITY),
            ("-1e400", f64::NEG_INFINITY),
            ("5e-324", 5e-324),
            ("2e-324", 0.0),
            ("0.1", 0.1),
        ];
        for (json, expected) in cases {
            assert_eq!(value(json).unwrap().to_bits(), f64::to_bits(expected), "{json}");
        }
    }

    #[test]
    fn refuses_malformed_numbers() {
        for json in ["-", "01", "-01", "00", "1.", "1.e3", "1e", "1e+", "-a", "1E-", "-.5"] {
            let result = value(json);
            assert!(result.is_err(), "{json}: {result:?}");
            assert!(value_before(json, ",        ").is_err(), "{json}");
        }
    }

    proptest! {
        #[test]
        fn rounds_as_the_standard_library_does(json in "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?") {
            prop_assert_eq!(value(&json).unwrap().to_bits(), json.parse::<f64>().unwrap().to_bits());
        }

        #[test]
        fn reads_every_integer(integer in any::<i64>()) {
            prop_assert_eq!(value(&integer.to_string()).unwrap(), integer as f64);
        }
    }
}
