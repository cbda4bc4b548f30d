//! Why a query fails.

use thiserror::Error;

use super::TableError;
use chunk::memory::OutOfMemory;

/// Why a query fails.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum QueryError<'name> {
    /// The table has no column of this name.
    #[error("there is no column \"{0}\"")]
    UnknownColumn(&'name str),
    /// A finding of the table has a field with this key.
    #[error("there is a field \"{0}\" already")]
    FieldExists(&'name str),
    /// A finding of the table has as many fields as there can be, or the name of another is too long.
    #[error("there is no room for the field \"{0}\"")]
    NoRoomForField(&'name str),
    /// The result would have too many findings, strings or numbers, or memory ran out.
    #[error(transparent)]
    Table(#[from] TableError),
}

impl From<OutOfMemory> for QueryError<'_> {
    fn from(error: OutOfMemory) -> Self {
        QueryError::Table(error.into())
    }
}
