//! A column in the memory layout of Apache Arrow.

use super::view::View;
use crate::cell::{Cell, Content};
use crate::dictionary::Dictionary;
use crate::memory::{OutOfMemory, filled, push, reserve, resize, with_capacity};
use crate::shapes::PathId;

/// The kinds of the values of a column, each a bit. Null and missing values have none.
pub mod kind {
    /// Integers of 32 bits, but not `-0`.
    pub const INTEGER: u32 = 1;
    /// All other numbers.
    pub const NUMBER: u32 = 2;
    /// `true` and `false`
    pub const BOOLEAN: u32 = 4;
    /// Strings without lone surrogates.
    pub const TEXT: u32 = 8;
    /// Raw JSON: arrays, objects nested too deep for columns of their own, and strings with lone surrogates.
    pub const JSON: u32 = 16;
    /// Objects whose fields have columns of their own.
    pub const OBJECT: u32 = 32;
}

/// The layout of the values of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A word for each integer.
    Integers,
    /// Two words for each number: a double, the low word first.
    Numbers,
    /// A bit for each boolean, from the lowest bit of the first word.
    Booleans,
    /// A word for each text or raw JSON: the index of the string among those of the column.
    Strings,
}

/// A column in the memory layout of Apache Arrow. Rows without a value, and those whose value has no place in the layout, are null.
#[derive(Debug, Default, PartialEq)]
pub struct ArrowColumn {
    /// The number of rows that are null.
    pub null_count: usize,
    /// A bit for each row, from the lowest bit of the first word: whether it has a value.
    pub validity: Vec<u32>,
    /// A bit for each row: whether the finding has the field, though it may be null.
    pub presence: Vec<u32>,
    /// The values, zero where there is none.
    pub values: Vec<u32>,
    /// The ids of the distinct strings, in the order of their first rows.
    pub strings: Vec<u32>,
    /// The offset of each of these strings, if they lie one after the other, then their length together.
    pub offsets: Vec<u32>,
}

/// The most bytes of the strings of a column: an offset of Arrow has a sign.
const MAX_BYTES: u32 = i32::MAX as u32;

const UNKNOWN: u32 = u32::MAX;

/// Visits the cells of consecutive rows.
type BatchVisitor<'a> = dyn FnMut(&Dictionary, &[u32]) -> Result<(), OutOfMemory> + 'a;

/// Returns the kinds of the values of a column.
pub(super) fn kinds(view: &View, path: PathId) -> Result<u32, OutOfMemory> {
    let mut kinds = 0;
    for_each_batch(view, path, &mut |dictionary, words| {
        kinds = words.iter().fold(kinds, |kinds, word| kinds | kind_of(dictionary, *word));
        Ok(())
    })?;
    Ok(kinds)
}

impl Layout {
    /// The kinds of the values that have a place in the layout.
    fn kinds(self) -> u32 {
        match self {
            Layout::Integers => kind::INTEGER,
            Layout::Numbers => kind::INTEGER | kind::NUMBER,
            Layout::Booleans => kind::BOOLEAN,
            Layout::Strings => kind::TEXT | kind::JSON,
        }
    }

    /// A mask of the bits of a cell, and what they are in all cells of the most frequent kind; no cell has them where there is none.
    fn usual_tag(self) -> (u32, u32) {
        match self {
            Layout::Integers => (1, Cell::integer(0).word()),
            Layout::Strings => (3, Cell::text(0).word()),
            Layout::Numbers | Layout::Booleans => (0, 1),
        }
    }
}

