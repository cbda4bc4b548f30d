//! What the tables of one call share: the chunks that have arrived, under ids that are the same in all of them.
//!
//! The strings and numbers of each chunk are counted on from those of the chunks that arrived before. So a cell of a chunk becomes a cell of
//! the catalog by an addition. Paths and shapes are counted once for all chunks, by their keys: findings with the same keys have the same
//! shape, whatever their chunk. Nothing is ever removed or changed, so ids stay the same while more chunks arrive.

use std::cell::{Cell as Slot, Ref, RefCell};
use std::rc::Rc;

use super::codes::Codes;
use crate::cell::{Cell, Content};
use crate::chunk::{Chunk, UnpackError, value_of};
use crate::hash_seed::HashSeed;
use crate::host_json::CanonicalJson;
use crate::memory::{OutOfMemory, reserve, try_shared, with_capacity};
use crate::shapes::{PathId, ShapeId, Shapes, UNSHAPED};
use crate::strings::{StringKind, StringSource, text_of};
use crate::value::Value;

/// The chunks that tables share. Tables may share a catalog to which further chunks are added.
pub struct Catalog {
    seed: HashSeed,
    canonical: CanonicalJson,
    /// The names of the columns that findings keep, each followed by the byte `0xFF`; `None` if they keep all.
    kept: Option<Vec<u8>>,
    contents: RefCell<Contents>,
    pub(super) codes: Codes,
}

/// The chunks of a catalog, and their paths and shapes.
pub struct Contents {
    members: Vec<Rc<Member>>,
    shapes: Shapes,
    /// The number of strings and of numbers of all chunks.
    strings: u32,
    numbers: u32,
    /// The index of the member whose string was read last.
    last: Slot<usize>,
    /// The member that stands for all chunks without findings and names.
    empty: Option<Rc<Member>>,
}

/// A chunk of a catalog. Cells and ids of the chunk become cells and ids of the catalog, which are called global.
pub struct Member {
    /// The number of chunks that arrived before.
    pub(super) number: u32,
    /// The chunk.
    pub(super) chunk: Rc<Chunk>,
    /// The number of strings and of numbers of the chunks before.
    strings: u32,
    numbers: u32,
    ids: Rc<StructureIds>,
}

/// The global ids of the paths and shapes of a chunk. Chunks with the same share them.
#[derive(PartialEq)]
struct StructureIds {
    paths: Vec<PathId>,
    shapes: Vec<ShapeId>,
    /// The global id of each path and its id, in ascending order; empty if all are the same.
    locals: Vec<(PathId, PathId)>,
}

impl Catalog {
    /// An empty catalog. `kept` are the names of the columns that findings keep, each followed by the byte `0xFF`; `None` for all columns.
    /// `canonical` writes raw JSON so that equal values have the same text.
    pub fn new(canonical: CanonicalJson, seed: HashSeed, kept: Option<Vec<u8>>) -> Self {
        let contents = Contents {
            members: Vec::new(),
            shapes: Shapes::unlimited(seed.clone()),
            strings: 0,
            numbers: 0,
            last: Slot::new(0),
            empty: None,
        };
        Catalog { seed, canonical, kept, contents: RefCell::new(contents), codes: Codes::default() }
    }

    /// An empty catalog whose findings keep these columns; those of this catalog if `None`.
    pub(super) fn emptied(&self, kept: Option<Vec<u8>>) -> Self {
        Self::new(self.canonical, self.seed.clone(), kept)
    }

    /// Adds a chunk.
    ///
    /// # Errors
    /// Out of memory, or there are more strings or numbers than cells can refer to. The catalog is as before, for every use.
    pub fn add(&self, chunk: Rc<Chunk>) -> Result<Rc<Member>, OutOfMemory> {
        let contents = &mut *self.contents.borrow_mut();
        let is_empty = chunk.is_empty() && !chunk.is_view();
        if let Some(empty) = contents.empty.as_ref().filter(|_| is_empty) {
            return Ok(Rc::clone(empty));
        }
        let more = |count: u32, more: usize| {
            let sum = u32::try_from(more).ok().and_then(|more| count.checked_add(more));
            sum.filter(|sum| *sum as usize <= Cell::REFERENCES).ok_or(OutOfMemory)
        };
        let strings = more(contents.strings, chunk.strings().len())?;
        let numbers = more(contents.numbers, chunk.numbers().len())?;
        reserve(&mut contents.members, 1)?;
        let added = chunk.structure().add_to(&mut contents.shapes);
        let (paths, shapes) = added.map_err(|error| match error {
            UnpackError::OutOfMemory(error) => error,
            UnpackError::Malformed => OutOfMemory,
        })?;
        let mut locals = Vec::new();
        if paths.iter().zip(0..).any(|(path, local)| *path != local) {
            locals = with_capacity(paths.len())?;
            locals.extend(paths.iter().copied().zip(0..));
            locals.sort_unstable();
        }
        let number = contents.members.len() as u32;
        let ids = StructureIds { paths, shapes, locals };
        let ids = match contents.members.last() {
            Some(last) if *last.ids == ids => Rc::clone(&last.ids),
            _ => try_shared(ids)?,
        };
        let member = Member { number, chunk, strings: contents.strings, numbers: contents.numbers, ids };
        let member = try_shared(member)?;
        contents.members.push(Rc::clone(&member));
        if is_empty {
            contents.empty = Some(Rc::clone(&member));
        }
        (contents.strings, contents.numbers) = (strings, numbers);
        Ok(member)
    }

