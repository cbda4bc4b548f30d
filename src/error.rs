//! The error of a call: what failed, for which request, and what was received in spite of it.

use std::fmt;
use std::rc::Rc;

use columns::decode::{DecodeError, DecodeErrorKind};
use columns::table::Table;

use crate::accumulator::Accumulator;
use crate::contract::{Kind, KindCounts, Operation};
use crate::scheduling::partition_tracker::Shortfall;
use crate::scheduling::retry::is_transient;

/// Why a call ends without a result.
pub(crate) enum CallEnd<Value> {
    /// The call failed.
    Failed(Box<Error<Value>>),
    /// A function of the caller threw this value, or its promise was rejected with it.
    Thrown(Value),
}

/// The error of a call, or of one of its partitions.
///
/// Not a [`std::error::Error`]: `Value` is opaque to Rust, and [`ErrorKind`] carries the message.
pub(crate) struct Error<Value> {
    /// What failed.
    pub(crate) kind: ErrorKind,
    /// What was requested.
    pub(crate) subject: Subject,
    /// The address of the request, as the message quotes it.
    pub(crate) address: Option<String>,
    /// Attempts made on the request that failed; 0 where the error is about no single request.
    pub(crate) attempts: u32,
    /// What the host says about a broken connection.
    pub(crate) reason: Option<String>,
    /// The messages in the `errors` field of the response.
    pub(crate) messages: Vec<String>,
    /// The `Retry-After` of the response, in milliseconds.
    pub(crate) retry_after: Option<f64>,
    /// The value that caused the error, such as what `fetch` was rejected with.
    pub(crate) cause: Option<Value>,
    /// The findings received in spite of the error.
    pub(crate) findings: Option<Table>,
    /// Advice that the message ends with, without duplicates.
    pub(crate) hints: Vec<Hint>,
    /// The missing partitions of a call with [`ErrorKind::Partial`].
    pub(crate) failures: Failures<Value>,
    /// The received partitions of a call with [`ErrorKind::Partial`], from which another call resumes.
    pub(crate) accumulator: Option<Rc<Accumulator>>,
}

/// The missing partitions: the index and the error of each.
pub(crate) type Failures<Value> = Vec<(u64, Box<Error<Value>>)>;

/// Advice that explains an error further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// The host reports that it is offline.
    Offline,
    /// The response may have had a `Retry-After` that CORS hides.
    HiddenRetryAfter,
    /// The retry budget of the client is exhausted.
    NoRetryLeft,
    /// The host is a page, which does not learn why a request got no response.
    Page,
    /// The address may lead to something other than the service.
    WrongAddress,
}

/// What a call, or one of its requests, is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subject {
    /// The id of the inspection.
    pub(crate) inspection: i64,
    /// The kind of the findings; `None` for a call about both kinds.
    pub(crate) kind: Option<Kind>,
    /// The request; `None` for the call as a whole.
    pub(crate) operation: Option<Operation>,
}

/// What failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum ErrorKind {
    /// The request got no response.
    #[error("there was no answer")]
    Unreachable,
    /// The connection broke while the body was read.
    #[error("the connection broke before the whole answer had come")]
    Broken,
    /// The caller's `fetch` resolved with something other than a response.
    #[error(
        "the fetch option did not give a response, which has a number `status`, `headers`, and as `body` a stream of bytes or \
         else `arrayBuffer()`"
    )]
    NoResponse,
    /// An attempt exceeded `timeout`, in milliseconds.
    #[error("no complete answer within {0} ms; raise timeout if the service needs longer")]
    AttemptTimeout(u64),
    /// The call exceeded `totalTimeout`, in milliseconds.
    #[error("the call took longer than its totalTimeout of {0} ms")]
    TotalTimeout(u64),
    /// The response has a status outside 200–299.
    #[error("the service answered with HTTP status {0}")]
    Http(u16),
    /// The response is a redirect; browsers hide its status.
    #[error(
        "the service answered with a redirect, which is not followed because it could carry credentials to \
         another origin; set baseUrl to the address that it leads to"
    )]
    Redirect(Option<u16>),
    /// The response has status 401 or 403.
    #[error("the service refused the credentials with HTTP status {0}; check the headers option")]
    Unauthorized(u16),
    /// The `errors` field of the response is neither null nor absent.
    #[error("the service reported errors")]
    Service,
    /// The body does not follow the contract of the service.
    #[error(transparent)]
    Decode(DecodeError),
    /// The caller's `readCounts` returned something other than counts; the text says what is wrong.
    #[error("readCounts gave no counts: {0}")]
    Mapping(String),
    /// The body exceeds `maxPartitionBytes`.
    #[error("the body is larger than maxPartitionBytes, {0} bytes; raise it if partitions are meant to be this large")]
    TooLarge(usize),
    /// The number of findings received differs from the total in the counts.
    #[error(transparent)]
    Incomplete(Shortfall),
    /// The counts differ from those that the resumed call began with.
    #[error(
        "the inspection was analysed anew since the call began: there were {before}, now there are {now}; get its findings \
         from the beginning"
    )]
    Changed {
        /// The counts at the beginning.
        before: KindCounts,
        /// The counts now.
        now: KindCounts,
        /// Findings received so far.
        received: u64,
    },
    /// Some partitions are missing.
    #[error("{missing} of {partitions} partitions are missing; resume() gets them")]
    Partial {
        /// Number of missing partitions.
        missing: u64,
        /// Number of partitions of the inspection.
        partitions: u64,
    },
    /// An allocation failed.
    #[error("there is no memory left for the answer")]
    Memory,
    /// The worker ended during the attempt.
    #[error("the worker that made the request has ended, most likely for want of memory")]
    WorkerLost,
    /// No worker could be started.
    #[error(
        "no worker could be started: check that worker.js is served beside the package's other files, or say where it is by the \
         worker option, and that a content security policy, if there is one, allows it by worker-src"
    )]
    NoWorker,
}

