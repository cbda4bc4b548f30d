//! A column: the values of all findings of a partition at one path.

use std::ops::Range;
use std::{mem, slice};

use super::cell::Cell;
use super::hash_seed::HashSeed;
use super::memory::{OutOfMemory, push, push_hot, reserve, resize, with_capacity};
use super::packing::{Packer, UnpackError, Unpacker, check};
use super::work::{Work, count};

/// An immutable list of 32-bit words, one for each row, in the smallest encoding for its values. Rows without a word have the [`FILLER`].
pub(crate) enum Column {
    /// The first `length` rows have the same word.
    Constant { word: u32, length: usize },
    /// Each row has a code, the index of its word in `values`.
    Dictionary { codes: Vec<u8>, values: Vec<u32> },
    /// Each row has an offset from `base`.
    FrameOfReference { base: u32, offsets: Vec<u16> },
    /// Each row has its word.
    Plain(Vec<u32>),
    /// Only these rows, in ascending order, have a word.
    Sparse { rows: Vec<u32>, words: Vec<u32> },
}

/// A column in which each row has the filler.
impl Default for Column {
    fn default() -> Self {
        Column::Constant { word: FILLER, length: 0 }
    }
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

/// Replaces words, and returns whether one has changed.
pub(crate) type MapWords<'a> = dyn Fn(&mut [u32]) -> Result<bool, UnpackError> + 'a;

/// A gap of up to this many rows is always filled.
const SMALL_GAP: usize = 32;

/// The maximum number of values that a code of one byte can index.
const MAX_DICTIONARY: usize = 256;

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

