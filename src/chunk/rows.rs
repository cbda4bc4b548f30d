//! Rows on their way to JavaScript, and the strings that they refer to.

#[cfg(any(test, feature = "testing"))]
pub mod json;
pub mod packed_head;
pub mod packed_rows;
pub mod row_buffer;
pub mod string_pieces;
