//! The paths and shapes that findings have, of a body or of a table, and what is kept of them.

use std::mem;
use std::ops::Range;

use super::value::{Key, next_key};
use crate::hash::HashSeed;
use crate::invariant::Certain;
use crate::json::cursor::Cursor;
use crate::json::error::{DecodeErrorKind, SyntaxError};
use crate::json::skip::skip_value;
use crate::memory::{OutOfMemory, extend, filled, push, resize};
use crate::value::column_name::{END_OF_NAME, keys_of};
use crate::value::dictionary::Dictionary;
use crate::value::shapes::{Event, Limits, MAX_DEPTH, PathId, ROOT_PATH, ROOT_SHAPE, ShapeId, Shapes, UNSHAPED};

/// Keeps all or some columns of the findings of a body or of a table.
pub struct Projection {
    /// The paths and shapes of the findings in the body or the table. The dictionary has only what is kept of them.
    pub all: Shapes,
    /// What is kept of the value at each path, and the path in the dictionary if it was [added](Self::add_path).
    paths: Vec<(Kept, PathId)>,
    /// The shape in the dictionary for each shape of a finding.
    shapes: Vec<ShapeId>,
    /// Whether `all` will be the paths and shapes of the dictionary.
    is_whole: bool,
}

/// What findings keep of the value at a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// All of it.
    All,
    /// The columns below, if it is an object.
    Some,
    /// Nothing of it.
    None,
}

impl Projection {
    /// Keeps all columns of findings of which nothing is known.
    pub(super) fn whole(seed: HashSeed) -> Self {
        Projection { all: Shapes::new(seed, Limits::CHUNK), paths: Vec::new(), shapes: Vec::new(), is_whole: true }
    }

    /// Keeps the columns that a dictionary names, of findings of which nothing is known.
    pub(super) fn of_columns(dictionary: &Dictionary) -> Result<Self, OutOfMemory> {
        let whole = Self::whole(dictionary.seed.clone());
        match &dictionary.columns {
            None => Ok(whole),
            Some(names) => Self::new(whole.all, Some(names)),
        }
    }

    /// Keeps all of a single finding, whose dictionary may have the paths and shapes of others.
    pub(super) fn of_one(seed: HashSeed) -> Result<Self, OutOfMemory> {
        Self::new(Self::whole(seed).all, None)
    }

    /// Keeps these columns of findings, whose known paths and shapes are `all`; all columns if `None`. The name of an object keeps all
    /// columns below it.
    pub fn new(all: Shapes, names: Option<&[u8]>) -> Result<Self, OutOfMemory> {
        let (finding, others) = if names.is_some() { (Kept::Some, Kept::None) } else { (Kept::All, Kept::All) };
        let paths = filled(all.path_count(), (others, ROOT_PATH))?;
        let mut projection = Projection { all, paths, shapes: Vec::new(), is_whole: false };
        projection.keep(ROOT_PATH, finding);
        'names: for name in names.unwrap_or_default().split_inclusive(|byte| *byte == END_OF_NAME) {
            let mut path = ROOT_PATH;
            for key in keys_of(name)? {
                let Some(inner) = projection.all.intern_path(path, &key)? else { continue 'names };
                projection.note(inner)?;
                if projection.kept(path) == Kept::None {
                    projection.keep(path, Kept::Some);
                }
                path = inner;
            }
            projection.keep(path, Kept::All);
        }
        // A name may follow one below it.
        for path in 1..projection.paths.len() as PathId {
            if projection.kept(projection.all.parent(path)) == Kept::All {
                projection.keep(path, Kept::All);
            }
        }
        Ok(projection)
    }

    /// Whether all columns are kept.
    pub(super) fn keeps_all(&self) -> bool {
        self.kept(ROOT_PATH) == Kept::All
    }

    /// Returns what is kept of the value at a path.
    pub fn kept(&self, path: PathId) -> Kept {
        self.path(path).0
    }

    /// Returns what is kept of the value at a path, and the path in the dictionary if it was [added](Self::add_path).
    pub fn path(&self, path: PathId) -> (Kept, PathId) {
        if self.is_whole { (Kept::All, path) } else { self.paths.get(path as usize).copied().certain() }
    }

    /// Returns what remains of an event whose path was [added](Self::add_path), if anything does.
    pub(super) fn kept_of(&self, event: Event) -> Option<Event> {
        let (kept, path) = self.path(event.path());
        let is_kept = kept == Kept::All || kept == Kept::Some && !matches!(event, Event::Value(_));
        is_kept.then(|| event.at(path))
    }

    /// Adds a path to the dictionary if it is kept. Returns false if the dictionary has no room for it.
    pub fn add_path(&mut self, path: PathId, dictionary: &mut Dictionary) -> Result<bool, OutOfMemory> {
        if self.is_whole {
            return Ok(true);
        }
        self.note(path)?;
        if self.kept(path) == Kept::None {
            return Ok(true);
        }
        // The path of an object is added before those inside.
        let (_, parent) = self.path(self.all.parent(path));
        let Some(known) = dictionary.shapes.intern_path(parent, self.all.name(path).certain())? else {
            return Ok(false);
        };
        self.paths.get_mut(path as usize).certain().1 = known;
        Ok(true)
    }

    /// Returns what remains of the shape of a finding. `None` if the dictionary has no room for it.
    #[inline]
    pub fn shape(&mut self, shape: ShapeId, dictionary: &mut Dictionary) -> Result<Option<ShapeId>, OutOfMemory> {
        match self.shapes.get(shape as usize) {
            _ if self.is_whole => Ok(Some(shape)),
            Some(known) if *known != UNSHAPED => Ok(Some(*known)),
            _ => self.add_shape(shape, dictionary),
        }
    }