    /// Encodes the column.
    pub(crate) fn finish(mut self, seed: &HashSeed) -> Result<Column, OutOfMemory> {
        let Some(mut rows) = self.rows else { return encode(self.words, seed) };
        rows.shrink_to_fit();
        self.words.shrink_to_fit();
        Ok(Column::Sparse { rows, words: self.words })
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

impl Column {
    /// Replaces each word. `map` replaces the words of a list, and returns whether it has changed one.
    ///
    /// # Errors
    /// The error of `map`, or memory ran out.
    pub(crate) fn mapped(mut self, seed: &HashSeed, map: &MapWords<'_>) -> Result<Self, UnpackError> {
        match &mut self {
            Column::Constant { length: 0, .. } => {}
            Column::Constant { word, .. } => {
                map(slice::from_mut(word))?;
            }
            Column::Dictionary { values: words, .. } | Column::Sparse { words, .. } => {
                map(words)?;
            }
            Column::FrameOfReference { base, offsets } => {
                let mut words = with_capacity(offsets.len())?;
                words.extend(offsets.iter().map(|offset| *base + u32::from(*offset)));
                if map(&mut words)? {
                    self = encode(words, seed)?;
                }
            }
            Column::Plain(words) => {
                if map(words)? {
                    self = encode(mem::take(words), seed)?;
                }
            }
        }
        Ok(self)
    }

    /// Returns the word of a row.
    pub(crate) fn word(&self, row: usize) -> u32 {
        count(Work::Cell, 1);
        let word = match self {
            Column::Constant { word, length } => (row < *length).then_some(*word),
            Column::Dictionary { codes, values } => {
                codes.get(row).and_then(|code| values.get(usize::from(*code)).copied())
            }
            Column::FrameOfReference { base, offsets } => offsets.get(row).map(|offset| base + u32::from(*offset)),
            Column::Plain(words) => words.get(row).copied(),
            Column::Sparse { rows, words } => {
                rows.binary_search(&(row as u32)).ok().and_then(|at| words.get(at).copied())
            }
        };
        word.unwrap_or(FILLER)
    }

    /// Appends the words of the rows in `range` to `list`.
    pub(crate) fn read(&self, range: Range<usize>, list: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        count(Work::Cell, range.len());
        let start = list.len();
        reserve(list, range.len())?;
        match self {
            Column::Constant { word, length } => {
                list.resize(start + range.end.min(*length).saturating_sub(range.start), *word)
            }
            Column::Dictionary { codes, values } => {
                let word_of = |code: &u8| values.get(usize::from(*code)).copied().unwrap_or(FILLER);
                list.extend(in_range(codes, &range).iter().map(word_of));
            }
            Column::FrameOfReference { base, offsets } => {
                list.extend(in_range(offsets, &range).iter().map(|offset| base + u32::from(*offset)));
            }
            Column::Plain(words) => list.extend_from_slice(in_range(words, &range)),
            Column::Sparse { rows, words } => {
                let from = rows.partition_point(|row| (*row as usize) < range.start);
                let to = rows.partition_point(|row| (*row as usize) < range.end);
                for (row, word) in rows.iter().zip(words).take(to).skip(from) {
                    list.resize(start + *row as usize - range.start, FILLER);
                    list.push(*word);
                }
            }
        }
        list.resize(start + range.len(), FILLER);
        Ok(())
    }

    /// Packs the column.
    pub(crate) fn pack(&self, packer: &mut Packer<'_>) -> Result<(), OutOfMemory> {
        match self {
            Column::Constant { word, length } => {
                packer.word(0)?;
                packer.word(*word)?;
                packer.word(*length as u32)
            }
            Column::Dictionary { codes, values } => {
                packer.word(1)?;
                packer.bytes(codes)?;
                packer.list(values.iter().map(|word| word.to_le_bytes()))
            }
            Column::FrameOfReference { base, offsets } => {
                packer.word(2)?;
                packer.word(*base)?;
                packer.list(offsets.iter().map(|offset| offset.to_le_bytes()))
            }
            Column::Plain(words) => {
                packer.word(3)?;
                packer.list(words.iter().map(|word| word.to_le_bytes()))
            }
            Column::Sparse { rows, words } => {
                packer.word(4)?;
                packer.list(rows.iter().map(|row| row.to_le_bytes()))?;
                packer.list(words.iter().map(|word| word.to_le_bytes()))
            }
        }
    }

    /// Unpacks a column of a chunk of this length.
    pub(crate) fn unpack(unpacker: &mut Unpacker<'_>, length: usize) -> Result<Self, UnpackError> {
        Ok(match unpacker.word()? {
            0 => Column::Constant { word: unpacker.word()?, length: unpacker.word()? as usize },
            1 => {
                let codes = unpacker.list(u8::from_le_bytes)?;
                Column::Dictionary { codes, values: unpacker.list(u32::from_le_bytes)? }
            }
            2 => {
                let base = unpacker.word()?;
                let offsets = unpacker.list(u16::from_le_bytes)?;
                check(
                    base <= u32::MAX - u32::from(u16::MAX)
                        || offsets.iter().all(|offset| u32::from(*offset) <= u32::MAX - base),
                )?;
                Column::FrameOfReference { base, offsets }
            }
            3 => Column::Plain(unpacker.list(u32::from_le_bytes)?),
            4 => {
                let rows = unpacker.list(u32::from_le_bytes)?;
                let words = unpacker.list(u32::from_le_bytes)?;
                check(rows.len() == words.len() && rows.is_sorted_by(|row, next| row < next))?;
                check(rows.last().is_none_or(|row| (*row as usize) < length))?;
                Column::Sparse { rows, words }
            }
            _ => return Err(UnpackError::Malformed),
        })
    }

    /// Returns the codes and values of a dictionary-encoded column.
    pub(crate) fn dictionary(&self) -> Option<(&[u8], &[u32])> {
        match self {
            Column::Dictionary { codes, values } => Some((codes, values)),
            _ => None,
        }
    }

    /// Returns the word of the first `length` rows, if the encoding says that all have the same.
    pub(crate) fn constant(&self, length: usize) -> Option<u32> {
        match self {
            Column::Constant { word, length: known } if *known >= length => Some(*word),
            Column::Constant { length: 0, .. } => Some(FILLER),
            _ => None,
        }
    }

    /// Returns the bytes of memory that the column holds.
    pub(crate) fn byte_length(&self) -> usize {
        match self {
            Column::Constant { .. } => 0,
            Column::Dictionary { codes, values } => codes.capacity() + values.capacity() * 4,
            Column::FrameOfReference { offsets, .. } => offsets.capacity() * 2,
            Column::Plain(words) => words.capacity() * 4,
            Column::Sparse { rows, words } => (rows.capacity() + words.capacity()) * 4,
        }
    }
}

fn in_range<'a, T>(list: &'a [T], range: &Range<usize>) -> &'a [T] {
    let end = range.end.min(list.len());
    list.get(range.start.min(end)..end).unwrap_or_default()
}

