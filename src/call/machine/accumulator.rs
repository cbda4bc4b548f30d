//! The partitions that a call has received, and from which another one can resume.

use std::cell::RefCell;
use std::rc::Rc;

use chunk::invariant::Certain;
use chunk::memory::OutOfMemory;

use super::numbered::CallId;
use crate::contract::KindCounts;
use crate::partition_tracker::{PartitionTracker, Ticket};
use crate::progress::Progress;

/// Whether calls may begin with an earlier table, so that a module without tables has none of the code for it.
const HAS_EARLIER: bool = cfg!(feature = "tables");

/// The partitions of an earlier table of the same inspection and kind.
#[derive(Debug)]
pub struct Earlier {
    /// The counts when it was loaded.
    pub counts: KindCounts,
    /// The index of each partition, and the number of its findings, in index order.
    pub partitions: Vec<(u64, u64)>,
}

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
    /// The earlier table, until the counts are known.
    earlier: Option<Earlier>,
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
            earlier: None,
        }
    }

    /// Takes note of a call that uses it, or waits until others have ended. The first may begin with the partitions of an earlier table. Returns
    /// whether it is alone.
    pub(super) fn enter(&mut self, call: CallId, earlier: Option<Earlier>) -> bool {
        if self.users.is_empty() && !self.has_counts {
            self.earlier = self.earlier.take().or(earlier);
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

    /// Begins with these counts, or resumes with the missing partitions. Returns whether the partitions of the earlier table are kept, if there is one:
    /// not if the counts have changed, if its total was wrong and totals have to be right (`is_strict`), or without memory.
    ///
    /// # Errors
    /// If the counts have changed: the counts at the beginning.
    pub(super) fn open(&mut self, counts: KindCounts, is_strict: bool) -> Result<Option<bool>, KindCounts> {
        if self.has_counts && self.tracker.counts() != counts {
            return Err(self.tracker.counts());
        }
        if !std::mem::replace(&mut self.has_counts, true) {
            self.tracker = PartitionTracker::new(counts);
        }
        let earlier = self.earlier.take().filter(|_| HAS_EARLIER);
        let is_kept = earlier.map(|earlier| {
            let is_right = earlier.counts == counts && (!is_strict || earlier.has_its_total());
            is_right && self.keep(&earlier).is_ok()
        });
        self.tracker.reopen();
        Ok(is_kept)
    }

    /// Takes the findings of a partition, for which there is room, and counts the bytes of its body.
    pub(super) fn take(&mut self, ticket: Ticket, findings: u64, body: u64) {
        self.tracker.take(ticket, findings).ok().certain();
        self.bytes += body;
    }

    /// The progress of a call that has received these partitions.
    pub(super) fn progress(&self) -> Progress {
        let nothing = if self.has_counts { Progress::of(self.tracker.counts()) } else { Progress::NONE };
        Progress {
            partitions_done: self.tracker.partitions(),
            findings_done: self.tracker.findings(),
            bytes: self.bytes,
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
        })
    }

    /// The counts of the partitions that are missing, and of their findings, about.
    pub(super) fn missing(&self) -> KindCounts {
        let KindCounts { partitions, findings } = self.tracker.counts();
        KindCounts {
            partitions: partitions.saturating_sub(self.tracker.partitions()),
            findings: findings.map(|findings| findings.saturating_sub(self.tracker.findings())),
        }
    }

    fn keep(&mut self, earlier: &Earlier) -> Result<(), OutOfMemory> {
        let Some((last, _)) = earlier.partitions.last() else { return Ok(()) };
        self.tracker.reserve(*last)?;
        for (index, findings) in &earlier.partitions {
            if let Some(ticket) = self.tracker.ticket_of(*index) {
                self.tracker.take(ticket, *findings)?;
            }
        }
        Ok(())
    }
}

impl Earlier {
    /// Whether it has as many findings as its counts say, as far as is known.
    fn has_its_total(&self) -> bool {
        let findings: u64 = self.partitions.iter().map(|(_, findings)| findings).sum();
        let is_whole = self.partitions.len() as u64 == self.counts.partitions;
        !is_whole || self.counts.findings.is_none_or(|total| total == findings)
    }
}
