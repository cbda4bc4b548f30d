//! JSON that the host reads and writes.

use super::memory::{OutOfMemory, try_to_owned};
use super::number_interner::{ReadNumber, rust_number};

/// What the host does with JSON.
#[derive(Clone, Copy)]
pub struct HostJson {
    /// Parses a number.
    pub number: ReadNumber,
    /// Writes a value in the one way that all equal values have.
    pub canonical: CanonicalJson,
}

/// Returns the text that `JSON.stringify` writes for the value of a JSON text. The host provides it: writing numbers in the shortest way needs
/// tables that would make the module larger.
pub type CanonicalJson = fn(&str) -> Result<String, OutOfMemory>;

impl HostJson {
    /// Parses numbers with Rust's standard library, and takes values for equal that are spelled alike. For tests.
    pub const RUST: Self = HostJson { number: rust_number, canonical: try_to_owned };
}