    /// Adds what remains of the shape of a finding to the dictionary.
    #[cold]
    #[inline(never)]
    fn add_shape(&mut self, shape: ShapeId, dictionary: &mut Dictionary) -> Result<Option<ShapeId>, OutOfMemory> {
        let mut kept = ROOT_SHAPE;
        for event in self.all.events(shape)? {
            let Some(event) = self.kept_of(event) else { continue };
            let Some(next) = dictionary.shapes.transition(kept, event)? else { return Ok(None) };
            kept = next;
        }
        if self.shapes.len() <= shape as usize {
            resize(&mut self.shapes, shape as usize + 1, UNSHAPED)?;
        }
        *self.shapes.get_mut(shape as usize).certain() = kept;
        Ok(Some(kept))
    }

    /// Completes the dictionary, once all findings are read.
    pub(super) fn finish(&mut self, dictionary: &mut Dictionary) {
        if self.is_whole {
            mem::swap(&mut self.all, &mut dictionary.shapes);
        }
    }

    /// Returns the JSON of a finding, which has been checked, without the values that are not kept.
    pub fn pruned(&self, json: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
        let mut pruned = Vec::new();
        match self.prune(&mut Cursor { body: json, at: 0 }, ROOT_PATH, 0, &mut pruned) {
            Ok(()) => Ok(pruned),
            Err(SyntaxError { kind: DecodeErrorKind::OutOfMemory, .. }) => Err(OutOfMemory),
            Err(_) => None.certain(),
        }
    }

    /// Appends the object at the cursor, whose JSON has been checked, without the values that are not kept.
    fn prune(
        &self,
        cursor: &mut Cursor<'_>,
        object: PathId,
        depth: u32,
        pruned: &mut Vec<u8>,
    ) -> Result<(), SyntaxError> {
        cursor.at += 1;
        let mut scratch = Vec::new();
        // With the JSON of each key and its colon. As with `JSON.parse`, a repeated key has its first place and its last value.
        let mut members: Vec<(PathId, &[u8], Range<usize>)> = Vec::new();
        let (mut is_first, mut start) = (true, cursor.at);
        while let Some(key) = next_key(cursor, &mut scratch, is_first)? {
            is_first = false;
            let path = match key {
                Key::Name(name) => self.all.find_path(object, name).filter(|path| self.kept(*path) != Kept::None),
                Key::LoneSurrogates => None,
            };
            let key = cursor.between(start, cursor.at).trim_ascii_start();
            let value = skip_value(cursor, usize::MAX)?;
            start = value.end;
            let Some(path) = path else { continue };
            match members.iter_mut().find(|(known, ..)| *known == path) {
                Some(member) => member.2 = value,
                None => push(&mut members, (path, key.strip_prefix(b",").unwrap_or(key), value))?,
            }
        }
        push(pruned, b'{')?;
        for (path, key, value) in members {
            let mut inner = Cursor { at: value.start, ..*cursor };
            let is_whole = self.kept(path) == Kept::All;
            if !is_whole && (inner.peek() != b'{' || depth >= MAX_DEPTH) {
                continue;
            }
            if !pruned.ends_with(b"{") {
                push(pruned, b',')?;
            }
            extend(pruned, key)?;
            if is_whole {
                extend(pruned, cursor.between(value.start, value.end))?;
            } else {
                self.prune(&mut inner, path, depth + 1, pruned)?;
            }
        }
        Ok(push(pruned, b'}')?)
    }

    /// Adds what is kept at a path that findings may have since: all, if all of its object is kept.
    fn note(&mut self, path: PathId) -> Result<(), OutOfMemory> {
        if self.paths.len() <= path as usize {
            let kept = if self.kept(self.all.parent(path)) == Kept::All { Kept::All } else { Kept::None };
            push(&mut self.paths, (kept, ROOT_PATH))?;
        }
        Ok(())
    }

    fn keep(&mut self, path: PathId, kept: Kept) {
        self.paths.get_mut(path as usize).certain().0 = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keeps these columns of findings of which nothing is known.
    fn keeping(names: &[&str]) -> Projection {
        let names: Vec<u8> = names.iter().flat_map(|name| [name.as_bytes(), &[END_OF_NAME]].concat()).collect();
        Projection::new(Shapes::default(), Some(&names)).unwrap()
    }

    #[test]
    fn the_name_of_a_column_leads_to_its_path() {
        let keys = ["Topic", "a.b", r"a\", r"\.b", "", "é", "a"];
        let mut every = Shapes::default();
        let mut object = ROOT_PATH;
        for key in keys {
            object = every.intern_path(object, key).unwrap().unwrap();
        }
        let projection = keeping(&[&every.dotted(object).unwrap()]);
        let mut object = ROOT_PATH;
        for key in keys {
            assert!(projection.kept(object) == Kept::Some);
            object = projection.all.find_path(object, key).unwrap();
        }
        assert!(projection.kept(object) == Kept::All);
    }

    #[test]
    fn the_name_of_an_object_keeps_all_below_it() {
        for names in [["Topic", "Topic.a.b"], ["Topic.a.b", "Topic"]] {
            let (mut projection, mut to) = (keeping(&names), Dictionary::default());
            let mut path = |object, key| {
                let path = projection.all.intern_path(object, key).unwrap().unwrap();
                projection.add_path(path, &mut to).unwrap();
                (path, projection.kept(path))
            };
            let (topic, of_topic) = path(ROOT_PATH, "Topic");
            let (a, of_a) = path(topic, "a");
            let (_, of_another) = path(a, "another");
            let (_, of_comment) = path(ROOT_PATH, "Comment");
            assert!([of_topic, of_a, of_another].iter().all(|kept| *kept == Kept::All));
            assert!(of_comment == Kept::None);
        }
    }
}
