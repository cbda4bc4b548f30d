//! The equality of values, decided in one place.
//!
//! When a query first needs the values of a column, each distinct cell of each chunk gets a code. Equal codes are equal values, for ever:
//! codes are added as chunks arrive, and never change. Strings are equal by their bytes, `-0` and `0` are one value, and raw JSON is equal if
//! it is the same without white space, however its strings are escaped. Queries compare codes, never cells of two chunks. The codes of a column are known to all tables
//! of its catalog; a column that no query has asked for costs nothing.

use std::rc::Rc;

use super::condition::{Operand, Text};
use super::contents::Contents;
use super::member::Member;
use super::per_chunk::PerChunk;
use super::string_reader::StringReader;
use chunk::bytes::equal;
use chunk::hash::HashSeed;
use chunk::hash_index::HashIndex;
use chunk::invariant::Certain;
use chunk::json::normal::normal_json;
use chunk::memory::{OutOfMemory, filled, push, reserve, try_shared, try_to_owned, with_capacity};
use chunk::packing::Word;
use chunk::value::Value;
use chunk::value::cell::{Cell, Content};
use chunk::value::number_interner::inline;
use chunk::value::strings::{StringKind, text_of};

/// The codes of a column.
pub(super) struct ColumnCodes {
    seed: HashSeed,
    /// The global cell of the value of each code: of the first finding that was looked at.
    cells: Vec<Cell>,
    index: HashIndex,
    /// The codes of raw JSON, in ascending order, with its [normal](normal_json) text.
    json: Vec<(u32, String)>,
    /// The code of each stored word of the column.
    pub(super) chunks: PerChunk<StoredCodes>,
}

/// The codes of the stored words of a column of a chunk, as words in their place.
pub(super) type StoredCodes = Rc<Vec<Word>>;

/// The code of a missing value, in every column.
pub(super) const MISSING: u32 = 0;

const UNKNOWN: u32 = u32::MAX;

/// A value. Equal values have equal keys.
#[derive(Clone, Copy)]
enum Key<'value> {
    /// A value that its cell has in itself.
    Cell(Cell),
    /// Another number.
    Number(f64),
    /// The bytes of a text.
    Text(&'value [u8]),
    /// The normal text of raw JSON.
    Json(&'value str),
}

impl Key<'_> {
    fn of_number(value: f64) -> Self {
        // The sum is 0 for `-0`.
        let value = value + 0.0;
        inline(value).map_or(Key::Number(value), Key::Cell)
    }

    fn hash(&self, seed: &HashSeed) -> u32 {
        match self {
            Key::Cell(cell) => seed.of_words(&[cell.word()]),
            Key::Number(value) => seed.of_words(&[value.to_bits() as u32, (value.to_bits() >> 32) as u32]),
            Key::Text(bytes) => seed.of_bytes(bytes),
            Key::Json(json) => seed.of_bytes(json.as_bytes()),
        }
    }
}

impl ColumnCodes {
    pub(super) fn new(seed: HashSeed) -> Result<Self, OutOfMemory> {
        let mut cells = with_capacity(1)?;
        cells.push(Cell::MISSING);
        Ok(ColumnCodes { seed, cells, index: HashIndex::default(), json: Vec::new(), chunks: PerChunk::default() })
    }

    /// Returns the number of codes.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the global cell of a value with this code.
    #[inline]
    pub(super) fn cell(&self, code: u32) -> Cell {
        self.get(code).certain()
    }

    /// Returns the global cell of a value with this code; `None` for an unknown code.
    #[inline]
    pub(super) fn get(&self, code: u32) -> Option<Cell> {
        self.cells.get(code as usize).copied()
    }

    /// Returns the normal text of the raw JSON with this code.
    pub(super) fn json(&self, code: u32) -> &str {
        let at = self.json.binary_search_by_key(&code, |(code, _)| *code).ok();
        &at.and_then(|at| self.json.get(at)).certain().1
    }