impl Subject {
    /// A call about one kind of an inspection's findings, or about both.
    pub(crate) fn of_call(inspection: i64, kind: Option<Kind>) -> Self {
        Subject { inspection, kind, operation: None }
    }

    /// One request of the call.
    pub(crate) fn at(self, operation: Operation) -> Self {
        Subject { operation: Some(operation), ..self }
    }

    /// The index of the partition, if the subject is one.
    pub(crate) fn partition(&self) -> Option<u64> {
        match self.operation {
            Some(Operation::Partition { index, .. }) => Some(index),
            _ => None,
        }
    }

    /// The path of the request, relative to the base URL, if the subject is one.
    pub(crate) fn path(&self) -> Option<String> {
        self.operation.map(|operation| operation.path(self.inspection))
    }
}

impl ErrorKind {
    /// The public `code` of the error.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            ErrorKind::Unreachable | ErrorKind::Broken | ErrorKind::NoResponse => "network",
            ErrorKind::AttemptTimeout(_) | ErrorKind::TotalTimeout(_) => "timeout",
            ErrorKind::Http(_) | ErrorKind::Redirect(_) => "http",
            ErrorKind::Unauthorized(_) => "unauthorized",
            ErrorKind::Service => "service",
            ErrorKind::Decode(_) | ErrorKind::Mapping(_) => "decode",
            ErrorKind::TooLarge(_) => "too-large",
            ErrorKind::Incomplete(_) | ErrorKind::Changed { .. } => "incomplete",
            ErrorKind::Partial { .. } => "partial",
            ErrorKind::Memory | ErrorKind::WorkerLost => "memory",
            ErrorKind::NoWorker => "load",
        }
    }

    /// Whether the same request may succeed later.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            ErrorKind::Unreachable | ErrorKind::Broken | ErrorKind::AttemptTimeout(_) | ErrorKind::WorkerLost => true,
            ErrorKind::Http(status) => is_transient(*status),
            _ => false,
        }
    }

    /// The HTTP status, if the response failed by its status and the host reveals it.
    pub(crate) fn status(&self) -> Option<u16> {
        match self {
            ErrorKind::Http(status) | ErrorKind::Unauthorized(status) => Some(*status),
            ErrorKind::Redirect(status) => *status,
            _ => None,
        }
    }

    /// The advice that every such error ends with.
    fn hint(&self) -> Option<Hint> {
        match self {
            ErrorKind::Http(404) => Some(Hint::WrongAddress),
            // A page in place of JSON.
            ErrorKind::Decode(DecodeError { kind: DecodeErrorKind::UnexpectedByte(b'<'), path, .. }) if path == "$" => {
                Some(Hint::WrongAddress)
            }
            _ => None,
        }
    }
}

impl<Value> Error<Value> {
    /// An error without details. Boxed, so that a `Result` passed along stays small.
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: ErrorKind, subject: Subject, attempts: u32) -> Box<Self> {
        Box::new(Error {
            kind,
            subject,
            address: None,
            attempts,
            reason: None,
            messages: Vec::new(),
            retry_after: None,
            cause: None,
            findings: None,
            hints: Vec::new(),
            failures: Vec::new(),
            accumulator: None,
        })
    }

    /// Sets the value that caused the error.
    pub(crate) fn with_cause(mut self: Box<Self>, cause: Value) -> Box<Self> {
        self.cause = Some(cause);
        self
    }

    /// Sets the messages of the service.
    pub(crate) fn with_messages(mut self: Box<Self>, messages: Vec<String>) -> Box<Self> {
        self.messages = messages;
        self
    }

    /// Adds a hint, unless every error of this kind has it.
    pub(crate) fn with_hint(mut self: Box<Self>, hint: Hint) -> Box<Self> {
        if self.kind.hint() != Some(hint) {
            self.hints.push(hint);
        }
        self
    }

    /// Sets the findings received in spite of the error.
    pub(crate) fn with_findings(mut self: Box<Self>, findings: Option<Table>) -> Box<Self> {
        self.findings = findings;
        self
    }
}

