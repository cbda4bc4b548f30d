//! What the calls of one client call_budget: window, reservation for bytes, retries, and the pause that the service asked for.

use std::cell::Cell;

use crate::scheduling::byte_budget::ByteBudget;
use crate::scheduling::retry::RetryBudget;
use crate::scheduling::semaphore::Semaphore;

/// Decides for all calls of one client when their requests may start.
#[derive(Debug)]
pub(crate) struct Scheduler {
    /// The slots for requests in flight.
    pub(crate) semaphore: Semaphore,
    /// The reservation for what nobody has read yet.
    pub(crate) byte_budget: ByteBudget,
    /// What is left for retries.
    pub(crate) retries: RetryBudget,
    paused_until: Cell<f64>,
}

impl Scheduler {
    /// A scheduler that lets that many requests be in flight, and that many bytes be unread, over all calls.
    pub(crate) fn new(concurrency: usize, max_buffered_bytes: u64) -> Self {
        Scheduler {
            semaphore: Semaphore::new(concurrency),
            byte_budget: ByteBudget::new(max_buffered_bytes),
            retries: RetryBudget::default(),
            paused_until: Cell::new(f64::NEG_INFINITY),
        }
    }

    /// Lets nothing start before that time, in milliseconds of the host's clock.
    pub(crate) fn pause_until(&self, time: f64) {
        self.paused_until.update(|until| until.max(time));
    }

    /// For how many milliseconds nothing may start; none where it is not above zero. It may be prolonged meanwhile.
    pub(crate) fn pause_left(&self, now: f64) -> f64 {
        self.paused_until.get() - now
    }
}
