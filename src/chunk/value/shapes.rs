//! The fields of findings and their order.
//!
//! A *path* leads to a value in a finding: it is a key, or a key of the object at another path. Each path has a column.
//!
//! A *shape* is the structure of a finding read so far: a previous shape and one event. Findings with the same keys in the same order end
//! in the same shape, like objects of one hidden class in a JavaScript engine.

use super::column_name::{is_escaped, keys_of, write_key};
use crate::hash::HashSeed;
use crate::hash_index::HashIndex;
use crate::invariant::Certain;
use crate::memory::{OutOfMemory, push, try_to_owned, with_capacity};
use crate::packing::Packer;

/// The paths and shapes of a partition that is being decoded, or of all chunks of a table.
pub struct Shapes {
    seed: HashSeed,
    limits: Limits,
    paths: Vec<Path>,
    path_index: HashIndex,
    shapes: Vec<Shape>,
    shape_index: HashIndex,
}

/// The maximum numbers of paths and of shapes.
#[derive(Clone, Copy)]
pub struct Limits {
    paths: usize,
    shapes: usize,
}

impl Limits {
    /// Those of a chunk that is decoded.
    pub(crate) const CHUNK: Self = Limits { paths: MAX_PATHS, shapes: MAX_SHAPES };
    /// Those of the chunks of a table, each of which has limits, or of a copy of several. An event has two bits beside its path.
    pub const TABLE: Self = Limits { paths: 1 << 30, shapes: UNSHAPED as usize };
}

/// The id of a path and its column.
pub type PathId = u32;
/// The id of a shape.
pub type ShapeId = u32;

/// The path of the finding itself.
pub const ROOT_PATH: PathId = 0;
/// The path of a column that no finding has yet. No chunk has a column for it, so every row lacks a value.
pub const ABSENT_PATH: PathId = PathId::MAX;
/// The shape of a finding before its first key.
pub const ROOT_SHAPE: ShapeId = 0;
/// The shape of a finding whose fields have no columns, because it has a repeated key, a key with lone surrogates, or exceeds the limits
/// below. It is raw JSON in the column of the finding itself.
pub const UNSHAPED: ShapeId = u32::MAX;

/// The maximum number of paths of a chunk.
pub(crate) const MAX_PATHS: usize = 4096;
/// The maximum number of bytes of a dotted name, which repeats the keys above it.
pub const MAX_NAME: usize = 4096;
/// The maximum number of shapes of a chunk.
pub(crate) const MAX_SHAPES: usize = 1 << 16;
/// The maximum number of keys of a shape, including the keys of inner objects.
pub const MAX_KEYS: u32 = 1024;
/// The depth to which objects are flattened. A deeper object is kept as raw JSON.
pub(crate) const MAX_DEPTH: u32 = 16;

struct Path {
    parent: PathId,
    name: String,
    /// The number of bytes of its dotted name.
    dotted: usize,
}

#[derive(Clone, Copy)]
struct Shape {
    previous: ShapeId,
    event: Event,
    /// The number of keys.
    keys: u32,
    /// The number of objects in the finding that are open.
    depth: u32,
}

/// One step in reading a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A key and its value.
    Value(PathId),
    /// A key and the opening brace of its value.
    Open(PathId),
    /// The closing brace of the object at this path.
    Close(PathId),
}

impl Event {
    /// Returns the path of the value or object.
    pub fn path(self) -> PathId {
        match self {
            Self::Value(path) | Self::Open(path) | Self::Close(path) => path,
        }
    }

    /// Returns the event as a number: four times its path, plus 0 for a value, 1 for the begin of an object, 2 for its end.
    pub fn word(self) -> u32 {
        let kind = match self {
            Self::Value(_) => 0,
            Self::Open(_) => 1,
            Self::Close(_) => 2,
        };
        self.path() << 2 | kind
    }

    /// Returns the same event at another path.
    pub fn at(self, path: PathId) -> Self {
        match self {
            Self::Value(_) => Self::Value(path),
            Self::Open(_) => Self::Open(path),
            Self::Close(_) => Self::Close(path),
        }
    }

    pub(crate) fn of_word(word: u32) -> Option<Self> {
        match word & 3 {
            0 => Some(Self::Value(word >> 2)),
            1 => Some(Self::Open(word >> 2)),
            2 => Some(Self::Close(word >> 2)),
            _ => None,
        }
    }
}

