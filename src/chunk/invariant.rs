//! What can only be there: the entry of an id that a chunk, a catalog or a grouping has given out.
//!
//! Chunks are built by the decoder or checked where they arrive, and never change, so their ids are right. If one is not, the program
//! stops: a value in its place would be wrong data that nobody notices. In WebAssembly, a stop is a trap, which ends the calls with an error.
//! Ids that JavaScript passes are no invariant: a wrong one is an error of that call alone.

/// An entry that can only be there.
pub trait Certain {
    /// The entry.
    type Entry;

    /// Returns the entry.
    fn certain(self) -> Self::Entry;
}

impl<T> Certain for Option<T> {
    type Entry = T;

    #[inline(always)]
    #[track_caller]
    fn certain(self) -> T {
        match self {
            Some(entry) => entry,
            None => violated(),
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn violated() -> ! {
    debug_assert!(false, "an invariant is violated");
    std::process::abort()
}
