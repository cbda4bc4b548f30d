//! The names of the columns of a table.

use std::rc::Rc;

use crate::chunk::Chunk;
use crate::dictionary::Dictionary;
use crate::memory::{OutOfMemory, filled, push, with_capacity};
use crate::shapes::{Event, PathId, ShapeId};

/// The dotted paths of all values, in the order in which findings first have them. A path that only ever leads to an object with columns
/// of its own is not a column.
pub(super) struct ColumnNames(Vec<(String, PathId)>);

impl ColumnNames {
    /// Joins the paths of the chunks; each chunk collects its paths once. Reuses the names of another table with the same dictionary if
    /// they are the same.
    pub(super) fn new(
        dictionary: &Dictionary,
        chunks: &[Rc<Chunk>],
        others: Option<Rc<Self>>,
    ) -> Result<Rc<Self>, OutOfMemory> {
        let mut paths = Vec::new();
        let mut has_path = filled(dictionary.shapes.path_count(), false)?;
        for chunk in chunks {
            for path in chunk.value_paths(|chunk| collect(dictionary, chunk))? {
                if let Some(has_path @ false) = has_path.get_mut(*path as usize) {
                    *has_path = true;
                    push(&mut paths, *path)?;
                }
            }
        }
        if let Some(others) = others.filter(|others| others.0.iter().map(|(_, path)| path).eq(&paths)) {
            return Ok(others);
        }
        let mut names = with_capacity(paths.len())?;
        for path in paths {
            names.push((dictionary.shapes.dotted(path)?, path));
        }
        Ok(Rc::new(Self(names)))
    }

    /// Returns the names in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns the paths of the columns in their order.
    pub(super) fn paths(&self) -> impl ExactSizeIterator<Item = PathId> {
        self.0.iter().map(|(_, path)| *path)
    }

    /// Returns true if there is a column of this name, or one below the object of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_of = |known: &str| known.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.iter().any(is_of)
    }

    /// Looks up a column by name.
    pub(super) fn find(&self, name: &str) -> Option<PathId> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, path)| *path)
    }
}

/// Collects the paths of the values of a chunk from the shapes of its findings.
fn collect(dictionary: &Dictionary, chunk: &Chunk) -> Result<Vec<PathId>, OutOfMemory> {
    let mut collector = PathCollector {
        collected: Vec::new(),
        paths: filled(dictionary.shapes.path_count(), false)?,
        shapes: filled(dictionary.shapes.shape_count(), false)?,
        dictionary,
    };
    let mut shapes = Vec::new();
    match chunk.shapes().constant(chunk.len()) {
        Some(shape) if !chunk.is_empty() => push(&mut shapes, shape)?,
        _ => chunk.shapes().read(0..chunk.len(), &mut shapes)?,
    }
    for shape in &shapes {
        collector.collect_shape(*shape)?;
    }
    Ok(collector.collected)
}

/// Collects each path once.
struct PathCollector<'a> {
    collected: Vec<PathId>,
    /// Which paths have been collected.
    paths: Vec<bool>,
    /// Which shapes have been collected.
    shapes: Vec<bool>,
    dictionary: &'a Dictionary,
}

impl PathCollector<'_> {
    fn collect_shape(&mut self, shape: ShapeId) -> Result<(), OutOfMemory> {
        let Some(is_collected @ false) = self.shapes.get_mut(shape as usize) else { return Ok(()) };
        *is_collected = true;
        for event in self.dictionary.shapes.events(shape)? {
            if let Event::Value(path) = event
                && let Some(is_collected @ false) = self.paths.get_mut(path as usize)
            {
                *is_collected = true;
                push(&mut self.collected, path)?;
            }
        }
        Ok(())
    }
}
