//! An inspection: its partitions with their findings, and its counts.

use super::rng::Rng;
use super::service::ServiceScript;
use crate::contract::KindCounts;

/// The maximum number of findings of a partition.
pub(super) const MAX_ROWS: u64 = 5;

/// A finding.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Finding {
    /// Its id, without the number of the call.
    pub(super) id: String,
    /// The length of its text.
    pub(super) length: usize,
}

/// A partition of an inspection.
#[derive(Clone, Debug)]
pub(super) struct Partition {
    /// Its findings.
    pub(super) findings: Vec<Finding>,
    /// The script for the requests for the partition.
    pub(super) script: ServiceScript,
}

/// Draws the counts that the service sends, which are rarely wrong.
pub(super) fn draw_counts(rng: &Rng, right: KindCounts) -> KindCounts {
    match rng.below(40) {
        0 => KindCounts { findings: Some(rng.below(100)), ..right },
        1 => KindCounts { findings: None, ..right },
        2 if right.partitions > 0 => KindCounts { partitions: rng.below(right.partitions), ..right },
        _ => right,
    }
}