/// Chooses the smallest encoding.
fn encode(mut words: Vec<u32>, seed: &HashSeed) -> Result<Column, OutOfMemory> {
    let (smallest, largest) = extremes(&words);
    if smallest >= largest {
        return Ok(Column::Constant { word: largest, length: words.len() });
    }
    if let Some(encoded) = encode_dictionary(&words, seed.multiplier())? {
        return Ok(encoded);
    }
    if largest - smallest <= u32::from(u16::MAX) {
        let mut offsets = with_capacity(words.len())?;
        offsets.extend(words.iter().map(|word| (word - smallest) as u16));
        return Ok(Column::FrameOfReference { base: smallest, offsets });
    }
    words.shrink_to_fit();
    Ok(Column::Plain(words))
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

/// Encodes words as codes. Returns `None` if there are too many different words to save memory.
fn encode_dictionary(words: &[u32], multiplier: u32) -> Result<Option<Column>, OutOfMemory> {
    // With more values, the other encodings are smaller.
    let most = MAX_DICTIONARY.min(words.len().saturating_sub(1) / 4);
    let mut codes = with_capacity(words.len())?;
    let mut values: Vec<u32> = with_capacity(most)?;
    // A hash table with open addressing that maps words to codes. It is at most half full.
    let mut slots = [u16::MAX; 2 * MAX_DICTIONARY];
    let mut last = None;
    for word in words {
        if let Some((_, code)) = last.filter(|(known, _)| known == word) {
            codes.push(code);
            continue;
        }
        let mut at = (word.wrapping_mul(multiplier) >> 23) as usize;
        let code = loop {
            let Some(slot) = slots.get_mut(at) else {
                at = 0;
                continue;
            };
            count(Work::Probe, 1);
            if values.get(usize::from(*slot)) == Some(word) {
                break *slot;
            }
            if *slot == u16::MAX {
                if values.len() == most {
                    return Ok(None);
                }
                *slot = values.len() as u16;
                values.push(*word);
                break *slot;
            }
            at += 1;
        };
        codes.push(code as u8);
        last = Some((*word, code as u8));
    }
    values.shrink_to_fit();
    Ok(Some(Column::Dictionary { codes, values }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn build(rows: &[Option<u32>]) -> Column {
        let mut builder = ColumnBuilder::default();
        for (row, word) in rows.iter().enumerate() {
            if let Some(word) = word {
                builder.push(row, *word).unwrap();
            }
        }
        builder.finish(&HashSeed::default()).unwrap()
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
            let column = build(&rows);
            let expected = |row: usize| rows.get(row).copied().flatten().unwrap_or(FILLER);
            for row in 0..rows.len() + 3 {
                prop_assert_eq!(column.word(row), expected(row));
            }
            let mut words = vec![1, 2, 3];
            column.read(from..from + length, &mut words).unwrap();
            prop_assert_eq!(words.split_off(3), (from..from + length).map(expected).collect::<Vec<_>>());
        }

        #[test]
        fn takes_at_most_eight_bytes_for_each_word(rows in rows()) {
            let given = rows.iter().flatten().count();
            prop_assert!(build(&rows).byte_length() <= 8 * (given + SMALL_GAP));
        }
    }

    #[test]
    fn few_different_words_take_a_byte_for_each_row() {
        let rows: Vec<Option<u32>> = (0..10_000).map(|row| Some(row % 5 * 1_000_000)).collect();
        assert!(build(&rows).byte_length() < 10_100);
    }

    #[test]
    fn a_constant_column_takes_no_memory() {
        assert_eq!(build(&[Some(3); 1000]).byte_length(), 0);
    }
}
