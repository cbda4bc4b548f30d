//! JSON that the host reads and writes.

use super::number_interner::ReadNumber;
#[cfg(any(test, feature = "testing"))]
use super::number_interner::rust_number;
use crate::memory::OutOfMemory;
#[cfg(any(test, feature = "testing"))]
use crate::memory::try_to_owned;

/// The host's JSON functions.
#[derive(Clone, Copy)]
pub struct HostJson {
    /// Parses a number.
    pub number: ReadNumber,
    /// Writes a value canonically: equal values have the same text.
    pub canonical: CanonicalJson,
}

/// Returns the text that `JSON.stringify` writes for the value of a JSON text. The host provides it, because the shortest form of numbers
/// needs large tables.
pub type CanonicalJson = fn(&str) -> Result<String, OutOfMemory>;

#[cfg(any(test, feature = "testing"))]
impl HostJson {
    /// Parses numbers with Rust's standard library; values are equal if their texts are. For tests.
    pub const RUST: Self = HostJson { number: rust_number, canonical: try_to_owned };
}
