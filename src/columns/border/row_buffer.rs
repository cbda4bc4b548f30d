//! Rows on their way to JavaScript.

use std::ops::Range;

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
    /// The paths of the values of each shape that has been written.
    layouts: Vec<Option<Vec<PathId>>>,
}

impl RowBuffer {
    /// Returns the words.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Removes all rows, and returns their words.
    pub fn take_words(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.words)
    }

    /// Appends rows of a chunk, whose global shapes are among `shapes`.
    #[inline(never)]
    pub(crate) fn append(&mut self, shapes: &Shapes, member: &Member, rows: Range<usize>) -> Result<(), OutOfMemory> {
        let chunk = member.chunk();
        match chunk.shapes().constant(chunk.len()) {
            Some(shape) => self.append_uniform(shapes, member, rows, member.shape(shape)),
            None => rows.into_iter().try_for_each(|row| self.append_row(shapes, member, row)),
        }
    }

    /// Appends one row of a chunk.
    #[inline(never)]
    pub(crate) fn append_row(&mut self, shapes: &Shapes, member: &Member, row: usize) -> Result<(), OutOfMemory> {
        let chunk = member.chunk();
        let shape = member.shape(chunk.shapes().word(row));
        let (words, paths) = self.layout(shapes, shape)?;
        reserve(words, paths.len() + 1)?;
        words.push(word_of(shape));
        words.extend(paths.iter().map(|path| {
            let cell = member.path(*path).map_or(Cell::MISSING, |path| chunk.cell(row, path));
            member.global(cell.word())
        }));
        Ok(())
    }

    /// Appends rows that have the same shape, column by column.
    fn append_uniform(
        &mut self,
        shapes: &Shapes,
        member: &Member,
        rows: Range<usize>,
        shape: ShapeId,
    ) -> Result<(), OutOfMemory> {
        let mut column = Vec::new();
        let (words, paths) = self.layout(shapes, shape)?;
        let start = words.len();
        let stride = paths.len() + 1;
        resize(words, start + rows.len() * stride, word_of(shape))?;
        for (position, path) in paths.iter().enumerate() {
            column.clear();
            if let Some(path) = member.path(*path) {
                member.chunk().read(path, rows.clone(), &mut column)?;
            }
            column.iter_mut().for_each(|word| *word = member.global(*word));
            write_every_nth(&column, words.get_mut(start + position + 1..).unwrap_or_default(), stride);
        }
        Ok(())
    }

    /// Returns the words, and the paths of the values of a shape.
    fn layout(&mut self, shapes: &Shapes, shape: ShapeId) -> Result<(&mut Vec<u32>, &[PathId]), OutOfMemory> {
        if shape == UNSHAPED {
            return Ok((&mut self.words, &[ROOT_PATH]));
        }
        while self.layouts.len() <= shape as usize {
            push(&mut self.layouts, None)?;
        }
        let layout = self.layouts.get_mut(shape as usize).ok_or(OutOfMemory)?;
        let paths = match layout {
            Some(paths) => paths,
            None => layout.insert(value_paths(shapes, shape)?),
        };
        Ok((&mut self.words, paths))
    }
}

fn word_of(shape: ShapeId) -> u32 {
    Cell::integer(shape as i32).word()
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
