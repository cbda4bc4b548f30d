//! What crosses to JavaScript: rows, and the strings that they refer to.

pub mod json;
pub mod row_buffer;
pub mod row_parcel;
pub mod string_batch;
pub mod string_copy;
