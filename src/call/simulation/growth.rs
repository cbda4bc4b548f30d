//! What a call may do with an earlier table whose inspection has other counts, if the service is said to append.

use super::earlier::EarlierTable;
use super::schedule::Call;
use crate::contract::KindCounts;

/// The number of older partitions that a call requests before it keeps the others.
const CHECKS: usize = 2;

/// The partitions of an earlier table that a call may keep.
pub(super) struct Wager {
    /// The counts that the service sends now.
    counts: KindCounts,
    /// The partitions of the earlier table but the last of its inspection, which may have grown.
    older: Vec<u64>,
    /// Those that the call has requested.
    checks: Vec<u64>,
}

impl Wager {
    /// What a call may keep of an earlier table; `None` if the inspection has shrunk or nothing would be saved.
    pub(super) fn on(from: &EarlierTable, counts: KindCounts) -> Option<Self> {
        let before = from.counts;
        let has_fewer = matches!((before.findings, counts.findings), (Some(before), Some(now)) if now < before);
        let has_shrunk = counts.partitions < before.partitions || has_fewer;
        let older: Vec<_> = from.partitions.iter().copied().filter(|index| index + 1 < before.partitions).collect();
        (!has_shrunk && older.len() > CHECKS).then_some(Wager { counts, older, checks: Vec::new() })
    }

    /// The counts that the service sends now.
    pub(super) fn counts(&self) -> KindCounts {
        self.counts
    }

    /// Notes that the call requests a partition, and checks that it may.
    pub(super) fn note_request(&mut self, index: u64) {
        if self.holds(index) {
            assert!(self.checks.len() < CHECKS, "partition {index} is requested before the others are compared");
            self.checks.push(index);
        }
    }

    /// How many of these partitions the call may request.
    pub(super) fn requestable(&self, indexes: &[u64]) -> usize {
        let held = indexes.iter().filter(|index| self.holds(**index)).count();
        indexes.len() - held + held.min(CHECKS - self.checks.len())
    }

    /// Whether the call may keep a partition.
    pub(super) fn holds(&self, index: u64) -> bool {
        self.older.contains(&index) && !self.checks.contains(&index)
    }

    /// The partitions that the call may keep.
    pub(super) fn held(&self) -> Vec<u64> {
        self.older.iter().copied().filter(|index| self.holds(*index)).collect()
    }

    /// Whether the call keeps them: it has all others, the two that it has requested are the same as before, and the total is right.
    pub(super) fn is_won(&self, call: &Call, is_received: impl Fn(u64) -> bool) -> bool {
        let Some(EarlierTable { contents, .. }) = &call.from else { return false };
        assert_eq!(self.checks.len(), CHECKS, "the call has not requested two older partitions");
        let (before, now) =
            (|index: u64| &contents[index as usize], |index: u64| &call.partitions[index as usize].findings);
        let of = |index| if self.holds(index) { before(index) } else { now(index) };
        let total: usize = (0..self.counts.partitions).map(|index| of(index).len()).sum();
        (0..self.counts.partitions).all(|index| self.holds(index) || is_received(index))
            && self.checks.iter().all(|index| before(*index) == now(*index))
            && self.counts.findings.is_none_or(|findings| findings == total as u64)
    }
}
