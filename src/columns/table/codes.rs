//! The equality of values, decided in one place.
//!
//! When a query first needs the values of a column, each distinct cell of each chunk gets a code. Equal codes are equal values, for ever:
//! codes are added as chunks arrive, and never change. Strings are equal by their bytes, `-0` and `0` are one value, and raw JSON is equal if
//! `JSON.stringify` writes the same text. Queries compare codes, never cells of two chunks. The codes of a column are known to all tables
//! of its catalog; a column that no query has asked for costs nothing.

use std::cell::RefCell;
use std::rc::Rc;

use super::condition::{Operand, Text};
use super::contents::{Contents, Member, StringReader};
use super::per_chunk::PerChunk;
use crate::invariant::Certain;
use crate::value::cell::{Cell, Content};

use crate::hash::HashSeed;
use crate::hash::index::HashIndex;
use crate::memory::{OutOfMemory, filled, push, reserve, try_shared, try_to_owned, with_capacity};
use crate::value::number_interner::inline;
use crate::value::shapes::PathId;

/// The codes of the columns of a catalog.
#[derive(Default)]
pub(super) struct Codes {
    /// By path.
    pub(super) columns: RefCell<Vec<(PathId, ColumnCodes)>>,
}

/// The codes of a column.
pub(super) struct ColumnCodes {
    /// The global cell of the value of each code: of the first finding that was looked at.
    cells: Vec<Cell>,
    index: HashIndex,
    /// The codes of raw JSON, in ascending order, with what `JSON.stringify` writes.
    json: Vec<(u32, String)>,
    /// The code of each stored word of the column.
    pub(super) chunks: PerChunk<StoredCodes>,
}

/// The codes of the stored words of a column of a chunk.
pub(super) type StoredCodes = Rc<Vec<u32>>;

/// The code of a missing value, in every column.
pub(super) const MISSING: u32 = 0;

const UNKNOWN: u32 = u32::MAX;

/// The number of words whose codes are remembered, for columns whose values repeat.
const REMEMBERED: usize = 256;

impl ColumnCodes {
    pub(super) fn new() -> Result<Self, OutOfMemory> {
        let mut cells = with_capacity(1)?;
        cells.push(Cell::MISSING);
        Ok(ColumnCodes { cells, index: HashIndex::default(), json: Vec::new(), chunks: PerChunk::default() })
    }

    /// Returns the number of codes.
    pub(super) fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns the global cell of a value with this code.
    #[inline]
    pub(super) fn cell(&self, code: u32) -> Cell {
        self.cells.get(code as usize).certain().copied().unwrap_or(Cell::MISSING)
    }

    /// Returns what `JSON.stringify` writes for the raw JSON with this code.
    pub(super) fn json(&self, code: u32) -> &str {
        let at = self.json.binary_search_by_key(&code, |(code, _)| *code).ok();
        at.and_then(|at| self.json.get(at)).certain().map_or("", |(_, json)| json)
    }

    /// Looks up the code of the values that equal an operand.
    pub(super) fn find(&self, contents: &Contents, seed: &HashSeed, operand: &Operand) -> Option<u32> {
        match operand {
            Operand::Missing => Some(MISSING),
            Operand::Null => self.find_cell(seed, Cell::NULL),
            Operand::Boolean(value) => self.find_cell(seed, Cell::boolean(*value)),
            Operand::Number(value) => match inline(*value + 0.0) {
                Some(cell) => self.find_cell(seed, cell),
                None => self.find_number(contents, seed, *value),
            },
            Operand::Text(Text::Utf8(text)) => {
                self.find_text(&contents.strings(), seed.of_bytes(text.as_bytes()), text.as_bytes())
            }
            Operand::Text(Text::Json(json)) => self.find_json(seed, json),
        }
    }

