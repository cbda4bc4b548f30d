//! Why a call ends without its result: one kind of failure, with the place, the cause and what was already received.

use std::fmt;
use std::rc::Rc;

use columns::decode::DecodeError;
use columns::table::Table;

use crate::accumulator::Accumulator;
use crate::contract::{Kind, KindCounts, Operation};
use crate::scheduling::partition_tracker::Shortfall;
use crate::scheduling::retry::is_transient;

/// Why a call ends without its result.
pub enum Ended<Value> {
    /// Something failed.
    Failed(Box<Failure<Value>>),
    /// A function of the caller threw this, or rejected with it.
    Thrown(Value),
}

/// What failed, where, and what came along.
pub struct Failure<Value> {
    /// What failed.
    pub reason: Reason,
    /// What was asked for.
    pub place: Place,
    /// Attempts made on the request that failed; 0 where none was finished.
    pub attempts: u32,
    /// What the service said about it.
    pub messages: Vec<String>,
    /// The `Retry-After` of the answer that failed, in milliseconds.
    pub retry_after: Option<f64>,
    /// The value that the failure came with.
    pub cause: Option<Value>,
    /// Findings that came along all the same.
    pub findings: Option<Table>,
    /// What else a caller has to know about it, once.
    pub remarks: Vec<Remark>,
    /// Of a call that went on in spite of failures: the partitions that are missing, and why.
    pub failures: Failures<Value>,
    /// What such a call has got, to go on with.
    pub accumulator: Option<Rc<Accumulator>>,
}

/// Partitions that could not be had, by their indexes, and why.
pub type Failures<Value> = Vec<(u64, Box<Failure<Value>>)>;

/// What a caller has to know about a failure besides what failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark {
    /// The host says that it is offline.
    Offline,
    /// The service may have sent a `Retry-After` that cannot be read from another origin.
    HiddenRetryAfter,
    /// The client has used up what it had for retries.
    NoRetryLeft,
}

/// What a call, or one of its requests, asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The inspection.
    pub inspection: i64,
    /// The kind of the findings, where the call is about one.
    pub kind: Option<Kind>,
    /// The request, where one failed and not the call as a whole.
    pub operation: Option<Operation>,
}

/// What failed.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// There was no answer.
    Unreachable,
    /// The connection broke while the body was read.
    Broken,
    /// What came back from the caller's `fetch` is no response.
    NoResponse,
    /// An attempt outran `timeout`, in milliseconds.
    AttemptTimeout(u64),
    /// The call outran `totalTimeout`, in milliseconds.
    TotalTimeout(u64),
    /// A status that is not a success.
    Http(u16),
    /// A redirect; a browser hides its status.
    Redirect(Option<u16>),
    /// 401 or 403.
    Unauthorized(u16),
    /// `errors` of the answer is neither null nor absent.
    Service,
    /// The body is not what the contract says.
    Decode(DecodeError),
    /// The caller's mapping of the counts answer gave no counts; what is wrong with them.
    Mapping(String),
    /// The body is longer than `maxPartitionBytes`.
    TooLarge(usize),
    /// The number of findings received is not the total.
    Incomplete(Shortfall),
    /// The counts are not those that the call began with.
    Changed {
        /// What there was.
        before: KindCounts,
        /// What there is.
        now: KindCounts,
        /// Findings that had been received.
        received: u64,
    },
    /// Not all partitions could be had.
    Partial {
        /// How many are missing.
        missing: u64,
        /// How many there are.
        partitions: u64,
    },
    /// There is no memory for what was received.
    Memory,
}

impl Place {
    /// The place of a call about the whole inspection, or one kind of it.
    pub fn of_call(inspection: i64, kind: Option<Kind>) -> Self {
        Place { inspection, kind, operation: None }
    }

    /// The place of one request of the call.
    pub fn at(self, operation: Operation) -> Self {
        Place { operation: Some(operation), ..self }
    }

