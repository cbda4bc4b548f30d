//! The partitions of an inspection that have been received, each exactly once, and the number of their findings.

use std::mem;

use chunk::invariant::Certain;
use chunk::memory::{OutOfMemory, resize};

use crate::contract::KindCounts;
use crate::progress::Progress;

/// The received partitions.
#[derive(Debug)]
pub(crate) struct PartitionTracker {
    counts: KindCounts,
    /// Whether each partition was received, up to the last that was.
    partitions: Vec<bool>,
    received: u64,
    findings: u64,
    /// The bytes of their bodies.
    bytes: u64,
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
        PartitionTracker { counts, partitions: Vec::new(), received: 0, findings: 0, bytes: 0 }
    }

    /// The counts that the tracker began with.
    pub(crate) fn counts(&self) -> KindCounts {
        self.counts
    }

    /// The indexes of the missing partitions from one on, in order.
    pub(crate) fn missing_from(&self, first: u64) -> impl Iterator<Item = u64> {
        (first..self.counts.partitions).filter(|index| !self.has(*index))
    }

    /// The counts of the partitions that are missing, and of their findings, about.
    pub(crate) fn missing(&self) -> KindCounts {
        let KindCounts { partitions, findings } = self.counts;
        let findings = findings.map(|findings| findings.saturating_sub(self.findings));
        KindCounts { partitions: partitions - self.received, findings }
    }

    /// Adds a partition with this number of findings, of a body of these bytes, unless it is there.
    ///
    /// # Errors
    /// Out of memory to record it.
    pub(crate) fn take(&mut self, index: u64, findings: u64, bytes: u64) -> Result<(), OutOfMemory> {
        // No memory has room for an index beyond `usize`.
        let position = usize::try_from(index).map_err(|_| OutOfMemory)?;
        let length = self.partitions.len().max(position.saturating_add(1));
        resize(&mut self.partitions, length, false)?;
        if !mem::replace(self.partitions.get_mut(position).certain(), true) {
            self.received += 1;
            self.findings += findings;
            self.bytes += bytes;
        }
        Ok(())
    }

    /// Whether every partition has been received.
    pub(crate) fn is_whole(&self) -> bool {
        self.received == self.counts.partitions
    }

    /// Number of findings received.
    pub(crate) fn findings(&self) -> u64 {
        self.findings
    }

    /// The progress of a call that has received them.
    pub(crate) fn progress(&self) -> Progress {
        let (partitions_done, findings_done) = (self.received, self.findings);
        Progress { partitions_done, findings_done, bytes: self.bytes, ..Progress::of(self.counts) }
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

    fn has(&self, index: u64) -> bool {
        let position = usize::try_from(index).ok();
        position.and_then(|position| self.partitions.get(position)).is_some_and(|is_received| *is_received)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(partitions: u64, findings: Option<u64>) -> KindCounts {
        KindCounts { partitions, findings }
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
        let first = tracker.missing_from(0).next().unwrap();
        assert_eq!(tracker.take(first, 1, 1), Ok(()));
        assert_eq!((tracker.partitions.len(), tracker.missing_from(0).next()), (1, Some(1)));
    }

    #[test]
    fn counts_a_partition_once_so_that_none_stands_in_for_another_one() {
        let mut tracker = PartitionTracker::new(counts(2, None));
        assert_eq!([tracker.take(0, 1, 1), tracker.take(0, 1, 1)], [Ok(()); 2]);
        assert_eq!((tracker.is_whole(), tracker.findings(), tracker.missing_from(0).collect()), (false, 1, vec![1]));
    }
}