    /// Looks up the code of the values that equal an operand.
    pub(super) fn find(&self, contents: &Contents, operand: &Operand) -> Option<u32> {
        let value = match operand {
            Operand::Missing => Value::Missing,
            Operand::Null => Value::Null,
            Operand::Boolean(value) => Value::Boolean(*value),
            Operand::Number(value) => Value::Number(*value),
            Operand::Text(Text::Utf8(text)) => Value::Text(text),
            Operand::Text(Text::Json(json)) => Value::Json(json),
        };
        self.find_value(contents, &contents.strings(), value)
    }

    /// Looks up the code of the values that equal a value, whose JSON is normal.
    pub(super) fn find_value(&self, contents: &Contents, strings: &StringReader<'_>, value: Value<'_>) -> Option<u32> {
        let key = match value {
            Value::Missing => return Some(MISSING),
            Value::Null => Key::Cell(Cell::NULL),
            Value::Boolean(value) => Key::Cell(Cell::boolean(value)),
            Value::Number(value) => Key::of_number(value),
            Value::Text(text) => Key::Text(text.as_bytes()),
            Value::Json(json) => Key::Json(json),
            Value::Object => Key::Cell(Cell::OBJECT),
        };
        self.find_key(contents, strings, key.hash(&self.seed), key)
    }

    /// Adds the codes of the stored words of a column of a chunk.
    pub(super) fn add(
        &mut self,
        contents: &Contents,
        member: &Member,
        words: &[u32],
    ) -> Result<StoredCodes, OutOfMemory> {
        // The codes of the strings of the chunk: a long text may occur again long after.
        let mut of_strings = filled(member.strings().len(), UNKNOWN)?;
        let (strings, in_chunk) = (contents.strings(), member.chunk.strings());
        let mut codes = with_capacity(words.len())?;
        for word in words {
            let cell = Cell::from_word(*word);
            let global = Cell::from_word(member.global(*word));
            let code = match cell.content() {
                Content::Missing => MISSING,
                Content::Text(id) | Content::RawJson(id) => {
                    let known = of_strings.get_mut(id as usize).certain();
                    if *known == UNKNOWN {
                        *known = match in_chunk.get(id).certain() {
                            (StringKind::RawJson, json) => {
                                let json = normal_json(text_of(json))?;
                                self.code_of(contents, &strings, Key::Json(&json), global)?
                            }
                            (_, text) => self.code_of(contents, &strings, Key::Text(text), global)?,
                        };
                    }
                    *known
                }
                Content::Number(id) => {
                    self.code_of(contents, &strings, Key::of_number(member.chunk.number(id).certain()), global)?
                }
                _ => self.code_of(contents, &strings, Key::Cell(cell), global)?,
            };
            codes.push(code.to_le_bytes());
        }
        let codes = try_shared(codes)?;
        self.chunks.set(member.number, Rc::clone(&codes))?;
        Ok(codes)
    }

    /// Returns the code of a value, a new one for a new value, which has this global cell.
    fn code_of(
        &mut self,
        contents: &Contents,
        strings: &StringReader<'_>,
        key: Key<'_>,
        cell: Cell,
    ) -> Result<u32, OutOfMemory> {
        let hash = key.hash(&self.seed);
        if let Some(code) = self.find_key(contents, strings, hash, key) {
            return Ok(code);
        }
        let code = self.cells.len() as u32;
        let (cell, json) = match key {
            Key::Cell(cell) => (cell, None),
            Key::Json(json) => {
                reserve(&mut self.json, 1)?;
                (cell, Some((code, try_to_owned(json)?)))
            }
            _ => (cell, None),
        };
        push(&mut self.cells, cell)?;
        self.index.insert(hash, code)?;
        self.json.extend(json);
        Ok(code)
    }

    fn find_key(&self, contents: &Contents, strings: &StringReader<'_>, hash: u32, key: Key<'_>) -> Option<u32> {
        self.index.find(hash, |code| match (key, self.cell(code).content()) {
            (Key::Cell(cell), _) => self.cell(code) == cell,
            (Key::Number(value), Content::Number(id)) => contents.number_of(id) == Some(value),
            (Key::Text(bytes), Content::Text(id)) => equal(strings.bytes(id), bytes),
            (Key::Json(json), Content::RawJson(_)) => self.json(code) == json,
            _ => false,
        })
    }
}
