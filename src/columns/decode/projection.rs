//! The fields that findings keep, of a body or of a table.

use std::ops::Range;

use super::cursor::Cursor;
use super::error::SyntaxError;
use super::skip::skip_value;
use super::value::{Key, next_key};
use crate::memory::{OutOfMemory, extend, push, resize};
use crate::value::dictionary::Dictionary;
use crate::value::shapes::{Event, Kept, MAX_DEPTH, PathId, ROOT_PATH, ROOT_SHAPE, ShapeId, Shapes, UNSHAPED};

/// Keeps some columns of the findings of a body or of a table.
pub(crate) struct Projection {
    /// The paths and shapes of the findings in the body or the table. The dictionary has only what is kept of them.
    pub(crate) all: Shapes,
    /// The path in the dictionary for each path that is kept, at least in part.
    paths: Vec<PathId>,
    /// The shape in the dictionary for each shape of a finding.
    shapes: Vec<ShapeId>,
}

impl Projection {
    /// Keeps these columns of findings, whose known paths and shapes are `all`; all columns if `None`.
    pub(crate) fn new(mut all: Shapes, names: Option<&[u8]>) -> Result<Self, OutOfMemory> {
        names.map(|names| all.keep_only(names)).transpose()?;
        Ok(Self { all, paths: Vec::new(), shapes: Vec::new() })
    }

    /// Returns what is kept of the value at a path, and the path in the dictionary if it was [added](Self::add_path).
    pub(crate) fn path(&self, path: PathId) -> (Kept, PathId) {
        (self.all.kept(path), self.paths.get(path as usize).copied().unwrap_or(ROOT_PATH))
    }

    /// Returns what remains of an event whose path was [added](Self::add_path), if anything does.
    pub(super) fn kept(&self, event: Event) -> Option<Event> {
        let kept = self.all.kept(event.path());
        let is_kept = kept == Kept::All || kept == Kept::Some && !matches!(event, Event::Value(_));
        if is_kept { self.paths.get(event.path() as usize).map(|path| event.at(*path)) } else { None }
    }

    /// Adds a path to the dictionary if it is kept. Returns false if the dictionary has no room for it.
    pub(crate) fn add_path(&mut self, path: PathId, dictionary: &mut Dictionary) -> Result<bool, OutOfMemory> {
        if self.all.kept(path) == Kept::None {
            return Ok(true);
        }
        // The path of an object is added before those inside.
        let parent = self.paths.get(self.all.parent(path) as usize).copied().unwrap_or(ROOT_PATH);
        let Some(known) = dictionary.shapes.intern_path(parent, self.all.name(path))? else { return Ok(false) };
        if self.paths.len() <= path as usize {
            resize(&mut self.paths, path as usize + 1, ROOT_PATH)?;
        }
        if let Some(place) = self.paths.get_mut(path as usize) {
            *place = known;
        }
        Ok(true)
    }

    /// Returns what remains of the shape of a finding. `None` if the dictionary has no room for it.
    pub(crate) fn shape(
        &mut self,
        shape: ShapeId,
        dictionary: &mut Dictionary,
    ) -> Result<Option<ShapeId>, OutOfMemory> {
        if let Some(known) = self.shapes.get(shape as usize)
            && *known != UNSHAPED
        {
            return Ok(Some(*known));
        }
        let mut kept = ROOT_SHAPE;
        for event in self.all.events(shape)? {
            let Some(event) = self.kept_or_end(event) else { continue };
            let Some(next) = dictionary.shapes.transition(kept, event)? else { return Ok(None) };
            kept = next;
        }
        if self.shapes.len() <= shape as usize {
            resize(&mut self.shapes, shape as usize + 1, UNSHAPED)?;
        }
        if let Some(place) = self.shapes.get_mut(shape as usize) {
            *place = kept;
        }
        Ok(Some(kept))
    }

    /// Returns the JSON of a finding, which has been checked, without the values that are not kept.
    pub(crate) fn pruned(&self, json: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
        let mut pruned = Vec::new();
        self.prune(&mut Cursor { body: json, at: 0 }, ROOT_PATH, 0, &mut pruned).map_err(|_| OutOfMemory)?;
        Ok(pruned)
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
                Key::Name(name) => self.all.find_path(object, name).filter(|path| self.all.kept(*path) != Kept::None),
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
            let is_whole = self.all.kept(path) == Kept::All;
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

    fn kept_or_end(&self, event: Event) -> Option<Event> {
        if event.path() == ROOT_PATH { Some(event) } else { self.kept(event) }
    }
}
