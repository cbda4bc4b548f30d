//! Strings on their way to JavaScript.

use std::borrow::Cow;

use thiserror::Error;

use crate::bytes::fill;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, extend, filled, with_capacity};
use crate::value::strings::{StringKind, StringSource, utf16_length};

/// Strings as bytes, with words that describe them.
/// The bytes are divided into pieces. JavaScript decodes a piece and cuts it into strings, which is several times as fast as decoding each
/// string. A cut string keeps its whole piece alive, so pieces are small. A piece has one kind of strings, because a single two-byte
/// character would double the memory of the whole piece.
pub struct StringPieces<'strings> {
    /// The bytes of the strings.
    pub bytes: Cow<'strings, [u8]>,
    /// For each piece, the number of its bytes and of its strings; then, for each string, its id and its length in UTF-16 code units. Two
    /// zeros at the end.
    pub words: Vec<u32>,
}

/// Why there are no pieces.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PiecesError {
    /// No chunk has given out this id.
    #[error("there is no string {0}")]
    UnknownId(u32),
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

/// The maximum number of bytes of all pieces, unless there is one string only.
const ALL_PIECES: usize = 1 << 14;

/// The maximum number of bytes of a piece, unless it has one string only.
const PIECE: u32 = 1 << 11;

/// A piece that is being written.
#[derive(Default)]
struct Piece {
    /// The position of its words.
    at: usize,
    bytes: u32,
    strings: u32,
}

/// A string: its id, its kind and its bytes.
pub(crate) type Identified<'strings> = (u32, StringKind, &'strings [u8]);

/// Copies the first strings of a list: as many as the pieces have room for, but at least one. A single string is not copied.
///
/// # Errors
///
/// An id is unknown, or memory ran out.
pub fn pieces<'strings>(
    strings: &'strings dyn StringSource,
    ids: &[u32],
) -> Result<StringPieces<'strings>, PiecesError> {
    let mut some: Vec<Identified<'_>> = with_capacity(ids.len())?;
    let mut length = 0_usize;
    for id in ids {
        let (kind, string) = strings.string(*id).ok_or(PiecesError::UnknownId(*id))?;
        length = length.saturating_add(string.len());
        if length > ALL_PIECES && !some.is_empty() {
            break;
        }
        some.push((*id, kind, string));
    }
    if let [(id, kind, string)] = some.as_slice() {
        let mut words = with_capacity(6)?;
        words.extend([string.len() as u32, 1, *id, utf16_length(*kind, string), 0, 0]);
        return Ok(StringPieces { bytes: Cow::Borrowed(*string), words });
    }
    let mut words = Vec::new();
    let mut bytes = filled(some.iter().map(|(_, _, string)| string.len()).sum(), 0)?;
    let mut room = bytes.as_mut_slice();
    divide(&some, PIECE, &mut words, &mut |string| fill(&mut room, string))?;
    extend(&mut words, &[0, 0])?;
    Ok(StringPieces { bytes: Cow::Owned(bytes), words })
}

