//! The findings of one partition, in columns.

use std::cell::OnceCell;
use std::mem;
use std::ops::Range;

use super::cell::Cell;
use super::column::{Column, ColumnBuilder};
use super::dictionary::Dictionary;
use super::hash_seed::HashSeed;
use super::memory::{OutOfMemory, push, resize};
use super::packing::{Packer, UnpackError, Unpacker, check};
use super::parcel_ids::ParcelIds;
use super::shapes::{PathId, ROOT_PATH, ShapeId};

/// The findings of one partition. Their cells refer to the dictionary of the retrieval.
#[derive(Default)]
pub struct Chunk {
    length: usize,
    /// The shape of each finding.
    shapes: Column,
    /// The columns by path. There may be no column for a path that no finding of this partition has.
    columns: Vec<Column>,
    /// The paths of its values, once a table has asked for them.
    value_paths: OnceCell<Vec<PathId>>,
    /// Whether it has the rows of a view. The value paths are then those of the table, which its rows may lack.
    is_view: bool,
    /// Whether another finding of that table has no shape.
    lacks_columns: bool,
}

/// Builds a chunk row by row.
#[derive(Default)]
pub(crate) struct ChunkBuilder {
    length: usize,
    shapes: ColumnBuilder,
    columns: Vec<ColumnBuilder>,
    encoded: Vec<Column>,
}

impl ChunkBuilder {
    /// Appends a finding with this shape and these values.
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

    /// Returns the number of findings so far.
    pub(crate) fn rows(&self) -> usize {
        self.length
    }

    /// Encodes one more column. Returns true once all are encoded.
    pub(crate) fn encode_one(&mut self, seed: &HashSeed) -> Result<bool, OutOfMemory> {
        let Some(column) = self.columns.get_mut(self.encoded.len()) else {
            return Ok(true);
        };
        let column = mem::take(column);
        push(&mut self.encoded, column.finish(seed)?)?;
        Ok(false)
    }

    /// Returns the chunk, once all columns are encoded.
    pub(crate) fn finish(mut self, seed: &HashSeed) -> Result<Chunk, OutOfMemory> {
        self.encoded.shrink_to_fit();
        let shapes = self.shapes.finish(seed)?;
        Ok(Chunk::new(self.length, shapes, self.encoded))
    }

    #[cold]
    fn add_columns(&mut self, count: usize) -> Result<(), OutOfMemory> {
        while self.columns.len() < count {
            push(&mut self.columns, ColumnBuilder::default())?;
        }
        Ok(())
    }
}

impl Chunk {
    /// Findings with these shapes and columns, by path.
    pub(crate) fn new(length: usize, shapes: Column, columns: Vec<Column>) -> Self {
        Chunk { length, shapes, columns, ..Chunk::default() }
    }

    /// The rows of a view: their shapes, their columns by path, and the paths of the values of its table. `lacks_columns` if a finding of
    /// the table has no shape.
    pub(crate) fn of_view(
        length: usize,
        shapes: Column,
        columns: Vec<Column>,
        value_paths: Vec<PathId>,
        lacks_columns: bool,
    ) -> Self {
        Chunk { length, shapes, columns, value_paths: OnceCell::from(value_paths), is_view: true, lacks_columns }
    }

    /// Returns the number of findings.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns true if there are no findings.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Returns true if a finding has no shape, so that its fields have no columns.
    pub(crate) fn has_unshaped(&self) -> bool {
        let missing = Some(Cell::MISSING.word());
        let is_missing = |findings: &Column| self.is_empty() || findings.constant(self.length) == missing;
        self.lacks_columns || !self.column(ROOT_PATH).is_none_or(is_missing)
    }

    /// Returns true if the chunk has rows of a view.
    pub(crate) fn is_view(&self) -> bool {
        self.is_view
    }

    /// Returns the shape of each finding.
    pub(crate) fn shapes(&self) -> &Column {
        &self.shapes
    }

