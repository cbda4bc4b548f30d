//! Rows on their way to JavaScript.

use std::ops::Range;

use crate::chunk::Chunk;
use crate::column::Column;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, push, push_hot, resize, with_capacity};
use crate::value::cell::Cell;
use crate::value::shapes::{Event, PathId, ROOT_PATH, ShapeId, UNSHAPED};

/// The rows of a chunk, with its own cells, paths and shapes or with those that several chunks share.
pub trait RowSource {
    /// Returns the chunk.
    fn chunk(&self) -> &Chunk;
    /// Returns the shape of rows that have a shape of the chunk.
    fn shape(&self, shape: ShapeId) -> ShapeId;
    /// Returns the events that lead to a shape, the first one first.
    fn events(&self, shape: ShapeId) -> Result<Vec<Event>, OutOfMemory>;
    /// Returns the column of a path, an empty one if the chunk lacks it.
    fn column(&self, path: PathId) -> Column<'_>;
    /// Replaces the words of cells of the chunk.
    fn replace_cells(&self, words: &mut [u32]);
}

/// A sequence of rows as the words of cells: for each row its shape as an integer, then its values in the order of the shape.
///
/// A row of shape [`UNSHAPED`], written as −1, has one value, the raw JSON of the finding.
#[derive(Default)]
pub struct RowBuffer {
    words: Vec<u32>,
    /// The words of some rows in one column.
    column: Vec<u32>,
    layouts: Layouts,
}

/// The layouts of the shapes that have been written, each at the place after its shape: that of [`UNSHAPED`] comes first.
#[derive(Default)]
struct Layouts(Vec<Option<Layout>>);

/// How the rows of a shape lie in the buffer.
struct Layout {
    /// The paths of their values.
    paths: Vec<PathId>,
    /// The rows that are being written, and where each begins; empty between calls.
    rows: Vec<(u32, usize)>,
}

impl RowBuffer {
    /// Returns the words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Returns the words, to replace cells.
    pub fn words_mut(&mut self) -> &mut [u32] {
        &mut self.words
    }

    /// Removes all rows.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// Removes all rows, and returns their words.
    pub fn take_words(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.words)
    }

    /// Appends consecutive rows. After an error the buffer is unusable.
    pub fn append(&mut self, source: &dyn RowSource, rows: Range<usize>) -> Result<(), OutOfMemory> {
        let chunk = source.chunk();
        let Some(shape) = chunk.shapes().constant(chunk.len()) else {
            let mut list = with_capacity(rows.len())?;
            list.extend(rows.map(|row| row as u32));
            return self.append_rows(source, &list);
        };
        let shape = source.shape(shape);
        let Layout { paths, .. } = self.layouts.of(source, shape)?;
        let start = self.words.len();
        let stride = paths.len() + 1;
        resize(&mut self.words, start + rows.len() * stride, word_of(shape))?;
        for (path, position) in paths.iter().zip(start + 1..) {
            self.column.clear();
            source.column(*path).read(rows.clone(), &mut self.column)?;
            source.replace_cells(&mut self.column);
            write_every_nth(&self.column, self.words.get_mut(position..).certain(), stride);
        }
        Ok(())
    }

    /// Appends some rows, column by column for all rows of a shape. After an error the buffer is unusable.
    pub fn append_rows(&mut self, source: &dyn RowSource, rows: &[u32]) -> Result<(), OutOfMemory> {
        let of_rows = source.chunk().shapes();
        let (mut used, mut end) = (Vec::new(), self.words.len());
        for row in rows {
            let shape = source.shape(of_rows.word(*row as usize));
            let Layout { paths, rows } = self.layouts.of(source, shape)?;
            if rows.is_empty() {
                push(&mut used, shape)?;
            }
            push(rows, (*row, end))?;
            end += paths.len() + 1;
        }
        resize(&mut self.words, end, 0)?;
        let mut write = |at: usize, word| *self.words.get_mut(at).certain() = word;
        for shape in used {
            let Layout { paths, rows } = self.layouts.of(source, shape)?;
            rows.iter().for_each(|(_, start)| write(*start, word_of(shape)));
            for (path, position) in paths.iter().zip(1..) {
                let column = source.column(*path);
                self.column.clear();
                rows.iter().try_for_each(|(row, _)| push_hot(&mut self.column, column.word(*row as usize)))?;
                source.replace_cells(&mut self.column);
                rows.iter().zip(&self.column).for_each(|((_, start), word)| write(start + position, *word));
            }
            rows.clear();
        }
        Ok(())
    }
}

impl Layouts {
    /// Returns the layout of a shape.
    fn of(&mut self, source: &dyn RowSource, shape: ShapeId) -> Result<&mut Layout, OutOfMemory> {
        let at = shape.wrapping_add(1) as usize;
        while self.0.len() <= at {
            push(&mut self.0, None)?;
        }
        let layout = self.0.get_mut(at).certain();
        Ok(match layout {
            Some(layout) => layout,
            None => layout.insert(Layout { paths: value_paths(source, shape)?, rows: Vec::new() }),
        })
    }
}

fn word_of(shape: ShapeId) -> u32 {
    Cell::integer(shape as i32).word()
}

fn value_paths(source: &dyn RowSource, shape: ShapeId) -> Result<Vec<PathId>, OutOfMemory> {
    let mut paths = Vec::new();
    if shape == UNSHAPED {
        push(&mut paths, ROOT_PATH)?;
        return Ok(paths);
    }
    for event in source.events(shape)? {
        if let Event::Value(path) = event {
            push(&mut paths, path)?;
        }
    }
    Ok(paths)
}

/// Writes `words` to every `stride`th element of `list`, beginning with the first.
#[inline(never)]
pub fn write_every_nth(words: &[u32], list: &mut [u32], stride: usize) {
    for (row, word) in list.chunks_mut(stride).zip(words) {
        if let Some(first) = row.first_mut() {
            *first = *word;
        }
    }
}
