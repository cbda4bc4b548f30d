//! How many findings, strings and numbers a table can have.

use thiserror::Error;

use chunk::memory::OutOfMemory;
use chunk::value::cell::Cell;

/// The things whose number is limited in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Findings. Constant columns take no memory for their rows, and joined tables share their chunks, so memory alone does not limit them.
    Findings,
    /// Different strings.
    Strings,
    /// Different numbers that are not small integers.
    Numbers,
}

/// Why a table cannot be made.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum TableError {
    /// There are more than a table can have.
    #[error("{}", .0.message())]
    TooMany(Limit),
    /// Out of memory.
    #[error(transparent)]
    OutOfMemory(#[from] OutOfMemory),
}

impl Limit {
    /// Returns the maximum.
    pub const fn most(self) -> u64 {
        match self {
            Limit::Findings => u32::MAX as u64,
            Limit::Strings | Limit::Numbers => Cell::REFERENCES as u64,
        }
    }

    /// Fails if there are more.
    ///
    /// # Errors
    ///
    /// There are too many.
    pub(super) fn check(self, count: u64) -> Result<(), TableError> {
        if count > self.most() { Err(TableError::TooMany(self)) } else { Ok(()) }
    }

    fn message(self) -> String {
        let most = self.most();
        match self {
            Limit::Findings => format!("a table can have at most {most} findings"),
            Limit::Strings => format!("a table can have at most {most} different texts"),
            Limit::Numbers => format!("a table can have at most {most} different numbers"),
        }
    }
}
