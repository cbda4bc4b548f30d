//! The partitions of an inspection that have been received, each exactly once, and the number of their findings.

use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, resize};

use crate::contract::KindCounts;

/// The received partitions, and the tickets for the others.
#[derive(Debug)]
pub(crate) struct PartitionTracker {
    counts: KindCounts,
    issued: u64,
    /// Whether each partition was received, up to the last that was.
    partitions: Vec<bool>,
    received: u64,
    findings: u64,
}

/// The right to add one partition. At most one exists per index, and adding the partition consumes it.
#[derive(Debug, PartialEq, Eq)]
pub struct Ticket {
    index: u64,
}

/// The number of findings received differs from the total that the service reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} findings, received {received}; {advice}", advice = self.advice())]
pub struct TotalMismatch {
    /// The total in the counts.
    pub expected: u64,
    /// The number of findings received.
    pub received: u64,
    /// The number of partitions in the counts.
    pub partitions: u64,
}

impl TotalMismatch {
    fn advice(self) -> &'static str {
        match self.partitions {
            0 => {
                "the counts contradict themselves, because they have 0 partitions: report them to the operator of the service, or check readCounts"
            }
            _ => "the inspection was probably re-analysed meanwhile: call again",
        }
    }
}

impl PartitionTracker {
    /// A tracker without partitions. Allocates only when partitions arrive, however many the service reports.
    pub(crate) fn new(counts: KindCounts) -> Self {
        PartitionTracker { counts, issued: 0, partitions: Vec::new(), received: 0, findings: 0 }
    }

    /// Issues the ticket of the next missing partition, in index order.
    pub(crate) fn next_ticket(&mut self) -> Option<Ticket> {
        let index = self.issued;
        if index == self.counts.partitions {
            return None;
        }
        self.issued += 1;
        self.skip();
        Some(Ticket { index })
    }

    /// Issues the ticket of a partition that a tracker without partitions begins with.
    pub(crate) fn ticket_of(&self, index: u64) -> Option<Ticket> {
        (index < self.counts.partitions && !self.has(index)).then_some(Ticket { index })
    }

    /// Whether a ticket is left to issue.
    pub(crate) fn has_tickets(&self) -> bool {
        self.issued < self.counts.partitions
    }

    /// Issues no more tickets.
    pub(crate) fn close(&mut self) {
        self.issued = self.counts.partitions;
    }

    /// Issues tickets from the first missing partition again. Tickets issued before must not be used any more.
    pub(crate) fn reopen(&mut self) {
        self.issued = 0;
        self.skip();
    }

    /// The counts that the tracker began with.
    pub(crate) fn counts(&self) -> KindCounts {
        self.counts
    }

    /// The indexes of the missing partitions, in order.
    pub(crate) fn missing(&self) -> impl Iterator<Item = u64> {
        (0..self.counts.partitions).filter(|index| !self.has(*index))
    }

    /// Adds a partition with this number of findings.
    ///
    /// # Errors
    /// Out of memory to record it.
    pub(crate) fn take(&mut self, ticket: Ticket, findings: u64) -> Result<(), OutOfMemory> {
        *self.slot(ticket.index)? = true;
        self.received += 1;
        self.findings += findings;
        Ok(())
    }

    /// Makes room for the partitions up to this one: then it can take each of them.
    ///
    /// # Errors
    /// Out of memory.
    pub(crate) fn reserve(&mut self, index: u64) -> Result<(), OutOfMemory> {
        self.slot(index).map(drop)
    }

    /// Whether every partition has been received.
    pub(crate) fn is_whole(&self) -> bool {
        self.received == self.counts.partitions
    }

    /// Whether every partition has been received, and none twice.
    pub(crate) fn has_each_once(&self) -> bool {
        self.is_whole() && self.missing().next().is_none()
    }

    /// Number of partitions received.
    pub(crate) fn partitions(&self) -> u64 {
        self.received
    }

    /// Number of findings received.
    pub(crate) fn findings(&self) -> u64 {
        self.findings
    }

    /// Compares the findings received with the total in the counts.
    ///
    /// # Errors
    ///
    /// They differ. Without a total in the counts, they never do.
    pub(crate) fn check(&self) -> Result<(), TotalMismatch> {
        let KindCounts { partitions, findings } = self.counts;
        match findings {
            Some(expected) if expected != self.findings => {
                Err(TotalMismatch { expected, received: self.findings, partitions })
            }
            _ => Ok(()),
        }
    }

    /// Whether a partition has been received.
    pub(crate) fn has(&self, index: u64) -> bool {
        let position = usize::try_from(index).ok();
        position.and_then(|position| self.partitions.get(position)).is_some_and(|is_received| *is_received)
    }

    fn skip(&mut self) {
        while self.has_tickets() && self.has(self.issued) {
            self.issued += 1;
        }
    }

    /// The place where a partition is noted. No memory has room for an index beyond `usize`.
    fn slot(&mut self, index: u64) -> Result<&mut bool, OutOfMemory> {
        let position = usize::try_from(index).map_err(|_| OutOfMemory)?;
        let length = self.partitions.len().max(position.saturating_add(1));
        resize(&mut self.partitions, length, false)?;
        Ok(self.partitions.get_mut(position).certain())
    }
}

impl Ticket {
    /// The index of the partition.
    pub fn index(&self) -> u64 {
        self.index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(partitions: u64, findings: Option<u64>) -> KindCounts {
        KindCounts { partitions, findings }
    }

    fn tickets(tracker: &mut PartitionTracker) -> Vec<Ticket> {
        std::iter::from_fn(|| tracker.next_ticket()).collect()
    }

    #[test]
    fn advises_to_call_again_only_if_another_call_may_help() {
        let message = |partitions| PartitionTracker::new(counts(partitions, Some(5))).check().unwrap_err().to_string();
        assert!(message(1).ends_with("call again"), "{}", message(1));
        assert!(message(0).contains("0 partitions") && !message(0).contains("call again"), "{}", message(0));
    }

    #[test]
    fn allocates_nothing_for_billions_of_announced_partitions() {
        let mut tracker = PartitionTracker::new(counts(4_000_000_000, None));
        let ticket = tracker.next_ticket().unwrap();
        assert_eq!(tracker.take(ticket, 1), Ok(()));
        assert_eq!(tracker.partitions.len(), 1);
    }

    #[test]
    fn notices_a_partition_that_stands_in_for_another_one() {
        let mut tracker = PartitionTracker::new(counts(2, None));
        let mut first = tickets(&mut tracker).remove(0);
        assert_eq!((tracker.take(first, 1), tracker.has_each_once()), (Ok(()), false));
        first = Ticket { index: 0 };
        assert_eq!((tracker.take(first, 1), tracker.is_whole(), tracker.has_each_once()), (Ok(()), true, false));
    }
}
