//! The state that the calls of one client share: permits, byte budget, retry budget, and the pause after a `Retry-After`.

use std::cell::Cell;

use crate::scheduling::byte_budget::ByteBudget;
use crate::scheduling::permits::Permits;
use crate::scheduling::retry::RetryBudget;

/// The limits on the requests of one client's calls.
#[derive(Debug)]
pub struct Scheduler {
    /// The permits for requests in flight.
    pub(crate) permits: Permits,
    /// The budget for bytes that are unread.
    pub(crate) byte_budget: ByteBudget,
    /// An equal share of that budget for each of the requests in flight, in bytes.
    pub(crate) equal_share: u64,
    /// The budget for retries.
    pub retries: RetryBudget,
    pause: Cell<Pause>,
}

/// The pause after a `Retry-After`, in milliseconds on the host's clock.
#[derive(Clone, Copy, Debug)]
struct Pause {
    begin: f64,
    end: f64,
}

impl Scheduler {
    /// A scheduler for at most `concurrency` requests in flight and `max_buffered_bytes` unread, over all calls.
    pub fn new(concurrency: usize, max_buffered_bytes: u64) -> Self {
        Scheduler {
            permits: Permits::new(concurrency),
            byte_budget: ByteBudget::new(max_buffered_bytes),
            equal_share: max_buffered_bytes / concurrency.max(1) as u64,
            retries: RetryBudget::default(),
            pause: Cell::new(Pause { begin: f64::INFINITY, end: f64::NEG_INFINITY }),
        }
    }

    /// Pauses all attempts from `now` for some milliseconds. Never shortens a pause.
    pub(crate) fn pause(&self, now: f64, milliseconds: f64) {
        let left = self.pause_left(now).max(milliseconds);
        self.pause.set(Pause { begin: now, end: now + left });
    }

    /// Milliseconds until the pause ends; zero or less without a pause.
    pub(crate) fn pause_left(&self, now: f64) -> f64 {
        let Pause { begin, end } = self.pause.get();
        // Fake timers set the clock back. Then the end of the pause means nothing.
        if now < begin { 0.0 } else { end - now }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_longer_pause_and_forgets_it_when_the_clock_is_set_back() {
        let scheduler = Scheduler::new(1, 1);
        assert_eq!(scheduler.pause_left(5_000.0), 0.0);
        scheduler.pause(5_000.0, 300.0);
        scheduler.pause(5_100.0, 50.0);
        assert_eq!(scheduler.pause_left(5_100.0), 200.0);
        assert_eq!(scheduler.pause_left(5_400.0), -100.0);
        assert_eq!(scheduler.pause_left(0.0), 0.0);
        scheduler.pause(0.0, 10.0);
        assert_eq!(scheduler.pause_left(4.0), 6.0);
    }
}
