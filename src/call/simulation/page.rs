//! What lies outside under the number of an attempt: an exchange, then its body, then what the body has become.

use std::collections::VecDeque;

use chunk::decode::{DecodeError, DecodeErrorKind};

use super::outcome::Value;
use super::rng::Rng;
use super::schedule::{Call, MAX_PARTITION_BYTES};
use super::service::{Behaviour, Meaning, RetryAfter, Step, TRANSIENT};
use super::worker::WorkerScript;
use crate::contract::{Kind, KindCounts};
use crate::machine::{Head, Op, Undecoded, Why};

/// What lies outside under the number of an attempt.
#[derive(Debug)]
pub(super) struct Outside {
    pub(super) op: Op,
    /// The call, and its partition; `None` for the counts.
    pub(super) call: usize,
    pub(super) index: Option<u64>,
    /// The headers that it was sent with.
    pub(super) token: u64,
    pub(super) step: Step,
    pub(super) content: Content,
    /// What of the exchange is still to come.
    pub(super) parts: VecDeque<Part>,
    /// Whether a worker has sent it, which keeps the body.
    pub(super) by_worker: bool,
    pub(super) is_in_flight: bool,
    pub(super) has_head: bool,
    /// The bytes of the body that have arrived.
    pub(super) arrived: usize,
    /// Whether the page decodes it.
    pub(super) is_in_page: bool,
    /// Whether it has become findings.
    pub(super) is_done: bool,
}

/// The content of a response.
#[derive(Debug)]
pub(super) struct Content {
    pub(super) text: Vec<u8>,
    behaviour: Behaviour,
    /// The number of findings; `None` for the counts.
    findings: Option<u64>,
}

/// A part of an exchange.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Wait(f64),
    Head,
    Bytes(usize),
    End,
    Fails(Why),
    /// Nothing follows.
    Stall,
}

impl Outside {
    /// An exchange that has begun.
    #[expect(clippy::too_many_arguments, reason = "each is a fact of its own")]
    pub(super) fn new(
        op: Op,
        call: usize,
        index: Option<u64>,
        token: u64,
        step: Step,
        content: Content,
        parts: VecDeque<Part>,
        by_worker: bool,
    ) -> Self {
        Outside {
            op,
            call,
            index,
            token,
            step,
            content,
            parts,
            by_worker,
            is_in_flight: true,
            has_head: false,
            arrived: 0,
            is_in_page: false,
            is_done: false,
        }
    }
}

