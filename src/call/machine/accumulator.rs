//! The partitions that a call has received, and from which another one can resume.

use std::cell::RefCell;
use std::rc::Rc;

use chunk::invariant::Certain;
use chunk::memory::OutOfMemory;

use super::event::Earlier;
use super::slab::CallId;
use crate::contract::KindCounts;
use crate::partition_tracker::{PartitionTracker, Ticket, TotalMismatch};
use crate::progress::{Growth, Progress};

/// Whether calls may begin with an earlier table, so that a module without tables has none of the code for it.
const HAS_EARLIER: bool = cfg!(feature = "tables");

/// The number of older partitions that decide whether an inspection has only grown.
const CHECKS: usize = 2;

const NO_COUNTS: KindCounts = KindCounts { partitions: 0, findings: None };

/// What calls have received, one after the other: whoever has it can resume with another call.
#[derive(Clone, Debug)]
pub struct Accumulation(Rc<RefCell<Accumulator>>);

/// The partitions that a call has received.
#[derive(Debug)]
pub(super) struct Accumulator {
    pub(super) tracker: PartitionTracker,
    /// Whether the counts are known.
    pub(super) is_begun: bool,
    /// The bytes of the bodies of the partitions received.
    pub(super) bytes: u64,
    /// The call that uses it, and those that wait for it.
    pub(super) users: Vec<CallId>,
    /// The earlier table, until it is decided what becomes of its partitions.
    earlier: Option<Earlier>,
    /// The partitions that decide; none unless the inspection may have grown.
    checks: Vec<Check>,
    /// How an earlier table with other counts was treated.
    growth: Option<Growth>,
    /// The last partition of an earlier table whose other partitions are kept. It may have grown.
    grown: Option<u64>,
}

/// What calls have received with one accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received {
    /// The counts.
    pub counts: KindCounts,
    /// Whether every partition was received.
    pub is_whole: bool,
    /// Whether every partition was received once, and as many findings as the counts say.
    pub is_complete: bool,
    /// Whether an earlier table has partitions that are missing here and may be there once the calls go on: it is open whether they are kept, or the
    /// last one, which may have grown, has not arrived again.
    pub is_behind: bool,
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
pub(super) enum Verdict {
    /// Those with an index below this one are kept.
    Keep(u64),
    /// None is kept.
    Drop,
}

impl Default for Accumulation {
    fn default() -> Self {
        Accumulation(Rc::new(RefCell::new(Accumulator::new())))
    }
}

impl Accumulation {
    /// What was received; `None` before the counts are known.
    pub fn received(&self) -> Option<Received> {
        self.look(Accumulator::received)
    }

    /// Looks at what was received.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Accumulator) -> T) -> T {
        look(&self.0.borrow())
    }

    /// Changes what was received. Nothing else of the machine can be reached meanwhile.
    pub(super) fn change<T>(&self, change: impl FnOnce(&mut Accumulator) -> T) -> T {
        change(&mut self.0.borrow_mut())
    }
}

impl Accumulator {
    fn new() -> Self {
        Accumulator {
            tracker: PartitionTracker::new(NO_COUNTS),
            is_begun: false,
            bytes: 0,
            users: Vec::new(),
            earlier: None,
            checks: Vec::new(),
            growth: None,
            grown: None,
        }
    }

    /// Takes note of a call that uses it, or waits until others have ended. The first may begin with the partitions of an earlier table. Returns
    /// whether it is alone.
    pub(super) fn enter(&mut self, call: CallId, earlier: Option<Earlier>) -> bool {
        if self.users.is_empty() && !self.is_begun && self.earlier.is_none() {
            self.earlier = earlier;
        }
        self.users.push(call);
        self.users.len() == 1
    }

    /// Takes note of a call that has ended. Returns the next one, if it waits for that.
    pub(super) fn leave(&mut self, call: CallId) -> Option<CallId> {
        let was_first = self.users.first() == Some(&call);
        self.users.retain(|one| *one != call);
        self.users.first().copied().filter(|_| was_first)
    }

    /// Begins with these counts, or resumes with the missing partitions. Returns what becomes of the earlier table, if that is clear now: a table
    /// whose total was wrong is no beginning if totals have to be right (`is_strict`).
    ///
    /// # Errors
    /// If the counts have changed: the counts at the beginning.
    pub(super) fn begin(
        &mut self,
        counts: KindCounts,
        is_strict: bool,
        random: fn() -> f64,
    ) -> Result<Option<Verdict>, KindCounts> {
        if self.is_begun && self.tracker.counts() != counts {
            return Err(self.tracker.counts());
        }
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        if is_first {
            self.tracker = PartitionTracker::new(counts);
        }
        for check in &mut self.checks {
            // What the call before did not receive.
            if matches!(check.state, CheckState::Requested | CheckState::Failed) {
                check.state = CheckState::Unrequested;
            }
        }
        let verdict = self.earlier.as_ref().filter(|_| HAS_EARLIER && is_first).and_then(|earlier| {
            let is_right = !is_strict || has_its_total(earlier);
            if earlier.counts == counts {
                return Some(if is_right { Verdict::Keep(counts.partitions) } else { Verdict::Drop });
            }
            if earlier.appends {
                self.checks = if is_right { checks_of(earlier, counts, random) } else { Vec::new() };
                self.growth = self.checks.is_empty().then_some(Growth::Reload);
            }
            self.checks.is_empty().then_some(Verdict::Drop)
        });
        self.tracker.reopen();
        Ok(verdict.map(|verdict| self.apply(verdict)))
    }

