//! The trial of an earlier table: what becomes of its partitions, which two of them may decide.

use crate::contract::KindCounts;
use crate::progress::Growth;

/// Whether calls may begin with an earlier table, so that a module without tables has none of the code for it.
const HAS_EARLIER: bool = cfg!(feature = "tables");

/// The number of older partitions that decide whether an inspection has only grown.
const CHECKS: usize = 2;

/// The partitions of an earlier table of the same inspection and kind.
#[derive(Debug)]
pub struct Earlier {
    /// The counts when it was loaded.
    pub counts: KindCounts,
    /// The index of each partition, and the number of its findings, in index order.
    pub partitions: Vec<(u64, u64)>,
    /// Whether the service only appends: then the partitions may be kept although the counts differ.
    pub appends: bool,
}

/// The trial of an earlier table.
#[derive(Debug, Default)]
pub(super) struct Trial {
    /// The earlier table, until it is decided what becomes of its partitions.
    earlier: Option<Earlier>,
    /// The partitions that decide; none unless the inspection may have grown.
    checks: Vec<Check>,
    /// How an earlier table with other counts was treated.
    pub(super) growth: Option<Growth>,
    /// The last partition of an earlier table whose other partitions are kept. It may have grown.
    pub(super) grown: Option<u64>,
}

/// A partition that is requested again, because it decides about an earlier table.
#[derive(Debug)]
struct Check {
    index: u64,
    state: CheckState,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum CheckState {
    Unrequested,
    Requested,
    AsKept,
    Differs,
    /// It has failed in a call that goes on.
    Failed,
}

/// What becomes of the partitions of an earlier table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Those with an index below this one are kept.
    Keep(u64),
    /// None is kept.
    Drop,
}

impl Trial {
    /// Takes the earlier table with which the first call begins.
    pub(super) fn prepare(&mut self, earlier: Option<Earlier>) {
        self.earlier = self.earlier.take().or(earlier);
    }

    /// Lets another call request what the one before did not receive.
    pub(super) fn reopen(&mut self) {
        for check in &mut self.checks {
            if matches!(check.state, CheckState::Requested | CheckState::Failed) {
                check.state = CheckState::Unrequested;
            }
        }
    }

    /// Returns what becomes of the earlier table, if that is clear from the counts: one whose total was wrong is no beginning if totals have to be
    /// right (`is_strict`).
    pub(super) fn open(&mut self, counts: KindCounts, is_strict: bool, random: fn() -> f64) -> Option<Verdict> {
        let earlier = self.earlier.as_ref().filter(|_| HAS_EARLIER)?;
        let is_right = !is_strict || has_its_total(earlier);
        if earlier.counts == counts {
            return Some(if is_right { Verdict::Keep(counts.partitions) } else { Verdict::Drop });
        }
        if earlier.appends {
            self.checks = if is_right { checks_of(earlier, counts, random) } else { Vec::new() };
            self.growth = self.checks.is_empty().then_some(Growth::Reload);
        }
        self.checks.is_empty().then_some(Verdict::Drop)
    }

    /// Takes note of a partition that was compared. Returns the verdict once all that decide have arrived or failed.
    pub(super) fn compared(&mut self, index: u64, is_as_kept: bool) -> Option<Verdict> {
        self.settle(index, if is_as_kept { CheckState::AsKept } else { CheckState::Differs })
    }

    /// Takes note of a partition that has failed in a call that goes on. Returns the same.
    pub(super) fn failed(&mut self, index: u64) -> Option<Verdict> {
        self.settle(index, CheckState::Failed)
    }

    fn settle(&mut self, index: u64, state: CheckState) -> Option<Verdict> {
        self.checks.iter_mut().find(|check| HAS_EARLIER && check.index == index)?.state = state;
        if self.checks.iter().any(|check| matches!(check.state, CheckState::Unrequested | CheckState::Requested)) {
            return None;
        }
        let last = self.earlier.as_ref()?.counts.partitions.saturating_sub(1);
        let is_same = self.checks.iter().all(|check| check.state == CheckState::AsKept);
        Some(if is_same { Verdict::Keep(last) } else { Verdict::Drop })
    }