impl<Value> From<Box<Error<Value>>> for CallEnd<Value> {
    fn from(error: Box<Error<Value>>) -> Self {
        CallEnd::Failed(error)
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.operation, self.kind) {
            (Some(Operation::Partition { kind, index }), _) => write!(formatter, "{kind} partition {index}")?,
            (None, Some(kind)) => write!(formatter, "{kind} findings")?,
            (Some(Operation::Counts), _) | (None, None) => formatter.write_str("partition counts")?,
        }
        write!(formatter, " of inspection {}", self.inspection)
    }
}

impl<Value> fmt::Display for Error<Value> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.subject)?;
        if let Some(address) = &self.address {
            write!(formatter, " ({address})")?;
        }
        write!(formatter, ": {}", self.kind)?;
        if let Some(reason) = &self.reason {
            write!(formatter, ": {reason}")?;
        }
        if self.attempts > 1 {
            write!(formatter, " (after {} attempts)", self.attempts)?;
        }
        if !self.messages.is_empty() {
            formatter.write_str(": ")?;
            write_sentences(formatter, &self.messages)?;
        }
        self.kind.hint().iter().chain(&self.hints).try_for_each(|hint| write!(formatter, "; {hint}"))
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Hint::Offline => "the device is offline",
            Hint::Page => {
                "a page is not told whether the service could not be reached, the connection broke, the service does not allow \
                 requests from the page's origin (CORS), or connect-src of the page's content security policy does not allow \
                 its address"
            }
            Hint::WrongAddress => "is baseUrl right?",
            Hint::HiddenRetryAfter => {
                "no Retry-After can be read: if the service sends one, it has to expose it to other origins with \
                 Access-Control-Expose-Headers"
            }
            Hint::NoRetryLeft => {
                "it was not tried again because the client has no retries left after too many failures; successes give them back"
            }
        })
    }
}

/// Joins messages with a space after an end of sentence, and with a semicolon otherwise.
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
    fn names_the_subject_the_kind_and_the_messages_of_the_service() {
        let subject = Subject::of_call(42, None).at(Operation::Partition { kind: Kind::Topics, index: 3 });
        let messages = vec!["busy".into(), "try later".into()];
        let error = Error::<()>::new(ErrorKind::Http(503), subject, 4).with_messages(messages);
        assert_eq!(
            error.to_string(),
            "topics partition 3 of inspection 42: the service answered with HTTP status 503 (after 4 attempts): busy; try later"
        );
    }

    #[test]
    fn ends_with_each_hint_once() {
        let subject = Subject::of_call(7, None).at(Operation::Counts);
        let error = Error::<()>::new(ErrorKind::Http(503), subject, 1);
        let error = error.with_hint(Hint::Offline).with_hint(Hint::NoRetryLeft);
        assert_eq!(
            error.to_string(),
            "partition counts of inspection 7: the service answered with HTTP status 503; the device is offline; it was not \
             tried again because the client has no retries left after too many failures; successes give them back"
        );
    }

    #[test]
    fn names_the_address_of_the_request() {
        let subject = Subject::of_call(42, None).at(Operation::Counts);
        let mut error = Error::<()>::new(ErrorKind::Http(500), subject, 1);
        error.address = Some("https://service.test/Findings/42".into());
        assert_eq!(
            error.to_string(),
            "partition counts of inspection 42 (https://service.test/Findings/42): the service answered with HTTP status 500"
        );
    }

    #[test]
    fn names_the_reason_of_a_broken_connection() {
        let subject = Subject::of_call(42, None).at(Operation::Counts);
        let mut error = Error::<()>::new(ErrorKind::Unreachable, subject, 4);
        error.reason = Some("connect ECONNREFUSED 127.0.0.1:9".into());
        assert_eq!(
            error.to_string(),
            "partition counts of inspection 42: there was no answer: connect ECONNREFUSED 127.0.0.1:9 (after 4 attempts)"
        );
    }

    #[test]
    fn doubts_the_address_of_a_404_and_of_a_page() {
        let decode = |kind, path: &str| ErrorKind::Decode(DecodeError { offset: 0, path: path.into(), kind });
        let markup = DecodeErrorKind::UnexpectedByte(b'<');
        let doubted = [ErrorKind::Http(404), decode(markup, "$")];
        let undoubted = [ErrorKind::Http(400), decode(markup, "$.Findings"), decode(DecodeErrorKind::EmptyBody, "$")];
        let subject = Subject::of_call(7, None).at(Operation::Counts);
        let message = |kind: &ErrorKind| Error::<()>::new(kind.clone(), subject, 1).to_string();
        assert!(doubted.iter().all(|kind| message(kind).ends_with("; is baseUrl right?")));
        assert!(!undoubted.iter().any(|kind| message(kind).contains("baseUrl")));
    }

    #[test]
    fn names_a_subject_by_its_request_or_else_by_the_call() {
        let call = Subject::of_call(7, Some(Kind::Sentiment));
        assert_eq!(call.to_string(), "sentiment findings of inspection 7");
        assert_eq!(call.at(Operation::Counts).to_string(), "partition counts of inspection 7");
        assert_eq!(Subject::of_call(7, None).to_string(), "partition counts of inspection 7");
    }
}
