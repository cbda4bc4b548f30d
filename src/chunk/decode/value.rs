//! Decodes values into cells.

use super::number;
use crate::json::cursor::Cursor;
use crate::json::error::MAX_LENGTH;
use crate::json::error::{DecodeErrorKind, SyntaxError};
use crate::json::skip::skip_value;
use crate::json::string::{self, JsonString};
use crate::value::cell::Cell;
use crate::value::dictionary::Dictionary;
use crate::value::shapes::PathId;
use crate::value::strings::StringKind;

/// A key of an object.
pub(super) enum Key<'a> {
    /// A key that can be the name of a column.
    Name(&'a str),
    /// A key with lone surrogates, which cannot.
    LoneSurrogates,
}

/// Reads the next key of the open object and moves to its value. Returns `None` after the closing brace.
pub(super) fn next_key<'text, 'body: 'text>(
    cursor: &mut Cursor<'body>,
    scratch: &'text mut Vec<u8>,
    is_first: bool,
) -> Result<Option<Key<'text>>, SyntaxError> {
    if cursor.peek_past_whitespace() == b'}' {
        cursor.at += 1;
        return Ok(None);
    }
    if !is_first {
        cursor.expect(b",")?;
        cursor.peek_past_whitespace();
    }
    let key = match string::read(cursor, scratch)? {
        JsonString::Ascii(name) | JsonString::NonAscii(name) => {
            Key::Name(std::str::from_utf8(name).unwrap_or_default())
        }
        JsonString::LoneSurrogates(_) => Key::LoneSurrogates,
    };
    cursor.peek_past_whitespace();
    cursor.expect(b":")?;
    cursor.peek_past_whitespace();
    Ok(Some(key))
}

/// Reads the string of a column at the cursor.
#[inline]
pub(super) fn read_string(
    cursor: &mut Cursor<'_>,
    dictionary: &mut Dictionary,
    column: PathId,
    scratch: &mut Vec<u8>,
) -> Result<Cell, SyntaxError> {
    let (kind, text) = match string::read(cursor, scratch)? {
        JsonString::Ascii(text) => (StringKind::Ascii, text),
        JsonString::NonAscii(text) => (StringKind::of_non_ascii(text), text),
        JsonString::LoneSurrogates(json) => (StringKind::RawJson, json),
    };
    check_length(cursor, text)?;
    let id = dictionary.strings.intern_value(column, kind, text)?;
    Ok(if kind == StringKind::RawJson { Cell::raw_json(id) } else { Cell::text(id) })
}

/// Reads the number, boolean or null at the cursor; `None` at an array or object.
#[inline]
pub(super) fn read_scalar(cursor: &mut Cursor<'_>, dictionary: &mut Dictionary) -> Result<Option<Cell>, SyntaxError> {
    let (word, cell): (&[u8], Cell) = match cursor.peek() {
        b'-' | b'0'..=b'9' => return number::read(cursor, &mut dictionary.numbers).map(Some),
        b'[' | b'{' => return Ok(None),
        b't' => (b"true", Cell::TRUE),
        b'f' => (b"false", Cell::FALSE),
        b'n' => (b"null", Cell::NULL),
        _ => return Err(cursor.unexpected()),
    };
    cursor.expect(word)?;
    Ok(Some(cell))
}

/// Reads the value at the cursor as raw JSON. It may be nested at most `nesting` deep.
pub(super) fn read_raw_json(
    cursor: &mut Cursor<'_>,
    dictionary: &mut Dictionary,
    nesting: usize,
) -> Result<Cell, SyntaxError> {
    let json = skip_value(cursor, nesting)?;
    let json = cursor.between(json.start, json.end);
    check_length(cursor, json)?;
    Ok(Cell::raw_json(dictionary.strings.intern(StringKind::RawJson, json)?))
}

/// Fails if the text before the cursor is longer than a string can be.
#[inline]
fn check_length(cursor: &Cursor<'_>, text: &[u8]) -> Result<(), SyntaxError> {
    if text.len() <= MAX_LENGTH {
        return Ok(());
    }
    Err(SyntaxError { offset: cursor.at.saturating_sub(1), kind: DecodeErrorKind::TooLong })
}
