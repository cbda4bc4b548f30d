//! From the bytes of a body to columns, and what can be asked of them: what has to be fast, and is a crate of its own because cargo
//! optimises crate by crate.

#![deny(unreachable_pub)]

mod bytes;
pub mod cell;
pub mod chunk;
mod column;
pub mod dictionary;
mod hash_index;
pub mod json;
pub mod memory;
pub mod number_interner;
pub mod row_buffer;
pub mod shapes;
mod strided;
pub mod string_interner;

pub mod decode;
pub mod table;