impl Shapes {
    /// Only the paths and shapes that each chunk has.
    pub fn new(seed: HashSeed, limits: Limits) -> Self {
        let finding = Path { parent: ROOT_PATH, name: String::new(), dotted: 0 };
        let opened = Shape { previous: ROOT_SHAPE, event: Event::Open(ROOT_PATH), keys: 0, depth: 0 };
        Self {
            seed,
            limits,
            paths: vec![finding],
            path_index: HashIndex::default(),
            shapes: vec![opened],
            shape_index: HashIndex::default(),
        }
    }

    /// Looks up the path of the key `name` of the object at `parent`.
    pub(crate) fn find_path(&self, parent: PathId, name: &str) -> Option<PathId> {
        self.path_index.find(self.hash_of_path(parent, name), |id| {
            self.path(id).is_some_and(|path| path.parent == parent && path.name == name)
        })
    }

    /// Looks up a path by its [dotted](Self::dotted) name.
    pub fn find_dotted(&self, name: &str) -> Result<Option<PathId>, OutOfMemory> {
        let mut path = ROOT_PATH;
        for key in keys_of(name.as_bytes())? {
            let Some(below) = self.find_path(path, &key) else { return Ok(None) };
            path = below;
        }
        // Several texts are read as the same keys, but only one is the name.
        Ok((self.dotted(path)? == name).then_some(path))
    }

    /// Returns the path of the key `name` of the object at `parent`, a new one for a new key; `None` if there are `MAX_PATHS` already, or if
    /// its dotted name is longer than [`MAX_NAME`].
    pub fn intern_path(&mut self, parent: PathId, name: &str) -> Result<Option<PathId>, OutOfMemory> {
        if let Some(id) = self.find_path(parent, name) {
            return Ok(Some(id));
        }
        let above = if parent == ROOT_PATH { 0 } else { self.path(parent).certain().dotted + 1 };
        let dotted = above + name.len() + name.bytes().filter(|byte| is_escaped(*byte)).count();
        if self.paths.len() >= self.limits.paths || dotted > MAX_NAME {
            return Ok(None);
        }
        let id = self.paths.len() as PathId;
        push(&mut self.paths, Path { parent, name: try_to_owned(name)?, dotted })?;
        self.path_index.insert(self.hash_of_path(parent, name), id)?;
        Ok(Some(id))
    }

    /// Copies the paths and shapes, with their ids.
    pub fn copy(&self) -> Result<Self, OutOfMemory> {
        let mut copy = Self::new(self.seed.clone(), self.limits);
        for Path { parent, name, .. } in self.paths.iter().skip(1) {
            copy.intern_path(*parent, name)?;
        }
        for Shape { previous, event, .. } in self.shapes.iter().skip(1) {
            copy.transition(*previous, *event)?;
        }
        Ok(copy)
    }

    /// Returns the shape that `event` leads to; `None` if the limits are reached, or if the object has the key already.
    pub fn transition(&mut self, previous: ShapeId, event: Event) -> Result<Option<ShapeId>, OutOfMemory> {
        let hash = self.seed.of_words(&[previous, event.word()]);
        let found = self
            .shape_index
            .find(hash, |id| self.shape(id).is_some_and(|shape| shape.previous == previous && shape.event == event));
        if found.is_some() {
            return Ok(found);
        }
        let Some(last) = self.shape(previous) else {
            return Ok(None);
        };
        let (keys, depth) = match event {
            Event::Value(_) => (last.keys + 1, last.depth),
            Event::Open(_) => (last.keys + 1, last.depth + 1),
            Event::Close(_) => (last.keys, last.depth.saturating_sub(1)),
        };
        let shape = Shape { previous, event, keys, depth };
        if self.shapes.len() >= self.limits.shapes || keys > MAX_KEYS || self.has_key(previous, event) {
            return Ok(None);
        }
        let id = self.shapes.len() as ShapeId;
        push(&mut self.shapes, shape)?;
        self.shape_index.insert(hash, id)?;
        Ok(Some(id))
    }

    /// Returns the last event that led to a shape.
    pub fn event(&self, shape: ShapeId) -> Option<Event> {
        self.shape(shape).map(|shape| shape.event)
    }

    /// Returns the shape before the last event.
    pub fn previous(&self, shape: ShapeId) -> ShapeId {
        self.shape(shape).map_or(ROOT_SHAPE, |shape| shape.previous)
    }

    /// Returns true if the innermost open object has no keys yet.
    pub(crate) fn is_empty_object(&self, shape: ShapeId) -> bool {
        matches!(self.shape(shape), Some(Shape { event: Event::Open(_), .. }))
    }

