//! The progress that a call reports.

use serde::Serialize;

use crate::contract::KindCounts;

/// The progress of a call.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// Partitions received.
    pub(crate) partitions_done: u64,
    /// Partitions of the inspection; `None` until the counts are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partitions: Option<u64>,
    /// Findings received.
    pub(crate) findings_done: u64,
    /// Findings of the inspection, if the service reports them; `None` until the counts are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<Option<u64>>,
    /// Bytes of the bodies of the partitions received.
    pub bytes: u64,
    /// Retries in this run of the call, including retries of the counts request.
    pub retries: u64,
}

/// A change of the state of a partition, or of the counts request.
#[derive(Clone, Copy, Debug, Serialize, PartialEq)]
pub struct PartitionChange {
    /// The index of the partition; `None` for the counts.
    pub index: Option<u64>,
    /// The new state.
    pub state: PartitionState,
    /// The attempt that ended in this state, or that begins with it; from 1.
    pub attempt: u32,
    /// The number of findings; 0 unless received.
    pub findings: u64,
    /// The bytes of the body; 0 unless received.
    pub bytes: u64,
    /// Milliseconds until the next attempt, if one follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) delay: Option<f64>,
}

/// The state of a partition, or of the counts request.
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum PartitionState {
    /// The first attempt begins.
    Requested,
    /// An attempt failed; another one follows.
    Retrying,
    /// The findings, or the counts, are decoded.
    Received,
    /// The last attempt failed.
    Failed,
}

impl PartitionChange {
    /// A change without findings, bytes and delay.
    pub(crate) fn to(state: PartitionState, index: Option<u64>, attempt: u32) -> Self {
        PartitionChange { index, state, attempt, findings: 0, bytes: 0, delay: None }
    }
}

impl Progress {
    /// The progress of a call that has not read the counts yet.
    pub const NONE: Self =
        Progress { partitions_done: 0, partitions: None, findings_done: 0, findings: None, bytes: 0, retries: 0 };

    /// The progress of a call that has received nothing.
    pub(crate) fn of(counts: KindCounts) -> Self {
        let KindCounts { partitions, findings } = counts;
        Progress { partitions: Some(partitions), findings: Some(findings), ..Progress::NONE }
    }
}
