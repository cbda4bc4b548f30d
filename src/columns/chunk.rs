//! The findings of one partition, in columns.

use std::ops::Range;

use super::cell::Cell;
use super::column::{Column, ColumnBuilder};
use super::memory::{OutOfMemory, push, resize};
use super::shapes::{PathId, ROOT_PATH, ROOT_SHAPE, ShapeId, UNSHAPED};

/// Findings in columns. Their strings, numbers, paths and shapes are in the dictionary of the retrieval.
pub struct Chunk {
    length: usize,
    /// The shape of each finding.
    shapes: Column,
    /// A column for each path, as far as findings of this partition have it.
    columns: Vec<Column>,
}

/// A chunk that still grows.
pub(crate) struct ChunkBuilder {
    length: usize,
    shapes: ColumnBuilder,
    columns: Vec<ColumnBuilder>,
    encoded: Vec<Column>,
}

impl Default for ChunkBuilder {
    fn default() -> Self {
        Self { length: 0, shapes: ColumnBuilder::new(ROOT_SHAPE), columns: Vec::new(), encoded: Vec::new() }
    }
}

impl ChunkBuilder {
    /// Adds a finding of this shape with these values.
    #[inline]
    pub(crate) fn push(&mut self, shape: ShapeId, values: &[(PathId, Cell)]) -> Result<(), OutOfMemory> {
        let row = self.length;
        for (path, cell) in values {
            let path = *path as usize;
            if path >= self.columns.len() {
                self.add_columns(path + 1)?;
            }
            if let Some(column) = self.columns.get_mut(path) {
                column.push(row, cell.word())?;
            }
        }
        self.shapes.push(row, shape)?;
        self.length = row + 1;
        Ok(())
    }

    /// Adds a finding that is kept as its JSON text. The values are for those who look at columns.
    pub(crate) fn push_unshaped(&mut self, json: Cell, values: &[(PathId, Cell)]) -> Result<(), OutOfMemory> {
        let row = self.length;
        self.push(UNSHAPED, values)?;
        self.add_columns(1)?;
        match self.columns.get_mut(ROOT_PATH as usize) {
            Some(column) => column.push(row, json.word()),
            None => Ok(()),
        }
    }

    /// How many findings there are so far.
    pub(crate) fn rows(&self) -> usize {
        self.length
    }

    /// Encodes one more column; true when all are encoded.
    pub(crate) fn encode_one(&mut self) -> Result<bool, OutOfMemory> {
        let Some(column) = self.columns.get_mut(self.encoded.len()) else {
            return Ok(true);
        };
        let column = std::mem::replace(column, ColumnBuilder::new(0));
        push(&mut self.encoded, column.finish()?)?;
        Ok(false)
    }

    /// The finished chunk.
    pub(crate) fn finish(mut self) -> Result<Chunk, OutOfMemory> {
        while !self.encode_one()? {}
        self.encoded.shrink_to_fit();
        Ok(Chunk { length: self.length, shapes: self.shapes.finish()?, columns: self.encoded })
    }

    #[cold]
    fn add_columns(&mut self, count: usize) -> Result<(), OutOfMemory> {
        while self.columns.len() < count {
            push(&mut self.columns, ColumnBuilder::new(Cell::MISSING.word()))?;
        }
        Ok(())
    }
}

impl Chunk {
    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there is no finding.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The shape of each finding.
    pub(crate) fn shapes(&self) -> &Column {
        &self.shapes
    }

    /// The column of a path, if a finding of this partition has it.
    pub(crate) fn column(&self, path: PathId) -> Option<&Column> {
        self.columns.get(path as usize)
    }

    /// The value of a finding at a path.
    pub(crate) fn cell(&self, row: usize, path: PathId) -> Cell {
        self.column(path).map_or(Cell::MISSING, |column| Cell::from_word(column.word(row)))
    }

    /// Appends the words of the values at a path for some of the findings.
    pub(crate) fn read(&self, path: PathId, rows: Range<usize>, list: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        match self.column(path) {
            Some(column) => column.read(rows, list),
            None => resize(list, list.len() + rows.len(), Cell::MISSING.word()),
        }
    }

    /// How many paths could have a column here.
    pub(crate) fn path_count(&self) -> usize {
        self.columns.len()
    }

    /// How many bytes the columns take.
    pub(crate) fn byte_length(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::byte_length).sum();
        columns + self.shapes.byte_length() + self.columns.capacity() * size_of::<Column>()
    }
}
