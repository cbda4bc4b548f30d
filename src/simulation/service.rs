//! What the service does when it is asked, time after time, and what that means for whoever asks.

use std::fmt;

use super::rng::Rng;
use crate::error::ErrorKind;
use crate::retrieve::settings::Settings;

/// What the service does each time when it is asked for one thing; the last for ever.
#[derive(Clone, Debug)]
pub(super) struct ServiceScript {
    steps: Vec<Step>,
}

/// What the service does once.
#[derive(Clone, Debug)]
pub(super) struct Step {
    /// Milliseconds before it does anything.
    pub(super) after: f64,
    /// What it does.
    pub(super) behaviour: Behaviour,
    /// In how many pieces a body comes.
    pub(super) pieces: usize,
    /// Milliseconds before each of them.
    pub(super) wait: f64,
}

/// What the service does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Behaviour {
    /// It gives what it was asked for.
    Gives,
    /// It refuses the connection.
    Refuses,
    /// It sends something that is no response.
    NoResponse,
    /// It breaks the connection in the middle of the body.
    Cuts,
    /// It answers with another status.
    Status(u16, RetryAfter),
    /// It does so, and the body of that answer never ends.
    StalledStatus(u16, RetryAfter),
    /// It redirects.
    Redirects,
    /// It does nothing.
    Silent,
    /// It stops in the middle of the body.
    Stalls,
    /// It sends another JSON than that of the contract.
    Wrong,
    /// It reports errors, with findings or without.
    Errors(bool),
    /// It sends more than anybody takes.
    TooLarge,
}

/// The `Retry-After` of an answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RetryAfter {
    None,
    Seconds(u64),
    /// A date in so many seconds.
    Date(u64),
    Nonsense,
}

/// What a behaviour means for an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    Success,
    /// It may be tried again, unless its `Retry-After` is too long.
    Transient(RetryAfter),
    /// It is repeated once with other credentials, where there are some.
    Expired,
    Final,
}

/// The statuses after which the contract wants another attempt.
const TRANSIENT: [u16; 6] = [408, 429, 500, 502, 503, 504];

/// So many seconds are waited for by everybody.
pub(super) const SHORT: u64 = 8;

/// So many are too long for everybody.
pub(super) const LONG: u64 = 1_000;

impl ServiceScript {
    /// The service just does what it is for.
    pub(super) fn flawless(rng: &Rng, pace: u64) -> Self {
        ServiceScript { steps: vec![Step::draw(rng, pace, Behaviour::Gives)] }
    }

    /// With so much trouble: of a hundred requests, so many meet some.
    pub(super) fn draw(rng: &Rng, pace: u64, trouble: u64, lasting: u64) -> Self {
        let mut steps = Vec::new();
        while rng.below(100) < trouble && steps.len() < 7 {
            let behaviour = if rng.below(100) < lasting { Behaviour::lasting(rng) } else { Behaviour::passing(rng) };
            steps.push(Step::draw(rng, pace, behaviour));
        }
        // Seldom there is no end of it.
        let ends_well = steps.is_empty() || !rng.once_in(10);
        if ends_well {
            steps.push(Step::draw(rng, pace, Behaviour::Gives));
        }
        ServiceScript { steps }
    }

