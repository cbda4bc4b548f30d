//! The simulated service: scripts of its behaviour, and what each behaviour means for an attempt.

use super::rng::Rng;
use crate::error::ErrorKind;
use crate::settings::Settings;

/// What the service does at each request for the counts or a partition; the last step repeats.
#[derive(Clone, Debug)]
pub(super) struct ServiceScript {
    steps: Vec<Step>,
}

/// What the service does at one request. Times are in milliseconds.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// The time before it does anything.
    pub(super) after: f64,
    /// What it does.
    pub(super) behaviour: Behaviour,
    /// The number of pieces of a body.
    pub(super) pieces: usize,
    /// The time before each piece.
    pub(super) wait: f64,
}

/// A behaviour of the service.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Behaviour {
    /// Sends what was requested.
    Gives,
    /// Refuses the connection.
    Refuses,
    /// Makes `fetch` resolve with something other than a response.
    NoResponse,
    /// Breaks the connection in the middle of the body.
    Cuts,
    /// Ends the body in the middle of its JSON, and does not say how long it is.
    CutsOff,
    /// Sends an empty body.
    Empty,
    /// Sends an error status.
    Status(u16, RetryAfter),
    /// Sends an error status with a body that never ends.
    StalledStatus(u16, RetryAfter),
    /// Redirects.
    Redirects,
    /// Sends nothing.
    Silent,
    /// Stops in the middle of the body.
    Stalls,
    /// Sends malformed JSON.
    Wrong,
    /// Reports errors in the body, with findings if `true`.
    Errors(bool),
    /// Sends more than `maxPartitionBytes`.
    TooLarge,
}

/// The `Retry-After` of a response.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RetryAfter {
    None,
    Seconds(u64),
    /// A date, in seconds from now.
    Date(u64),
}

/// What a behaviour means for an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Success,
    /// May be retried, unless `Retry-After` is too long.
    Transient(RetryAfter),
    /// May be retried after this many seconds, if the page can see the `Retry-After`.
    Limited(u64),
    /// Is repeated once with refreshed credentials, if the client can refresh them.
    Expired,
    Final,
}

/// The statuses after which a request may be retried.
pub(super) const TRANSIENT: [u16; 8] = [408, 429, 500, 502, 503, 504, 520, 524];

/// A `Retry-After` within every limit, in seconds.
pub(super) const SHORT: u64 = 8;

/// A `Retry-After` beyond every limit, in seconds.
pub(super) const LONG: u64 = 1_000;

impl ServiceScript {
    /// A script without errors.
    pub(super) fn flawless(rng: &Rng, pace: u64) -> Self {
        ServiceScript { steps: vec![Step::draw(rng, pace, Behaviour::Gives)] }
    }

    /// Draws a script in which `trouble` percent of the requests fail, and `lasting` percent of the errors are final.
    pub(super) fn draw(rng: &Rng, pace: u64, trouble: u64, lasting: u64) -> Self {
        let mut steps = Vec::new();
        while rng.below(100) < trouble && steps.len() < 7 {
            let behaviour = if rng.below(100) < lasting { Behaviour::lasting(rng) } else { Behaviour::passing(rng) };
            steps.push(Step::draw(rng, pace, behaviour));
        }
        // Rarely, the errors never end.
        let ends_well = steps.is_empty() || !rng.once_in(10);
        if ends_well {
            steps.push(Step::draw(rng, pace, Behaviour::Gives));
        }
        ServiceScript { steps }
    }

    /// The step of a request, counted from 0.
    pub(super) fn step(&self, time: usize) -> &Step {
        &self.steps[time.min(self.steps.len() - 1)]
    }
}

impl Step {
    fn draw(rng: &Rng, pace: u64, behaviour: Behaviour) -> Self {
        let pieces = if rng.once_in(3) { rng.between(2, 4) as usize } else { 1 };
        let wait = if rng.once_in(2) { rng.milliseconds(pace / 2) } else { 0.0 };
        let after = if rng.once_in(8) { rng.milliseconds(10 * pace) } else { rng.milliseconds(pace) };
        Step { after, behaviour, pieces, wait }
    }
}

impl Behaviour {
    fn passing(rng: &Rng) -> Self {
        let retry_after = || match rng.below(8) {
            0 => RetryAfter::Seconds(rng.between(0, SHORT)),
            1 => RetryAfter::Date(rng.between(0, SHORT)),
            _ => RetryAfter::None,
        };
        match rng.below(15) {
            0 | 1 => Behaviour::Refuses,
            2 | 3 => Behaviour::Cuts,
            12 => Behaviour::CutsOff,
            13 => Behaviour::Empty,
            14 => Behaviour::Status(403, RetryAfter::Seconds(rng.between(0, SHORT))),
            4 => Behaviour::Silent,
            5 => Behaviour::Stalls,
            6 => Behaviour::StalledStatus(rng.one_of(&[500, 503]), retry_after()),
            7 => Behaviour::Status(401, RetryAfter::None),
            8 => Behaviour::Status(429, retry_after()),
            9 => Behaviour::Status(503, retry_after()),
            _ => Behaviour::Status(rng.one_of(&[408, 500, 502, 504, 520, 524]), retry_after()),
        }
    }