    /// The index of the partition, where it is about one.
    pub fn partition(&self) -> Option<u64> {
        match self.operation {
            Some(Operation::Partition { index, .. }) => Some(index),
            _ => None,
        }
    }
}

impl Reason {
    /// The code under which callers tell failures apart.
    pub fn code(&self) -> &'static str {
        match self {
            Reason::Unreachable | Reason::Broken | Reason::NoResponse => "network",
            Reason::AttemptTimeout(_) | Reason::TotalTimeout(_) => "timeout",
            Reason::Http(_) | Reason::Redirect(_) => "http",
            Reason::Unauthorized(_) => "unauthorized",
            Reason::Service => "service",
            Reason::Decode(_) | Reason::Mapping(_) => "decode",
            Reason::TooLarge(_) => "too-large",
            Reason::Incomplete(_) | Reason::Changed { .. } => "incomplete",
            Reason::Partial { .. } => "partial",
            Reason::Memory => "memory",
        }
    }

    /// Whether the same request may succeed later.
    pub fn is_transient(&self) -> bool {
        match self {
            Reason::Unreachable | Reason::Broken | Reason::AttemptTimeout(_) => true,
            Reason::Http(status) => is_transient(*status),
            _ => false,
        }
    }

    /// The HTTP status of the answer, where there was one that can be known and it is what failed.
    pub fn status(&self) -> Option<u16> {
        match self {
            Reason::Http(status) | Reason::Unauthorized(status) => Some(*status),
            Reason::Redirect(status) => *status,
            _ => None,
        }
    }
}

impl<Value> Failure<Value> {
    /// A failure of which nothing else is known. In a box from the start, for failures pass through many hands.
    #[cold]
    #[inline(never)]
    pub fn new(reason: Reason, place: Place, attempts: u32) -> Box<Self> {
        Box::new(Failure {
            reason,
            place,
            attempts,
            messages: Vec::new(),
            retry_after: None,
            cause: None,
            findings: None,
            remarks: Vec::new(),
            failures: Vec::new(),
            accumulator: None,
        })
    }

    /// The same, with the value that it came with.
    pub fn caused_by(mut self: Box<Self>, cause: Value) -> Box<Self> {
        self.cause = Some(cause);
        self
    }

    /// The same, with what the service said about it.
    pub fn saying(mut self: Box<Self>, messages: Vec<String>) -> Box<Self> {
        self.messages = messages;
        self
    }

    /// The same, with something else to know about it.
    pub fn remarking(mut self: Box<Self>, remark: Remark) -> Box<Self> {
        self.remarks.push(remark);
        self
    }

    /// The same, with findings that came along.
    pub fn with_findings(mut self: Box<Self>, findings: Option<Table>) -> Box<Self> {
        self.findings = findings;
        self
    }
}