impl Content {
    /// The content of the response at a step of the service's script.
    pub(super) fn of(step: &Step, call: &Call, run: usize, index: Option<u64>) -> Self {
        let findings = index.map(|index| call.partitions[index as usize].findings.len() as u64);
        let text = match step.behaviour {
            Behaviour::Status(..) | Behaviour::Errors(false) => errors_body(step.behaviour),
            Behaviour::Errors(true) => errors_body(step.behaviour).replace('}', r#","Findings":[{"Id":"half"}]}"#),
            Behaviour::Wrong => r#"{"Findings":[{"Id":?"#.to_owned(),
            Behaviour::CutsOff => r#"{"Findings":[{"Id":1"#.to_owned(),
            Behaviour::Empty => String::new(),
            Behaviour::TooLarge => " ".repeat(MAX_PARTITION_BYTES + 1),
            _ => match index {
                Some(index) => partition_body(&call.partitions[index as usize].findings),
                None => counts_body(call.kind, call.counts[run]),
            },
        };
        Content { text: text.into_bytes(), behaviour: step.behaviour, findings }
    }

    /// The head of the response at a time, in milliseconds since 1970.
    pub(super) fn head(&self, step: &Step, hides_headers: bool, date: f64) -> Head {
        let (status, retry_after) = match self.behaviour {
            Behaviour::Status(status, retry_after) | Behaviour::StalledStatus(status, retry_after) => {
                (status, retry_after)
            }
            Behaviour::Redirects => (0, RetryAfter::None),
            _ => (200, RetryAfter::None),
        };
        let retry_after = match retry_after {
            RetryAfter::None => None,
            RetryAfter::Seconds(seconds) => Some(seconds as f64 * 1000.0),
            // Dates of HTTP have whole seconds.
            RetryAfter::Date(seconds) => Some((((date / 1000.0) as u64 + seconds) as f64 * 1000.0 - date).max(0.0)),
        };
        Head {
            status,
            is_success: status == 200,
            is_redirect: self.behaviour == Behaviour::Redirects,
            destination: None,
            hides_headers,
            retry_after: retry_after.filter(|_| !hides_headers),
            is_html: false,
            length: (step.pieces == 1 && self.behaviour != Behaviour::CutsOff).then_some(self.text.len() as u64),
            is_encoded: true,
        }
    }

    /// Whether the response has succeeded, as far as its head says.
    pub(super) fn is_success(&self) -> bool {
        !matches!(self.behaviour, Behaviour::Status(..) | Behaviour::StalledStatus(..) | Behaviour::Redirects)
    }

    /// Whether a `Retry-After` of the response pauses the client.
    pub(super) fn pauses(&self) -> bool {
        match self.behaviour {
            Behaviour::Status(status, _) | Behaviour::StalledStatus(status, _) => {
                TRANSIENT.contains(&status) || status == 403
            }
            _ => false,
        }
    }

    /// Whether a worker can decode the body.
    pub(super) fn is_partition(&self) -> bool {
        self.decoded().is_ok()
    }

    /// The number of findings in the body, or why it has none.
    pub(super) fn decoded(&self) -> Result<u64, Undecoded<Value>> {
        let wrong = |kind| Err(Undecoded::Wrong(DecodeError::of(kind)));
        match self.behaviour {
            Behaviour::Wrong => wrong(DecodeErrorKind::UnexpectedByte(b'?')),
            Behaviour::CutsOff => wrong(DecodeErrorKind::UnexpectedEnd),
            Behaviour::Empty => wrong(DecodeErrorKind::EmptyBody),
            Behaviour::Errors(has_findings) => {
                Err(Undecoded::Refused(messages(), has_findings.then_some(Value::Objects)))
            }
            _ => Ok(self.findings.unwrap_or_default()),
        }
    }

    /// The parts of the exchange, by the page or by a worker.
    pub(super) fn parts(&self, step: &Step, worker: Option<&WorkerScript>, rng: &Rng) -> VecDeque<Part> {
        let mut parts = VecDeque::from([Part::Wait(step.after)]);
        if let Some(worker) = worker {
            parts.push_back(Part::Wait(worker.delay(rng)));
            if worker.loses_response(rng, self.behaviour.meaning() == Meaning::Success) {
                parts.push_back(Part::Fails(Why::InWorker));
                return parts;
            }
        }
        match self.behaviour {
            Behaviour::Refuses if worker.is_some() => parts.push_back(Part::Fails(Why::InWorker)),
            Behaviour::Refuses => parts.push_back(Part::Fails(Why::Connection)),
            Behaviour::NoResponse => parts.push_back(Part::Fails(Why::NoResponse)),
            Behaviour::Silent => parts.push_back(Part::Stall),
            _ => {
                parts.push_back(Part::Head);
                self.add_body(step, worker.filter(|_| self.is_success()), rng, &mut parts);
            }
        }
        parts
    }

    /// Adds the parts of the body. A worker that keeps it tells only its length.
    fn add_body(&self, step: &Step, worker: Option<&WorkerScript>, rng: &Rng, parts: &mut VecDeque<Part>) {
        let (length, end) = match self.behaviour {
            Behaviour::Cuts => (self.text.len() / 2, Part::Fails(Why::Connection)),
            Behaviour::Stalls | Behaviour::StalledStatus(..) => (self.text.len() / 2, Part::Stall),
            _ => (self.text.len(), Part::End),
        };
        let most = length.div_ceil(step.pieces).max(1);
        let mut left = length;
        while left > 0 {
            let piece = left.min(most);
            left -= piece;
            if step.wait > 0.0 {
                parts.push_back(Part::Wait(step.wait));
            }
            if worker.is_none() {
                parts.push_back(Part::Bytes(piece));
            }
        }
        match worker {
            Some(worker) if end == Part::End && worker.ends(rng) => parts.push_back(Part::Fails(Why::Lost)),
            Some(_) if end == Part::End => parts.extend([Part::Bytes(length), Part::End]),
            _ => parts.push_back(end),
        }
    }
}

fn messages() -> Vec<String> {
    Behaviour::Errors(true).messages().iter().map(|message| String::from(*message)).collect()
}

fn errors_body(behaviour: Behaviour) -> String {
    let messages: Vec<_> = behaviour.messages().iter().map(|message| format!("{message:?}")).collect();
    format!(r#"{{"errors":[{}]}}"#, messages.join(","))
}

/// A body of a partition. Only its length matters.
fn partition_body(findings: &[super::inspection::Finding]) -> String {
    let length: usize = findings.iter().map(|finding| finding.length + 24).sum();
    format!(r#"{{"Findings":["{}"],"errors":null}}"#, "x".repeat(length))
}

fn counts_body(kind: Kind, counts: KindCounts) -> String {
    let total = counts.findings.map_or("null".to_owned(), |findings| findings.to_string());
    let other = Kind::ALL.into_iter().find(|other| *other != kind).unwrap_or(kind);
    format!(
        r#"{{"{}":7,"{}":{},"{}":{total},"errors":null}}"#,
        other.partitions_field(),
        kind.partitions_field(),
        counts.partitions,
        kind.findings_field(),
    )
}
