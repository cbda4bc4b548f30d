//! Which names of columns a query of a table may ask for.

use super::{QueryError, Table};
use chunk::fields::DOCUMENTED;
use chunk::value::column_name::{END_OF_NAME, is_within};
use chunk::value::shapes::{ABSENT_PATH, PathId};

impl Table {
    /// Returns the path of a column that a query names: [`ABSENT_PATH`] if no finding has it, but one may.
    pub(super) fn path<'name>(&self, name: &'name str) -> Result<PathId, QueryError<'name>> {
        if let Some(path) = self.scope.path(name)? {
            return Ok(path);
        }
        if self.is_empty() {
            return Ok(ABSENT_PATH);
        }
        let may_arrive = !self.scope.is_whole() && !self.fields.exclude(name);
        let may_lack = may_arrive || self.scope.names()?.may_lack(name, self.fields);
        if may_lack && self.may_have(&|listed| is_within(name, listed)) {
            Ok(self.contents().shapes().find_dotted(name)?.unwrap_or(ABSENT_PATH))
        } else {
            Err(QueryError::UnknownColumn(name))
        }
    }

    /// Returns true if the findings have all columns, or a name of the list has the property.
    fn may_have(&self, has_property: &dyn Fn(&str) -> bool) -> bool {
        self.column_list().is_none_or(|list| names_in(list).any(has_property))
    }

    /// Checks that the findings have, or may have, the columns with these names, each followed by the byte `0xFF`.
    pub(super) fn check_listed<'name>(&self, names: &'name [u8]) -> Result<(), QueryError<'name>> {
        if self.is_empty() {
            return Ok(());
        }
        let known = self.scope.names()?;
        let may_have = |name| self.may_have(&|listed| is_within(name, listed) || is_within(listed, name));
        // A list says what to leave out: one list may serve findings of both kinds.
        let may_lack = |name| (!self.scope.is_whole() || DOCUMENTED.contains(&name)) && may_have(name);
        let mut names = names_in(names);
        names
            .find(|name| !known.has(name) && !may_lack(name))
            .map_or(Ok(()), |name| Err(QueryError::UnknownColumn(name)))
    }
}

/// Returns the names in a list, each followed by the byte `0xFF`.
fn names_in(list: &[u8]) -> impl Iterator<Item = &str> {
    let names = list.split(|byte| *byte == END_OF_NAME).filter_map(|name| str::from_utf8(name).ok());
    names.filter(|name| !name.is_empty())
}
