//! Builds a chunk row by row.

use std::mem;

use crate::chunk::Chunk;
use crate::column::ColumnBuilder;
use crate::hash::HashSeed;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, filled, push};
use crate::packing::{Packer, of_chunk};
use crate::value::cell::Cell;
use crate::value::dictionary::Dictionary;
use crate::value::shapes::{Event, PathId, ShapeId, Shapes, UNSHAPED};

/// Builds a chunk row by row.
#[derive(Default)]
pub struct ChunkBuilder {
    length: usize,
    shapes: ColumnBuilder,
    columns: Vec<ColumnBuilder>,
    /// The encoded columns, behind room for the beginning of the chunk.
    encoded: Packer,
    encoded_columns: usize,
}

/// What a chunk says of all its findings.
#[derive(Default)]
pub struct About {
    /// The paths of the values, in the order of first occurrence; `None` for those of its own findings.
    pub value_paths: Option<Vec<PathId>>,
    /// Whether it has the rows of a view. The value paths are then those of the table, which its rows may lack.
    pub is_view: bool,
    /// Whether another finding of that table has no shape.
    pub lacks_columns: bool,
}

impl ChunkBuilder {
    /// Appends a finding with this shape and these values.
    #[inline]
    pub fn push(&mut self, shape: ShapeId, values: &[(PathId, Cell)]) -> Result<(), OutOfMemory> {
        let row = self.length;
        for (path, cell) in values {
            self.push_cell(row, *path, *cell)?;
        }
        self.push_shape(shape)
    }

    /// Sets a value of a row. The rows of a path must ascend.
    #[inline]
    pub fn push_cell(&mut self, row: usize, path: PathId, cell: Cell) -> Result<(), OutOfMemory> {
        let path = path as usize;
        if path >= self.columns.len() {
            self.add_columns(path + 1)?;
        }
        self.columns.get_mut(path).certain().push(row, cell.word())
    }

    /// Appends a finding with this shape, whose values are [set](Self::push_cell) before or afterwards.
    #[inline]
    pub fn push_shape(&mut self, shape: ShapeId) -> Result<(), OutOfMemory> {
        self.shapes.push(self.length, shape)?;
        self.length += 1;
        Ok(())
    }

    /// Returns the number of findings so far.
    pub fn rows(&self) -> usize {
        self.length
    }

    /// Encodes one more column. Returns true once all are encoded.
    pub(crate) fn encode_one(&mut self, seed: &HashSeed) -> Result<bool, OutOfMemory> {
        let Some(column) = self.columns.get_mut(self.encoded_columns) else {
            return Ok(true);
        };
        self.encoded_columns += 1;
        mem::take(column).finish(seed, &mut self.encoded)?;
        Ok(false)
    }

    /// Returns the chunk, whose cells refer to a dictionary.
    pub fn finish(mut self, dictionary: &Dictionary, about: About) -> Result<Chunk, OutOfMemory> {
        while !self.encode_one(&dictionary.seed)? {}
        let columns = mem::take(&mut self.encoded).finish();
        let mut packer = Packer::default();
        packer.reserve(columns.len() + self.length + (1 << 10))?;
        packer.word(u32::try_from(self.length).ok().certain())?;
        // Each finding has a shape, so that the column is not sparse.
        let (own_paths, has_unshaped) = occurring(self.shapes.words(), &dictionary.shapes)?;
        packer.word(about.is_view.into())?;
        packer.word((has_unshaped || about.lacks_columns).into())?;
        packer.words(about.value_paths.as_ref().unwrap_or(&own_paths))?;
        self.shapes.finish(&dictionary.seed, &mut packer)?;
        packer.word(self.encoded_columns as u32)?;
        packer.append(&columns)?;
        dictionary.strings.pack(&mut packer)?;
        dictionary.numbers.pack(&mut packer)?;
        dictionary.shapes.pack(&mut packer)?;
        of_chunk(Chunk::places(packer.finish()))
    }

    #[cold]
    fn add_columns(&mut self, count: usize) -> Result<(), OutOfMemory> {
        while self.columns.len() < count {
            push(&mut self.columns, ColumnBuilder::default())?;
        }
        Ok(())
    }
}

/// Returns the paths of the values of findings of these shapes, in the order of first occurrence, and whether a finding has no shape.
fn occurring(of_rows: &[ShapeId], shapes: &Shapes) -> Result<(Vec<PathId>, bool), OutOfMemory> {
    let mut has_shape = filled(shapes.shape_count(), false)?;
    let mut has_path = filled(shapes.path_count(), false)?;
    let (mut paths, mut has_unshaped) = (Vec::new(), false);
    for shape in of_rows.chunk_by(|shape, next| shape == next).filter_map(|same| same.first()) {
        has_unshaped |= *shape == UNSHAPED;
        let Some(has_shape @ false) = has_shape.get_mut(*shape as usize) else { continue };
        *has_shape = true;
        for event in shapes.events(*shape)? {
            if let Event::Value(path) = event
                && let Some(has_path @ false) = has_path.get_mut(path as usize)
            {
                *has_path = true;
                push(&mut paths, path)?;
            }
        }
    }
    Ok((paths, has_unshaped))
}
