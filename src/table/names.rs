//! The names of the columns of a table.

use std::rc::Rc;

use super::member::Member;
use chunk::fields::{DOCUMENTED, REQUIRED, SENTIMENT};
use chunk::memory::{OutOfMemory, filled, push};
use chunk::value::column_name::is_within;
use chunk::value::shapes::{PathId, Shapes};

/// The documented fields that findings may have. A query takes one of them for missing where no finding has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fields {
    /// Those of both kinds.
    #[default]
    All,
    /// Those of topic findings.
    Topics,
    /// None, as in objects of the caller: but those with all other fields may have `NoTopic` and `NoExpression`.
    Own,
}

impl Fields {
    /// Returns true if only findings of the other kind have the field.
    pub fn exclude(self, name: &str) -> bool {
        self == Fields::Topics && name == SENTIMENT
    }
}

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

    /// Returns true if a column that no finding has is that of a documented field, which is missing. An object is none: its columns have
    /// longer names.
    pub(super) fn may_lack(&self, name: &str, fields: Fields) -> bool {
        let may_have = match fields {
            Fields::Own => name.starts_with("No") && DOCUMENTED.iter().take(REQUIRED).all(|field| self.has(field)),
            _ => !fields.exclude(name),
        };
        may_have && DOCUMENTED.contains(&name) && !self.has(name)
    }

    /// Looks up a column by name.
    pub(super) fn find(&self, name: &str) -> Option<PathId> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, path)| *path)
    }
}
