//! The names of the columns of a table.

use std::rc::Rc;

use super::contents::Member;
use chunk::memory::{OutOfMemory, filled, push};
use chunk::value::shapes::{PathId, Shapes};

/// The fields that the service documents. Few findings have all of them: only those of one kind have `Sentiment`, for example.
pub(super) const DOCUMENTED: [&str; 16] = [
    "VariableKey",
    "RespondentKey",
    "RespondentId",
    "StringKey",
    "TopicGroup",
    "ExpressionGroup",
    "NoTopic",
    "NoExpression",
    "Comment",
    "Topic",
    "Topic.Text",
    "Expression",
    "Expression.Text",
    "Extract",
    "Extract.Text",
    "Sentiment",
];

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

/// Returns true if the name of a column is this name, or is below the object of this name.
pub(super) fn is_within(column: &str, name: &str) -> bool {
    // After an odd number of backslashes, a dot is part of a key.
    let ends_a_key = name.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0;
    let is_of = |rest: &str| rest.is_empty() || (ends_a_key && rest.starts_with('.'));
    column.strip_prefix(name).is_some_and(is_of)
}
