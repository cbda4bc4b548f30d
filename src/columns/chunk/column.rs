//! A column: the values of all findings of a partition at one path.

use std::ops::Range;

use crate::hash::HashSeed;
use crate::hash::index::HashIndex;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, push, push_hot, reserve, resize, with_capacity};
use crate::packing::{Packer, UnpackError, Unpacker, Word, check, word_of};
use crate::value::cell::Cell;
use crate::work::{Work, count};

/// A list of 32-bit words, one for each row, in the smallest encoding for its values. Rows without a word have the [`FILLER`].
/// Lies in the bytes of a chunk.
#[derive(Clone, Copy)]
pub(crate) struct Column<'chunk> {
    positions: Positions<'chunk>,
    words: Words<'chunk>,
}

/// The position of the word of each row among the stored words.
#[derive(Clone, Copy)]
enum Positions<'chunk> {
    /// The first rows, as many, all have the first word.
    Constant(usize),
    /// Each row has the index of its word.
    Codes(&'chunk [u8]),
    /// The first rows, as many, have a word each.
    Plain(usize),
    /// Only these rows, in ascending order, have a word.
    Sparse(&'chunk [Word]),
}

/// The stored words.
#[derive(Clone, Copy)]
enum Words<'chunk> {
    Plain(&'chunk [Word]),
    /// Offsets from a base.
    FrameOfReference(u32, &'chunk [[u8; 2]]),
}

/// Builds a column row by row.
#[derive(Default)]
pub(crate) struct ColumnBuilder {
    words: Vec<u32>,
    /// The row of each word, once the column is sparse.
    rows: Option<Vec<u32>>,
    /// The number of fillers.
    filled: usize,
}

/// The word of a row without a value.
const FILLER: u32 = Cell::MISSING.word();

/// A gap of up to this many rows is always filled.
const SMALL_GAP: usize = 32;

/// The maximum number of values that a code of one byte can index.
const MAX_DICTIONARY: usize = 256;

const CONSTANT: u32 = 0;
const DICTIONARY: u32 = 1;
const FRAME_OF_REFERENCE: u32 = 2;
const PLAIN: u32 = 3;
const SPARSE: u32 = 4;

impl ColumnBuilder {
    /// Sets the word of a row. Rows must be pushed in ascending order.
    #[inline]
    pub(crate) fn push(&mut self, row: usize, word: u32) -> Result<(), OutOfMemory> {
        // In a sparse column, the number of words never equals the row.
        if self.words.len() != row {
            self.skip_to(row)?;
        }
        push_hot(&mut self.words, word)
    }

    /// Returns the words of the rows, unless the column is sparse.
    pub(crate) fn words(&self) -> &[u32] {
        &self.words
    }

    /// Writes the encoded column.
    pub(crate) fn finish(self, seed: &HashSeed, packer: &mut Packer) -> Result<(), OutOfMemory> {
        let Some(rows) = self.rows else { return encode(&self.words, seed, packer) };
        packer.word(SPARSE)?;
        packer.words(&rows)?;
        packer.words(&self.words)
    }

    /// Fills the gap before `row`, or makes the column sparse.
    #[cold]
    fn skip_to(&mut self, row: usize) -> Result<(), OutOfMemory> {
        // If at most every other word is a filler, filling takes no more memory than a sparse column.
        let given = self.words.len() - self.filled;
        if self.rows.is_none() && row > 2 * (given + SMALL_GAP) {
            self.make_sparse()?;
        }
        match &mut self.rows {
            Some(rows) => push(rows, row as u32),
            None => {
                self.filled += row - self.words.len();
                resize(&mut self.words, row, FILLER)
            }
        }
    }

    fn make_sparse(&mut self) -> Result<(), OutOfMemory> {
        let given = self.words.len() - self.filled;
        let mut rows = with_capacity(given)?;
        let mut words = with_capacity(given)?;
        for (row, word) in self.words.iter().enumerate().filter(|(_, word)| **word != FILLER) {
            push(&mut rows, row as u32)?;
            push(&mut words, *word)?;
        }
        self.rows = Some(rows);
        self.words = words;
        self.filled = 0;
        Ok(())
    }
}

impl<'chunk> Column<'chunk> {
    /// No rows.
    pub(crate) const EMPTY: Self = Column { positions: Positions::Plain(0), words: Words::Plain(&[]) };

    /// Reads where a column lies.
    pub(crate) fn unpack(unpacker: &mut Unpacker<'chunk>) -> Result<Self, UnpackError> {
        let (positions, words) = match unpacker.word()? {
            CONSTANT => {
                let words = unpacker.items(1)?;
                match unpacker.word()? as usize {
                    0 => return Ok(Self::EMPTY),
                    length => (Positions::Constant(length), Words::Plain(words)),
                }
            }
            DICTIONARY => (Positions::Codes(unpacker.bytes()?), Words::Plain(unpacker.list()?)),
            FRAME_OF_REFERENCE => {
                let (base, offsets) = (unpacker.word()?, unpacker.list()?);
                (Positions::Plain(offsets.len()), Words::FrameOfReference(base, offsets))
            }
            PLAIN => {
                let words = unpacker.list()?;
                (Positions::Plain(words.len()), Words::Plain(words))
            }
            SPARSE => (Positions::Sparse(unpacker.list()?), Words::Plain(unpacker.list()?)),
            _ => return Err(UnpackError::Malformed),
        };
        Ok(Column { positions, words })
    }

    /// Returns the word of a row.
    pub(crate) fn word(&self, row: usize) -> u32 {
        count(Work::Cell, 1);
        self.position(row).map_or(FILLER, |position| self.words.at(position))
    }

    /// Returns what `meanings` has for the word of a row, by the position of the word among those that are [stored](Self::stored_words).
    pub(crate) fn meaning(&self, row: usize, meanings: &[u32], filler: u32) -> u32 {
        count(Work::Cell, 1);
        self.position(row).and_then(|position| meanings.get(position).certain().copied()).unwrap_or(filler)
    }

    /// Appends the words of the rows in `range` to `list`.
    pub(crate) fn read(&self, range: Range<usize>, list: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        self.read_with(range, FILLER, list, |at| self.words.at(at), |range, list| self.words.append(range, list))
    }

    /// Appends what `meanings` has for the words of the rows in `range` to `list`; `filler` for a row without a word.
    pub(crate) fn read_meanings(
        &self,
        range: Range<usize>,
        meanings: &[u32],
        filler: u32,
        list: &mut Vec<u32>,
    ) -> Result<(), OutOfMemory> {
        let meaning_of = |at: usize| meanings.get(at).certain().copied().unwrap_or(filler);
        let append = |range, list: &mut Vec<u32>| list.extend_from_slice(meanings.get(range).unwrap_or_default());
        self.read_with(range, filler, list, meaning_of, append)
    }

    /// Appends what `meaning_of` returns for the positions of the words of the rows in `range`, and `append` appends for positions that are a
    /// range; `filler` for a row without a word.
    fn read_with(
        &self,
        range: Range<usize>,
        filler: u32,
        list: &mut Vec<u32>,
        meaning_of: impl Fn(usize) -> u32,
        append: impl Fn(Range<usize>, &mut Vec<u32>),
    ) -> Result<(), OutOfMemory> {
        count(Work::Cell, range.len());
        let start = list.len();
        reserve(list, range.len())?;
        match self.positions {
            Positions::Constant(length) => {
                list.resize(start + length.min(range.end).saturating_sub(range.start), meaning_of(0));
            }
            Positions::Codes(codes) => {
                let codes = codes.get(range.start..codes.len().min(range.end)).unwrap_or_default();
                list.extend(codes.iter().map(|code| meaning_of(usize::from(*code))));
            }
            Positions::Plain(length) => append(range.start..length.min(range.end), list),
            Positions::Sparse(rows) => {
                let from = rows.partition_point(|row| (word_of(row) as usize) < range.start);
                for (at, row) in rows.iter().enumerate().skip(from) {
                    let row = word_of(row) as usize;
                    if row >= range.end {
                        break;
                    }
                    list.resize(start + row.saturating_sub(range.start), filler);
                    list.push(meaning_of(at));
                }
            }
        }
        list.resize(start + range.len(), filler);
        Ok(())
    }

    /// Appends the words that the column stores to `list`. They have each word of the rows at least once.
    pub(crate) fn stored_words(&self, list: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        reserve(list, self.words.len())?;
        self.words.append(0..self.words.len(), list);
        Ok(())
    }

    /// Checks that the column has at most `length` rows, and that an access finds what the encoding says.
    pub(crate) fn check(&self, length: usize) -> Result<(), UnpackError> {
        check(self.rows() <= length)?;
        check(match self.positions {
            Positions::Codes(codes) => {
                let largest = codes.iter().max().map_or(0, |code| usize::from(*code) + 1);
                largest <= self.words.len() && self.words.len() <= MAX_DICTIONARY
            }
            Positions::Sparse(rows) => {
                rows.len() == self.words.len() && rows.is_sorted_by(|row, next| word_of(row) < word_of(next))
            }
            _ => true,
        })
    }

    /// Returns the codes of a dictionary-encoded column, and the number of its values.
    pub(crate) fn dictionary(&self) -> Option<(&'chunk [u8], usize)> {
        match self.positions {
            Positions::Codes(codes) => Some((codes, self.words.len())),
            _ => None,
        }
    }

    /// Returns the word of the first `length` rows, if the encoding says that all have the same.
    pub(crate) fn constant(&self, length: usize) -> Option<u32> {
        match self.positions {
            Positions::Constant(known) if known >= length => Some(self.words.at(0)),
            Positions::Plain(0) => Some(FILLER),
            _ => None,
        }
    }

    /// Returns the number of rows of which the column says something.
    pub(crate) fn rows(&self) -> usize {
        match self.positions {
            Positions::Constant(length) | Positions::Plain(length) => length,
            Positions::Codes(codes) => codes.len(),
            Positions::Sparse(rows) => rows.last().map_or(0, |row| word_of(row) as usize + 1),
        }
    }

    /// Returns the position of the word of a row among the stored words.
    #[inline]
    fn position(&self, row: usize) -> Option<usize> {
        match self.positions {
            Positions::Constant(length) => (row < length).then_some(0),
            Positions::Codes(codes) => codes.get(row).map(|code| usize::from(*code)),
            Positions::Plain(length) => (row < length).then_some(row),
            Positions::Sparse(rows) => rows.binary_search_by_key(&row, |row| word_of(row) as usize).ok(),
        }
    }
}

impl Words<'_> {
    fn len(&self) -> usize {
        match self {
            Words::Plain(words) => words.len(),
            Words::FrameOfReference(_, offsets) => offsets.len(),
        }
    }

    #[inline]
    fn at(&self, position: usize) -> u32 {
        match self {
            Words::Plain(words) => words.get(position).map(word_of),
            Words::FrameOfReference(base, offsets) => offsets.get(position).map(|offset| from_base(*base, offset)),
        }
        .certain()
        .unwrap_or(FILLER)
    }

    /// Appends some words to `list`.
    fn append(&self, range: Range<usize>, list: &mut Vec<u32>) {
        match self {
            Words::Plain(words) => list.extend(words.get(range).unwrap_or_default().iter().map(word_of)),
            Words::FrameOfReference(base, offsets) => {
                list.extend(offsets.get(range).unwrap_or_default().iter().map(|offset| from_base(*base, offset)));
            }
        }
    }
}

#[inline]
fn from_base(base: u32, offset: &[u8; 2]) -> u32 {
    base.wrapping_add(u32::from(u16::from_le_bytes(*offset)))
}

/// Writes words in the smallest encoding.
fn encode(words: &[u32], seed: &HashSeed, packer: &mut Packer) -> Result<(), OutOfMemory> {
    let (smallest, largest) = extremes(words);
    if smallest >= largest {
        packer.word(CONSTANT)?;
        packer.word(largest)?;
        return packer.word(words.len() as u32);
    }
    if encode_dictionary(words, seed, packer)? {
        return Ok(());
    }
    if largest - smallest <= u32::from(u16::MAX) {
        packer.word(FRAME_OF_REFERENCE)?;
        packer.word(smallest)?;
        return packer.list(words.iter().map(|word| ((word - smallest) as u16).to_le_bytes()));
    }
    packer.word(PLAIN)?;
    packer.words(words)
}

/// Returns the smallest and the largest word; `(u32::MAX, 0)` if there is none.
fn extremes(words: &[u32]) -> (u32, u32) {
    let (blocks, rest) = words.as_chunks::<4>();
    let (mut smallest, mut largest) = ([u32::MAX; 4], [0; 4]);
    for block in blocks {
        for ((smallest, largest), word) in smallest.iter_mut().zip(&mut largest).zip(block) {
            *smallest = (*smallest).min(*word);
            *largest = (*largest).max(*word);
        }
    }
    let smallest = smallest.iter().chain(rest).fold(u32::MAX, |smallest, word| smallest.min(*word));
    (smallest, largest.iter().chain(rest).fold(0, |largest, word| largest.max(*word)))
}

/// Writes words as codes. Returns false if there are too many different words to save memory.
fn encode_dictionary(words: &[u32], seed: &HashSeed, packer: &mut Packer) -> Result<bool, OutOfMemory> {
    // With more values, the other encodings are smaller.
    let most = MAX_DICTIONARY.min(words.len().saturating_sub(1) / 4);
    let (mut codes, mut values, mut index) = (with_capacity(words.len())?, with_capacity(most)?, HashIndex::default());
    let mut last = None;
    for word in words {
        let code = match last {
            Some((known, code)) if known == word => code,
            _ => {
                let hash = seed.of_word(*word);
                // Different words have different hashes.
                match index.find(hash, |_| true) {
                    Some(code) => code,
                    None if values.len() == most => return Ok(false),
                    None => {
                        let code = values.len() as u32;
                        values.push(*word);
                        index.insert(hash, code)?;
                        code
                    }
                }
            }
        };
        codes.push(code as u8);
        last = Some((word, code));
    }
    packer.word(DICTIONARY)?;
    packer.bytes(&codes)?;
    packer.words(&values)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The bytes of a column of these words.
    fn build(rows: &[Option<u32>]) -> Vec<u8> {
        let mut builder = ColumnBuilder::default();
        for (row, word) in rows.iter().enumerate() {
            if let Some(word) = word {
                builder.push(row, *word).unwrap();
            }
        }
        let mut packer = Packer::default();
        builder.finish(&HashSeed::default(), &mut packer).unwrap();
        packer.finish()
    }

    fn column(bytes: &[u8]) -> Column<'_> {
        let mut unpacker = Unpacker::new(bytes, 0);
        let column = Column::unpack(&mut unpacker).unwrap();
        assert_eq!(unpacker.check_end(), Ok(()));
        column
    }

    fn rows() -> impl Strategy<Value = Vec<Option<u32>>> {
        let few = prop::collection::vec(prop::option::weighted(0.9, 0u32..9), 0..1500);
        let one = prop::collection::vec(Just(Some(7)), 0..100);
        let clustered = prop::collection::vec((70_000u32..100_000).prop_map(Some), 0..900);
        let any_word = prop::collection::vec(any::<u32>().prop_map(Some), 0..900);
        let rare = prop::collection::vec(prop::option::weighted(0.01, any::<u32>()), 0..3000);
        let late = (100usize..2000, prop::collection::vec(any::<u32>().prop_map(Some), 0..500))
            .prop_map(|(gap, words)| std::iter::repeat_n(None, gap).chain(words).collect());
        prop_oneof![few, one, clustered, any_word, rare, late]
    }

    proptest! {
        #[test]
        fn returns_the_word_of_every_row(rows in rows(), from in 0usize..3000, length in 0usize..3000) {
            let bytes = build(&rows);
            let column = column(&bytes);
            let expected = |row: usize| rows.get(row).copied().flatten().unwrap_or(FILLER);
            for row in 0..rows.len() + 3 {
                prop_assert_eq!(column.word(row), expected(row));
            }
            let mut words = vec![1, 2, 3];
            column.read(from..from + length, &mut words).unwrap();
            prop_assert_eq!(words.split_off(3), (from..from + length).map(expected).collect::<Vec<_>>());
            let mut stored = Vec::new();
            column.stored_words(&mut stored).unwrap();
            column.read_meanings(from..from + length, &stored, FILLER, &mut words).unwrap();
            prop_assert_eq!(words.split_off(3), (from..from + length).map(expected).collect::<Vec<_>>());
            for row in 0..rows.len() + 3 {
                prop_assert_eq!(column.meaning(row, &stored, FILLER), expected(row));
            }
            prop_assert_eq!(column.check(rows.len()), Ok(()));
            prop_assert!(column.rows() == 0 || column.check(column.rows() - 1).is_err());
        }

        #[test]
        fn takes_at_most_eight_bytes_for_each_word(rows in rows()) {
            let given = rows.iter().flatten().count();
            prop_assert!(build(&rows).len() <= 8 * (given + SMALL_GAP));
        }
    }

    #[test]
    fn few_different_words_take_a_byte_for_each_row() {
        let rows: Vec<Option<u32>> = (0..10_000).map(|row| Some(row % 5 * 1_000_000)).collect();
        assert!(build(&rows).len() < 10_100);
    }

    #[test]
    fn a_constant_column_takes_no_memory_for_its_rows() {
        assert_eq!(build(&[Some(3); 1000]).len(), build(&[Some(3); 10]).len());
    }
}