    /// What it does when it is asked that time, from 0.
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
            2 => RetryAfter::Nonsense,
            _ => RetryAfter::None,
        };
        match rng.below(12) {
            0 | 1 => Behaviour::Refuses,
            2 | 3 => Behaviour::Cuts,
            4 => Behaviour::Silent,
            5 => Behaviour::Stalls,
            6 => Behaviour::StalledStatus(rng.one_of(&[500, 503]), retry_after()),
            7 => Behaviour::Status(401, RetryAfter::None),
            8 => Behaviour::Status(429, retry_after()),
            9 => Behaviour::Status(503, retry_after()),
            _ => Behaviour::Status(rng.one_of(&[408, 500, 502, 504]), retry_after()),
        }
    }

    fn lasting(rng: &Rng) -> Self {
        match rng.below(11) {
            0 => Behaviour::NoResponse,
            1 => Behaviour::Redirects,
            2 => Behaviour::Wrong,
            3 => Behaviour::Errors(true),
            4 => Behaviour::Errors(false),
            5 => Behaviour::TooLarge,
            6 => Behaviour::Status(rng.one_of(&[429, 503]), RetryAfter::Seconds(LONG)),
            7 => Behaviour::Status(503, RetryAfter::Date(LONG)),
            8 => Behaviour::StalledStatus(404, RetryAfter::Seconds(1)),
            9 => Behaviour::Status(403, RetryAfter::Seconds(1)),
            _ => Behaviour::Status(rng.one_of(&[400, 404, 410, 501]), RetryAfter::Seconds(1)),
        }
    }

    /// What it means for an attempt.
    pub(super) fn meaning(self) -> Meaning {
        match self {
            Behaviour::Gives => Meaning::Success,
            Behaviour::Refuses | Behaviour::Cuts | Behaviour::Silent | Behaviour::Stalls => {
                Meaning::Transient(RetryAfter::None)
            }
            Behaviour::Status(401, _) => Meaning::Expired,
            Behaviour::Status(status, retry_after) | Behaviour::StalledStatus(status, retry_after)
                if TRANSIENT.contains(&status) =>
            {
                Meaning::Transient(retry_after)
            }
            _ => Meaning::Final,
        }
    }

    /// Whether that is the kind of the failure that it causes.
    pub(super) fn causes(self, kind: &ErrorKind, settings: &Settings) -> bool {
        match self {
            Behaviour::Gives => false,
            Behaviour::Refuses => *kind == ErrorKind::Unreachable,
            Behaviour::NoResponse => *kind == ErrorKind::NoResponse,
            Behaviour::Cuts => *kind == ErrorKind::Broken,
            Behaviour::Status(status @ (401 | 403), _) => *kind == ErrorKind::Unauthorized(status),
            Behaviour::Status(status, _) | Behaviour::StalledStatus(status, _) => *kind == ErrorKind::Http(status),
            Behaviour::Redirects => *kind == ErrorKind::Redirect(None),
            Behaviour::Silent | Behaviour::Stalls => *kind == ErrorKind::AttemptTimeout(settings.timeout as u64),
            Behaviour::Wrong => matches!(kind, ErrorKind::Decode(_)),
            Behaviour::Errors(_) => *kind == ErrorKind::Service,
            Behaviour::TooLarge => *kind == ErrorKind::TooLarge(settings.max_partition_bytes),
        }
    }

    /// What the service says with it.
    pub(super) fn messages(self) -> &'static [&'static str] {
        match self {
            Behaviour::Status(..) => &["not now"],
            Behaviour::Errors(_) => &["not ready", "ask again"],
            _ => &[],
        }
    }
}

impl Meaning {
    /// Whether an attempt that ended so may be followed by another one, as far as the service is concerned.
    pub(super) fn may_be_retried(self, hides_headers: bool) -> bool {
        match self {
            Meaning::Transient(RetryAfter::Seconds(seconds) | RetryAfter::Date(seconds)) => {
                hides_headers || seconds <= SHORT
            }
            Meaning::Transient(_) => true,
            _ => false,
        }
    }

    /// Whether the service said when to come back.
    pub(super) fn names_a_time(self) -> bool {
        matches!(self, Meaning::Transient(RetryAfter::Seconds(_) | RetryAfter::Date(_)))
    }
}

impl fmt::Display for ServiceScript {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.steps.iter().enumerate() {
            if position > 0 {
                formatter.write_str(", then ")?;
            }
            write!(formatter, "{step}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} after {} ms", self.behaviour, self.after)?;
        if self.pieces > 1 || self.wait > 0.0 {
            write!(formatter, " (pieces: {}, {} ms before each)", self.pieces, self.wait)?;
        }
        Ok(())
    }
}

impl fmt::Display for Behaviour {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Behaviour::Gives => formatter.write_str("given"),
            Behaviour::Refuses => formatter.write_str("connection refused"),
            Behaviour::NoResponse => formatter.write_str("no response at all"),
            Behaviour::Cuts => formatter.write_str("connection cut in the body"),
            Behaviour::Status(status, retry_after) => write!(formatter, "status {status}{retry_after}"),
            Behaviour::StalledStatus(status, retry_after) => {
                write!(formatter, "status {status}{retry_after} with a body that never ends")
            }
            Behaviour::Redirects => formatter.write_str("redirect"),
            Behaviour::Silent => formatter.write_str("silence"),
            Behaviour::Stalls => formatter.write_str("stall in the body"),
            Behaviour::Wrong => formatter.write_str("wrong JSON"),
            Behaviour::Errors(true) => formatter.write_str("errors and findings"),
            Behaviour::Errors(false) => formatter.write_str("errors"),
            Behaviour::TooLarge => formatter.write_str("too much"),
        }
    }
}

impl fmt::Display for RetryAfter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RetryAfter::None => Ok(()),
            RetryAfter::Seconds(seconds) => write!(formatter, ", back in {seconds} s"),
            RetryAfter::Date(seconds) => write!(formatter, ", back at the date in {seconds} s"),
            RetryAfter::Nonsense => formatter.write_str(", back at nonsense"),
        }
    }
}
