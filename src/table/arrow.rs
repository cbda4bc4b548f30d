//! The columns of a table in the memory layout of Apache Arrow.

use std::cell::Ref;
use std::mem::replace;

use super::codes::ColumnCodes;
use super::contents::Contents;
use super::part::BATCH;
use super::scope::Scope;
use super::string_reader::StringReader;
use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, filled, reserve, with_capacity};
use chunk::value::cell::{Cell, Content};
use chunk::value::shapes::PathId;

/// The kinds of the values of a column, each a bit.
pub mod kind {
    /// Integers of 32 bits, but not `-0`.
    pub const INTEGER: u32 = 1;
    /// All other numbers.
    pub const NUMBER: u32 = 2;
    /// `true` and `false`
    pub const BOOLEAN: u32 = 4;
    /// Strings without lone surrogates.
    pub const TEXT: u32 = 8;
    /// Raw JSON: arrays, and objects nested too deep for separate columns.
    pub const JSON: u32 = 16;
    /// Objects whose fields have separate columns.
    pub const OBJECT: u32 = 32;
    /// Null and missing values.
    pub const NOTHING: u32 = 64;
    /// Strings with lone surrogates, which are raw JSON.
    pub const SURROGATE: u32 = 128;
}

/// A column of a table for Arrow.
#[derive(Clone, Copy)]
pub struct ArrowColumn<'table> {
    pub(super) scope: &'table Scope,
    pub(super) path: PathId,
}

/// A buffer of a column. A row gets a zero where it has no value, no string or no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A bit for each row, from the lowest bit of the first word: whether it has a value.
    Validity,
    /// A bit for each row: whether its value is `true`.
    Booleans,
    /// A word for each row: its integer of 32 bits.
    Integers,
    /// Two words for each row: its number as a double, the low word first.
    Numbers,
    /// A word for each row: the code of its string.
    Codes,
    /// A word for each row, and one more: the length of the strings of all rows before it.
    Offsets,
}

/// What the type and the buffers of a column depend on.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// The kinds of its values, each a bit of [`kind`].
    pub kinds: u32,
    /// The number of rows whose value is null or missing.
    pub nulls: u32,
    /// The total length, in bytes, of the strings of all rows.
    pub byte_length: u64,
}

/// The distinct strings of a column, texts and raw JSON.
#[derive(Debug, Default, PartialEq)]
pub struct DistinctStrings {
    /// Their codes, in the order of their first rows.
    pub codes: Vec<u32>,
    /// The total length of the strings.
    pub byte_length: u64,
}

/// The number of rows that are looked at first for their kinds.
const FIRST_BATCH: usize = 64;

impl<'table> ArrowColumn<'table> {
    /// Measures the column; its strings only if `with_strings`. Takes time in proportion to the number of rows, but stops soon after the first
    /// value of one of the kinds `sought`, each a bit of [`kind`].
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn measure(&self, with_strings: bool, sought: u32) -> Result<Measure, OutOfMemory> {
        let (column, contents, length) = (self.scope.column(self.path)?, self.scope.contents(), self.scope.len());
        let (mut measure, mut words, strings) = (Measure::default(), Vec::new(), contents.strings());
        let mut rows = 0..length.min(FIRST_BATCH);
        while measure.kinds & sought == 0 && !rows.is_empty() {
            column.cells(rows.clone(), &mut words)?;
            measure.kinds = add_kinds(&contents, measure.kinds, &words);
            measure.nulls += words.iter().map(|word| u32::from(!is_value(*word))).sum::<u32>();
            if with_strings {
                measure.byte_length += words.iter().map(|word| u64::from(length_of(&strings, word))).sum::<u64>();
            }
            rows = rows.end..length.min(rows.end + BATCH.min(2 * rows.len()));
        }
        Ok(measure)
    }

