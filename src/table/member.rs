//! A chunk of a catalog.

use std::ops::Range;
use std::rc::Rc;

use chunk::Chunk;
use chunk::column::Column;
use chunk::invariant::Certain;
use chunk::memory::OutOfMemory;
use chunk::rows::row_buffer::RowSource;
use chunk::value::cell::Cell;
use chunk::value::shapes::{Event, PathId, ShapeId, Shapes, UNSHAPED};

/// A chunk of a catalog. Cells and ids of the chunk become cells and ids of the catalog, which are called global.
pub struct Member {
    /// The number of chunks that arrived before.
    pub(super) number: u32,
    /// The chunk.
    pub chunk: Rc<Chunk>,
    /// The number of strings and of numbers of the chunks before.
    pub(super) strings: u32,
    pub(super) numbers: u32,
    pub(super) ids: Rc<StructureIds>,
}

/// The global ids of the paths and shapes of a chunk. Chunks with the same share them.
#[derive(PartialEq)]
pub(super) struct StructureIds {
    pub(super) paths: Vec<PathId>,
    pub(super) shapes: Vec<ShapeId>,
    /// The global id of each path and its id, in ascending order; empty if all are the same.
    pub(super) locals: Vec<(PathId, PathId)>,
}

/// The rows of a chunk of a catalog as global cells.
pub(super) struct MemberRows<'contents> {
    pub(super) member: &'contents Member,
    pub(super) shapes: &'contents Shapes,
}

impl Member {
    /// Returns the global cell of a cell of the chunk.
    #[inline]
    pub(super) fn global(&self, word: u32) -> u32 {
        Cell::from_word(word).counted_on(self.strings, self.numbers).word()
    }

    /// Returns the global shape of a shape of the chunk.
    #[inline]
    pub(super) fn shape(&self, shape: ShapeId) -> ShapeId {
        if shape == UNSHAPED { UNSHAPED } else { self.ids.shapes.get(shape as usize).copied().certain() }
    }

    /// Returns the path of the chunk for a global path; `None` if the chunk lacks it.
    #[inline]
    fn path(&self, path: PathId) -> Option<PathId> {
        if self.ids.paths.get(path as usize) == Some(&path) {
            return Some(path);
        }
        let at = self.ids.locals.binary_search_by_key(&path, |(global, _)| *global).ok()?;
        self.ids.locals.get(at).map(|(_, local)| *local)
    }

    /// Returns the global shapes of the chunk, with those that its findings have while they are read.
    pub(super) fn shapes(&self) -> impl Iterator<Item = ShapeId> {
        self.ids.shapes.iter().copied()
    }

    /// Returns the column of a global path, an empty one if the chunk lacks it.
    #[inline]
    pub(super) fn column(&self, path: PathId) -> Column<'_> {
        self.path(path).map_or(Column::EMPTY, |path| self.chunk.column(path))
    }

    /// Returns the global paths of its values, in the order of first occurrence.
    pub(super) fn value_paths(&self) -> impl Iterator<Item = PathId> {
        self.chunk.value_paths().map(|path| self.ids.paths.get(path as usize).copied().certain())
    }

    /// Returns the global ids of its strings.
    pub(super) fn strings(&self) -> Range<u32> {
        self.strings..self.ends().0
    }

    /// Returns the number of strings and of numbers up to the end of the chunk.
    pub(super) fn ends(&self) -> (u32, u32) {
        (self.strings + self.chunk.strings().len() as u32, self.numbers + self.chunk.numbers().len() as u32)
    }

    /// Returns the bytes of memory that the chunk holds.
    pub(super) fn byte_length(&self) -> usize {
        self.chunk.byte_length() + size_of::<Self>()
    }
}

impl RowSource for MemberRows<'_> {
    fn chunk(&self) -> &Chunk {
        &self.member.chunk
    }

    fn shape(&self, shape: ShapeId) -> ShapeId {
        self.member.shape(shape)
    }

    fn events(&self, shape: ShapeId) -> Result<Vec<Event>, OutOfMemory> {
        self.shapes.events(shape)
    }

    fn column(&self, path: PathId) -> Column<'_> {
        self.member.column(path)
    }

    fn replace_cells(&self, words: &mut [u32]) {
        words.iter_mut().for_each(|word| *word = self.member.global(*word));
    }
}