    /// Takes the findings of a partition, for which there is room, and counts the bytes of its body.
    pub(super) fn take(&mut self, ticket: Ticket, findings: u64, body: u64) {
        self.tracker.take(ticket, findings).ok().certain();
        self.bytes += body;
    }

    /// Compares the findings received with the total in the counts.
    ///
    /// # Errors
    /// They differ. It says whether an earlier table with other counts was kept, because the service is said to append.
    pub(super) fn check(&self) -> Result<(), TotalMismatch> {
        let has_appended = self.growth == Some(Growth::Append);
        self.tracker.check().map_err(|mismatch| TotalMismatch { has_appended, ..mismatch })
    }

    /// Takes note of a partition that was compared with the one of the earlier table. Returns what becomes of that, once all that decide have arrived
    /// or failed.
    pub(super) fn compared(&mut self, index: u64, is_as_kept: bool) -> Option<Verdict> {
        self.settle(index, if is_as_kept { CheckState::AsKept } else { CheckState::Differs })
    }

    /// Takes note of a partition that has failed in a call that goes on. Returns what becomes of the earlier table, once that is clear.
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
        Some(self.decide(if is_same { Verdict::Keep(last) } else { Verdict::Drop }))
    }

    /// Whether a partition has to be compared with the one of the earlier table.
    pub(super) fn compares(&self, index: u64) -> bool {
        HAS_EARLIER && self.checks.iter().any(|check| check.index == index)
    }

    /// Whether it is open what becomes of the earlier table.
    pub(super) fn is_deciding(&self) -> bool {
        HAS_EARLIER && !self.checks.is_empty()
    }

    /// Whether a partition is left to request.
    pub(super) fn has_tickets(&self) -> bool {
        if self.is_deciding() {
            return self.checks.iter().any(|check| check.state == CheckState::Unrequested);
        }
        self.tracker.has_tickets()
    }

    /// Issues the ticket of the next partition to request.
    pub(super) fn next_ticket(&mut self) -> Option<Ticket> {
        if !self.is_deciding() {
            return self.tracker.next_ticket();
        }
        let check = self.checks.iter_mut().find(|check| check.state == CheckState::Unrequested)?;
        check.state = CheckState::Requested;
        self.tracker.ticket_of(check.index)
    }

    /// The progress of a call that has received these partitions.
    pub(super) fn progress(&self) -> Progress {
        let nothing = if self.is_begun { Progress::of(self.tracker.counts()) } else { Progress::NONE };
        Progress {
            partitions_done: self.tracker.partitions(),
            findings_done: self.tracker.findings(),
            bytes: self.bytes,
            growth: self.growth,
            ..nothing
        }
    }

    /// What was received; `None` before the counts are known.
    pub(super) fn received(&self) -> Option<Received> {
        let Accumulator { tracker, .. } = self;
        self.is_begun.then(|| Received {
            counts: tracker.counts(),
            is_whole: tracker.is_whole(),
            is_complete: tracker.has_each_once() && tracker.check().is_ok(),
            is_behind: self.is_deciding() || self.grown.is_some_and(|last| !tracker.has(last)),
        })
    }

    /// The counts of the partitions that are missing, and of their findings, about. Those that may be kept are not missing.
    pub(super) fn missing(&self) -> KindCounts {
        let KindCounts { partitions, findings } = self.tracker.counts();
        let (kept, in_kept) = self.kept().fold((0, 0), |(count, sum), (_, findings)| (count + 1, sum + findings));
        KindCounts {
            partitions: partitions.saturating_sub(self.tracker.partitions() + kept),
            findings: findings.map(|findings| findings.saturating_sub(self.tracker.findings() + in_kept)),
        }
    }

    /// The partitions that are kept if the older ones have not changed, besides those that decide.
    fn kept(&self) -> impl Iterator<Item = (u64, u64)> {
        let earlier = self.earlier.iter().filter(|_| self.is_deciding());
        let older = earlier.flat_map(older_of);
        older.filter(|(index, _)| !self.compares(*index))
    }

    fn decide(&mut self, verdict: Verdict) -> Verdict {
        let has_last = |last| self.earlier.iter().any(|one| one.partitions.iter().any(|(index, _)| *index == last));
        let grown = if let Verdict::Keep(last) = verdict { Some(last).filter(|last| has_last(*last)) } else { None };
        let verdict = self.apply(verdict);
        (self.growth, self.grown) = match verdict {
            Verdict::Keep(_) => (Some(Growth::Append), grown),
            Verdict::Drop => (Some(Growth::Reload), None),
        };
        self.tracker.reopen();
        for check in std::mem::take(&mut self.checks) {
            if check.state == CheckState::Failed {
                self.tracker.pass_over(check.index);
            }
        }
        verdict
    }

    /// Does what was decided about the earlier table. Without memory to keep its partitions, they are requested again.
    fn apply(&mut self, verdict: Verdict) -> Verdict {
        let Some(earlier) = self.earlier.take() else { return verdict };
        let Verdict::Keep(below) = verdict else { return verdict };
        if self.keep(&earlier, below).is_err() {
            return Verdict::Drop;
        }
        self.tracker.reopen();
        verdict
    }

    fn keep(&mut self, earlier: &Earlier, below: u64) -> Result<(), OutOfMemory> {
        let kept = || earlier.partitions.iter().filter(|(index, _)| *index < below);
        let Some((last, _)) = kept().next_back() else { return Ok(()) };
        self.tracker.reserve(*last)?;
        for (index, findings) in kept() {
            if let Some(ticket) = self.tracker.ticket_of(*index) {
                self.tracker.take(ticket, *findings)?;
            }
        }
        Ok(())
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
