//! The strings of a chunk.

use std::ops::Range;

use crate::bytes;
use crate::invariant::Certain;
use crate::json::utf8;
use crate::packing::{Ends, UnpackError, Unpacker, check, word_of};
use crate::work::{Work, count};

/// The kind of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StringKind {
    /// Only ASCII characters.
    Ascii,
    /// Other characters, but none above U+00FF: JavaScript engines store them in one byte each.
    Latin1,
    /// Characters above U+00FF.
    TwoByte,
    /// Raw JSON.
    RawJson,
}

impl StringKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Ascii, Self::Latin1, Self::TwoByte, Self::RawJson];

    /// Returns the kind of a string in UTF-8.
    #[cfg(any(test, feature = "testing"))]
    pub fn of_text(bytes: &[u8]) -> Self {
        if bytes.is_ascii() { Self::Ascii } else { Self::of_non_ascii(bytes) }
    }

    /// Returns the kind of a string in UTF-8 that is not ASCII.
    #[inline]
    pub(crate) fn of_non_ascii(bytes: &[u8]) -> Self {
        if bytes::has_wide_characters(bytes) { Self::TwoByte } else { Self::Latin1 }
    }

    #[inline]
    pub(crate) fn of_byte(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }
}

/// The strings and the raw JSON of a chunk, by id. They lie in its bytes one after the other.
#[derive(Clone, Copy, Default)]
pub struct Strings<'chunk> {
    /// The end of each string.
    ends: Ends<'chunk>,
    /// The kind of each string.
    kinds: &'chunk [u8],
    bytes: &'chunk [u8],
}

/// Returns the length of a string in UTF-16 code units.
pub(crate) fn utf16_length(kind: StringKind, bytes: &[u8]) -> u32 {
    if kind == StringKind::Ascii { bytes.len() as u32 } else { bytes::utf16_length(bytes) }
}

/// Returns UTF-8 that has been checked as a text.
#[inline]
pub fn text_of(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).ok().certain()
}

impl<'chunk> Strings<'chunk> {
    /// Reads where the strings lie.
    #[inline]
    pub fn unpack(unpacker: &mut Unpacker<'chunk>) -> Result<Self, UnpackError> {
        let (count, length) = (unpacker.word()? as usize, unpacker.word()? as usize);
        let (ends, kinds) = (unpacker.items(count)?, unpacker.items::<1>(count)?);
        Ok(Strings {
            ends: Ends(ends),
            kinds: kinds.as_flattened(),
            bytes: unpacker.items::<1>(length)?.as_flattened(),
        })
    }

    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the number of bytes of all strings.
    pub fn byte_length(&self) -> usize {
        self.bytes.len()
    }

    /// Returns true if there are no strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a string and its kind; `None` for an unknown id.
    #[inline]
    pub fn get(&self, id: u32) -> Option<(StringKind, &'chunk [u8])> {
        count(Work::String, 1);
        let id = id as usize;
        Some((StringKind::of_byte(*self.kinds.get(id)?)?, self.bytes.get(self.ends.range(id)?)?))
    }

    /// Returns the kind of a string.
    pub fn kind(&self, id: u32) -> Option<StringKind> {
        StringKind::of_byte(*self.kinds.get(id as usize)?)
    }

    /// Checks some strings: that each lies behind the one before it, is UTF-8, and is ASCII or JSON if its kind says so.
    pub fn check(&self, ids: Range<usize>, is_json: fn(&[u8]) -> bool) -> Result<(), UnpackError> {
        let (mut start, last) = (self.ends.of_first(ids.start), self.ends.of_first(ids.end));
        let (ends, kinds) = (self.ends.0.get(ids.clone()), self.kinds.get(ids));
        let (ends, kinds) = ends.zip(kinds).ok_or(UnpackError::Malformed)?;
        // All are checked together: most texts are too short for a check of sixteen bytes at a time.
        let all = self.bytes.get(start..last).ok_or(UnpackError::Malformed)?;
        let are_ascii = all.is_ascii();
        check(are_ascii || utf8::check(all).is_ok())?;
        for (end, kind) in ends.iter().zip(kinds) {
            let end = word_of(end) as usize;
            let is_right = match StringKind::of_byte(*kind) {
                Some(StringKind::Ascii) if are_ascii => start <= end,
                Some(kind) => self.bytes.get(start..end).is_some_and(|bytes| match kind {
                    StringKind::RawJson => is_json(bytes),
                    StringKind::Ascii => bytes.is_ascii(),
                    // Engines need less memory for texts of one kind, but read all.
                    StringKind::Latin1 | StringKind::TwoByte => !bytes.first().is_some_and(continues),
                }),
                None => false,
            };
            check(is_right)?;
            start = end;
        }
        // The character after the last string begins there.
        check(!self.bytes.get(last).is_some_and(continues))
    }

    /// Checks that there are no bytes behind the last string.
    pub fn check_end(&self) -> Result<(), UnpackError> {
        check(self.ends.of_first(self.len()) == self.bytes.len())
    }
}

/// Returns true if a byte of UTF-8 continues a character.
fn continues(byte: &u8) -> bool {
    byte & 0xC0 == 0x80
}
