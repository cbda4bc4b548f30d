//! What the cells of a partition refer to while it is being decoded.

use super::column_name::ColumnList;
#[cfg(any(test, feature = "testing"))]
use super::number_interner::rust_number;
use super::number_interner::{NumberInterner, ReadNumber};
use super::shapes::{Limits, Shapes};
use super::string_interner::StringInterner;
use crate::hash::HashSeed;

/// The distinct strings, numbers, paths and shapes of a partition.
pub struct Dictionary {
    /// Strings and raw JSON.
    pub strings: StringInterner,
    /// Numbers that do not fit into a cell.
    pub numbers: NumberInterner,
    /// Paths and shapes.
    pub shapes: Shapes,
    read: Option<ReadNumber>,
    /// The seed of all hashes of its entries, and of cells that refer to them.
    pub seed: HashSeed,
    /// The columns to keep of the findings to come.
    pub columns: ColumnList,
}

/// An empty dictionary that parses numbers with Rust's standard library, with a fixed hash seed. For tests.
#[cfg(any(test, feature = "testing"))]
impl Default for Dictionary {
    fn default() -> Self {
        Self::new(Some(rust_number), HashSeed::new(0.5))
    }
}

impl Dictionary {
    /// An empty dictionary. `read` parses the numbers that need correct rounding. Without it, a body with such a number cannot be decoded.
    pub fn new(read: Option<ReadNumber>, seed: HashSeed) -> Self {
        Dictionary {
            strings: StringInterner::new(seed.clone()),
            numbers: NumberInterner::new(read, seed.clone()),
            shapes: Shapes::new(seed.clone(), Limits::CHUNK),
            read,
            seed,
            columns: None,
        }
    }

    /// An empty dictionary for a copy, which may have the paths and shapes of many chunks, and parses no numbers.
    pub fn of_copy(seed: HashSeed) -> Self {
        Dictionary { shapes: Shapes::new(seed.clone(), Limits::TABLE), ..Self::new(None, seed) }
    }

    /// Removes everything.
    pub fn clear(&mut self) {
        let columns = self.columns.take();
        *self = Dictionary { columns, ..Self::new(self.read, self.seed.clone()) };
    }
}