    /// Returns the distinct strings. Takes time in proportion to the number of rows.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn distinct_strings(&self) -> Result<DistinctStrings, OutOfMemory> {
        let column = self.scope.codes(self.path)?;
        let Some(known) = self.known_codes() else { return Ok(DistinctStrings::default()) };
        let contents = self.scope.contents();
        let strings = contents.strings();
        let mut seen = filled(known.len(), false)?;
        let (mut codes, mut byte_length, mut of_rows) = (Vec::new(), 0, Vec::new());
        for rows in self.scope.batches() {
            column.codes(rows, &mut of_rows)?;
            reserve(&mut codes, of_rows.len())?;
            for code in &of_rows {
                if !replace(seen.get_mut(*code as usize).certain(), true)
                    && let Some(id) = string_id(&known.cell(*code).word())
                {
                    codes.push(*code);
                    byte_length += u64::from(strings.length(id));
                }
            }
        }
        Ok(DistinctStrings { codes, byte_length })
    }

    /// Replaces the codes of distinct strings by the ids of the strings.
    ///
    /// # Errors
    ///
    /// The first that is no code of a string of the column.
    pub fn replace_by_ids(&self, codes: &mut [u32]) -> Result<(), u32> {
        let known = self.known_codes();
        for code in codes {
            let cell = known.as_ref().and_then(|known| known.get(*code)).ok_or(*code)?;
            *code = string_id(&cell.word()).ok_or(*code)?;
        }
        Ok(())
    }

    /// Passes the words of a buffer to `write`, one part after the other. `indexes` has the index of each string, by its code. Takes time in
    /// proportion to the number of rows.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn write(&self, buffer: Buffer, indexes: &[u32], write: &mut dyn FnMut(&[u32])) -> Result<(), OutOfMemory> {
        let codes = if buffer == Buffer::Codes { Some(self.scope.codes(self.path)?) } else { None };
        let (column, contents) = (self.scope.column(self.path)?, self.scope.contents());
        let (mut words, mut numbers, mut part) = (Vec::new(), Vec::new(), with_capacity(2 * BATCH)?);
        let (mut offset, strings) = (0_u32, contents.strings());
        let index_of = |code: &u32| indexes.get(*code as usize).copied().unwrap_or_default();
        for rows in self.scope.batches() {
            match (&codes, buffer) {
                (Some(codes), _) => codes.codes(rows, &mut words)?,
                (None, Buffer::Numbers) => column.numbers(rows, &mut numbers)?,
                (None, _) => column.cells(rows, &mut words)?,
            }
            part.clear();
            match buffer {
                Buffer::Validity => append_bits(&mut part, &words, is_value),
                Buffer::Booleans => append_bits(&mut part, &words, |word| word == Cell::TRUE.word()),
                Buffer::Integers if usual_kind(&words) == Some(kind::INTEGER) => {
                    part.extend(words.iter().map(|word| (*word as i32 >> 1) as u32));
                }
                Buffer::Integers => part.extend(words.iter().map(|word| number(&contents, word) as i32 as u32)),
                Buffer::Numbers => part.extend(numbers.iter().flat_map(|number| {
                    let bits = if number.is_nan() { 0 } else { number.to_bits() };
                    [bits as u32, (bits >> 32) as u32]
                })),
                Buffer::Codes => part.extend(words.iter().map(index_of)),
                Buffer::Offsets => part.extend(words.iter().map(|word| {
                    let start = offset;
                    offset = offset.wrapping_add(length_of(&strings, word));
                    start
                })),
            }
            write(&part);
        }
        if buffer == Buffer::Offsets {
            write(&[offset]);
        }
        Ok(())
    }

    /// Passes the offset of each string, by its id, to `write`, then the length of all. Replaces the ids.
    pub fn write_offsets(&self, ids: &mut [u32], write: &mut dyn FnMut(&[u32])) {
        let (contents, mut end) = (self.scope.contents(), 0_u32);
        let strings = contents.strings();
        for id in &mut *ids {
            end = end.wrapping_add(strings.length(*id));
            *id = end;
        }
        write(&[0]);
        write(ids);
    }

    /// Passes the bytes of the strings with these ids to `write`, one part after the other.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn write_strings(&self, ids: &[u32], write: &mut dyn FnMut(&[u8])) -> Result<(), OutOfMemory> {
        self.scope.contents().strings().copy(ids, write)
    }

    /// Passes the bytes of the strings of all rows to `write`, one part after the other. Takes time in proportion to the number of rows.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn write_strings_of_rows(&self, write: &mut dyn FnMut(&[u8])) -> Result<(), OutOfMemory> {
        let (column, contents, mut words) = (self.scope.column(self.path)?, self.scope.contents(), Vec::new());
        let strings = contents.strings();
        for rows in self.scope.batches() {
            column.cells(rows, &mut words)?;
            words.retain_mut(|word| string_id(word).map(|id| *word = id).is_some());
            strings.copy(&words, write)?;
        }
        Ok(())
    }

    /// The codes of the column; `None` if no query has asked for them, or there are no chunks.
    fn known_codes(&self) -> Option<Ref<'_, ColumnCodes>> {
        self.scope.catalog().column_codes(self.path)
    }
}