/// Divides strings into pieces of at most `most` bytes, unless one has a single string: appends the words that describe them, and passes their bytes on, in the same order.
///
/// # Errors
///
/// Out of memory.
pub fn divide<'strings>(
    strings: &[Identified<'strings>],
    most: u32,
    words: &mut Vec<u32>,
    take: &mut dyn FnMut(&'strings [u8]),
) -> Result<(), OutOfMemory> {
    for kind in StringKind::ALL {
        let mut piece = Piece::default();
        for (id, _, string) in strings.iter().filter(|(_, other, _)| *other == kind) {
            let length = string.len() as u32;
            if piece.strings == 0 || piece.bytes + length > most {
                piece = Piece { at: words.len(), bytes: 0, strings: 0 };
                extend(words, &[0, 0])?;
            }
            piece.bytes += length;
            piece.strings += 1;
            extend(words, &[*id, utf16_length(kind, string)])?;
            words.get_mut(piece.at..piece.at + 2).certain().copy_from_slice(&[piece.bytes, piece.strings]);
            take(string);
        }
    }
    Ok(())
}

/// Returns the bytes of a string.
pub fn bytes_of(strings: &dyn StringSource, id: u32) -> &[u8] {
    strings.string(id).certain().1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Strings by their index.
    struct Listed(Vec<(StringKind, String)>);

    impl StringSource for Listed {
        fn string(&self, id: u32) -> Option<(StringKind, &[u8])> {
            self.0.get(id as usize).map(|(kind, text)| (*kind, text.as_bytes()))
        }
    }

    /// The strings of some pieces, as JavaScript cuts them.
    fn cut(strings: &Listed, StringPieces { bytes, words }: &StringPieces<'_>) -> Vec<(u32, String)> {
        let (mut words, mut start, mut cut) = (words.iter().map(|word| *word as usize), 0, Vec::new());
        while let Some(length) = words.next() {
            let piece: Vec<u16> = std::str::from_utf8(&bytes[start..start + length]).unwrap().encode_utf16().collect();
            start += length;
            let (count, mut from, mut kinds) = (words.next().unwrap(), 0, Vec::new());
            if count == 0 {
                assert_eq!((length, words.len()), (0, 0));
                break;
            }
            assert!(count == 1 || length <= PIECE as usize);
            for _ in 0..count {
                let (id, length) = (words.next().unwrap() as u32, words.next().unwrap());
                cut.push((id, String::from_utf16(&piece[from..from + length]).unwrap()));
                from += length;
                kinds.push(strings.string(id).unwrap().0);
            }
            assert_eq!(from, piece.len());
            assert!(count > 0 && kinds.iter().all(|kind| *kind == kinds[0]));
        }
        assert_eq!(start, bytes.len());
        cut
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            30 => "[ab]{0,30}",
            10 => "[aé]{1,30}",
            10 => "[a\u{10000}\u{FFFD}]{1,30}",
            2 => (1900..2200_usize).prop_map(|length| "x".repeat(length)),
            1 => (16_300..17_000_usize).prop_map(|length| "é".repeat(length)),
        ]
    }

    #[test]
    fn an_unknown_string_is_an_error() {
        let strings = Listed(vec![(StringKind::Ascii, String::from("text"))]);
        assert_eq!(pieces(&strings, &[0, 1]).err(), Some(PiecesError::UnknownId(1)));
    }

    proptest! {
        #[test]
        fn pieces_have_each_string_once_and_are_small(
            texts in prop::collection::vec((texts(), any::<bool>()), 1..300),
            order in any::<prop::sample::Index>(),
        ) {
            let kind = |text: &String, is_json| if is_json { StringKind::RawJson } else { StringKind::of_text(text.as_bytes()) };
            let strings = Listed(texts.into_iter().map(|(text, is_json)| (kind(&text, is_json), text)).collect());
            let mut expected: Vec<_> = (0..).zip(strings.0.iter().map(|(_, text)| text.clone())).collect();
            let middle = order.index(expected.len());
            expected.rotate_left(middle);
            let ids: Vec<u32> = expected.iter().map(|(id, _)| *id).collect();
            let (mut rest, mut all) = (ids.as_slice(), Vec::new());
            while !rest.is_empty() {
                let pieces = pieces(&strings, rest).unwrap();
                let mut cut = cut(&strings, &pieces);
                prop_assert!(cut.len() == 1 || pieces.bytes.len() <= ALL_PIECES);
                let (taken, left) = rest.split_at(cut.len());
                // The pieces are as large as they may be.
                if let Some(next) = left.first() {
                    prop_assert!(pieces.bytes.len() + bytes_of(&strings, *next).len() > ALL_PIECES);
                }
                cut.sort_by_key(|(id, _)| taken.iter().position(|taken| taken == id));
                prop_assert_eq!(cut.iter().map(|(id, _)| *id).collect::<Vec<_>>(), taken);
                all.extend(cut);
                rest = left;
            }
            prop_assert_eq!(all, expected);
        }
    }
}
