//! The snapshots that a page would take of a live table while its call runs.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use table::Table;

use super::host::Caller;
use super::oracle;
use super::outcome::table_of_all;
use crate::accumulator::Accumulator;
use crate::mock_host::MockFindings;
use crate::retrieve::progress::Progress;
use table::tables::Tables;

/// One in this many snapshots is read whole, and kept to see that it does not change.
const READ: u64 = 8;

/// One in this many snapshots is not asked for groups, so that the next one continues from an older one.
const UNASKED: u64 = 3;

/// The snapshots of one call for all findings.
#[derive(Default)]
pub(super) struct Snapshots {
    source: RefCell<Option<Source>>,
    taken: Cell<u64>,
    /// The snapshots kept, each with the partitions that it had when it was taken.
    kept: RefCell<Vec<(Vec<u64>, Table)>>,
}

/// What snapshots are taken of.
#[derive(Clone)]
struct Source {
    accumulator: Rc<Accumulator<MockFindings>>,
    tables: Rc<Tables>,
}

impl Snapshots {
    /// Begins to take snapshots of what an accumulator receives.
    pub(super) fn begin(&self, accumulator: &Rc<Accumulator<MockFindings>>, tables: &Rc<Tables>) {
        self.source.replace(Some(Source { accumulator: Rc::clone(accumulator), tables: Rc::clone(tables) }));
    }

    /// Records that the call has begun with the partitions of an earlier table, as soon as it has the counts.
    pub(super) fn note_begin(&self, caller: &Caller) {
        if self.source.borrow().as_ref().is_some_and(|source| source.accumulator.is_begun()) {
            caller.record().note_begin();
        }
    }

    /// Checks that a snapshot taken now has exactly the partitions received, in index order, each once, and their groups.
    pub(super) fn check(&self, caller: &Caller) {
        let Some(Source { accumulator, tables }) = self.source.borrow().clone() else { return };
        self.note_begin(caller);
        assert_eq!(accumulator.is_behind(), caller.record().is_behind(), "a page would show too little, or too much");
        let table = table_of_all(&tables, &accumulator);
        let received: Vec<u64> = caller.record().received_in_any_run().collect();
        let findings = received.iter().map(|index| caller.record().rows_of(*index)).sum::<u64>();
        assert_eq!(table.len() as u64, findings, "a snapshot has other partitions than were received");
        let taken = self.taken.replace(self.taken.get() + 1) + caller.host.schedule.seed;
        if !taken.is_multiple_of(UNASKED) {
            oracle::check_groups(caller, &received, &table);
        }
        if taken.is_multiple_of(READ) {
            oracle::check_table(caller, &received, &table);
            self.kept.borrow_mut().push((received, table));
        }
    }

    /// Checks the snapshot that a page takes after a change.
    pub(super) fn check_change(&self, caller: &Caller, progress: &Progress) {
        caller.record().check_not_over();
        self.note_begin(caller);
        caller.record().note_growth(progress.growth);
        let received = caller.record().received_in_any_run().count() as u64;
        // What is received to decide is in no table yet.
        if self.source.borrow().is_some() && !caller.record().is_undecided() {
            assert_eq!(progress.partitions_done, received, "the progress of a snapshot is not that of its table");
        }
        self.check(caller);
    }

    /// Checks that no snapshot has changed since it was taken.
    pub(super) fn check_kept(&self, caller: &Caller) {
        for (indexes, table) in self.kept.borrow().iter() {
            oracle::check_table(caller, indexes, table);
            oracle::check_groups(caller, indexes, table);
        }
    }
}
