//! What a call may do with an earlier table whose inspection has other counts, if the service is said to append.

use super::earlier::{EarlierTable, Finding};
use super::schedule::Call;
use crate::contract::KindCounts;

/// The number of older partitions that decide.
const CHECKS: usize = 2;

/// The partitions of an earlier table that a call may keep, until it has decided.
pub(super) struct Wager {
    /// The partitions of the earlier table but the last of its inspection, which may have grown.
    older: Vec<u64>,
    /// Those with findings: any inspection may have an empty partition.
    telling: Vec<u64>,
    /// Those that the call has requested.
    checks: Vec<u64>,
}

impl Wager {
    /// What a call may keep of an earlier table; `None` if the inspection has shrunk, nothing would be saved, or nothing can be told.
    pub(super) fn on(from: &EarlierTable, counts: KindCounts) -> Option<Self> {
        let before = from.counts;
        let has_fewer = matches!((before.findings, counts.findings), (Some(before), Some(now)) if now < before);
        let has_shrunk = counts.partitions < before.partitions || has_fewer;
        let older: Vec<_> = from.partitions.iter().copied().filter(|index| index + 1 < before.partitions).collect();
        let telling: Vec<_> =
            older.iter().copied().filter(|index| !from.contents[*index as usize].is_empty()).collect();
        let may_keep = !has_shrunk && older.len() > CHECKS && telling.len() >= CHECKS;
        may_keep.then_some(Wager { older, telling, checks: Vec::new() })
    }

    /// Notes that the call requests a partition, and checks that it may.
    pub(super) fn note_request(&mut self, index: u64) {
        assert!(self.telling.contains(&index), "partition {index} is requested, which cannot decide");
        if !self.checks.contains(&index) {
            assert!(self.checks.len() < CHECKS, "partition {index} is requested before the others are compared");
            self.checks.push(index);
        }
    }

    /// How many of these partitions, which are not requested yet in this run, the call may request.
    pub(super) fn requestable(&self, indexes: &[u64]) -> usize {
        self.checks.iter().filter(|index| indexes.contains(index)).count() + CHECKS - self.checks.len()
    }

    /// Whether the call has to decide, given whether a partition was received or has failed.
    pub(super) fn is_settled(&self, is_settled: impl Fn(u64) -> bool) -> bool {
        self.checks.len() == CHECKS && self.checks.iter().all(|index| is_settled(*index))
    }

    /// Whether the call keeps the older partitions: it has received the two, and what it keeps of their findings is the same as before.
    pub(super) fn is_won(&self, call: &Call, is_received: impl Fn(u64) -> bool) -> bool {
        let Some(EarlierTable { contents, .. }) = &call.from else { return false };
        let is_kept = |name| call.columns.as_ref().is_none_or(|columns| columns.contains(&name));
        let is_same = |one: &Finding, other: &Finding| {
            (!is_kept("Id") || one.id == other.id) && (!is_kept("Text") || one.length == other.length)
        };
        self.checks.iter().all(|index| {
            let (before, now) = (&contents[*index as usize], &call.partitions[*index as usize].findings);
            is_received(*index)
                && before.len() == now.len()
                && before.iter().zip(now).all(|(before, now)| is_same(before, now))
        })
    }

    /// The partitions that the call keeps without a request.
    pub(super) fn kept(&self) -> Vec<u64> {
        self.older.iter().copied().filter(|index| !self.checks.contains(index)).collect()
    }
}
