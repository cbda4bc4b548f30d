//! A call in flight, as a value.

use super::event::{NewCall, Order, Task};
use super::host::Host;
use super::numbered::{CallId, Op};
use super::unread::Unread;
use crate::contract::{Kind, KindCounts};
use crate::progress::Progress;
use crate::settings::FailurePolicy;

/// The counts of a call for one partition.
pub(super) const SINGLE: KindCounts = KindCounts { partitions: 1, findings: None };

/// The minimum number of bytes that a body is expected to need before one has arrived. If the budget has no room for several bodies, a
/// stream begins with the partition that its reader waits for, and so stays within the budget from the start.
pub(crate) const LEAST_EXPECTED_BYTES: u64 = 8 * 1024 * 1024;

/// A call in flight.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Call<H: Host> {
    /// What it is to do, and how.
    pub(super) wanted: NewCall<H>,
    /// Its requests.
    pub(super) requests: Vec<Op>,
    /// The number of those whose bodies have not arrived.
    pub(super) requested: usize,
    /// When it exceeds its `totalTimeout`; infinity without one.
    pub(super) deadline: f64,
    pub(super) uses_worker: bool,
    pub(super) bytes: CallBytes,
    pub(super) progress: Progress,
    /// Whether partitions may be requested: the counts are known, and no failure ends the call.
    pub(super) is_fetching: bool,
    /// The partition to request next: the first that is missing and not requested.
    pub(super) next: Option<(Kind, u64)>,
    pub(super) refreshed: Refreshed<H::Value>,
    /// What the reader of a stream has not taken.
    pub(super) unread: Unread<H>,
    /// Whether it is among the touched ones.
    pub(super) is_touched: bool,
}

/// The headers that the `headers` function of a call has returned because the service refused earlier ones.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Refreshed<V> {
    /// The generation of the headers. Each refresh that succeeds begins the next one.
    pub(super) generation: u64,
    pub(super) headers: Option<V>,
    /// The refresh that requests wait for.
    pub(super) pending: Option<Op>,
}

/// The part of a call in the byte budget of its client. Counted in 64 bits: the bytes that bodies are expected to need can exceed the module's
/// address space.
#[derive(Debug)]
pub(super) struct CallBytes {
    pub(super) limit: u64,
    pub(super) held: u64,
    /// The bytes that the next body is expected to need.
    pub(super) expected: u64,
    has_arrived: bool,
}

impl<H: Host> Call<H> {
    /// A call that begins in a client with this byte budget, of which an equal share is for each of its requests in flight.
    pub(super) fn new(wanted: NewCall<H>, byte_limit: u64, equal_share: u64) -> Self {
        let settings = &wanted.settings;
        // So a call starts with its full concurrency, and leaves bytes for other calls.
        let limit = settings.max_buffered_bytes.min(byte_limit);
        let share = (limit / settings.concurrency.max(1) as u64).min(equal_share);
        let expected = if let Task::Stream(..) = wanted.task { share.max(LEAST_EXPECTED_BYTES) } else { share };
        Call {
            deadline: wanted.begun + settings.total_timeout,
            wanted,
            requests: Vec::new(),
            requested: 0,
            uses_worker: false,
            bytes: CallBytes { limit, held: 0, expected, has_arrived: false },
            progress: Progress::NONE,
            is_fetching: false,
            next: None,
            refreshed: Refreshed { generation: 0, headers: None, pending: None },
            unread: Unread::default(),
            is_touched: false,
        }
    }

    /// The kind of the findings; `None` for both.
    pub(super) fn kind(&self) -> Option<Kind> {
        self.wanted.task.kind()
    }

    /// What performs it.
    pub(super) fn host(&self) -> H::Call {
        self.wanted.call.clone()
    }

    /// Takes note that something changes for it.
    pub(super) fn touch(&mut self, id: CallId, touched: &mut Vec<CallId>) {
        if !std::mem::replace(&mut self.is_touched, true) {
            touched.push(id);
        }
    }

    /// The order of a stream.
    pub(super) fn order(&self) -> Option<Order> {
        match self.wanted.task {
            Task::Stream(_, order) => Some(order),
            _ => None,
        }
    }

    /// Whether it fetches the other partitions when one fails.
    pub(super) fn collects(&self) -> bool {
        matches!(self.wanted.task, Task::Findings(..)) && self.wanted.settings.failure_policy == FailurePolicy::Collect
    }

    /// Milliseconds until it exceeds its `totalTimeout`, if it has one.
    pub(super) fn time_left(&self, now: f64) -> Option<f64> {
        self.deadline.is_finite().then_some(self.deadline - now)
    }

    /// The number of partitions that may be requested or unread in addition to those that a stream's reader has not taken.
    pub(super) fn room(&self) -> usize {
        self.wanted.settings.concurrency.saturating_sub(self.unread.len())
    }
}

impl<V: Clone> Refreshed<V> {
    /// Ends the refresh that is pending, with its headers or without them: then the next refusal begins another one.
    pub(super) fn settle(&mut self, refresh: Op, headers: Option<&V>) {
        if self.pending != Some(refresh) {
            return;
        }
        self.pending = None;
        if let Some(headers) = headers {
            self.headers = Some(headers.clone());
            self.generation += 1;
        }
    }
}

impl CallBytes {
    /// Expects the next bodies, or their findings, to need at least as many bytes.
    pub(super) fn arrived(&mut self, bytes: u64) {
        self.expected = if self.has_arrived { self.expected.max(bytes) } else { bytes };
        self.has_arrived = true;
    }
}

/// The minimum number of findings for which `"auto"` uses a worker. In Chromium, starting a worker costs as much main-thread time as it
/// saves for a table of 1 500 findings or for 3 000 objects. Decoding fewer than 5 000 findings takes the main thread about a frame.
const LEAST_FINDINGS: u64 = 5_000;

/// The minimum number of partitions for which `"auto"` uses a worker, if the service reports no total.
const LEAST_PARTITIONS: u64 = 4;

/// Whether this many partitions and findings are worth a worker.
pub(super) fn is_worth_a_worker(KindCounts { partitions, findings }: KindCounts) -> bool {
    findings.map_or(partitions >= LEAST_PARTITIONS, |findings| findings >= LEAST_FINDINGS)
}