impl ArrowColumn {
    /// The values of a column in this layout.
    pub(super) fn new(view: &View, path: PathId, layout: Layout) -> Result<Self, OutOfMemory> {
        let (rows, bits) = (view.len(), view.len().div_ceil(32));
        let values = match layout {
            Layout::Integers | Layout::Strings => rows,
            Layout::Numbers => rows.checked_mul(2).ok_or(OutOfMemory)?,
            Layout::Booleans => bits,
        };
        let mut column = ArrowColumn {
            validity: with_capacity(bits)?,
            presence: with_capacity(bits)?,
            values: with_capacity(values)?,
            ..ArrowColumn::default()
        };
        // The index of each string of the dictionary among those of the column.
        let mut indexes = Vec::new();
        if layout == Layout::Strings {
            indexes = filled(view.dictionary().strings.len(), UNKNOWN)?;
            push(&mut column.offsets, 0)?;
        }
        for_each_batch(view, path, &mut |dictionary, words| {
            // Most columns have values of one kind that the cell itself tells.
            let (mask, tag) = layout.usual_tag();
            let is_usual = words.iter().fold(true, |is_usual, word| is_usual & (word & mask == tag));
            if is_usual {
                append_ones(&mut column.validity, words.len())?;
                append_ones(&mut column.presence, words.len())?;
            } else {
                let is_valid = |word: u32| kind_of(dictionary, word) & layout.kinds() != 0;
                append_bits(&mut column.validity, words, &is_valid)?;
                append_bits(&mut column.presence, words, &|word| word != Cell::MISSING.word())?;
            }
            match layout {
                Layout::Integers if is_usual => {
                    reserve(&mut column.values, words.len())?;
                    column.values.extend(words.iter().map(|word| (*word as i32 >> 1) as u32));
                    Ok(())
                }
                Layout::Integers => {
                    let value =
                        |word: &u32| dictionary.number(Cell::from_word(*word)).unwrap_or_default() as i32 as u32;
                    reserve(&mut column.values, words.len())?;
                    column.values.extend(words.iter().map(value));
                    Ok(())
                }
                Layout::Numbers => {
                    reserve(&mut column.values, 2 * words.len())?;
                    for word in words {
                        let bits = dictionary.number(Cell::from_word(*word)).unwrap_or_default().to_bits();
                        column.values.extend([bits as u32, (bits >> 32) as u32]);
                    }
                    Ok(())
                }
                Layout::Booleans => append_bits(&mut column.values, words, &|word| word == Cell::TRUE.word()),
                Layout::Strings => column.append_strings(dictionary, words, &mut indexes),
            }
        })?;
        let valid: u32 = column.validity.iter().map(|word| word.count_ones()).sum();
        column.null_count = rows - valid as usize;
        Ok(column)
    }

    fn append_strings(
        &mut self,
        dictionary: &Dictionary,
        words: &[u32],
        indexes: &mut [u32],
    ) -> Result<(), OutOfMemory> {
        reserve(&mut self.values, words.len())?;
        for word in words {
            let (Content::Text(id) | Content::RawJson(id)) = Cell::from_word(*word).content() else {
                self.values.push(0);
                continue;
            };
            let index = indexes.get_mut(id as usize).ok_or(OutOfMemory)?;
            if *index == UNKNOWN {
                *index = self.strings.len() as u32;
                push(&mut self.strings, id)?;
                let length = dictionary.strings.bytes(id).len() as u32;
                let end = self.offsets.last().and_then(|start| start.checked_add(length));
                push(&mut self.offsets, end.filter(|end| *end <= MAX_BYTES).ok_or(OutOfMemory)?)?;
            }
            self.values.push(*index);
        }
        Ok(())
    }
}

fn for_each_batch(view: &View, path: PathId, visit: &mut BatchVisitor<'_>) -> Result<(), OutOfMemory> {
    let dictionary = view.dictionary();
    let mut words = Vec::new();
    for rows in view.batches() {
        view.read(path, rows, &mut words)?;
        visit(&dictionary, &words)?;
    }
    Ok(())
}

/// Appends a bit for each cell of a batch. All batches but the last have a multiple of 32 rows.
#[inline]
fn append_bits(bits: &mut Vec<u32>, words: &[u32], is_set: &impl Fn(u32) -> bool) -> Result<(), OutOfMemory> {
    reserve(bits, words.len().div_ceil(32))?;
    bits.extend(words.chunks(32).map(|words| {
        let places = words.iter().zip(0..32_u32);
        places.fold(0, |bits, (word, place)| bits | u32::from(is_set(*word)) << place)
    }));
    Ok(())
}

/// Appends a set bit for each row of a batch.
fn append_ones(bits: &mut Vec<u32>, rows: usize) -> Result<(), OutOfMemory> {
    let whole = bits.len() + rows / 32;
    resize(bits, whole, u32::MAX)?;
    if rows.is_multiple_of(32) { Ok(()) } else { push(bits, (1 << (rows % 32)) - 1) }
}

#[inline]
fn kind_of(dictionary: &Dictionary, word: u32) -> u32 {
    match Cell::from_word(word).content() {
        Content::Integer(_) => kind::INTEGER,
        Content::Number(id) if is_integer(dictionary.numbers.value(id)) => kind::INTEGER,
        Content::Number(_) => kind::NUMBER,
        Content::Boolean(_) => kind::BOOLEAN,
        Content::Text(_) => kind::TEXT,
        Content::RawJson(_) => kind::JSON,
        Content::Object => kind::OBJECT,
        Content::Null | Content::Missing => 0,
    }
}

/// Whether a number is an integer of 32 bits, and not `-0`.
fn is_integer(value: f64) -> bool {
    f64::from(value as i32).to_bits() == value.to_bits()
}
