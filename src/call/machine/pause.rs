//! What the calls of a client have learned from responses: the pause after a `Retry-After`, and whether workers get responses.

use crate::way::Way;

/// How long the page sends all requests after a worker's first requests got no response, in milliseconds. What broke once, such as a
/// connection, is not what a policy refuses, so a worker then sends one request, and the next time is twice as long.
const REST: f64 = 60_000.0;

/// The pause after a `Retry-After`, in milliseconds on the clock of the events.
#[derive(Debug)]
pub(super) struct Pause {
    since: f64,
    end: f64,
}

/// Whether workers get responses for a client, as far as is known: a policy may refuse them what the page may do.
#[derive(Debug, Default)]
pub(super) enum WorkerAccess {
    /// None has got a response.
    #[default]
    Unknown,
    /// One has got a response.
    Allowed,
    /// One has got no response where the page then got one: the page sends all requests for this long from this moment on.
    Refused { since: f64, rest: f64 },
}

impl Default for Pause {
    fn default() -> Self {
        Pause { since: f64::INFINITY, end: f64::NEG_INFINITY }
    }
}

impl Pause {
    /// Pauses all attempts for some milliseconds. Never shortens a pause.
    pub(super) fn extend(&mut self, now: f64, milliseconds: f64) {
        *self = Pause { since: now, end: now + self.left(now).max(milliseconds) };
    }

    /// Milliseconds until the pause ends; zero or less without a pause.
    pub(super) fn left(&self, now: f64) -> f64 {
        // Fake timers set the clock back. Then the end of the pause means nothing.
        if now < self.since { 0.0 } else { self.end - now }
    }
}

impl WorkerAccess {
    /// Whether a worker may send a request at this time. After each rest it may send one.
    pub(super) fn may_send(&mut self, now: f64) -> bool {
        match *self {
            WorkerAccess::Unknown | WorkerAccess::Allowed => true,
            WorkerAccess::Refused { since, rest } if now - since < rest => false,
            WorkerAccess::Refused { rest, .. } => {
                *self = WorkerAccess::Refused { since: now, rest: rest * 2.0 };
                true
            }
        }
    }

    /// Notes who has got a response to a request that went this way.
    pub(super) fn note_response(&mut self, now: f64, by_worker: bool, way: Way) {
        match (by_worker, way, &self) {
            (true, ..) => *self = WorkerAccess::Allowed,
            (false, Way::PageSends, WorkerAccess::Unknown) => *self = WorkerAccess::Refused { since: now, rest: REST },
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_longer_pause_and_forgets_it_when_the_clock_is_set_back() {
        let mut pause = Pause::default();
        assert_eq!(pause.left(5_000.0), 0.0);
        pause.extend(5_000.0, 300.0);
        pause.extend(5_100.0, 50.0);
        assert_eq!(pause.left(5_100.0), 200.0);
        assert_eq!(pause.left(5_400.0), -100.0);
        assert_eq!(pause.left(0.0), 0.0);
        pause.extend(0.0, 10.0);
        assert_eq!(pause.left(4.0), 6.0);
    }

    #[test]
    fn lets_a_worker_send_one_request_after_each_rest_and_each_rest_is_twice_as_long() {
        let mut access = WorkerAccess::default();
        assert!(access.may_send(0.0));
        access.note_response(0.0, false, Way::Any);
        assert!(access.may_send(0.0), "the page has got a response, but no worker was refused one");
        access.note_response(0.0, false, Way::PageSends);
        let sent: Vec<_> =
            [1.0, 59_999.0, 60_000.0, 60_001.0, 179_999.0, 180_000.0].map(|now| access.may_send(now)).into();
        assert_eq!(sent, [false, false, true, false, false, true]);
        access.note_response(180_001.0, true, Way::Any);
        access.note_response(180_002.0, false, Way::PageSends);
        assert!(access.may_send(180_003.0), "a worker has got a response, so no policy refuses it");
    }
}