    /// Whether a partition decides.
    pub(super) fn compares(&self, index: u64) -> bool {
        HAS_EARLIER && self.checks.iter().any(|check| check.index == index)
    }

    /// Whether some partitions have still to decide.
    pub(super) fn is_open(&self) -> bool {
        HAS_EARLIER && !self.checks.is_empty()
    }

    /// Whether one of them is left to request.
    pub(super) fn has_unrequested(&self) -> bool {
        self.checks.iter().any(|check| check.state == CheckState::Unrequested)
    }

    /// The next one to request.
    pub(super) fn next(&mut self) -> Option<u64> {
        let check = self.checks.iter_mut().find(|check| check.state == CheckState::Unrequested)?;
        check.state = CheckState::Requested;
        Some(check.index)
    }

    /// The partitions that are kept if the older ones have not changed, besides those that decide.
    pub(super) fn kept(&self) -> impl Iterator<Item = (u64, u64)> {
        let earlier = self.earlier.iter().filter(|_| self.is_open());
        let older = earlier.flat_map(older_of);
        older.filter(|(index, _)| !self.compares(*index))
    }

    /// The last partition of the earlier table, if the others are kept and it has that one.
    pub(super) fn last_of(&self, verdict: Verdict) -> Option<u64> {
        let Verdict::Keep(last) = verdict else { return None };
        let mut partitions = self.earlier.iter().flat_map(|one| &one.partitions);
        partitions.any(|(index, _)| *index == last).then_some(last)
    }

    /// Takes the earlier table, with which something has to be done.
    pub(super) fn take_earlier(&mut self) -> Option<Earlier> {
        self.earlier.take()
    }

    /// Ends with a verdict, after which the last partition may have `grown`. Returns the partitions that have failed.
    pub(super) fn end(&mut self, verdict: Verdict, grown: Option<u64>) -> impl Iterator<Item = u64> + use<> {
        (self.growth, self.grown) = match verdict {
            Verdict::Keep(_) => (Some(Growth::Append), grown),
            Verdict::Drop => (Some(Growth::Reload), None),
        };
        let checks = std::mem::take(&mut self.checks).into_iter();
        checks.filter(|check| check.state == CheckState::Failed).map(|check| check.index)
    }
}

/// Whether an earlier table has as many findings as its counts say, as far as is known.
fn has_its_total(earlier: &Earlier) -> bool {
    let findings: u64 = earlier.partitions.iter().map(|(_, findings)| findings).sum();
    let is_whole = earlier.partitions.len() as u64 == earlier.counts.partitions;
    !is_whole || earlier.counts.findings.is_none_or(|total| total == findings)
}

/// The partitions of an earlier table that cannot have grown.
fn older_of(earlier: &Earlier) -> impl Iterator<Item = (u64, u64)> {
    let last = earlier.counts.partitions.saturating_sub(1);
    earlier.partitions.iter().copied().filter(move |(index, _)| *index < last)
}

/// Chooses the partitions that decide whether an inspection has only grown; none if it cannot have, or if nothing would be saved. One without
/// findings decides nothing: it is the same in most inspections.
fn checks_of(earlier: &Earlier, counts: KindCounts, random: fn() -> f64) -> Vec<Check> {
    let before = earlier.counts;
    let has_fewer = before.findings.zip(counts.findings).is_some_and(|(before, now)| now < before);
    let has_shrunk = counts.partitions < before.partitions || has_fewer;
    let candidates = older_of(earlier).filter(|(_, findings)| *findings > 0).count();
    if has_shrunk || candidates < CHECKS || older_of(earlier).count() <= CHECKS {
        return Vec::new();
    }
    let one_of = |count: usize| ((random() * count as f64) as usize).min(count - 1);
    let first = one_of(candidates);
    let second = one_of(candidates - 1);
    let second = if second < first { second } else { second + 1 };
    let chosen = older_of(earlier).filter(|(_, findings)| *findings > 0).enumerate();
    let chosen = chosen.filter(|(position, _)| [first, second].contains(position));
    chosen.map(|(_, (index, _))| Check { index, state: CheckState::Unrequested }).collect()
}
