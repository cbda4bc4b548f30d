//! What the service does when it is asked, time after time, and what that means for whoever asks.

use std::fmt;

use super::chance::Chance;
use crate::failure::Reason;
use crate::retrieve::Settings;

/// What the service does each time when it is asked for one thing; the last for ever.
#[derive(Clone, Debug)]
pub struct Script {
    steps: Vec<Step>,
}

/// What the service does once.
#[derive(Clone, Debug)]
pub struct Step {
    /// Milliseconds before it does anything.
    pub after: f64,
    /// What it does.
    pub deed: Deed,
    /// In how many pieces a body comes.
    pub pieces: usize,
    /// Milliseconds before each of them.
    pub wait: f64,
}

/// What the service does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deed {
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
pub enum RetryAfter {
    None,
    Seconds(u64),
    /// A date in so many seconds.
    Date(u64),
    Nonsense,
}

/// What a deed means for an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meaning {
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
pub const SHORT: u64 = 8;

/// So many are too long for everybody.
pub const LONG: u64 = 1_000;

impl Script {
    /// The service just does what it is for.
    pub fn flawless(chance: &Chance, pace: u64) -> Self {
        Script { steps: vec![Step::draw(chance, pace, Deed::Gives)] }
    }

    /// With so much trouble: of a hundred requests, so many meet some.
    pub fn draw(chance: &Chance, pace: u64, trouble: u64, lasting: u64) -> Self {
        let mut steps = Vec::new();
        while chance.below(100) < trouble && steps.len() < 7 {
            let deed = if chance.below(100) < lasting { Deed::lasting(chance) } else { Deed::passing(chance) };
            steps.push(Step::draw(chance, pace, deed));
        }
        // Seldom there is no end of it.
        let ends_well = steps.is_empty() || !chance.once_in(10);
        if ends_well {
            steps.push(Step::draw(chance, pace, Deed::Gives));
        }
        Script { steps }
    }

    /// What it does when it is asked that time, from 0.
    pub fn step(&self, time: usize) -> &Step {
        &self.steps[time.min(self.steps.len() - 1)]
    }
}

impl Step {
    fn draw(chance: &Chance, pace: u64, deed: Deed) -> Self {
        let pieces = if chance.once_in(3) { chance.between(2, 4) as usize } else { 1 };
        let wait = if chance.once_in(2) { chance.milliseconds(pace / 2) } else { 0.0 };
        let after = if chance.once_in(8) { chance.milliseconds(10 * pace) } else { chance.milliseconds(pace) };
        Step { after, deed, pieces, wait }
    }
}

impl Deed {
    fn passing(chance: &Chance) -> Self {
        let retry_after = || match chance.below(8) {
            0 => RetryAfter::Seconds(chance.between(0, SHORT)),
            1 => RetryAfter::Date(chance.between(0, SHORT)),
            2 => RetryAfter::Nonsense,
            _ => RetryAfter::None,
        };
        match chance.below(12) {
            0 | 1 => Deed::Refuses,
            2 | 3 => Deed::Cuts,
            4 => Deed::Silent,
            5 => Deed::Stalls,
            6 => Deed::StalledStatus(chance.one_of(&[500, 503]), retry_after()),
            7 => Deed::Status(401, RetryAfter::None),
            8 => Deed::Status(429, retry_after()),
            9 => Deed::Status(503, retry_after()),
            _ => Deed::Status(chance.one_of(&[408, 500, 502, 504]), retry_after()),
        }
    }

    fn lasting(chance: &Chance) -> Self {
        match chance.below(11) {
            0 => Deed::NoResponse,
            1 => Deed::Redirects,
            2 => Deed::Wrong,
            3 => Deed::Errors(true),
            4 => Deed::Errors(false),
            5 => Deed::TooLarge,
            6 => Deed::Status(chance.one_of(&[429, 503]), RetryAfter::Seconds(LONG)),
            7 => Deed::Status(503, RetryAfter::Date(LONG)),
            8 => Deed::StalledStatus(404, RetryAfter::Seconds(1)),
            9 => Deed::Status(403, RetryAfter::Seconds(1)),
            _ => Deed::Status(chance.one_of(&[400, 404, 410, 501]), RetryAfter::Seconds(1)),
        }
    }

