//! Work that tests count, because time depends on the machine. Other builds count nothing.

/// A unit of work.
#[derive(Clone, Copy)]
pub enum Work {
    /// A cell that is read from a column.
    Cell,
    /// A search in a hash table, or an entry that is added to one.
    Lookup,
    /// An entry of a hash table that a search compares.
    Probe,
    /// A string that is read.
    String,
}

/// Counts work.
#[inline(always)]
pub fn count(_work: Work, _amount: usize) {
    #[cfg(any(test, feature = "testing"))]
    crate::testing::counting::add(_work, _amount);
}
