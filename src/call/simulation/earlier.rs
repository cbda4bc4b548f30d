//! The earlier table of a call.

use super::inspection::{Finding, Partition, draw_counts};
use super::rng::Rng;
use crate::contract::KindCounts;
use crate::machine::Earlier;

/// An earlier table of the inspection of a call.
#[derive(Clone, Debug)]
pub(super) struct EarlierTable {
    /// The counts when it was loaded.
    pub(super) counts: KindCounts,
    /// The partitions that it has.
    pub(super) partitions: Vec<u64>,
    /// The findings of each partition of the inspection when it was loaded.
    pub(super) contents: Vec<Vec<Finding>>,
}

impl EarlierTable {
    /// Draws an earlier table of an inspection, which may have changed since.
    pub(super) fn draw(rng: &Rng, counts: KindCounts, now: &[Partition]) -> Self {
        let mut contents: Vec<_> = now.iter().map(|partition| partition.findings.clone()).collect();
        let counts = match rng.below(8) {
            0 | 1 => draw_counts(rng, counts),
            2 | 3 if !contents.is_empty() => {
                contents.truncate(rng.below(contents.len() as u64) as usize);
                let findings = contents.iter().map(|findings| findings.len() as u64).sum();
                KindCounts { partitions: contents.len() as u64, findings: counts.findings.map(|_| findings) }
            }
            _ => counts,
        };
        let lacking = rng.one_of(&[0, 0, 30, 70, 100]);
        let partitions = (0..counts.partitions).filter(|_| rng.below(100) >= lacking).collect();
        EarlierTable { counts, partitions, contents }
    }

    /// The table as the calls know it.
    pub(super) fn told(&self) -> Earlier {
        let told = |index: &u64| (*index, self.contents[*index as usize].len() as u64);
        Earlier { counts: self.counts, partitions: self.partitions.iter().map(told).collect() }
    }

    /// Whether it has every partition, and another number of findings than its counts say.
    pub(super) fn contradicts_itself(&self) -> bool {
        let rows: usize = self.partitions.iter().map(|index| self.contents[*index as usize].len()).sum();
        let is_whole = self.partitions.len() as u64 == self.counts.partitions;
        is_whole && self.counts.findings.is_some_and(|total| total != rows as u64)
    }
}
