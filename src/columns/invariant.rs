//! What can only be there: the entry of an id that a chunk, a catalog or a grouping has given out.
//!
//! Chunks are built by the decoder or checked where they arrive, and never change, so their ids are right. A violation of this stops a debug
//! build, so that tests and fuzzers notice it; a release takes a harmless value. Ids that JavaScript passes are no invariant.

/// An entry that can only be there.
pub(crate) trait Certain {
    /// Returns the entry.
    fn certain(self) -> Self;
}

impl<T> Certain for Option<T> {
    #[inline(always)]
    #[track_caller]
    fn certain(self) -> Self {
        debug_assert!(self.is_some(), "an invariant is violated");
        self
    }
}
