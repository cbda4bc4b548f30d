//! Turns the body of a partition into a chunk, and a chunk into packed rows.
//! Every finding goes through this code, so it is optimized for speed.

pub mod bytes;
mod chunk;
mod chunk_builder;
#[cfg(test)]
mod collisions;
pub mod column;
pub mod decode;
pub mod decoding;
pub mod fields;
mod foreign;
pub mod form;
pub mod hash;
pub mod hash_index;
pub mod invariant;
#[cfg(any(test, feature = "invented"))]
pub mod invented;
pub mod json;
pub mod memory;
pub mod packing;
pub mod rows;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod value;
pub mod work;

pub use self::chunk::{Chunk, value_of};
pub use self::chunk_builder::{About, ChunkBuilder};
pub use self::packing::{UnpackError, of_chunk};
