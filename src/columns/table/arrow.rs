//! The columns of a table in the memory layout of Apache Arrow.

use super::view::{BATCH, View};
use crate::cell::{Cell, Content};
use crate::dictionary::Dictionary;
use crate::memory::{OutOfMemory, filled, reserve, with_capacity};
use crate::shapes::PathId;

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
    /// Raw JSON: arrays, objects nested too deep for separate columns, and strings with lone surrogates.
    pub const JSON: u32 = 16;
    /// Objects whose fields have separate columns.
    pub const OBJECT: u32 = 32;
    /// Null and missing values.
    pub const NOTHING: u32 = 64;
}

/// A buffer of a column. A row gets a zero where it has no value, no string or no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// A bit for each row, from the lowest bit of the first word: whether it has a value.
    Validity,
    /// A bit for each row: whether the finding has the field, though it may be null.
    Presence,
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
    /// Their ids, in the order of their first rows.
    pub ids: Vec<u32>,
    /// The total length of the strings.
    pub byte_length: u32,
}

/// The codes of strings: the index of each among the distinct strings of a column.
pub struct StringCodes {
    codes: Vec<u32>,
}

/// The strings of a column, row by row.
pub struct RowStrings<'table> {
    view: &'table View,
    path: PathId,
    row: usize,
    words: Vec<u32>,
}

/// The maximum number of bytes of the strings of a column: Arrow offsets are signed.
const MAX_BYTES: u64 = i32::MAX as u64;

/// Visits the cells of consecutive rows.
type BatchVisitor<'a> = dyn FnMut(&Dictionary, &[u32]) -> Result<(), OutOfMemory> + 'a;

/// Returns the kinds of the values of a column, each a bit. Stops after the batch with the first value of one of the kinds `sought`.
pub(super) fn kinds(view: &View, path: PathId, sought: u32) -> Result<u32, OutOfMemory> {
    let (mut kinds, mut words) = (0, Vec::new());
    for rows in view.batches() {
        view.read(path, rows, &mut words)?;
        kinds = add_kinds(&view.dictionary(), kinds, &words);
        if kinds & sought != 0 {
            break;
        }
    }
    Ok(kinds)
}

/// Measures a column. `with_strings` adds up the lengths of its strings.
pub(super) fn measure(view: &View, path: PathId, with_strings: bool) -> Result<Measure, OutOfMemory> {
    let mut measure = Measure::default();
    for_each_batch(view, path, &mut |dictionary, words| {
        measure.kinds = add_kinds(dictionary, measure.kinds, words);
        measure.nulls += words.iter().map(|word| u32::from(!is_value(*word))).sum::<u32>();
        if with_strings {
            measure.byte_length += words.iter().map(|word| u64::from(length_of(dictionary, word))).sum::<u64>();
        }
        Ok(())
    })?;
    Ok(measure)
}

/// Returns the distinct strings of a column.
pub(super) fn distinct_strings(view: &View, path: PathId) -> Result<DistinctStrings, OutOfMemory> {
    let mut seen: Vec<u32> = filled(view.dictionary().strings.len().div_ceil(32), 0)?;
    let (mut ids, mut length) = (Vec::new(), 0);
    for_each_batch(view, path, &mut |dictionary, words| {
        reserve(&mut ids, words.len())?;
        for word in words {
            let Some(id) = first_string(view, word)? else { continue };
            let bit = 1 << (id % 32);
            if let Some(bits) = seen.get_mut(id as usize / 32)
                && *bits & bit == 0
            {
                *bits |= bit;
                ids.push(id);
                length += u64::from(dictionary.strings.length(id));
            }
        }
        Ok(())
    })?;
    if length > MAX_BYTES { Err(OutOfMemory) } else { Ok(DistinctStrings { ids, byte_length: length as u32 }) }
}

