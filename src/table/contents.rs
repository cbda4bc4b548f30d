//! The chunks of a catalog: their strings, numbers, paths and shapes under ids that are the same in all tables.

use std::cell::Cell as Slot;
use std::rc::Rc;

use chunk::column::Column;
use chunk::invariant::Certain;
use chunk::memory::OutOfMemory;
use chunk::rows::row_buffer::RowSource;
use chunk::value::Value;
use chunk::value::cell::{Cell, Content};
use chunk::value::shapes::{Event, PathId, ShapeId, Shapes, UNSHAPED};
use chunk::value::strings::{StringKind, StringSource, Strings, text_of};
use chunk::{Chunk, value_of};

/// The chunks of a catalog, and their paths and shapes.
pub struct Contents {
    pub(super) members: Vec<Rc<Member>>,
    pub(super) shapes: Shapes,
    /// The number of findings.
    pub(super) rows: u64,
}

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

/// The rows of a chunk of a catalog as global cells.
pub(super) struct MemberRows<'contents> {
    pub(super) member: &'contents Member,
    pub(super) shapes: &'contents Shapes,
}

/// The strings of all chunks by id. Most strings are of the chunk of the string before.
pub struct StringReader<'contents> {
    members: &'contents [Rc<Member>],
    /// The number of strings before the chunk whose string was read last, and the strings of that chunk.
    last: Slot<(u32, Strings<'contents>)>,
}

/// The global ids of the paths and shapes of a chunk. Chunks with the same share them.
#[derive(PartialEq)]
pub(super) struct StructureIds {
    pub(super) paths: Vec<PathId>,
    pub(super) shapes: Vec<ShapeId>,
    /// The global id of each path and its id, in ascending order; empty if all are the same.
    pub(super) locals: Vec<(PathId, PathId)>,
}

impl Contents {
    /// Returns the value of a global cell.
    pub fn value(&self, cell: Cell) -> Value<'_> {
        value_of(cell, |id| self.number_of(id).certain(), |id| text_of(self.strings().bytes(id)))
    }

    /// Returns the value of a global cell if it is a number.
    #[inline]
    pub(super) fn number(&self, cell: Cell) -> Option<f64> {
        match cell.content() {
            Content::Integer(value) => Some(f64::from(value)),
            Content::Number(id) => Some(self.number_of(id).certain()),
            _ => None,
        }
    }

    /// Returns a number that does not fit into a cell; `None` for an unknown id.
    pub fn number_of(&self, id: u32) -> Option<f64> {
        let at = self.members.partition_point(|member| member.numbers <= id).checked_sub(1)?;
        let member = self.members.get(at)?;
        member.chunk.number(id - member.numbers)
    }

    /// Reads the strings.
    pub fn strings(&self) -> StringReader<'_> {
        StringReader { members: &self.members, last: Slot::new((0, Strings::default())) }
    }

    /// Returns the paths and shapes of all chunks.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }
}

impl<'contents> StringReader<'contents> {
    /// Returns a string and its kind; `None` for an unknown id.
    #[inline]
    pub(super) fn get(&self, id: u32) -> Option<(StringKind, &'contents [u8])> {
        let (before, strings) = self.last.get();
        strings.get(id.wrapping_sub(before)).or_else(|| self.find(id))
    }

    /// Returns the bytes of a string.
    #[inline]
    pub(super) fn bytes(&self, id: u32) -> &'contents [u8] {
        self.get(id).certain().1
    }

    /// Returns the number of bytes of a string.
    #[inline]
    pub fn length(&self, id: u32) -> u32 {
        self.bytes(id).len() as u32
    }

    #[inline(never)]
    fn find(&self, id: u32) -> Option<(StringKind, &'contents [u8])> {
        let at = self.members.partition_point(|member| member.strings <= id).checked_sub(1)?;
        let member = self.members.get(at)?;
        let strings = member.chunk.strings();
        self.last.set((member.strings, strings));
        strings.get(id - member.strings)
    }
}

impl StringSource for StringReader<'_> {
    #[inline]
    fn string(&self, id: u32) -> Option<(StringKind, &[u8])> {
        self.get(id)
    }
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
    pub(super) fn strings(&self) -> std::ops::Range<u32> {
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
