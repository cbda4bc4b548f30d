//! Strings on their way to JavaScript.

use crate::invariant::Certain;
use crate::memory::{OutOfMemory, extend};
use crate::value::strings::{StringKind, utf16_length};

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

/// Divides strings into pieces of at most `most` bytes, unless one has a single string. JavaScript decodes a piece and cuts it into strings,
/// which is several times as fast as decoding each string. A cut string keeps its whole piece alive, so pieces are small. A piece has one
/// kind of strings, because a single two-byte character would double the memory of the whole piece.
///
/// Appends words: for each piece, the number of its bytes and of its strings; then, for each string, its id and its length in UTF-16 code
/// units. Passes the bytes of the strings on, in the same order.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PIECE: u32 = 1 << 11;

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            30 => "[ab]{0,30}",
            10 => "[aé]{1,30}",
            10 => "[a\u{10000}\u{FFFD}]{1,30}",
            2 => (1900..2200_usize).prop_map(|length| "x".repeat(length)),
            1 => (16_300..17_000_usize).prop_map(|length| "é".repeat(length)),
        ]
    }

    proptest! {
        #[test]
        fn pieces_have_each_string_once_and_are_small(texts in prop::collection::vec((texts(), any::<bool>()), 1..300)) {
            let kind = |text: &String, is_json| if is_json { StringKind::RawJson } else { StringKind::of_text(text.as_bytes()) };
            let strings: Vec<_> =
                (0..).zip(&texts).map(|(id, (text, is_json))| (id, kind(text, *is_json), text.as_bytes())).collect();
            let (mut words, mut bytes) = (Vec::new(), Vec::new());
            divide(&strings, PIECE, &mut words, &mut |string| bytes.extend_from_slice(string)).unwrap();
            let (mut words, mut rest, mut all) = (words.into_iter(), bytes.as_slice(), Vec::new());
            while let Some(length) = words.next() {
                let (piece, others) = rest.split_at(length as usize);
                rest = others;
                let (piece, count, mut from) = (str::from_utf8(piece).unwrap().encode_utf16().collect::<Vec<_>>(), words.next().unwrap(), 0);
                prop_assert!(count == 1 || count > 1 && length <= PIECE);
                let mut kinds = Vec::new();
                for _ in 0..count {
                    let (id, length) = (words.next().unwrap(), words.next().unwrap() as usize);
                    all.push((id, String::from_utf16(&piece[from..from + length]).unwrap()));
                    kinds.push(strings[id as usize].1);
                    from += length;
                }
                prop_assert!(from == piece.len() && kinds.iter().all(|kind| *kind == kinds[0]));
            }
            prop_assert!(rest.is_empty());
            all.sort_unstable();
            let expected: Vec<_> = (0..).zip(texts.into_iter().map(|(text, _)| text)).collect();
            prop_assert_eq!(all, expected);
        }
    }
}