    /// What it means for an attempt.
    pub fn meaning(self) -> Meaning {
        match self {
            Deed::Gives => Meaning::Success,
            Deed::Refuses | Deed::Cuts | Deed::Silent | Deed::Stalls => Meaning::Transient(RetryAfter::None),
            Deed::Status(401, _) => Meaning::Expired,
            Deed::Status(status, retry_after) | Deed::StalledStatus(status, retry_after)
                if TRANSIENT.contains(&status) =>
            {
                Meaning::Transient(retry_after)
            }
            _ => Meaning::Final,
        }
    }

    /// Whether that is the reason of the failure that it causes.
    pub fn causes(self, reason: &Reason, settings: &Settings) -> bool {
        match self {
            Deed::Gives => false,
            Deed::Refuses => *reason == Reason::Unreachable,
            Deed::NoResponse => *reason == Reason::NoResponse,
            Deed::Cuts => *reason == Reason::Broken,
            Deed::Status(status @ (401 | 403), _) => *reason == Reason::Unauthorized(status),
            Deed::Status(status, _) | Deed::StalledStatus(status, _) => *reason == Reason::Http(status),
            Deed::Redirects => *reason == Reason::Redirect(None),
            Deed::Silent | Deed::Stalls => *reason == Reason::AttemptTimeout(settings.timeout as u64),
            Deed::Wrong => matches!(reason, Reason::Decode(_)),
            Deed::Errors(_) => *reason == Reason::Service,
            Deed::TooLarge => *reason == Reason::TooLarge(settings.max_partition_bytes),
        }
    }

    /// What the service says with it.
    pub fn messages(self) -> &'static [&'static str] {
        match self {
            Deed::Status(..) => &["not now"],
            Deed::Errors(_) => &["not ready", "ask again"],
            _ => &[],
        }
    }
}

impl Meaning {
    /// Whether an attempt that ended so may be followed by another one, as far as the service is concerned.
    pub fn may_be_retried(self, hides_headers: bool) -> bool {
        match self {
            Meaning::Transient(RetryAfter::Seconds(seconds) | RetryAfter::Date(seconds)) => {
                hides_headers || seconds <= SHORT
            }
            Meaning::Transient(_) => true,
            _ => false,
        }
    }

    /// Whether the service said when to come back.
    pub fn names_a_time(self) -> bool {
        matches!(self, Meaning::Transient(RetryAfter::Seconds(_) | RetryAfter::Date(_)))
    }
}

impl fmt::Display for Script {
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
        write!(formatter, "{} after {} ms", self.deed, self.after)?;
        if self.pieces > 1 || self.wait > 0.0 {
            write!(formatter, " (pieces: {}, {} ms before each)", self.pieces, self.wait)?;
        }
        Ok(())
    }
}

impl fmt::Display for Deed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Deed::Gives => formatter.write_str("given"),
            Deed::Refuses => formatter.write_str("connection refused"),
            Deed::NoResponse => formatter.write_str("no response at all"),
            Deed::Cuts => formatter.write_str("connection cut in the body"),
            Deed::Status(status, retry_after) => write!(formatter, "status {status}{retry_after}"),
            Deed::StalledStatus(status, retry_after) => {
                write!(formatter, "status {status}{retry_after} with a body that never ends")
            }
            Deed::Redirects => formatter.write_str("redirect"),
            Deed::Silent => formatter.write_str("silence"),
            Deed::Stalls => formatter.write_str("stall in the body"),
            Deed::Wrong => formatter.write_str("wrong JSON"),
            Deed::Errors(true) => formatter.write_str("errors and findings"),
            Deed::Errors(false) => formatter.write_str("errors"),
            Deed::TooLarge => formatter.write_str("too much"),
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
