//! The names of the columns of a table.

use std::mem;
use std::rc::Rc;

use crate::cell::Cell;
use crate::chunk::Chunk;
use crate::dictionary::Dictionary;
use crate::memory::{OutOfMemory, filled, push};
use crate::shapes::{Event, PathId, ROOT_PATH, ShapeId, UNSHAPED};

/// The dotted paths of all values, in the order in which findings first have them. A path that only ever leads to an object with columns
/// of its own is not a column.
pub(super) struct ColumnNames(Vec<(String, PathId)>);

impl ColumnNames {
    /// Collects the names from the shapes of the findings, and from the columns of findings without a shape.
    pub(super) fn new(dictionary: &Dictionary, chunks: &[Rc<Chunk>]) -> Result<Self, OutOfMemory> {
        let mut collector = NameCollector {
            names: Vec::new(),
            paths: filled(dictionary.shapes.path_count(), false)?,
            shapes: filled(dictionary.shapes.shape_count(), false)?,
            dictionary,
            words: Vec::new(),
        };
        for chunk in chunks {
            collector.collect_chunk(chunk)?;
        }
        Ok(Self(collector.names))
    }

    /// Returns the names in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Looks up a column by name.
    pub(super) fn find(&self, name: &str) -> Option<PathId> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, path)| *path)
    }
}

/// Collects each name once.
struct NameCollector<'a> {
    names: Vec<(String, PathId)>,
    /// Which paths have been collected.
    paths: Vec<bool>,
    /// Which shapes have been collected.
    shapes: Vec<bool>,
    dictionary: &'a Dictionary,
    words: Vec<u32>,
}

impl NameCollector<'_> {
    fn collect_chunk(&mut self, chunk: &Chunk) -> Result<(), OutOfMemory> {
        let mut shapes = mem::take(&mut self.words);
        shapes.clear();
        chunk.shapes().read(0..chunk.len(), &mut shapes)?;
        for shape in &shapes {
            if let Some(seen @ false) = self.shapes.get_mut(*shape as usize) {
                *seen = true;
                self.collect_shape(*shape)?;
            }
        }
        let has_unshaped = shapes.contains(&UNSHAPED);
        self.words = shapes;
        if has_unshaped { self.collect_values(chunk) } else { Ok(()) }
    }

    fn collect_shape(&mut self, shape: ShapeId) -> Result<(), OutOfMemory> {
        for event in self.dictionary.shapes.events(shape)? {
            if let Event::Value(path) = event {
                self.collect_path(path)?;
            }
        }
        Ok(())
    }

    /// Collects the paths of the unshaped findings, which have values outside all shapes.
    fn collect_values(&mut self, chunk: &Chunk) -> Result<(), OutOfMemory> {
        for path in (ROOT_PATH + 1)..chunk.path_count() as PathId {
            self.words.clear();
            chunk.read(path, 0..chunk.len(), &mut self.words)?;
            let is_value = |word: &u32| *word != Cell::MISSING.word() && *word != Cell::OBJECT.word();
            if self.words.iter().any(is_value) {
                self.collect_path(path)?;
            }
        }
        Ok(())
    }

    fn collect_path(&mut self, path: PathId) -> Result<(), OutOfMemory> {
        if let Some(seen @ false) = self.paths.get_mut(path as usize) {
            *seen = true;
            push(&mut self.names, (self.dictionary.shapes.dotted(path)?, path))?;
        }
        Ok(())
    }
}
