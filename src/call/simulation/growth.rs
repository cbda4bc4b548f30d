//! What a call may do with an earlier table whose inspection has other counts, if the service is said to append.

use super::earlier::EarlierTable;
use super::inspection::Finding;
use crate::contract::KindCounts;

/// The number of older partitions that decide.
const CHECKS: usize = 2;

/// What is open about an earlier table: whether its partitions are kept.
#[derive(Debug)]
pub(super) struct Wager {
    /// The partitions of the earlier table that can decide: they have findings, and are not the last of their inspection, which may have grown.
    candidates: Vec<u64>,
    /// Those that the call has requested, and whether each is as it was: unknown until it has arrived.
    checks: Vec<(u64, Option<bool>)>,
    /// The partitions of the inspection when the table was loaded.
    before: u64,
}

impl Wager {
    /// What a call may keep of an earlier table; `None` if the inspection has shrunk, or nothing would be saved or could decide.
    pub(super) fn on(from: &EarlierTable, counts: KindCounts) -> Option<Self> {
        let before = from.counts;
        let has_fewer = matches!((before.findings, counts.findings), (Some(before), Some(now)) if now < before);
        let has_shrunk = counts.partitions < before.partitions || has_fewer;
        let older: Vec<_> = from.partitions.iter().copied().filter(|index| index + 1 < before.partitions).collect();
        let has_findings = |index: &u64| !from.contents[*index as usize].is_empty();
        let candidates: Vec<_> = older.iter().copied().filter(has_findings).collect();
        let is_open = !has_shrunk && older.len() > CHECKS && candidates.len() >= CHECKS;
        is_open.then_some(Wager { candidates, checks: Vec::new(), before: before.partitions })
    }

    /// Notes that the call requests a partition, and checks that it may.
    pub(super) fn note_request(&mut self, index: u64) {
        if self.checks.iter().any(|(check, _)| *check == index) {
            return;
        }
        assert!(self.candidates.contains(&index), "partition {index} is requested before an older one has decided");
        assert!(self.checks.len() < CHECKS, "partition {index} is requested before the others have decided");
        self.checks.push((index, None));
    }

    /// Notes that a partition has arrived, or that it has failed in a call that goes on.
    pub(super) fn note_end(&mut self, index: u64, is_same: bool) {
        let check = self.checks.iter_mut().find(|(check, _)| *check == index);
        check.unwrap_or_else(|| panic!("partition {index} arrives before an older one has decided")).1 = Some(is_same);
    }

    /// Forgets what has not arrived in a call that has ended, given whether a partition has.
    pub(super) fn end_run(&mut self, has: impl Fn(u64) -> bool) {
        for (index, is_same) in &mut self.checks {
            is_same.take_if(|_| !has(*index));
        }
    }

    /// How many of these partitions, which are not requested yet in this run, the call may request.
    pub(super) fn requestable(&self, indexes: &[u64]) -> usize {
        CHECKS - self.checks.iter().filter(|(index, _)| !indexes.contains(index)).count()
    }

    /// Checks the decision to keep the partitions with an index below this one.
    pub(super) fn check_kept(&self, below: u64) {
        assert_eq!(below, self.before - 1, "the last partition may have grown");
        assert!(self.decides() == Some(true), "the earlier table is kept, and {self:?}");
    }

    /// Checks the decision to keep none.
    pub(super) fn check_dropped(&self) {
        assert!(self.decides() == Some(false), "the earlier table is dropped, and {self:?}");
    }

    /// What the partitions that have arrived decide, once they do.
    pub(super) fn decides(&self) -> Option<bool> {
        let ends: Vec<_> = self.checks.iter().filter_map(|(_, is_same)| *is_same).collect();
        (ends.len() == CHECKS).then(|| ends.iter().all(|is_same| *is_same))
    }
}

/// Whether the findings of a partition are those of the earlier table.
pub(super) fn is_as_before(from: &EarlierTable, index: u64, now: &[Finding]) -> bool {
    from.partitions.contains(&index) && from.contents[index as usize] == now
}
