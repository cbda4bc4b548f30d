//! The form that a call gives the findings of its partitions.

#[cfg(feature = "tables")]
use std::rc::Rc;

#[cfg(feature = "tables")]
use crate::chunk::Chunk;

/// What a call makes of the findings of a partition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Form {
    /// A chunk, for tables.
    #[cfg(feature = "tables")]
    Chunk,
    /// Rows, for plain objects.
    Rows,
}

/// The findings of a partition in the form of its call.
#[derive(Clone)]
pub enum Formed {
    /// For tables.
    #[cfg(feature = "tables")]
    Chunk(Rc<Chunk>),
    /// For plain objects.
    Rows(Vec<u8>),
}

impl Formed {
    /// The bytes of the chunk, or of the rows.
    pub fn bytes(&self) -> &[u8] {
        match self {
            #[cfg(feature = "tables")]
            Formed::Chunk(chunk) => chunk.bytes(),
            Formed::Rows(rows) => rows,
        }
    }
}

/// Returns the form of the findings of tables, or of plain objects. A module without tables has only the latter.
pub fn form_of(is_table: bool) -> Form {
    match is_table {
        #[cfg(feature = "tables")]
        true => Form::Chunk,
        _ => Form::Rows,
    }
}
