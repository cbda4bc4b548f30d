//! The names of the columns of a table.

use std::rc::Rc;

use super::contents::Member;
use chunk::memory::{OutOfMemory, filled, push};
use chunk::value::column_name::is_within;
use chunk::value::shapes::{PathId, Shapes};

/// The dotted paths of all values, in the order in which findings first have them. A path that only ever leads to an object with columns
/// is not a column.
pub(super) struct ColumnNames(Vec<(String, PathId)>);

impl ColumnNames {
    /// Joins the paths of the values of chunks.
    pub(super) fn new<'table>(
        shapes: &Shapes,
        members: impl Iterator<Item = &'table Rc<Member>>,
    ) -> Result<Self, OutOfMemory> {
        let mut columns = Vec::new();
        let mut has_path = filled(shapes.path_count(), false)?;
        for member in members {
            for path in member.value_paths() {
                if let Some(has_path @ false) = has_path.get_mut(path as usize) {
                    *has_path = true;
                    push(&mut columns, (shapes.dotted(path)?, path))?;
                }
            }
        }
        Ok(Self(columns))
    }

    /// Returns the names in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns true if there is a column of this name, or one below the object of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.iter().any(|column| is_within(column, name))
    }

    /// Looks up a column by name.
    pub(super) fn find(&self, name: &str) -> Option<PathId> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, path)| *path)
    }
}