    /// Adds the codes of the stored words of a column of a chunk.
    pub(super) fn add(
        &mut self,
        contents: &Contents,
        seed: &HashSeed,
        member: &Member,
        mut words: Vec<u32>,
        json: &[(u32, String)],
    ) -> Result<StoredCodes, OutOfMemory> {
        let mut remembered = [(Cell::MISSING.word(), MISSING); REMEMBERED];
        // The codes of the strings of the chunk; only for columns in which strings occur again long after.
        let mut of_strings =
            if words.len() > REMEMBERED { filled(member.strings().len(), UNKNOWN)? } else { Vec::new() };
        let strings = contents.strings();
        for word in &mut words {
            let slot = (word.wrapping_mul(0x9E37_79B9) >> 24) as usize;
            let Some((known, code)) = remembered.get_mut(slot).certain() else { continue };
            if *known != *word {
                *known = *word;
                *code = match Cell::from_word(*word).content() {
                    Content::Text(id) => match of_strings.get_mut(id as usize) {
                        Some(code) => {
                            if *code == UNKNOWN {
                                *code = self.code_of_text(&strings, seed, member, id)?;
                            }
                            *code
                        }
                        None => self.code_of_text(&strings, seed, member, id)?,
                    },
                    Content::RawJson(id) => {
                        let at = json.binary_search_by_key(&id, |(id, _)| *id).ok();
                        let json = at.and_then(|at| json.get(at)).certain().map_or("", |(_, json)| json);
                        self.code_of_json(seed, Cell::from_word(member.global(*word)), json)?
                    }
                    Content::Number(id) => self.code_of_number(contents, seed, member, id)?,
                    Content::Missing => MISSING,
                    _ => self.code_of_cell(seed, Cell::from_word(*word))?,
                };
            }
            *word = *code;
        }
        words.shrink_to_fit();
        let codes = try_shared(words)?;
        self.chunks.set(member.number, Rc::clone(&codes))?;
        Ok(codes)
    }

    fn code_of_text(
        &mut self,
        strings: &StringReader<'_>,
        seed: &HashSeed,
        member: &Member,
        id: u32,
    ) -> Result<u32, OutOfMemory> {
        let bytes = member.chunk.strings().get(id).certain().map_or(&[][..], |(_, bytes)| bytes);
        let hash = seed.of_bytes(bytes);
        match self.find_text(strings, hash, bytes) {
            Some(code) => Ok(code),
            None => self.add_code(hash, Cell::from_word(member.global(Cell::text(id).word()))),
        }
    }

    fn code_of_number(
        &mut self,
        contents: &Contents,
        seed: &HashSeed,
        member: &Member,
        id: u32,
    ) -> Result<u32, OutOfMemory> {
        let value = member.chunk.number(id) + 0.0;
        if let Some(cell) = inline(value) {
            return self.code_of_cell(seed, cell);
        }
        match self.find_number(contents, seed, value) {
            Some(code) => Ok(code),
            None => self.add_code(hash_of_number(seed, value), Cell::from_word(member.global(Cell::number(id).word()))),
        }
    }

    fn code_of_json(&mut self, seed: &HashSeed, cell: Cell, json: &str) -> Result<u32, OutOfMemory> {
        if let Some(code) = self.find_json(seed, json) {
            return Ok(code);
        }
        let json = try_to_owned(json)?;
        reserve(&mut self.json, 1)?;
        let code = self.add_code(seed.of_bytes(json.as_bytes()), cell)?;
        self.json.push((code, json));
        Ok(code)
    }

    fn code_of_cell(&mut self, seed: &HashSeed, cell: Cell) -> Result<u32, OutOfMemory> {
        match self.find_cell(seed, cell) {
            Some(code) => Ok(code),
            None => self.add_code(hash_of_cell(seed, cell), cell),
        }
    }

    fn add_code(&mut self, hash: u32, cell: Cell) -> Result<u32, OutOfMemory> {
        let code = self.cells.len() as u32;
        push(&mut self.cells, cell)?;
        self.index.insert(hash, code)?;
        Ok(code)
    }

    /// Looks up the code of a value that its cell has in itself.
    fn find_cell(&self, seed: &HashSeed, cell: Cell) -> Option<u32> {
        self.index.find(hash_of_cell(seed, cell), |code| self.cell(code) == cell)
    }

    fn find_number(&self, contents: &Contents, seed: &HashSeed, value: f64) -> Option<u32> {
        self.index.find(hash_of_number(seed, value), |code| match self.cell(code).content() {
            Content::Number(id) => contents.number_of(id) == value,
            _ => false,
        })
    }

    fn find_text(&self, strings: &StringReader<'_>, hash: u32, bytes: &[u8]) -> Option<u32> {
        self.index.find(hash, |code| match self.cell(code).content() {
            Content::Text(id) => crate::bytes::equal(strings.bytes(id), bytes),
            _ => false,
        })
    }

    fn find_json(&self, seed: &HashSeed, json: &str) -> Option<u32> {
        self.index.find(seed.of_bytes(json.as_bytes()), |code| {
            matches!(self.cell(code).content(), Content::RawJson(_)) && self.json(code) == json
        })
    }
}

fn hash_of_cell(seed: &HashSeed, cell: Cell) -> u32 {
    seed.of_words(&[cell.word()])
}

fn hash_of_number(seed: &HashSeed, value: f64) -> u32 {
    let bits = value.to_bits();
    seed.of_words(&[bits as u32, (bits >> 32) as u32])
}