/// Returns the indexes of the strings with these codes, consecutive numbers, by code.
///
/// # Errors
///
/// Out of memory.
pub fn string_indexes(codes: &[u32]) -> Result<Vec<u32>, OutOfMemory> {
    let mut indexes = filled(codes.iter().max().map_or(0, |code| *code as usize + 1), 0)?;
    for (index, code) in (0..).zip(codes) {
        *indexes.get_mut(*code as usize).certain() = index;
    }
    Ok(indexes)
}

/// Appends a bit for each cell of a batch. All batches but the last have a multiple of 32 rows.
#[inline]
fn append_bits(bits: &mut Vec<u32>, words: &[u32], is_set: impl Fn(u32) -> bool) {
    bits.extend(words.chunks(32).map(|words| {
        let places = words.iter().zip(0..32_u32);
        places.fold(0, |bits, (word, place)| bits | u32::from(is_set(*word)) << place)
    }));
}

const NUMBERS: u32 = kind::INTEGER | kind::NUMBER;

/// Returns the kind of all cells of a batch, if the cells show that it is the same. Most columns have only such batches.
#[inline]
fn usual_kind(words: &[u32]) -> Option<u32> {
    let (any, all) = words.iter().fold((0, !0), |(any, all), word| (any | word, all & word));
    if all & 1 == 1 {
        Some(kind::INTEGER)
    } else if any & 3 == Cell::text(0).word() {
        Some(kind::TEXT)
    } else {
        None
    }
}

/// Adds the kinds of some cells.
fn add_kinds(contents: &Contents, kinds: u32, words: &[u32]) -> u32 {
    kinds
        | usual_kind(words).unwrap_or_else(|| {
            // Look up a number only if its kind may be new.
            let add = |kinds, word: &u32| match Cell::from_word(*word).content() {
                Content::Number(_) if kinds & NUMBERS == NUMBERS => kinds,
                content => kinds | kind_of(contents, content),
            };
            words.iter().fold(kinds, add)
        })
}

#[inline]
fn kind_of(contents: &Contents, content: Content) -> u32 {
    match content {
        Content::Integer(_) => kind::INTEGER,
        Content::Number(id) if is_integer(contents.number_of(id).certain()) => kind::INTEGER,
        Content::Number(_) => kind::NUMBER,
        Content::Boolean(_) => kind::BOOLEAN,
        Content::Text(_) => kind::TEXT,
        Content::RawJson(id) if contents.strings().bytes(id).starts_with(b"\"") => kind::SURROGATE,
        Content::RawJson(_) => kind::JSON,
        Content::Object => kind::OBJECT,
        Content::Null | Content::Missing => kind::NOTHING,
    }
}

/// Whether a number is an integer of 32 bits, and not `-0`.
fn is_integer(value: f64) -> bool {
    f64::from(value as i32).to_bits() == value.to_bits()
}

#[inline]
fn is_value(word: u32) -> bool {
    word != Cell::NULL.word() && word != Cell::MISSING.word()
}

#[inline]
fn string_id(word: &u32) -> Option<u32> {
    match Cell::from_word(*word).content() {
        Content::Text(id) | Content::RawJson(id) => Some(id),
        _ => None,
    }
}

#[inline]
fn length_of(strings: &StringReader<'_>, word: &u32) -> u32 {
    string_id(word).map_or(0, |id| strings.length(id))
}

#[inline]
fn number(contents: &Contents, word: &u32) -> f64 {
    contents.number(Cell::from_word(*word)).unwrap_or_default()
}