    fn lasting(rng: &Rng) -> Self {
        match rng.below(12) {
            0 => Behaviour::NoResponse,
            1 => Behaviour::Redirects,
            2 => Behaviour::Wrong,
            3 => Behaviour::Errors(true),
            4 => Behaviour::Errors(false),
            5 => Behaviour::TooLarge,
            6 => Behaviour::Status(rng.one_of(&[429, 503]), RetryAfter::Seconds(LONG)),
            7 => Behaviour::Status(503, RetryAfter::Date(LONG)),
            8 => Behaviour::StalledStatus(404, RetryAfter::Seconds(1)),
            9 => Behaviour::Status(403, RetryAfter::None),
            10 => Behaviour::Status(rng.one_of(&[204, 206]), RetryAfter::None),
            _ => Behaviour::Status(rng.one_of(&[400, 404, 410, 501]), RetryAfter::Seconds(1)),
        }
    }

    /// The meaning of the behaviour for an attempt.
    pub(super) fn meaning(self) -> Meaning {
        match self {
            Behaviour::Gives => Meaning::Success,
            Behaviour::Refuses
            | Behaviour::Cuts
            | Behaviour::CutsOff
            | Behaviour::Empty
            | Behaviour::Silent
            | Behaviour::Stalls => Meaning::Transient(RetryAfter::None),
            Behaviour::Status(401, _) => Meaning::Expired,
            Behaviour::Status(403, RetryAfter::Seconds(seconds)) => Meaning::Limited(seconds),
            Behaviour::Status(status, retry_after) | Behaviour::StalledStatus(status, retry_after)
                if TRANSIENT.contains(&status) =>
            {
                Meaning::Transient(retry_after)
            }
            _ => Meaning::Final,
        }
    }

    /// Whether the behaviour causes an error of this kind.
    pub(super) fn causes(self, kind: &ErrorKind, settings: &Settings, hides_headers: bool) -> bool {
        match self {
            Behaviour::Gives => false,
            Behaviour::Refuses => *kind == ErrorKind::Unreachable,
            Behaviour::NoResponse => *kind == ErrorKind::NoResponse,
            Behaviour::Cuts => *kind == ErrorKind::Broken,
            Behaviour::CutsOff | Behaviour::Empty => matches!(kind, ErrorKind::CutOff(_)),
            Behaviour::Status(403, RetryAfter::Seconds(_)) if !hides_headers => *kind == ErrorKind::Http(403),
            Behaviour::Status(status @ (401 | 403), _) => *kind == ErrorKind::Unauthorized(status),
            Behaviour::Status(status, _) | Behaviour::StalledStatus(status, _) => *kind == ErrorKind::Http(status),
            Behaviour::Redirects => *kind == ErrorKind::Redirect(None),
            Behaviour::Silent | Behaviour::Stalls => *kind == ErrorKind::AttemptTimeout(settings.timeout as u64),
            Behaviour::Wrong => matches!(kind, ErrorKind::Decode(_)),
            Behaviour::Errors(_) => *kind == ErrorKind::Service,
            Behaviour::TooLarge => *kind == ErrorKind::TooLarge(settings.max_partition_bytes),
        }
    }

    /// The messages in the body of the response.
    pub(super) fn messages(self) -> &'static [&'static str] {
        match self {
            Behaviour::Status(..) => &["not now"],
            Behaviour::Errors(_) => &["not ready", "ask again"],
            _ => &[],
        }
    }
}

impl Meaning {
    /// Whether another attempt may follow, as far as the service decides it.
    pub(super) fn may_be_retried(self, hides_headers: bool) -> bool {
        match self {
            Meaning::Transient(RetryAfter::Seconds(seconds) | RetryAfter::Date(seconds)) => {
                hides_headers || seconds <= SHORT
            }
            Meaning::Transient(_) => true,
            Meaning::Limited(seconds) => !hides_headers && seconds <= SHORT,
            _ => false,
        }
    }

    /// Whether the response has a valid `Retry-After`.
    pub(super) fn names_a_time(self) -> bool {
        matches!(self, Meaning::Limited(_) | Meaning::Transient(RetryAfter::Seconds(_) | RetryAfter::Date(_)))
    }
}
