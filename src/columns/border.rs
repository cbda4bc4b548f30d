//! What crosses to JavaScript: rows, and the strings that they refer to.

#[cfg(any(test, feature = "testing"))]
pub mod json;
pub mod packed_rows;
pub mod row_buffer;
#[cfg(feature = "tables")]
pub mod string_copy;
pub mod string_pieces;
