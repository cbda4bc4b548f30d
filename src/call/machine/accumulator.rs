//! The partitions that a call has received, and from which another one can resume.

use std::cell::RefCell;
use std::rc::Rc;

use chunk::invariant::Certain;
use chunk::memory::OutOfMemory;

use super::numbered::CallId;
use super::trial::{Earlier, Trial, Verdict};
use crate::contract::KindCounts;
use crate::partition_tracker::{PartitionTracker, Ticket, TotalMismatch};
use crate::progress::{Growth, Progress};

const NO_COUNTS: KindCounts = KindCounts { partitions: 0, findings: None };

/// What calls have received, one after the other. A call that is given it continues from there.
#[derive(Clone, Debug)]
pub struct Accumulation(Rc<RefCell<Accumulator>>);

/// The partitions that a call has received.
#[derive(Debug)]
pub(super) struct Accumulator {
    pub(super) tracker: PartitionTracker,
    /// Whether the counts are known.
    pub(super) has_counts: bool,
    /// The bytes of the bodies of the partitions received.
    pub(super) bytes: u64,
    /// The call that uses it, and those that wait for it.
    pub(super) users: Vec<CallId>,
    trial: Trial,
}

/// What calls have received with one accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
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

impl Default for Accumulation {
    fn default() -> Self {
        Accumulation(Rc::new(RefCell::new(Accumulator::new())))
    }
}

impl Accumulation {
    /// What was received; `None` before the counts are known.
    pub fn coverage(&self) -> Option<Coverage> {
        self.look(Accumulator::coverage)
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
            has_counts: false,
            bytes: 0,
            users: Vec::new(),
            trial: Trial::default(),
        }
    }

    /// Takes note of a call that uses it, or waits until others have ended. The first may begin with the partitions of an earlier table. Returns
    /// whether it is alone.
    pub(super) fn enter(&mut self, call: CallId, earlier: Option<Earlier>) -> bool {
        if self.users.is_empty() && !self.has_counts {
            self.trial.prepare(earlier);
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
    pub(super) fn open(
        &mut self,
        counts: KindCounts,
        is_strict: bool,
        random: fn() -> f64,
    ) -> Result<Option<Verdict>, KindCounts> {
        if self.has_counts && self.tracker.counts() != counts {
            return Err(self.tracker.counts());
        }
        let is_first = !std::mem::replace(&mut self.has_counts, true);
        if is_first {
            self.tracker = PartitionTracker::new(counts);
        }
        self.trial.reopen();
        let verdict = if is_first { self.trial.open(counts, is_strict, random) } else { None };
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
        let has_appended = self.trial.growth == Some(Growth::Append);
        self.tracker.check().map_err(|mismatch| TotalMismatch { has_appended, ..mismatch })
    }

    /// Takes note of a partition that was compared with the one of the earlier table. Returns what becomes of that, once all that decide have arrived
    /// or failed.
    pub(super) fn compared(&mut self, index: u64, is_as_kept: bool) -> Option<Verdict> {
        let verdict = self.trial.compared(index, is_as_kept)?;
        Some(self.decide(verdict))
    }

    /// Takes note of a partition that has failed in a call that goes on. Returns what becomes of the earlier table, once that is clear.
    pub(super) fn failed(&mut self, index: u64) -> Option<Verdict> {
        let verdict = self.trial.failed(index)?;
        Some(self.decide(verdict))
    }

    /// Whether a partition has to be compared with the one of the earlier table.
    pub(super) fn compares(&self, index: u64) -> bool {
        self.trial.compares(index)
    }

    /// Whether a partition is left to request.
    pub(super) fn has_tickets(&self) -> bool {
        if self.trial.is_open() { self.trial.has_unrequested() } else { self.tracker.has_tickets() }
    }

    /// Issues the ticket of the next partition to request.
    pub(super) fn next_ticket(&mut self) -> Option<Ticket> {
        if !self.trial.is_open() {
            return self.tracker.next_ticket();
        }
        self.tracker.ticket_of(self.trial.next()?)
    }

    /// The progress of a call that has received these partitions.
    pub(super) fn progress(&self) -> Progress {
        let nothing = if self.has_counts { Progress::of(self.tracker.counts()) } else { Progress::NONE };
        Progress {
            partitions_done: self.tracker.partitions(),
            findings_done: self.tracker.findings(),
            bytes: self.bytes,
            growth: self.trial.growth,
            ..nothing
        }
    }

    /// What was received; `None` before the counts are known.
    pub(super) fn coverage(&self) -> Option<Coverage> {
        let Accumulator { tracker, .. } = self;
        self.has_counts.then(|| Coverage {
            counts: tracker.counts(),
            is_whole: tracker.is_whole(),
            is_complete: tracker.has_each_once() && tracker.check().is_ok(),
            is_behind: self.trial.is_open() || self.trial.grown.is_some_and(|last| !tracker.has(last)),
        })
    }

    /// The counts of the partitions that are missing, and of their findings, about. Those that may be kept are not missing.
    pub(super) fn missing(&self) -> KindCounts {
        let KindCounts { partitions, findings } = self.tracker.counts();
        let (kept, in_kept) = self.trial.kept().fold((0, 0), |(count, sum), (_, findings)| (count + 1, sum + findings));
        KindCounts {
            partitions: partitions.saturating_sub(self.tracker.partitions() + kept),
            findings: findings.map(|findings| findings.saturating_sub(self.tracker.findings() + in_kept)),
        }
    }

    fn decide(&mut self, verdict: Verdict) -> Verdict {
        let grown = self.trial.last_of(verdict);
        let verdict = self.apply(verdict);
        let failed = self.trial.end(verdict, grown);
        self.tracker.reopen();
        failed.for_each(|index| self.tracker.pass_over(index));
        verdict
    }

    /// Does what was decided about the earlier table. Without memory to keep its partitions, they are requested again.
    fn apply(&mut self, verdict: Verdict) -> Verdict {
        let Some(earlier) = self.trial.take_earlier() else { return verdict };
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
