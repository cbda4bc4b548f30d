//! Rows on their way to JavaScript.

use std::ops::Range;

use crate::chunk::column::Column;
use crate::memory::{OutOfMemory, push, reserve, resize, with_capacity};
use crate::table::contents::Member;
use crate::value::cell::Cell;
use crate::value::shapes::{Event, PathId, ROOT_PATH, ShapeId, Shapes, UNSHAPED};

/// A sequence of rows as the words of global cells: for each row its shape as an integer, then its values in the order of the shape.
///
/// A row of shape [`UNSHAPED`], written as −1, has one value, the raw JSON of the finding.
#[derive(Default)]
pub struct RowBuffer {
    words: Vec<u32>,
    /// The words of some rows in one column.
    column: Vec<u32>,
    /// The paths of the values of each shape that has been written.
    layouts: Vec<Option<Vec<PathId>>>,
}

/// Appends the words of some rows in a column.
type ReadWords<'a> = dyn FnMut(Column<'_>, &mut Vec<u32>) -> Result<(), OutOfMemory> + 'a;

type Layout<'buffer> = (&'buffer mut Vec<u32>, &'buffer mut Vec<u32>, &'buffer [PathId]);

impl RowBuffer {
    /// Returns the words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Removes all rows, and returns their words.
    pub fn take_words(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.words)
    }

    /// Appends consecutive rows of a chunk, whose global shapes are among `shapes`.
    pub(crate) fn append(&mut self, shapes: &Shapes, member: &Member, rows: Range<usize>) -> Result<(), OutOfMemory> {
        let chunk = member.chunk();
        if let Some(shape) = chunk.shapes().constant(chunk.len()) {
            let read = &mut |column: Column<'_>, words: &mut Vec<u32>| column.read(rows.clone(), words);
            return self.append_alike(shapes, member, shape, rows.len(), read);
        }
        let mut list = with_capacity(rows.len())?;
        list.extend(rows.map(|row| row as u32));
        self.append_rows(shapes, member, &list)
    }

    /// Appends some rows of a chunk.
    pub(crate) fn append_rows(&mut self, shapes: &Shapes, member: &Member, rows: &[u32]) -> Result<(), OutOfMemory> {
        let of_rows = member.chunk().shapes();
        let shape_of = |row: &u32| of_rows.word(*row as usize);
        for rows in rows.chunk_by(|row, next| shape_of(row) == shape_of(next)) {
            let shape = rows.first().map_or(UNSHAPED, shape_of);
            self.append_alike(shapes, member, shape, rows.len(), &mut |column, words| {
                reserve(words, rows.len())?;
                words.extend(rows.iter().map(|row| column.word(*row as usize)));
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Appends a number of rows that have the same shape in the chunk, column by column. `read` appends their words in a column.
    fn append_alike(
        &mut self,
        shapes: &Shapes,
        member: &Member,
        shape: ShapeId,
        count: usize,
        read: &mut ReadWords<'_>,
    ) -> Result<(), OutOfMemory> {
        let shape = member.shape(shape);
        let (words, column, paths) = self.layout(shapes, shape)?;
        let start = words.len();
        let stride = paths.len() + 1;
        resize(words, start + count * stride, Cell::integer(shape as i32).word())?;
        for (path, position) in paths.iter().zip(start + 1..) {
            column.clear();
            let of_chunk = member.path(*path).and_then(|path| member.chunk().column(path));
            read(of_chunk.unwrap_or(Column::EMPTY), column)?;
            column.iter_mut().for_each(|word| *word = member.global(*word));
            write_every_nth(column, words.get_mut(position..).unwrap_or_default(), stride);
        }
        Ok(())
    }

    /// Returns the words, those of a column, and the paths of the values of a shape.
    fn layout(&mut self, shapes: &Shapes, shape: ShapeId) -> Result<Layout<'_>, OutOfMemory> {
        if shape == UNSHAPED {
            return Ok((&mut self.words, &mut self.column, &[ROOT_PATH]));
        }
        while self.layouts.len() <= shape as usize {
            push(&mut self.layouts, None)?;
        }
        let layout = self.layouts.get_mut(shape as usize).ok_or(OutOfMemory)?;
        let paths = match layout {
            Some(paths) => paths,
            None => layout.insert(value_paths(shapes, shape)?),
        };
        Ok((&mut self.words, &mut self.column, paths))
    }
}

fn value_paths(shapes: &Shapes, shape: ShapeId) -> Result<Vec<PathId>, OutOfMemory> {
    let value_path = |event| if let Event::Value(path) = event { Some(path) } else { None };
    let events = shapes.events(shape)?;
    let mut paths = with_capacity(events.len())?;
    paths.extend(events.into_iter().filter_map(value_path));
    Ok(paths)
}

/// Writes `words` to every `stride`th element of `list`, beginning with the first.
#[inline(never)]
pub(crate) fn write_every_nth(words: &[u32], list: &mut [u32], stride: usize) {
    for (row, word) in list.chunks_mut(stride).zip(words) {
        if let Some(first) = row.first_mut() {
            *first = *word;
        }
    }
}
