//! The rows of a partition as bytes, from which JavaScript builds objects without a call of the module.

use std::ops::Range;
use std::rc::Rc;

use super::packed_head::PackedHead;
use super::row_buffer::{RowBuffer, RowSource};
use super::string_pieces::divide;
use crate::bytes::fill;
use crate::chunk::Chunk;
use crate::column::Column;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, extend, push, with_capacity};
use crate::packing::Packer;
use crate::value::column_name::END_OF_NAME;
use crate::value::shapes::{Event, PathId, ROOT_PATH, ShapeId};

/// The number of strings that are divided into pieces together. Strings with close ids are in close rows.
const TOGETHER: u32 = 2048;

/// The maximum number of bytes of a piece of strings, unless it has one string only. The findings of a partition usually stay alive together, and
/// fewer pieces take less time.
const PIECE: u32 = 1 << 13;

/// The number of rows that are laid out in a step.
const ROWS: usize = 1024;

/// The number of bytes of strings that are copied in a step, unless there is one string only.
const BYTES: usize = 1 << 18;

/// Packs the rows of a chunk, part by part.
pub struct RowPacker {
    chunk: Rc<Chunk>,
    rows: RowBuffer,
    /// The number of rows that are laid out.
    laid_out: usize,
    /// The words that describe the strings, the number of strings described, and their bytes.
    words: Vec<u32>,
    described: u32,
    length: usize,
    packer: Packer,
    /// The position of the next string to copy among the words; `None` before the first one.
    next: Option<usize>,
}

impl RowPacker {
    /// Begins with a chunk.
    pub fn new(chunk: Rc<Chunk>) -> Self {
        let (rows, packer) = (RowBuffer::default(), Packer::default());
        RowPacker { chunk, rows, laid_out: 0, words: Vec::new(), described: 0, length: 0, packer, next: None }
    }

