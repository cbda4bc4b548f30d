//! The paths and shapes of a chunk, as they lie in its bytes.

use super::shapes::{Event, PathId, ROOT_PATH, ROOT_SHAPE, ShapeId, Shapes};
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, push, with_capacity};
use crate::packing::{Ends, UnpackError, Unpacker, Word, check, word_of};

/// The paths and shapes of a chunk.
#[derive(Clone, Copy, Default)]
pub struct Structure<'chunk> {
    /// The parent of each path, from path 1 on.
    parents: &'chunk [Word],
    /// Where the name of each path ends.
    name_ends: Ends<'chunk>,
    names: &'chunk [u8],
    /// The shape before the last event of each shape, from shape 1 on.
    previous: &'chunk [Word],
    events: &'chunk [Word],
}

impl<'chunk> Structure<'chunk> {
    /// Reads where the paths and shapes lie.
    pub fn unpack(unpacker: &mut Unpacker<'chunk>) -> Result<Self, UnpackError> {
        Ok(Structure {
            parents: unpacker.list()?,
            name_ends: Ends(unpacker.list()?),
            names: unpacker.bytes()?,
            previous: unpacker.list()?,
            events: unpacker.list()?,
        })
    }

    /// Returns the number of paths, including that of the finding itself.
    pub fn path_count(&self) -> usize {
        self.parents.len() + 1
    }

    /// Returns the number of shapes.
    pub fn shape_count(&self) -> usize {
        self.previous.len() + 1
    }

    /// Returns the path of the object that has the key of `path`.
    pub(crate) fn parent(&self, path: PathId) -> PathId {
        before(path).map_or(ROOT_PATH, |at| word_of(self.parents.get(at).certain()))
    }

    /// Returns the last key of a path.
    ///
    /// # Errors
    /// The structure is malformed.
    pub fn name(&self, path: PathId) -> Result<&'chunk str, UnpackError> {
        let name = before(path).and_then(|at| self.names.get(self.name_ends.range(at)?));
        str::from_utf8(name.ok_or(UnpackError::Malformed)?).map_err(|_| UnpackError::Malformed)
    }

    /// Returns the shape before the last event of a shape, and that event; `None` for the first shape.
    pub fn shape(&self, shape: ShapeId) -> Option<(ShapeId, Event)> {
        let at = before(shape)?;
        Some((word_of(self.previous.get(at)?), Event::of_word(word_of(self.events.get(at)?))?))
    }

    /// Returns the events that lead to a shape, the first one first.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn events(&self, mut shape: ShapeId) -> Result<Vec<Event>, OutOfMemory> {
        let mut events = Vec::new();
        while let Some((previous, event)) = self.shape(shape) {
            push(&mut events, event)?;
            shape = previous;
        }
        events.reverse();
        Ok(events)
    }

    /// Adds the paths and shapes to others. Returns their ids there, by their ids here.
    ///
    /// # Errors
    /// Out of memory, or the structure is malformed.
    pub fn add_to(&self, shapes: &mut Shapes) -> Result<(Vec<PathId>, Vec<ShapeId>), UnpackError> {
        check(self.name_ends.len() == self.parents.len() && self.previous.len() == self.events.len())?;
        check(self.name_ends.of_first(self.name_ends.len()) == self.names.len())?;
        let mut paths = with_capacity(self.path_count())?;
        paths.push(ROOT_PATH);
        for path in 1..self.path_count() as PathId {
            let parent = *paths.get(self.parent(path) as usize).ok_or(UnpackError::Malformed)?;
            paths.push(shapes.intern_path(parent, self.name(path)?)?.ok_or(UnpackError::Malformed)?);
        }
        let mut added = with_capacity(self.shape_count())?;
        added.push(ROOT_SHAPE);
        for shape in 1..self.shape_count() as ShapeId {
            let (previous, event) = self.shape(shape).ok_or(UnpackError::Malformed)?;
            let previous = *added.get(previous as usize).ok_or(UnpackError::Malformed)?;
            let event = event.at(*paths.get(event.path() as usize).ok_or(UnpackError::Malformed)?);
            let is_possible = match event {
                Event::Value(path) | Event::Open(path) => {
                    path != ROOT_PATH && shapes.parent(path) == shapes.current_object(previous)
                }
                Event::Close(path) => path == shapes.current_object(previous),
            };
            check(is_possible && shapes.event(previous) != Some(Event::Close(ROOT_PATH)))?;
            added.push(shapes.transition(previous, event)?.ok_or(UnpackError::Malformed)?);
        }
        Ok((paths, added))
    }
}

/// The index of a path or shape in lists that lack the first one.
fn before(id: u32) -> Option<usize> {
    (id as usize).checked_sub(1)
}
