//! Decodes the findings of a retrieval into columns and answers queries about them.
//!
//! Every finding goes through this code, so it is optimized for speed and the rest of the module for size. That makes it a crate of its
//! own: cargo sets the optimization for each crate.

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
