//! The rows of a scope in one chunk.

use std::ops::Range;
use std::rc::Rc;

use super::member::Member;

/// The rows of a scope in one chunk. All rows of a scope in any order are one part, which may be of several chunks.
pub(super) struct Part<'scope> {
    /// The index of the chunk; 0 for rows in any order.
    pub(super) index: u64,
    /// The position of the chunk in the store, and the chunk; `None` for rows of several chunks.
    pub(super) chunk: Option<(usize, &'scope Rc<Member>)>,
    /// These rows of the scope.
    pub(super) rows: Range<usize>,
    /// The rows of the chunk, or of the store if they are in any order; `None` for all rows of the chunk.
    pub(super) selected: Option<&'scope [u32]>,
    /// The number by which queries keep what they know of the chunk: that in its catalog.
    pub(super) number: u32,
}

impl<'scope> Part<'scope> {
    /// Returns the only chunk, if there is one.
    pub(super) fn member(&self) -> Option<&'scope Rc<Member>> {
        self.chunk.map(|(_, member)| member)
    }

    /// Returns the position of a chunk in the store of which the part has all rows.
    pub(super) fn whole(&self) -> Option<usize> {
        self.chunk.filter(|_| self.selected.is_none()).map(|(at, _)| at)
    }

    /// Divides the rows into batches small enough that the cells of a batch stay in the processor's cache.
    pub(super) fn batches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        batches(self.rows.clone())
    }
}

/// The maximum number of rows of a batch.
pub(super) const BATCH: usize = 4096;

/// Divides rows into batches small enough that the cells of a batch stay in the processor's cache.
pub(super) fn batches(Range { start, end }: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    (start..end).step_by(BATCH).map(move |first| first..end.min(first + BATCH))
}
