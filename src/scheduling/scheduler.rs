//! The state that the calls of one client share: permits, byte budget, retry budget, and the pause after a `Retry-After`.

use std::cell::Cell;

use crate::scheduling::byte_budget::ByteBudget;
use crate::scheduling::retry::RetryBudget;

/// The limits on the requests of one client's calls.
#[derive(Debug)]
pub(crate) struct Scheduler {
    /// The permits for requests in flight: each request reserves one byte.
    pub(crate) permits: ByteBudget,
    /// The budget for bytes that are unread.
    pub(crate) byte_budget: ByteBudget,
    /// An equal share of that budget for each of the requests in flight, in bytes.
    pub(crate) equal_share: u64,
    /// The budget for retries.
    pub(crate) retries: RetryBudget,
    paused_until: Cell<f64>,
}

impl Scheduler {
    /// A scheduler for at most `concurrency` requests in flight and `max_buffered_bytes` unread, over all calls.
    pub(crate) fn new(concurrency: usize, max_buffered_bytes: u64) -> Self {
        Scheduler {
            permits: ByteBudget::new(concurrency as u64),
            byte_budget: ByteBudget::new(max_buffered_bytes),
            equal_share: max_buffered_bytes / concurrency.max(1) as u64,
            retries: RetryBudget::default(),
            paused_until: Cell::new(f64::NEG_INFINITY),
        }
    }

    /// Pauses all attempts until a time, in milliseconds on the host's clock. Never shortens a pause.
    pub(crate) fn pause_until(&self, time: f64) {
        self.paused_until.update(|until| until.max(time));
    }

    /// Milliseconds until the pause ends; zero or less without a pause.
    pub(crate) fn pause_left(&self, now: f64) -> f64 {
        self.paused_until.get() - now
    }
}