    /// Packs some more. Returns true once all is packed. All of a small chunk is packed at once.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn advance(&mut self) -> Result<bool, OutOfMemory> {
        let is_small = self.chunk.byte_length() <= BYTES && self.chunk.len() <= ROWS;
        while !self.advance_once()? {
            if !is_small {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn advance_once(&mut self) -> Result<bool, OutOfMemory> {
        if self.laid_out < self.chunk.len() {
            let end = self.chunk.len().min(self.laid_out + ROWS);
            self.rows.append(&*self.chunk, self.laid_out..end)?;
            self.laid_out = end;
            return Ok(false);
        }
        let count = self.chunk.strings().len() as u32;
        if self.described < count {
            self.describe(self.described..count.min(self.described + TOGETHER))?;
            return Ok(false);
        }
        match self.next {
            None => {
                self.pack_head()?;
                self.next = Some(0);
            }
            Some(next) => self.next = Some(self.copy_strings(next)?),
        }
        Ok(self.next.is_some_and(|next| next >= self.words.len()))
    }

    /// Returns the packed rows.
    ///
    /// There are the lists of a [head](PackedHead), then the bytes of the strings.
    pub fn finish(self) -> Vec<u8> {
        self.packer.finish()
    }

    /// Divides some strings into pieces.
    fn describe(&mut self, ids: Range<u32>) -> Result<(), OutOfMemory> {
        let strings = self.chunk.strings();
        let mut some = with_capacity(ids.len())?;
        some.extend(ids.map(|id| {
            let (kind, string) = strings.get(id).certain();
            (id, kind, string)
        }));
        self.described += some.len() as u32;
        divide(&some, PIECE, &mut self.words, &mut |string| self.length += string.len())
    }

    /// Packs all but the bytes of the strings.
    fn pack_head(&mut self) -> Result<(), OutOfMemory> {
        let structure = self.chunk.structure();
        let mut shapes = Vec::new();
        for shape in 0..structure.shape_count() as ShapeId {
            let of_shape = structure.events(shape)?;
            push(&mut shapes, of_shape.len() as u32)?;
            of_shape.into_iter().try_for_each(|event| push(&mut shapes, Event::word(event)))?;
        }
        let mut names = Vec::new();
        for path in 0..structure.path_count() as PathId {
            let name = if path == ROOT_PATH { "" } else { structure.name(path).ok().certain() };
            extend(&mut names, name.as_bytes())?;
            push(&mut names, END_OF_NAME)?;
        }
        let (numbers, rows) = (self.chunk.numbers(), self.rows.take_words());
        PackedHead { rows: &rows, shapes: &shapes, strings: &self.words, numbers, names: &names }
            .pack(self.length, &mut self.packer)
    }

    /// Copies the strings of some pieces, beginning with that at a position among the words. Returns the position of the next piece.
    fn copy_strings(&mut self, mut at: usize) -> Result<usize, OutOfMemory> {
        let (strings, mut copied) = (self.chunk.strings(), 0);
        while let Some([bytes, count, rest @ ..]) = self.words.get(at..)
            && copied < BYTES
        {
            let mut room = self.packer.room(*bytes as usize)?;
            let described = rest.get(..2 * *count as usize).certain();
            for [id, _] in described.as_chunks::<2>().0 {
                fill(&mut room, strings.get(*id).certain().1);
            }
            at += 2 + described.len();
            copied += *bytes as usize;
        }
        Ok(at)
    }
}

/// A chunk alone has its own cells, paths and shapes.
impl RowSource for Chunk {
    fn chunk(&self) -> &Chunk {
        self
    }

    fn shape(&self, shape: ShapeId) -> ShapeId {
        shape
    }

    fn events(&self, shape: ShapeId) -> Result<Vec<Event>, OutOfMemory> {
        self.structure().events(shape)
    }

    fn column(&self, path: PathId) -> Column<'_> {
        self.column(path)
    }

    fn replace_cells(&self, _: &mut [u32]) {}
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;
    use crate::hash::HashSeed;
    use crate::invented::finding;
    use crate::rows::json;
    use crate::testing::{body, decoded};
    use crate::value::dictionary::Dictionary;
    use crate::value::number_interner::rust_number;

    /// The finding that this JSON is, with all numbers in double precision.
    fn in_doubles(json: &str) -> Value {
        let mut finding: Value = serde_json::from_str(json).unwrap();
        for (_, value) in finding.as_object_mut().into_iter().flatten() {
            if let Some(number) = value.as_f64() {
                *value = number.into();
            }
        }
        finding
    }

    fn packed(findings: &[Value], seed: f64) -> (Vec<u8>, usize) {
        let chunk = decoded(&body(findings), Dictionary::new(Some(rust_number), HashSeed::new(seed)));
        let (mut packer, mut steps) = (RowPacker::new(Rc::new(chunk)), 1);
        while !packer.advance().unwrap() {
            steps += 1;
        }
        (packer.finish(), steps)
    }

    #[test]
    fn a_step_lays_out_a_limited_number_of_rows_and_copies_a_limited_number_of_bytes() {
        let steps_of = |count: usize, length: usize| {
            let findings: Vec<_> =
                (0..count).map(|text| serde_json::json!({ "a": format!("{text:0length$}") })).collect();
            packed(&findings, 0.5).1
        };
        assert_eq!(steps_of(ROWS, 8), 1);
        assert_eq!(steps_of(3 * ROWS, 8), 3 + 2 + 2);
        assert_eq!(steps_of(64, BYTES / 64), 1 + 1 + 2);
        assert_eq!(steps_of(64, 4 * BYTES / 64), 1 + 1 + 1 + 4);
    }

    proptest! {
        #[test]
        fn packed_rows_are_the_findings(
            findings in prop::collection::vec(finding(prop_oneof![5 => "[aé€😀]{0,4}", 1 => Just("long ".repeat(1_000))]), 0..60),
            seed in 0.0..1.0,
        ) {
            let (packed, _) = packed(&findings, seed);
            let rows = json::packed_rows(&packed).unwrap();
            prop_assert_eq!(rows.len(), findings.len());
            for (row, finding) in rows.into_iter().zip(findings) {
                prop_assert_eq!(in_doubles(&row), in_doubles(&finding.to_string()));
            }
        }
    }
}
