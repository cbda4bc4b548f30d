//! What the calls of a client need of the border.

use super::host::Host;
use super::numbered::Op;
use crate::contract::KindCounts;
use crate::error::{CallEnd, Error};
use crate::progress::{PartitionChange, Progress};

/// What is to be done, in this order. What performs an attempt lasts until it is cancelled, hands its bytes over by [`Action::ReadBytes`], or is
/// delivered. The machine knows it by its number, `op`, once [`Calls::keep`](super::Calls::keep) has taken it.
#[cfg_attr(test, derive(Debug))]
#[expect(missing_docs, reason = "each says what its fields are")]
pub enum Action<H: Host> {
    /// Ask the `headers` function of a call. Its result counts although the call may have ended.
    AskHeaders { call: H::Call, op: Op, url: String, attempt: u32, status: Option<u16> },
    /// Send a request and read its response; without `headers`, with the fixed ones of the call.
    Send { call: H::Call, op: Op, url: String, headers: Option<H::Value>, sender: Sender },
    /// End what is under way, and forget what is kept.
    Cancel { attempt: H::Attempt },
    /// Hand over the first bytes of the body, this many, and forget it.
    ReadBytes { op: Op, attempt: H::Attempt, length: u64 },
    /// Use a worker for a call.
    UseWorker { call: H::Call },
    /// Decode a body of this length, in a worker or in the page, and build its objects.
    Decode { attempt: H::Attempt, length: u64, by_worker: bool },
    /// Call `readCounts`.
    MapCounts { call: H::Call, op: Op, body: Vec<u8> },
    /// Show the progress in the live table of the call, if it has one, and call `onProgress` if it `is_report`.
    Progress { call: H::Call, progress: Progress, is_report: bool },
    /// Call `onPartition`.
    Report { call: H::Call, change: PartitionChange, error: Option<Box<Error<H::Value>>> },
    /// Keep what a body has become with what the call has received, or give it to the reader of a stream.
    Deliver { call: H::Call, attempt: H::Attempt, index: u64 },
    /// Keep the error of a partition that is missing, unless there is one already.
    Missing { call: H::Call, index: u64, error: Box<Error<H::Value>> },
    /// Settle the promise of a call. Nothing else comes for it.
    End { call: H::Call, end: Result<Outcome, CallEnd<H::Value>> },
}

/// The result of a call.
#[derive(Debug)]
pub enum Outcome {
    /// The counts of both kinds: sentiment, then topics.
    Counts(KindCounts, KindCounts),
    /// What was delivered.
    Delivered,
}

/// Who sends a request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sender {
    /// The page, or a worker, which keeps the body.
    Any,
    /// The page.
    Page,
}

impl<H: Host> Action<H> {
    /// Whether it remains to be done after its call was aborted.
    pub(super) fn remains(&self) -> bool {
        matches!(self, Action::Cancel { .. } | Action::ReadBytes { .. } | Action::Deliver { .. })
    }
}
