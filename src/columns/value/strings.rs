//! The strings of a chunk.

use crate::bytes;
use crate::packing::{Span, UnpackError, Unpacker, Word, check, word_of};
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
    pub(crate) const ALL: [Self; 4] = [Self::Ascii, Self::Latin1, Self::TwoByte, Self::RawJson];

    /// Returns the kind of a string in UTF-8.
    #[inline]
    pub(crate) fn of_text(bytes: &[u8]) -> Self {
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
#[derive(Clone, Copy)]
pub struct Strings<'chunk> {
    /// The end of each string.
    ends: &'chunk [Word],
    /// The kind of each string.
    kinds: &'chunk [u8],
    bytes: &'chunk [u8],
}

/// Where the strings lie in the bytes of a chunk.
#[derive(Clone, Copy, Default)]
pub(crate) struct StringPlaces {
    ends: Span,
    kinds: Span,
    bytes: Span,
}

/// Strings by id, of one chunk or of several.
pub trait StringSource {
    /// Returns a string, which is UTF-8, and its kind; `None` for an unknown id.
    fn string(&self, id: u32) -> Option<(StringKind, &[u8])>;
}

/// Returns the length of a string in UTF-16 code units.
pub(crate) fn utf16_length(kind: StringKind, bytes: &[u8]) -> u32 {
    if kind == StringKind::Ascii { bytes.len() as u32 } else { bytes::utf16_length(bytes) }
}

/// Returns UTF-8 that has been checked as a text.
#[inline]
pub(crate) fn text_of(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap_or_default()
}

impl StringPlaces {
    /// Finds the strings.
    pub(crate) fn unpack(unpacker: &mut Unpacker<'_>) -> Result<Self, UnpackError> {
        Ok(StringPlaces { ends: unpacker.list::<4>()?, kinds: unpacker.list::<1>()?, bytes: unpacker.list::<1>()? })
    }

    /// Returns the strings in these bytes.
    #[inline]
    pub(crate) fn of(self, bytes: &[u8]) -> Strings<'_> {
        Strings { ends: self.ends.items(bytes), kinds: self.kinds.of(bytes), bytes: self.bytes.of(bytes) }
    }
}

impl<'chunk> Strings<'chunk> {
    /// Returns the number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no strings.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns a string and its kind; `None` for an unknown id.
    #[inline]
    pub(crate) fn get(&self, id: u32) -> Option<(StringKind, &'chunk [u8])> {
        count(Work::String, 1);
        let id = id as usize;
        let end = word_of(self.ends.get(id)?) as usize;
        let start = id.checked_sub(1).and_then(|before| self.ends.get(before)).map_or(0, word_of) as usize;
        Some((StringKind::of_byte(*self.kinds.get(id)?)?, self.bytes.get(start..end)?))
    }

    /// Returns the kind of a string.
    pub(crate) fn kind(&self, id: u32) -> Option<StringKind> {
        StringKind::of_byte(*self.kinds.get(id as usize)?)
    }

    /// Checks some strings: that each lies behind the one before it, and has the kind of its characters.
    pub(crate) fn check(&self, ids: std::ops::Range<usize>, is_json: fn(&[u8]) -> bool) -> Result<(), UnpackError> {
        check(self.kinds.len() == self.ends.len())?;
        let last = self.ends.last().map_or(0, word_of) as usize;
        check(last == self.bytes.len())?;
        for id in ids {
            let (kind, bytes) = self.get(id as u32).ok_or(UnpackError::Malformed)?;
            let is_right = match kind {
                StringKind::RawJson => is_json(bytes),
                StringKind::Ascii => bytes.is_ascii(),
                _ => std::str::from_utf8(bytes).is_ok() && StringKind::of_text(bytes) == kind,
            };
            check(is_right)?;
        }
        Ok(())
    }
}

impl StringSource for Strings<'_> {
    fn string(&self, id: u32) -> Option<(StringKind, &[u8])> {
        self.get(id)
    }
}