    /// Borrows the chunks and what they refer to. The borrow must end before a chunk is added.
    pub fn contents(&self) -> Ref<'_, Contents> {
        self.contents.borrow()
    }

    /// Returns the names of the columns that findings keep, unless they keep all.
    pub fn kept(&self) -> Option<&[u8]> {
        self.kept.as_deref()
    }

    /// Returns the seed of all hashes.
    pub(super) fn seed(&self) -> &HashSeed {
        &self.seed
    }

    /// Returns the text that `JSON.stringify` writes for the value of raw JSON. Calls the host.
    pub(super) fn canonical(&self, json: &str) -> Result<String, OutOfMemory> {
        (self.canonical)(json)
    }
}

impl Contents {
    /// Returns the value of a global cell.
    pub fn value(&self, cell: Cell) -> Value<'_> {
        value_of(cell, |id| self.number_of(id), |id| self.text(id))
    }

    /// Returns the value of a global cell if it is a number.
    #[inline]
    pub(super) fn number(&self, cell: Cell) -> Option<f64> {
        match cell.content() {
            Content::Integer(value) => Some(f64::from(value)),
            Content::Number(id) => Some(self.number_of(id)),
            _ => None,
        }
    }

    /// Returns a number that does not fit into a cell; NaN for an unknown id.
    pub fn number_of(&self, id: u32) -> f64 {
        let at = self.members.partition_point(|member| member.numbers <= id);
        at.checked_sub(1)
            .and_then(|at| self.members.get(at))
            .map_or(f64::NAN, |member| member.chunk.number(id - member.numbers))
    }

    /// Returns a string; an empty one for an unknown id.
    pub(super) fn text(&self, id: u32) -> &str {
        self.string(id).map_or("", |(_, bytes)| text_of(bytes))
    }

    /// Returns the number of bytes of a string; none for an unknown id.
    #[inline]
    pub(super) fn length(&self, id: u32) -> u32 {
        self.string(id).map_or(0, |(_, bytes)| bytes.len() as u32)
    }

    /// Returns the paths and shapes of all chunks.
    pub fn shapes(&self) -> &Shapes {
        &self.shapes
    }
}

impl StringSource for Contents {
    #[inline]
    fn string(&self, id: u32) -> Option<(StringKind, &[u8])> {
        // Most strings are of the chunk of the string before.
        let of = |at: usize| {
            let member = self.members.get(at)?;
            member.chunk.strings().get(id.checked_sub(member.strings)?)
        };
        of(self.last.get()).or_else(|| {
            let at = self.members.partition_point(|member| member.strings <= id).checked_sub(1)?;
            self.last.set(at);
            of(at)
        })
    }
}

impl Member {
    /// Returns the global cell of a cell of the chunk.
    #[inline]
    pub(crate) fn global(&self, word: u32) -> u32 {
        match Cell::from_word(word).content() {
            Content::Text(id) => Cell::text(id + self.strings).word(),
            Content::RawJson(id) => Cell::raw_json(id + self.strings).word(),
            Content::Number(id) => Cell::number(id + self.numbers).word(),
            _ => word,
        }
    }

    /// Returns the global shape of a shape of the chunk.
    #[inline]
    pub(crate) fn shape(&self, shape: ShapeId) -> ShapeId {
        self.ids.shapes.get(shape as usize).copied().unwrap_or(UNSHAPED)
    }

    /// Returns the path of the chunk for a global path; `None` if the chunk lacks it.
    #[inline]
    pub(crate) fn path(&self, path: PathId) -> Option<PathId> {
        if self.ids.paths.get(path as usize) == Some(&path) {
            return Some(path);
        }
        let at = self.ids.locals.binary_search_by_key(&path, |(global, _)| *global).ok()?;
        self.ids.locals.get(at).map(|(_, local)| *local)
    }

    /// Returns the global paths of its values, in the order of first occurrence.
    pub(super) fn value_paths(&self) -> impl Iterator<Item = PathId> {
        self.chunk.value_paths().filter_map(|path| self.ids.paths.get(path as usize).copied())
    }

    /// Returns the global ids of its strings.
    pub(super) fn strings(&self) -> std::ops::Range<u32> {
        self.strings..self.strings + self.chunk.strings().len() as u32
    }

    /// Returns the chunk.
    pub fn chunk(&self) -> &Rc<Chunk> {
        &self.chunk
    }

    /// Returns the bytes of memory that the chunk holds.
    pub(super) fn byte_length(&self) -> usize {
        self.chunk.byte_length() + size_of::<Self>()
    }
}
