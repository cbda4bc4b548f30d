//! A column: the values of all findings of a partition at one path.

use std::ops::Range;

use crate::hash::HashSeed;
use crate::hash_index::HashIndex;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, push, push_hot, reserve, resize, with_capacity};
use crate::packing::{Packer, UnpackError, Unpacker, Word, check, word_of};
use crate::value::cell::Cell;
use crate::work::{Work, count};

/// A list of 32-bit words, one for each row, in the smallest encoding for its values. Lies in the bytes of a chunk.
#[derive(Clone, Copy)]
pub struct Column<'chunk> {
    encoding: Encoding<'chunk>,
    /// The word of the rows that have no other.
    filler: u32,
}

#[derive(Clone, Copy)]
enum Encoding<'chunk> {
    /// The first rows, as many, all have this word.
    Constant(usize, u32),
    /// The first rows have the index of their word.
    Dictionary(&'chunk [u8], &'chunk [Word]),
    /// The first rows have the offset of their word from a base.
    FrameOfReference(u32, &'chunk [[u8; 2]]),
    /// The first rows have these words.
    Plain(&'chunk [Word]),
    /// Only these rows, in ascending order, have these words.
    Sparse(&'chunk [Word], &'chunk [Word]),
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

/// The word of a row without a value in the columns of a chunk.
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
    pub const EMPTY: Self = Column { encoding: Encoding::Plain(&[]), filler: FILLER };

    /// Reads where a column lies.
    pub fn unpack(unpacker: &mut Unpacker<'chunk>) -> Result<Self, UnpackError> {
        let encoding = match unpacker.word()? {
            CONSTANT => {
                let (word, length) = (unpacker.word()?, unpacker.word()? as usize);
                if length == 0 { Encoding::Plain(&[]) } else { Encoding::Constant(length, word) }
            }
            DICTIONARY => Encoding::Dictionary(unpacker.bytes()?, unpacker.list()?),
            FRAME_OF_REFERENCE => Encoding::FrameOfReference(unpacker.word()?, unpacker.list()?),
            PLAIN => Encoding::Plain(unpacker.list()?),
            SPARSE => Encoding::Sparse(unpacker.list()?, unpacker.list()?),
            _ => return Err(UnpackError::Malformed),
        };
        Ok(Column { encoding, filler: FILLER })
    }

    /// Returns a column with other words in place of those that are [stored](Self::stored_words).
    #[inline]
    pub fn with_words<'words>(&self, words: &'words [Word], filler: u32) -> Column<'words>
    where
        'chunk: 'words,
    {
        let encoding = match self.encoding {
            Encoding::Constant(length, _) => Encoding::Constant(length, word_of(words.first().certain())),
            Encoding::Dictionary(codes, _) => Encoding::Dictionary(codes, words),
            Encoding::FrameOfReference(..) | Encoding::Plain(_) => Encoding::Plain(words),
            Encoding::Sparse(rows, _) => Encoding::Sparse(rows, words),
        };
        Column { encoding, filler }
    }

    /// Returns the word of a row.
    #[inline]
    pub fn word(&self, row: usize) -> u32 {
        count(Work::Cell, 1);
        let word = match self.encoding {
            Encoding::Constant(length, word) => (row < length).then_some(word),
            Encoding::Dictionary(codes, words) => {
                codes.get(row).map(|code| word_of(words.get(usize::from(*code)).certain()))
            }
            Encoding::FrameOfReference(base, offsets) => offsets.get(row).map(|offset| from_base(base, offset)),
            Encoding::Plain(words) => words.get(row).map(word_of),
            Encoding::Sparse(rows, words) => {
                let at = rows.binary_search_by_key(&row, |row| word_of(row) as usize).ok();
                at.map(|at| word_of(words.get(at).certain()))
            }
        };
        word.unwrap_or(self.filler)
    }

    /// Appends the words of the rows in `range` to `list`.
    pub fn read(&self, range: Range<usize>, list: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        count(Work::Cell, range.len());
        self.append(range, list)
    }

    fn append(&self, range: Range<usize>, list: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        let (start, filler) = (list.len(), self.filler);
        reserve(list, range.len())?;
        match self.encoding {
            Encoding::Constant(length, word) => {
                list.resize(start + length.min(range.end).saturating_sub(range.start), word);
            }
            Encoding::Dictionary(codes, words) => {
                let word = move |code: &u8| word_of(words.get(usize::from(*code)).certain());
                list.extend(within(codes, &range).iter().map(word));
            }
            Encoding::FrameOfReference(base, offsets) => {
                list.extend(within(offsets, &range).iter().map(|offset| from_base(base, offset)));
            }
            Encoding::Plain(words) => list.extend(within(words, &range).iter().map(word_of)),
            Encoding::Sparse(rows, words) => {
                let from = rows.partition_point(|row| (word_of(row) as usize) < range.start);
                for (row, word) in rows.iter().zip(words).skip(from) {
                    let row = word_of(row) as usize;
                    if row >= range.end {
                        break;
                    }
                    list.resize(start + row.saturating_sub(range.start), filler);
                    list.push(word_of(word));
                }
            }
        }
        list.resize(start + range.len(), filler);
        Ok(())
    }

    /// Returns the words that the column stores. They have each word of the rows at least once.
    pub fn stored_words(&self) -> Result<Vec<u32>, OutOfMemory> {
        let encoding = match self.encoding {
            Encoding::Constant(_, word) => Encoding::Constant(1, word),
            Encoding::Dictionary(_, words) | Encoding::Sparse(_, words) => Encoding::Plain(words),
            encoding => encoding,
        };
        let (stored, mut words) = (Column { encoding, ..*self }, Vec::new());
        stored.append(0..stored.rows(), &mut words)?;
        Ok(words)
    }

    /// Checks that the column has at most `length` rows, and that an access finds what the encoding says.
    pub fn check(&self, length: usize) -> Result<(), UnpackError> {
        check(self.rows() <= length)?;
        check(match self.encoding {
            Encoding::Dictionary(codes, words) => {
                let largest = codes.iter().max().map_or(0, |code| usize::from(*code) + 1);
                largest <= words.len() && words.len() <= MAX_DICTIONARY
            }
            Encoding::Sparse(rows, words) => {
                rows.len() == words.len() && rows.is_sorted_by(|row, next| word_of(row) < word_of(next))
            }
            _ => true,
        })
    }

    /// Returns the codes of a dictionary-encoded column, and its words.
    pub fn dictionary(&self) -> Option<(&'chunk [u8], &'chunk [Word])> {
        match self.encoding {
            Encoding::Dictionary(codes, words) => Some((codes, words)),
            _ => None,
        }
    }

    /// Returns the word of the first `length` rows, if the encoding says that all have the same.
    pub fn constant(&self, length: usize) -> Option<u32> {
        match self.encoding {
            Encoding::Constant(known, word) if known >= length => Some(word),
            Encoding::Plain([]) => Some(self.filler),
            _ => None,
        }
    }

    /// Returns the number of rows of which the column says something.
    pub fn rows(&self) -> usize {
        match self.encoding {
            Encoding::Constant(length, _) => length,
            Encoding::Dictionary(codes, _) => codes.len(),
            Encoding::FrameOfReference(_, offsets) => offsets.len(),
            Encoding::Plain(words) => words.len(),
            Encoding::Sparse(rows, _) => rows.last().map_or(0, |row| word_of(row) as usize + 1),
        }
    }
}

/// Returns the items in a range, as far as there are.
fn within<'list, T>(list: &'list [T], range: &Range<usize>) -> &'list [T] {
    list.get(range.start..list.len().min(range.end)).unwrap_or_default()
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
            let codes: Vec<_> = column.stored_words().unwrap().into_iter().map(|word| (!word).to_le_bytes()).collect();
            let coded = column.with_words(&codes, !FILLER);
            coded.read(from..from + length, &mut words).unwrap();
            prop_assert_eq!(words.split_off(3), (from..from + length).map(|row| !expected(row)).collect::<Vec<_>>());
            for row in 0..rows.len() + 3 {
                prop_assert_eq!(coded.word(row), !expected(row));
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