    /// Returns the path of the innermost open object.
    pub(crate) fn current_object(&self, shape: ShapeId) -> PathId {
        match self.shape(shape).map(|shape| shape.event) {
            Some(Event::Open(path)) => path,
            Some(Event::Value(path) | Event::Close(path)) => self.parent(path),
            None => ROOT_PATH,
        }
    }

    /// The number of objects in the finding that are open.
    pub fn depth(&self, shape: ShapeId) -> u32 {
        self.shape(shape).map_or(0, |shape| shape.depth)
    }

    /// Returns the events that lead to a shape, the first one first.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn events(&self, shape: ShapeId) -> Result<Vec<Event>, OutOfMemory> {
        // A key is up to two events, and the closing brace of the finding is one more.
        let mut events = with_capacity(self.shape(shape).map_or(0, |shape| 2 * shape.keys as usize + 1))?;
        let mut at = shape;
        while let Some(shape) = self.shape(at).filter(|_| at != ROOT_SHAPE) {
            events.push(shape.event);
            at = shape.previous;
        }
        events.reverse();
        Ok(events)
    }

    /// Returns the path of the object that has the key of `path`.
    pub(crate) fn parent(&self, path: PathId) -> PathId {
        self.path(path).certain().parent
    }

    /// Returns the last key of a path; `None` for an unknown path.
    pub fn name(&self, path: PathId) -> Option<&str> {
        self.path(path).map(|path| path.name.as_str())
    }

    /// Joins the keys of a path by dots. A dot or backslash in a key is escaped by a backslash.
    pub fn dotted(&self, path: PathId) -> Result<String, OutOfMemory> {
        let mut dotted = Vec::new();
        self.write_dotted(path, &mut dotted)?;
        // Keys joined and escaped by ASCII characters are valid UTF-8.
        Ok(String::from_utf8(dotted).ok().certain())
    }

    fn write_dotted(&self, path: PathId, dotted: &mut Vec<u8>) -> Result<(), OutOfMemory> {
        let parent = self.parent(path);
        if parent != ROOT_PATH {
            self.write_dotted(parent, dotted)?;
            push(dotted, b'.')?;
        }
        write_key(self.name(path).certain(), dotted)
    }

    /// Returns true if findings of a shape have a field with this key.
    pub fn has_field(&self, shape: ShapeId, key: &str) -> bool {
        self.find_path(ROOT_PATH, key).is_some_and(|path| self.has_key(shape, Event::Value(path)))
    }

    /// Returns true if findings of a shape cannot have one more field.
    pub fn is_full(&self, shape: ShapeId) -> bool {
        self.shape(shape).is_some_and(|shape| shape.keys >= MAX_KEYS)
    }

    /// Returns the number of paths, including that of the finding itself.
    pub fn path_count(&self) -> usize {
        self.paths.len()
    }

    /// Returns the number of shapes.
    pub fn shape_count(&self) -> usize {
        self.shapes.len()
    }

    /// Writes the paths and shapes, without those that each chunk has.
    pub fn pack(&self, packer: &mut Packer) -> Result<(), OutOfMemory> {
        let (paths, shapes) = (self.paths.get(1..).certain(), self.shapes.get(1..).certain());
        packer.list(paths.iter().map(|path| path.parent.to_le_bytes()))?;
        let mut end = 0;
        packer.list(paths.iter().map(|path| {
            end += path.name.len() as u32;
            end.to_le_bytes()
        }))?;
        packer.word(end)?;
        paths.iter().try_for_each(|path| packer.append(path.name.as_bytes()))?;
        packer.list(shapes.iter().map(|shape| shape.previous.to_le_bytes()))?;
        packer.list(shapes.iter().map(|shape| shape.event.word().to_le_bytes()))
    }

    fn hash_of_path(&self, parent: PathId, name: &str) -> u32 {
        self.seed.of_words(&[parent, self.seed.of_bytes(name.as_bytes())])
    }

    fn path(&self, id: PathId) -> Option<&Path> {
        self.paths.get(id as usize)
    }

    fn shape(&self, id: ShapeId) -> Option<&Shape> {
        self.shapes.get(id as usize)
    }

    /// Returns true if the event repeats a key of the object. A path belongs to one object, so it occurs twice only then.
    fn has_key(&self, previous: ShapeId, event: Event) -> bool {
        let (Event::Value(path) | Event::Open(path)) = event else {
            return false;
        };
        let mut at = previous;
        while let Some(shape) = self.shape(at).filter(|_| at != ROOT_SHAPE) {
            if shape.event.path() == path {
                return true;
            }
            at = shape.previous;
        }
        false
    }
}

