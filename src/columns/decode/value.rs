//! One value of a finding: from its bytes to a cell.

use super::cursor::{Cursor, Fault};
use super::number;
use super::skip::Skip;
use super::text::{self, Text};
use crate::cell::Cell;
use crate::dictionary::Dictionary;
use crate::strings::Kind;

/// A key of an object.
pub enum Key<'a> {
    /// The key itself.
    Name(&'a str),
    /// A key with lone surrogates, which cannot be the name of a column.
    Unpaired,
}

/// Reads the key here and goes to its value.
pub fn read_key<'text, 'body: 'text>(
    cursor: &mut Cursor<'body>,
    scratch: &'text mut Vec<u8>,
) -> Result<Key<'text>, Fault> {
    let key = match text::read(cursor, scratch)? {
        Text::Ascii(name) | Text::Other(name) => Key::Name(std::str::from_utf8(name).unwrap_or_default()),
        Text::Unpaired(_) => Key::Unpaired,
    };
    cursor.peek_token();
    cursor.expect(b":")?;
    cursor.peek_token();
    Ok(key)
}

/// Reads the string here.
#[inline]
pub fn read_string(cursor: &mut Cursor<'_>, dictionary: &mut Dictionary, scratch: &mut Vec<u8>) -> Result<Cell, Fault> {
    let no_memory = cursor.out_of_memory();
    let strings = &mut dictionary.strings;
    let cell = match text::read(cursor, scratch)? {
        Text::Ascii(text) => strings.intern(Kind::Ascii, text).map(Cell::text),
        Text::Other(text) => strings.intern(Kind::of_text(text), text).map(Cell::text),
        Text::Unpaired(json) => strings.intern(Kind::Token, json).map(Cell::token),
    };
    cell.map_err(no_memory)
}

/// Reads the number, boolean or null here; nothing if an array or object is here.
#[inline]
pub fn read_scalar(cursor: &mut Cursor<'_>, dictionary: &mut Dictionary) -> Result<Option<Cell>, Fault> {
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

/// Reads the value here as its JSON text, in which at most `nesting` arrays and objects lie inside each other.
pub fn read_token(cursor: &mut Cursor<'_>, dictionary: &mut Dictionary, nesting: usize) -> Result<Cell, Fault> {
    let start = *cursor;
    Skip::new(nesting).run(cursor, usize::MAX)?;
    let json = cursor.between(start.at, cursor.at);
    dictionary.strings.intern(Kind::Token, json).map(Cell::token).map_err(start.out_of_memory())
}
