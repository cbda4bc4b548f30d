//! The name of a column: the keys that lead to its values, joined by dots. A dot or backslash in a key is escaped by a backslash.

use std::rc::Rc;
use std::{iter, mem};

use crate::invariant::Certain;
use crate::memory::{OutOfMemory, push};

/// The byte after each name in a list of columns. It never occurs in UTF-8.
pub const END_OF_NAME: u8 = 0xFF;

/// The names of the columns that findings are limited to, each followed by [`END_OF_NAME`]; `None` if they have all.
pub type ColumnList = Option<Rc<Vec<u8>>>;

/// Returns the keys of the dotted name of a column, which may end with [`END_OF_NAME`].
pub fn keys_of(name: &[u8]) -> Result<Vec<String>, OutOfMemory> {
    let (mut keys, mut key) = (Vec::new(), Vec::new());
    let mut parts = parts_of(name.strip_suffix(&[END_OF_NAME]).unwrap_or(name));
    loop {
        match parts.next() {
            Some(Part::OfKey(byte)) => push(&mut key, byte)?,
            end => {
                push(&mut keys, String::from_utf8(mem::take(&mut key)).unwrap_or_default())?;
                if end.is_none() {
                    return Ok(keys);
                }
            }
        }
    }
}

/// Returns true if a column is that of a name, or below the object of the name: its keys begin with those of the name.
pub fn is_within(column: &str, name: &str) -> bool {
    let mut parts = parts_of(column.as_bytes());
    parts_of(name.as_bytes()).all(|part| parts.next() == Some(part))
        && parts.next().is_none_or(|part| part == Part::Dot)
}

/// A part of a dotted name.
#[derive(PartialEq)]
enum Part {
    /// A byte of a key.
    OfKey(u8),
    /// The dot between two keys.
    Dot,
}

/// The parts of a dotted name. A backslash before anything but a dot or a backslash is part of its key.
fn parts_of(name: &[u8]) -> impl Iterator<Item = Part> {
    let mut bytes = name.iter().peekable();
    iter::from_fn(move || match bytes.next()? {
        b'.' => Some(Part::Dot),
        b'\\' => Some(Part::OfKey(*bytes.next_if(|next| matches!(next, b'.' | b'\\')).unwrap_or(&b'\\'))),
        byte => Some(Part::OfKey(*byte)),
    })
}

/// Returns the dotted name of a field of findings: its key, in which a backslash stands before each dot and backslash.
///
/// # Errors
///
/// Out of memory.
pub fn name_of_key(key: &str) -> Result<String, OutOfMemory> {
    let mut name = Vec::new();
    write_key(key, &mut name)?;
    Ok(String::from_utf8(name).ok().certain())
}

/// Appends a key as it stands in a dotted name.
pub(super) fn write_key(key: &str, dotted: &mut Vec<u8>) -> Result<(), OutOfMemory> {
    for byte in key.bytes() {
        if is_escaped(byte) {
            push(dotted, b'\\')?;
        }
        push(dotted, byte)?;
    }
    Ok(())
}

/// Returns true if a dotted name has a backslash before this byte of a key.
pub(super) fn is_escaped(byte: u8) -> bool {
    matches!(byte, b'.' | b'\\')
}