/// Passes the words of a buffer to `write`, one part after the other.
pub(super) fn write(
    view: &View,
    path: PathId,
    buffer: Buffer,
    codes: &StringCodes,
    write: &mut dyn FnMut(&[u32]),
) -> Result<(), OutOfMemory> {
    let mut part = with_capacity(2 * BATCH)?;
    let mut offset = 0_u32;
    for_each_batch(view, path, &mut |dictionary, words| {
        part.clear();
        match buffer {
            Buffer::Validity => append_bits(&mut part, words, is_value),
            Buffer::Presence => append_bits(&mut part, words, |word| word != Cell::MISSING.word()),
            Buffer::Booleans => append_bits(&mut part, words, |word| word == Cell::TRUE.word()),
            Buffer::Integers if usual_kind(words) == Some(kind::INTEGER) => {
                part.extend(words.iter().map(|word| (*word as i32 >> 1) as u32));
            }
            Buffer::Integers => part.extend(words.iter().map(|word| number(dictionary, word) as i32 as u32)),
            Buffer::Numbers => part.extend(words.iter().flat_map(|word| {
                let bits = number(dictionary, word).to_bits();
                [bits as u32, (bits >> 32) as u32]
            })),
            Buffer::Codes => {
                for word in words {
                    part.push(codes.code(first_string(view, word)?));
                }
            }
            Buffer::Offsets => part.extend(words.iter().map(|word| {
                let start = offset;
                offset = offset.wrapping_add(length_of(dictionary, word));
                start
            })),
        }
        write(&part);
        Ok(())
    })?;
    if buffer == Buffer::Offsets {
        write(&[offset]);
    }
    Ok(())
}

impl StringCodes {
    /// No codes of the strings of this view.
    pub(super) fn new(view: &View) -> Result<Self, OutOfMemory> {
        Ok(Self { codes: filled(view.dictionary().strings.len(), 0)? })
    }

    /// Sets the codes of these strings to consecutive numbers. Other codes stay.
    pub fn set(&mut self, first: u32, ids: &[u32]) {
        for (code, id) in (first..).zip(ids) {
            if let Some(known) = self.codes.get_mut(*id as usize) {
                *known = code;
            }
        }
    }

    #[inline]
    fn code(&self, id: Option<u32>) -> u32 {
        id.and_then(|id| self.codes.get(id as usize).copied()).unwrap_or_default()
    }
}

impl<'table> RowStrings<'table> {
    pub(super) fn new(view: &'table View, path: PathId) -> Self {
        Self { view, path, row: 0, words: Vec::new() }
    }

    /// Replaces `ids` with the ids of the strings of the next rows; with none at the end.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn next(&mut self, ids: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        ids.clear();
        while ids.is_empty() && self.row < self.view.len() {
            let end = self.view.len().min(self.row + BATCH);
            self.view.read(self.path, self.row..end, &mut self.words)?;
            self.row = end;
            reserve(ids, self.words.len())?;
            ids.extend(self.words.iter().filter_map(string_id));
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
fn add_kinds(dictionary: &Dictionary, kinds: u32, words: &[u32]) -> u32 {
    kinds
        | usual_kind(words).unwrap_or_else(|| {
            // Look up a number only if its kind may be new.
            let add = |kinds, word: &u32| match Cell::from_word(*word).content() {
                Content::Number(_) if kinds & NUMBERS == NUMBERS => kinds,
                content => kinds | kind_of(dictionary, content),
            };
            words.iter().fold(kinds, add)
        })
}

#[inline]
fn kind_of(dictionary: &Dictionary, content: Content) -> u32 {
    match content {
        Content::Integer(_) => kind::INTEGER,
        Content::Number(id) if is_integer(dictionary.numbers.value(id)) => kind::INTEGER,
        Content::Number(_) => kind::NUMBER,
        Content::Boolean(_) => kind::BOOLEAN,
        Content::Text(_) => kind::TEXT,
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

/// The id that stands for all strings that equal that of a cell. Consumers of a dictionary of Arrow expect that each string is in it once.
#[inline]
fn first_string(view: &View, word: &u32) -> Result<Option<u32>, OutOfMemory> {
    match Cell::from_word(*word).content() {
        Content::Text(id) => view.shared_dictionary().first_text(id).map(Some),
        Content::RawJson(id) => Ok(Some(id)),
        _ => Ok(None),
    }
}

#[inline]
fn length_of(dictionary: &Dictionary, word: &u32) -> u32 {
    string_id(word).map_or(0, |id| dictionary.strings.length(id))
}

#[inline]
fn number(dictionary: &Dictionary, word: &u32) -> f64 {
    dictionary.number(Cell::from_word(*word)).unwrap_or_default()
}
