//! Turns the body of a partition into a chunk, and a chunk into packed rows.
//! Every finding goes through this code, so it is optimized for speed.

pub mod bytes;
mod chunk;
#[cfg(test)]
mod collisions;
pub mod column;
pub mod decode;
pub mod decoding;
pub mod fields;
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

pub use self::chunk::{About, Chunk, ChunkBuilder, UnpackError, of_chunk, value_of};