impl<Value> From<Box<Failure<Value>>> for Ended<Value> {
    fn from(failure: Box<Failure<Value>>) -> Self {
        Ended::Failed(failure)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.operation, self.kind) {
            (Some(Operation::Partition { kind, index }), _) => write!(formatter, "{kind} partition {index}")?,
            (None, Some(kind)) => write!(formatter, "{kind} findings")?,
            (Some(Operation::Counts), _) | (None, None) => formatter.write_str("partition counts")?,
        }
        write!(formatter, " of inspection {}", self.inspection)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Unreachable => formatter.write_str(
                "there was no answer; a page is not told whether the service could not be reached, the connection broke, or \
                 the service does not allow requests from the page's origin (CORS)",
            ),
            Reason::Broken => formatter.write_str("the connection broke before the whole answer had come"),
            Reason::NoResponse => formatter.write_str("the fetch option did not give a response"),
            Reason::AttemptTimeout(limit) => {
                write!(formatter, "no complete answer within {limit} ms; raise timeout if the service needs longer")
            }
            Reason::TotalTimeout(limit) => {
                write!(formatter, "the call took longer than its totalTimeout of {limit} ms")
            }
            Reason::Http(status) => write!(formatter, "the service answered with HTTP status {status}"),
            Reason::Redirect(_) => formatter.write_str(
                "the service answered with a redirect, which is not followed because it could carry credentials to \
                 another origin; set baseUrl to the address that it leads to",
            ),
            Reason::Unauthorized(status) => write!(
                formatter,
                "the service refused the credentials with HTTP status {status}; check the headers option"
            ),
            Reason::Service => formatter.write_str("the service reported errors"),
            Reason::Decode(error) => error.fmt(formatter),
            Reason::Mapping(flaw) => write!(formatter, "readCounts gave no counts: {flaw}"),
            Reason::TooLarge(limit) => write!(
                formatter,
                "the body is larger than maxPartitionBytes, {limit} bytes; raise it if partitions are meant to be this large"
            ),
            Reason::Incomplete(Shortfall { expected, received }) => write!(
                formatter,
                "the service announced {expected} findings and sent {received}; \
                 the inspection may have been analysed anew meanwhile, so read it again"
            ),
            Reason::Changed { before, now, .. } => write!(
                formatter,
                "the inspection was analysed anew since the call began: there were {before}, now there are {now}; get its findings \
                 from the beginning"
            ),
            Reason::Partial { missing, partitions } => {
                write!(formatter, "{missing} of {partitions} partitions are missing; resume() gets them")
            }
            Reason::Memory => formatter.write_str("there is no memory left for the answer"),
        }
    }
}

impl<Value> fmt::Display for Failure<Value> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.reason)?;
        if self.attempts > 1 {
            write!(formatter, " (after {} attempts)", self.attempts)?;
        }
        if !self.messages.is_empty() {
            formatter.write_str(": ")?;
            write_sentences(formatter, &self.messages)?;
        }
        self.remarks.iter().try_for_each(|remark| write!(formatter, "; {remark}"))
    }
}

impl fmt::Display for Remark {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Remark::Offline => "the device is offline",
            Remark::HiddenRetryAfter => {
                "no Retry-After can be read: if the service sends one, it has to expose it to other origins with \
                 Access-Control-Expose-Headers"
            }
            Remark::NoRetryLeft => {
                "it was not tried again because the client has no retries left after too many failures; successes give them back"
            }
        })
    }
}

/// Messages one after the other, whether or not they end as sentences do.
fn write_sentences(formatter: &mut fmt::Formatter<'_>, messages: &[String]) -> fmt::Result {
    for (position, message) in messages.iter().enumerate() {
        formatter.write_str(message)?;
        if position + 1 < messages.len() {
            formatter.write_str(if message.ends_with(['.', '!', '?']) { " " } else { "; " })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_names_the_thing_the_reason_and_what_the_service_said() {
        let place = Place::of_call(42, None).at(Operation::Partition { kind: Kind::Topics, index: 3 });
        let failure = Failure::<()>::new(Reason::Http(503), place, 4).saying(vec!["busy".into(), "try later".into()]);
        assert_eq!(
            failure.to_string(),
            "topics partition 3 of inspection 42: the service answered with HTTP status 503 (after 4 attempts): busy; try later"
        );
    }

    #[test]
    fn remarks_come_last_and_once() {
        let mut failure = Failure::<()>::new(Reason::Http(503), Place::of_call(7, None).at(Operation::Counts), 1);
        failure.remarks = vec![Remark::Offline, Remark::NoRetryLeft];
        assert_eq!(
            failure.to_string(),
            "partition counts of inspection 7: the service answered with HTTP status 503; the device is offline; it was not \
             tried again because the client has no retries left after too many failures; successes give them back"
        );
    }

    #[test]
    fn a_place_is_named_by_the_request_that_failed_or_else_by_the_call() {
        let call = Place::of_call(7, Some(Kind::Sentiment));
        assert_eq!(call.to_string(), "sentiment findings of inspection 7");
        assert_eq!(call.at(Operation::Counts).to_string(), "partition counts of inspection 7");
        assert_eq!(Place::of_call(7, None).to_string(), "partition counts of inspection 7");
    }
}
