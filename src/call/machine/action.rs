//! What the calls of a client need of the border.

use super::event::{CallId, Op};
use crate::contract::KindCounts;
use crate::error::{CallEnd, Error};
use crate::progress::{PartitionChange, Progress};

/// What is to be done, in this order. What lies outside under the number of an attempt stays there until it is cancelled, handed over by
/// [`Action::ReadBytes`], or delivered.
#[cfg_attr(test, derive(Debug))]
#[expect(missing_docs, reason = "each says what its fields are")]
pub enum Action<V> {
    /// Ask the `headers` function of a call. Its result counts although the call may have ended.
    AskHeaders { call: CallId, op: Op, url: String, attempt: u32, status: Option<u16> },
    /// Send a request and read its response; without `headers`, with the fixed ones of the call.
    Send { call: CallId, op: Op, url: String, headers: Option<V>, sender: Sender },
    /// Forget all that is under way or kept outside; nothing if there is nothing.
    Cancel { op: Op },
    /// Hand over the first bytes of the body, at most this many, and forget it.
    ReadBytes { op: Op, most: u64 },
    /// Use a worker for a call.
    UseWorker { call: CallId },
    /// Let a worker decode a body of this length, and build its objects. `compares` if it has to be compared with the earlier table.
    Delegate { call: CallId, op: Op, index: u64, length: u64, compares: bool },
    /// Decode a body of this length in the page, and build its objects.
    Decode { call: CallId, op: Op, index: u64, length: u64, compares: bool },
    /// Call `readCounts`.
    MapCounts { call: CallId, op: Op, body: Vec<u8> },
    /// Show the progress in the live table of the call, if it has one, and call `onProgress` if it `is_report`.
    Progress { call: CallId, progress: Progress, is_report: bool },
    /// Call `onPartition`.
    Report { call: CallId, change: PartitionChange, error: Option<Box<Error<V>>> },
    /// Keep what a body has become with what the call has received, or give it to the reader of a stream.
    Deliver { call: CallId, op: Op, index: u64 },
    /// Add the partitions of the earlier table with an index below this one to what the call has received, where they are missing.
    KeepEarlier { call: CallId, below: u64 },
    /// Forget the partitions of the earlier table.
    DropEarlier { call: CallId },
    /// Keep the error of a partition that is missing, unless there is one already.
    Missing { call: CallId, index: u64, error: Box<Error<V>> },
    /// Settle the promise of a call. Nothing else comes for it.
    End { call: CallId, end: Result<Outcome, CallEnd<V>> },
    /// Forget a call that was aborted. Nothing else comes for it.
    Forget { call: CallId },
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

impl<V> Action<V> {
    /// The call that it vanishes with; `None` if it remains to be done after the call was aborted.
    pub(super) fn call(&self) -> Option<CallId> {
        match self {
            Action::Cancel { .. }
            | Action::ReadBytes { .. }
            | Action::Deliver { .. }
            | Action::KeepEarlier { .. }
            | Action::DropEarlier { .. }
            | Action::Forget { .. } => None,
            Action::AskHeaders { call, .. }
            | Action::Send { call, .. }
            | Action::UseWorker { call }
            | Action::Delegate { call, .. }
            | Action::Decode { call, .. }
            | Action::MapCounts { call, .. }
            | Action::Progress { call, .. }
            | Action::Report { call, .. }
            | Action::Missing { call, .. }
            | Action::End { call, .. } => Some(*call),
        }
    }

    /// The number of what it begins outside; `None` if it begins nothing.
    pub(super) fn op(&self) -> Option<Op> {
        match self {
            Action::AskHeaders { op, .. }
            | Action::Send { op, .. }
            | Action::ReadBytes { op, .. }
            | Action::Delegate { op, .. }
            | Action::Decode { op, .. }
            | Action::MapCounts { op, .. } => Some(*op),
            _ => None,
        }
    }
}