#[cfg(test)]
impl Default for Shapes {
    fn default() -> Self {
        Self::new(HashSeed::default(), Limits::CHUNK)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::value::column_name::name_of_key;

    fn path(shapes: &mut Shapes, parent: PathId, name: &str) -> PathId {
        shapes.intern_path(parent, name).unwrap().unwrap()
    }

    #[test]
    fn the_same_events_lead_to_the_same_shape() {
        let mut shapes = Shapes::default();
        let (a, b) = (path(&mut shapes, ROOT_PATH, "a"), path(&mut shapes, ROOT_PATH, "b"));
        let first = shapes.transition(ROOT_SHAPE, Event::Value(a)).unwrap().unwrap();
        let both = shapes.transition(first, Event::Value(b)).unwrap().unwrap();
        assert_eq!(shapes.transition(ROOT_SHAPE, Event::Value(a)), Ok(Some(first)));
        assert_eq!(shapes.transition(first, Event::Value(b)), Ok(Some(both)));
        assert_eq!(shapes.events(both).unwrap(), [Event::Value(a), Event::Value(b)]);
        assert_ne!(shapes.transition(ROOT_SHAPE, Event::Value(b)), Ok(Some(both)));
    }

    #[test]
    fn a_repeated_key_leads_to_no_shape() {
        let mut shapes = Shapes::default();
        let a = path(&mut shapes, ROOT_PATH, "a");
        let inner = path(&mut shapes, a, "a");
        let opened = shapes.transition(ROOT_SHAPE, Event::Open(a)).unwrap().unwrap();
        let filled = shapes.transition(opened, Event::Value(inner)).unwrap().unwrap();
        assert_eq!(shapes.transition(filled, Event::Value(inner)), Ok(None));
        let closed = shapes.transition(filled, Event::Close(a)).unwrap().unwrap();
        assert_eq!(shapes.transition(closed, Event::Value(a)), Ok(None));
        assert_eq!(shapes.transition(closed, Event::Open(a)), Ok(None));
    }

    proptest! {
        #[test]
        fn a_name_leads_to_its_keys_whatever_these_are(keys in prop::collection::vec("[a.\\\\\u{feff}é\"]{0,4}", 1..5)) {
            let mut shapes = Shapes::default();
            let leaf = keys.iter().fold(ROOT_PATH, |object, key| path(&mut shapes, object, key));
            let name = shapes.dotted(leaf).unwrap();
            prop_assert_eq!(keys_of(name.as_bytes()).unwrap(), keys.clone());
            prop_assert_eq!(shapes.find_dotted(&name), Ok(Some(leaf)));
            if let [key] = keys.as_slice() {
                prop_assert_eq!(name_of_key(key).unwrap(), name);
            }
        }
    }

    #[test]
    fn a_dot_in_a_key_is_escaped() {
        let mut shapes = Shapes::default();
        let topic = path(&mut shapes, ROOT_PATH, "Topic");
        let text = path(&mut shapes, topic, "Text");
        let odd = path(&mut shapes, ROOT_PATH, "Topic.Text");
        let backslash = path(&mut shapes, ROOT_PATH, "Topic\\");
        let below = path(&mut shapes, backslash, "Text");
        assert_eq!(shapes.dotted(text).unwrap(), "Topic.Text");
        assert_eq!(shapes.dotted(odd).unwrap(), r"Topic\.Text");
        assert_eq!(shapes.dotted(below).unwrap(), r"Topic\\.Text");
    }

    #[test]
    fn paths_and_shapes_are_limited() {
        let mut shapes = Shapes::default();
        let mut last = ROOT_SHAPE;
        for number in 0..2 * MAX_PATHS {
            let Some(path) = shapes.intern_path(ROOT_PATH, &number.to_string()).unwrap() else { continue };
            last = shapes.transition(last, Event::Value(path)).unwrap().unwrap_or(last);
        }
        assert_eq!(shapes.path_count(), MAX_PATHS);
        assert_eq!(shapes.shape_count(), MAX_KEYS as usize + 1);
    }

    #[test]
    fn a_name_is_limited() {
        let mut shapes = Shapes::default();
        let long = path(&mut shapes, ROOT_PATH, &".".repeat(MAX_NAME / 2 - 1));
        assert_eq!(shapes.intern_path(long, "ab"), Ok(None));
        let name = path(&mut shapes, long, "a");
        assert_eq!(shapes.dotted(name).unwrap().len(), MAX_NAME);
    }
}