    /// Returns the column of a path, if the chunk has one.
    pub(crate) fn column(&self, path: PathId) -> Option<&Column> {
        self.columns.get(path as usize)
    }

    /// Returns the value of a finding at a path.
    pub(crate) fn cell(&self, row: usize, path: PathId) -> Cell {
        self.column(path).map_or(Cell::MISSING, |column| Cell::from_word(column.word(row)))
    }

    /// Appends the values of some rows at a path to `list`, as the words of cells.
    pub(crate) fn read(&self, path: PathId, rows: Range<usize>, list: &mut Vec<u32>) -> Result<(), OutOfMemory> {
        match self.column(path) {
            Some(column) => column.read(rows, list),
            None => resize(list, list.len() + rows.len(), Cell::MISSING.word()),
        }
    }

    /// Returns the paths of the values, in the order of first occurrence. `collect` collects them the first time.
    pub(crate) fn value_paths(
        &self,
        collect: impl FnOnce(&Self) -> Result<Vec<PathId>, OutOfMemory>,
    ) -> Result<&[PathId], OutOfMemory> {
        if let Some(paths) = self.value_paths.get() {
            return Ok(paths);
        }
        let paths = collect(self)?;
        Ok(self.value_paths.get_or_init(|| paths))
    }

    /// Packs the chunk.
    pub(crate) fn pack(&self, packer: &mut Packer<'_>) -> Result<(), OutOfMemory> {
        packer.word(u32::from(self.is_view) | u32::from(self.lacks_columns) << 1)?;
        let value_paths = self.value_paths.get().filter(|_| self.is_view).map_or(&[][..], Vec::as_slice);
        packer.list(value_paths.iter().map(|path| path.to_le_bytes()))?;
        packer.word(self.length as u32)?;
        self.shapes.pack(packer)?;
        packer.word(self.columns.len() as u32)?;
        self.columns.iter().enumerate().try_for_each(|(path, column)| {
            packer.word(path as u32)?;
            column.pack(packer)
        })
    }

    /// Begins to unpack a chunk. Returns it and the number of its columns.
    pub(crate) fn unpack_begin(
        unpacker: &mut Unpacker<'_>,
        ids: &ParcelIds,
        seed: &HashSeed,
    ) -> Result<(Self, u32), UnpackError> {
        let flags = unpacker.word()?;
        let mut value_paths = unpacker.list(u32::from_le_bytes)?;
        for path in &mut value_paths {
            *path = ids.path(*path)?;
        }
        let length = unpacker.word()? as usize;
        let shapes = Column::unpack(unpacker, length)?.mapped(seed, &|words| ids.map_shapes(words))?;
        let count = unpacker.word()?;
        check(count as usize <= ids.paths.len())?;
        let (is_view, lacks_columns) = (flags & 1 != 0, flags & 2 != 0);
        let value_paths = if is_view { OnceCell::from(value_paths) } else { OnceCell::new() };
        Ok((Chunk { length, shapes, value_paths, is_view, lacks_columns, ..Chunk::default() }, count))
    }

    /// Unpacks one of its columns, which names its path.
    pub(crate) fn unpack_column(
        &mut self,
        unpacker: &mut Unpacker<'_>,
        ids: &ParcelIds,
        dictionary: &Dictionary,
    ) -> Result<(), UnpackError> {
        let path = ids.path(unpacker.word()?)? as usize;
        let column = Column::unpack(unpacker, self.length)?
            .mapped(dictionary.seed(), &|words| ids.map_cells(words, &dictionary.strings))?;
        while self.columns.len() <= path {
            push(&mut self.columns, Column::default())?;
        }
        if let Some(place) = self.columns.get_mut(path) {
            *place = column;
        }
        Ok(())
    }

    /// Returns the bytes of memory that the chunk holds.
    pub(crate) fn byte_length(&self) -> usize {
        let columns: usize = self.columns.iter().map(Column::byte_length).sum();
        columns + self.shapes.byte_length() + self.columns.capacity() * size_of::<Column>()
    }
}
