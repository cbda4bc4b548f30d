//! What calls have received, and from which another one can resume.

use std::cell::RefCell;
use std::rc::Rc;

use chunk::memory::OutOfMemory;

use super::numbered::CallId;
use crate::contract::KindCounts;
use crate::partition_tracker::PartitionTracker;
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

/// What calls have received, one after the other. A call that is given it continues from there.
#[derive(Clone, Debug, Default)]
pub struct Accumulation(Rc<RefCell<Accumulator>>);

#[derive(Debug, Default)]
struct Accumulator {
    /// The partitions received; `None` before the counts are known.
    tracker: Option<PartitionTracker>,
    /// The call that uses it, and those that wait for it.
    users: Vec<CallId>,
    /// The earlier table, until the counts are known.
    earlier: Option<Earlier>,
    keeps_earlier: bool,
}

/// What calls have received with one accumulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// The counts.
    pub counts: KindCounts,
    /// Whether every partition was received.
    pub is_whole: bool,
    /// Whether every partition was received, and as many findings as the counts say.
    pub is_complete: bool,
    /// Whether the partitions of the earlier table are among them.
    pub keeps_earlier: bool,
}

impl Accumulation {
    /// Nothing, or the partitions of an earlier table, if the counts are still the same.
    pub fn new(earlier: Option<Earlier>) -> Self {
        Accumulation(Rc::new(RefCell::new(Accumulator { earlier, ..Accumulator::default() })))
    }

    /// What was received; `None` before the counts are known.
    pub fn coverage(&self) -> Option<Coverage> {
        let keeps_earlier = self.0.borrow().keeps_earlier;
        self.look(|tracker| Coverage {
            counts: tracker.counts(),
            is_whole: tracker.is_whole(),
            is_complete: tracker.is_whole() && tracker.check().is_ok(),
            keeps_earlier,
        })
    }

    /// Looks at the partitions received; `None` before the counts are known.
    pub(super) fn look<T>(&self, look: impl FnOnce(&PartitionTracker) -> T) -> Option<T> {
        self.0.borrow().tracker.as_ref().map(look)
    }

    /// The progress of a call that has received them.
    pub(super) fn progress(&self) -> Progress {
        self.look(PartitionTracker::progress).unwrap_or(Progress::NONE)
    }

    /// Takes note of a call that uses it, or waits until others have ended. Returns whether it is alone.
    pub(super) fn enter(&self, call: CallId) -> bool {
        let users = &mut self.0.borrow_mut().users;
        users.push(call);
        users.len() == 1
    }

    /// Takes note of a call that has ended. Returns the next one, if it waits for that.
    pub(super) fn leave(&self, call: CallId) -> Option<CallId> {
        let users = &mut self.0.borrow_mut().users;
        let was_first = users.first() == Some(&call);
        users.retain(|one| *one != call);
        users.first().copied().filter(|_| was_first)
    }

    /// Begins with these counts, or resumes. The partitions of the earlier table are kept, unless the counts have changed, its total was wrong and totals
    /// have to be right (`is_strict`), or there is no memory for them.
    ///
    /// # Errors
    /// If the counts have changed: the counts at the beginning.
    pub(super) fn open(&self, counts: KindCounts, is_strict: bool) -> Result<(), KindCounts> {
        let mut one = self.0.borrow_mut();
        if let Some(tracker) = &one.tracker {
            return if tracker.counts() == counts { Ok(()) } else { Err(tracker.counts()) };
        }
        let mut tracker = PartitionTracker::new(counts);
        if let Some(earlier) = one.earlier.take().filter(|_| HAS_EARLIER) {
            let is_right = earlier.counts == counts && (!is_strict || earlier.has_its_total());
            one.keeps_earlier = is_right && earlier.add_to(&mut tracker).is_ok();
        }
        one.tracker = Some(tracker);
        Ok(())
    }

    /// Takes a partition with this number of findings, of a body of these bytes.
    ///
    /// # Errors
    /// Out of memory.
    pub(super) fn take(&self, index: u64, findings: u64, bytes: u64) -> Result<(), OutOfMemory> {
        let tracker = &mut self.0.borrow_mut().tracker;
        tracker.as_mut().map_or(Ok(()), |tracker| tracker.take(index, findings, bytes))
    }
}

impl Earlier {
    /// Whether it has as many findings as its counts say, as far as is known.
    fn has_its_total(&self) -> bool {
        let findings: u64 = self.partitions.iter().map(|(_, findings)| findings).sum();
        let is_whole = self.partitions.len() as u64 == self.counts.partitions;
        !is_whole || self.counts.findings.is_none_or(|total| total == findings)
    }

    /// Adds all partitions, or none without memory: the last one makes room for those before it.
    fn add_to(&self, tracker: &mut PartitionTracker) -> Result<(), OutOfMemory> {
        let partitions = self.partitions.iter().rev().filter(|(index, _)| *index < self.counts.partitions);
        partitions.into_iter().try_for_each(|(index, findings)| tracker.take(*index, *findings, 0))
    }
}
