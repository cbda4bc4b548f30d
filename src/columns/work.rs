//! Work that tests count, because time depends on the machine. Other builds count nothing.

/// A unit of work.
#[derive(Clone, Copy)]
pub(crate) enum Work {
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
pub(crate) fn count(_work: Work, _amount: usize) {
    #[cfg(test)]
    counting::add(_work, _amount);
}

#[cfg(test)]
pub(crate) use counting::{Counts, counts_of};

#[cfg(test)]
mod counting {
    use std::cell::Cell;

    use super::Work;

    thread_local! {
        static COUNTS: Cell<Counts> = const { Cell::new(Counts { cells: 0, lookups: 0, probes: 0, strings: 0 }) };
    }

    /// How often each unit of work was done.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(crate) struct Counts {
        pub cells: usize,
        pub lookups: usize,
        pub probes: usize,
        pub strings: usize,
    }

    pub(super) fn add(work: Work, amount: usize) {
        let mut counts = COUNTS.get();
        *match work {
            Work::Cell => &mut counts.cells,
            Work::Lookup => &mut counts.lookups,
            Work::Probe => &mut counts.probes,
            Work::String => &mut counts.strings,
        } += amount;
        COUNTS.set(counts);
    }

    /// Counts the work of a function.
    pub(crate) fn counts_of<R>(run: impl FnOnce() -> R) -> Counts {
        let before = COUNTS.get();
        run();
        let after = COUNTS.get();
        Counts {
            cells: after.cells - before.cells,
            lookups: after.lookups - before.lookups,
            probes: after.probes - before.probes,
            strings: after.strings - before.strings,
        }
    }
}
