//! A request as a value: from its place in the queue to the findings in its body.

use chunk::invariant::Certain;

use super::head::Head;
use super::host::Host;
use super::numbered::{CallId, Op};
use crate::contract::Operation;
use crate::error::Error;
use crate::progress::PartitionState;
use crate::way::Way;

/// A request with its attempts.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Request<H: Host> {
    pub(super) call: CallId,
    pub(super) operation: Operation,
    /// Attempts made, including the current one.
    pub(super) attempts: u32,
    /// Where it is: changed only by [`Calls::change`](super::Calls::change) and what renews it, so that lists and counts follow.
    pub(super) state: State<H>,
    /// What performs the attempt.
    pub(super) attempt: Option<H::Attempt>,
    pub(super) has_permit: bool,
    /// The bytes that its body is expected to need.
    pub(super) expected: u64,
    /// The bytes that it holds of the budget.
    pub(super) held: u64,
    /// When the attempt exceeds its `timeout`.
    pub(super) alarm: f64,
    /// Whether its credentials were refreshed.
    pub(super) is_refreshed: bool,
    pub(super) credentials: Credentials,
    /// The generation of the headers that it was sent with.
    pub(super) generation: u64,
    /// The state to report before the next attempt.
    pub(super) unreported: Option<PartitionState>,
    /// Who sends and decodes.
    pub(super) way: Way,
    pub(super) stated: Stated,
    /// The length of its body.
    pub(super) length: u64,
    /// The headers of the last response.
    pub(super) response: Option<H::Value>,
    /// The headers of all attempts so far, if a function has returned them.
    pub(super) headers: Vec<H::Value>,
}

/// Where a request is.
#[cfg_attr(test, derive(Debug))]
pub(super) enum State<H: Host> {
    /// In the queue for a permit.
    Queued,
    /// Between two attempts, or until the client is no longer paused.
    Waiting { until: f64, ends_online: bool },
    /// The `headers` function has been asked, for this request or for this refresh.
    Asking(Option<Op>),
    /// Sent.
    Sent,
    /// A body arrives, of which this many bytes have arrived.
    Reading(Head, u64),
    /// The body of a response that refuses the request arrives, of which this many bytes have arrived.
    Refused(Head, u64),
    /// The beginning of the body of a response that refuses the request was asked for.
    Quoting(Head),
    /// The body of the counts was asked for.
    Counting,
    /// `readCounts` has been called.
    Mapping,
    /// The body of the partition of this index has arrived. It is decoded once the next requests have left.
    Arrived { index: u64 },
    /// It is being decoded, by a worker or not.
    Decoding { index: u64, by_worker: bool },
    /// Its body is lost. It is requested again when there is room.
    Lost(Box<Error<H::Value>>),
}

/// What the headers of a response say about its body.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stated {
    /// Whether they say that it is HTML.
    pub(super) is_html: bool,
    /// Whether they state the length that it has. A browser notices itself if such a body is cut off.
    pub(super) is_whole: bool,
}

/// The source of an attempt's headers.
#[derive(Clone, Copy, Debug)]
pub(super) enum Credentials {
    /// The `headers` option, called with the status of the attempt before.
    Current(Option<u16>),
    /// A refresh, because the service refused headers of this generation.
    InsteadOf(u64),
}

impl<H: Host> Request<H> {
    /// A request that waits for a permit.
    pub(super) fn new(call: CallId, operation: Operation, expected: u64) -> Self {
        Request {
            call,
            operation,
            attempts: 1,
            state: State::Queued,
            attempt: None,
            has_permit: false,
            expected,
            held: 0,
            alarm: f64::INFINITY,
            is_refreshed: false,
            credentials: Credentials::Current(None),
            generation: 0,
            unreported: Some(PartitionState::Requested),
            way: Way::Any,
            stated: Stated::default(),
            length: 0,
            response: None,
            headers: Vec::new(),
        }
    }

    /// When time has to do something for it.
    pub(super) fn wake(&self) -> f64 {
        match self.state {
            State::Waiting { until, .. } => until,
            State::Asking(_) | State::Sent | State::Reading(..) | State::Refused(..) => self.alarm,
            _ => f64::INFINITY,
        }
    }

    /// Whether it waits for this refresh of headers.
    pub(super) fn waits_for(&self, refresh: Op) -> bool {
        matches!(self.state, State::Asking(Some(other)) if other == refresh)
    }

    /// Whether it goes on once the host is online.
    pub(super) fn waits_for_host(&self) -> bool {
        matches!(self.state, State::Waiting { ends_online: true, .. })
    }

    /// What performs an attempt whose response has begun.
    pub(super) fn performed(&self) -> H::Attempt {
        self.attempt.clone().certain()
    }

    /// The index of its partition; `None` for the counts.
    pub(super) fn index(&self) -> Option<u64> {
        match self.operation {
            Operation::Counts => None,
            Operation::Partition { index, .. } => Some(index),
        }
    }

    /// Whether it counts against the `concurrency` of its call.
    pub(super) fn is_requested(&self) -> bool {
        !matches!(self.state, State::Arrived { .. } | State::Decoding { .. } | State::Lost(_))
    }
}
