//! The error of a call: what failed, for which request, and the findings that were received anyway.

use std::fmt;

use chunk::decode::DecodeError;

use crate::contract::{Kind, KindCounts, Operation};
use crate::excerpt::Excerpt;
use crate::hint::Hint;
use crate::partition_tracker::TotalMismatch;
use crate::retry::is_transient;

/// Why a call ends without a result.
#[cfg_attr(test, derive(Debug))]
pub enum CallEnd<Value> {
    /// The call failed.
    Failed(Box<Error<Value>>),
    /// A function of the caller threw this value, or returned a promise that rejected with it.
    Thrown(Value),
}

/// The error of a call, or of one of its partitions.
///
/// Not a [`std::error::Error`]: `Value` is opaque to Rust, and [`ErrorKind`] carries the message.
#[derive(Clone)]
pub struct Error<Value> {
    /// What failed.
    pub kind: ErrorKind,
    /// What was requested.
    pub subject: Subject,
    /// The URL of the request, unless it contains a secret of a header.
    pub url: Option<String>,
    /// The number of attempts of the failed request; 0 if the error is not about a single request.
    pub attempts: u32,
    /// The host's reason for a broken connection, or what was received instead of a response of the service.
    pub reason: Option<String>,
    /// The messages in the `errors` field of the response.
    pub messages: Vec<String>,
    /// The `Retry-After` of the response, in milliseconds.
    pub retry_after: Option<f64>,
    /// The value that caused the error, such as the rejection of `fetch`.
    pub cause: Option<Value>,
    /// The headers of all attempts, if a function returned them. No text of the error may contain their values.
    pub headers: Vec<Value>,
    /// The headers of the last response to the failed request.
    pub response: Option<Value>,
    /// The id that the service gave the request, as these headers have it.
    pub request_id: Option<String>,
    /// The findings that came with the errors of a partition, as objects of the host.
    pub objects: Option<Value>,
    /// Advice that the message ends with, without duplicates.
    pub hints: Vec<Hint>,
}

/// The subject of a call or of one of its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The id of the inspection.
    pub inspection: i64,
    /// The kind of the findings; `None` for a call about both kinds.
    pub kind: Option<Kind>,
    /// The request; `None` for the call as a whole.
    pub(crate) operation: Option<Operation>,
}

/// What failed.
#[derive(Clone, Debug, thiserror::Error)]
#[cfg_attr(test, derive(PartialEq))]
pub enum ErrorKind {
    /// The request got no response.
    #[error("no response")]
    Unreachable,
    /// The host does not trust the certificate of the service.
    #[error("no response")]
    Untrusted,
    /// The connection broke while the body was read.
    #[error("the connection broke while the response was being read")]
    Broken,
    /// The caller's `fetch` resolved with something other than a response.
    #[error(
        "the fetch option must return a Response: `status`, `headers`, and `body` (a byte stream) or `arrayBuffer()`"
    )]
    NoResponse,
    /// An attempt exceeded `timeout`, in milliseconds.
    #[error("timed out after {0} ms; raise timeout if the service needs longer")]
    AttemptTimeout(u64),
    /// The call exceeded `totalTimeout`, in milliseconds.
    #[error("the call took longer than its totalTimeout of {0} ms; raise it if the call needs longer")]
    TotalTimeout(u64),
    /// The response has a status outside 200–299, or one without a whole body.
    #[error("the service responded with HTTP status {0}{lack}", lack = lack_of(*.0))]
    Http(u16),
    /// The response is a redirect; browsers hide its status.
    #[error(
        "the service responded with a redirect, which is not followed because it could carry credentials to \
         another origin"
    )]
    Redirect(Option<u16>),
    /// The response has status 401, or 403 without a `Retry-After`.
    #[error("the service denied access with HTTP status {0}")]
    Unauthorized(u16),
    /// The response has `errors`.
    #[error("the service reported a failure")]
    Service,
    /// The body does not follow the contract of the service.
    #[error(transparent)]
    Decode(DecodeError),
    /// The body ends too early, or is empty, and the response does not say how long it is.
    #[error(transparent)]
    CutOff(DecodeError),
    /// `readCounts` returned something other than counts; the text says what is wrong.
    #[error("readCounts must return the counts that the call needs: {0}")]
    Mapping(String),
    /// The body exceeds `maxPartitionBytes`.
    #[error("the body is larger than the maxPartitionBytes of {0} bytes; raise it if partitions are that large")]
    TooLarge(usize),
    /// The number of findings received differs from the total in the counts.
    #[error(transparent)]
    Incomplete(TotalMismatch),
    /// Not each partition was delivered once, of this many.
    #[error("not each of the {0} partitions was received once; call again")]
    Undelivered(u64),
    /// The counts differ from those that the resumed call began with.
    #[error(
        "the counts have changed from {before} to {now}; the inspection was probably re-analysed meanwhile: call again"
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
    #[error("missing {missing} of {partitions} partitions; call resume() to fetch them")]
    Partial {
        /// Number of missing partitions.
        missing: u64,
        /// Number of partitions of the inspection.
        partitions: u64,
    },
    /// An allocation failed.
    #[error("out of memory; free tables that you no longer need, or read a stream")]
    Memory,
    /// The worker has ended with a body that was transferred to it, for a reason that is not known here.
    #[error(
        "the worker that was decoding the body has ended; if memory is short, free tables that you no longer need, or read a stream"
    )]
    WorkerLost,
    /// No worker could be started.
    #[error(
        "no worker could be started; check that worker.js is served beside the package's script, or at the URL that you \
         pass to init(), and that worker-src of the content security policy allows it (inline, manual and development builds need \
         blob:)"
    )]
    NoWorker,
}

impl Subject {
    /// A call about one kind of an inspection's findings, or about both.
    pub fn of_call(inspection: i64, kind: Option<Kind>) -> Self {
        Subject { inspection, kind, operation: None }
    }

    /// One request of the call.
    pub fn at(self, operation: Operation) -> Self {
        Subject { operation: Some(operation), ..self }
    }

    /// The index of the partition, if the subject is a partition.
    pub fn partition(&self) -> Option<u64> {
        match self.operation {
            Some(Operation::Partition { index, .. }) => Some(index),
            _ => None,
        }
    }

    /// The path of the request, relative to the base URL, if the subject is a request.
    pub fn path(&self) -> Option<String> {
        self.operation.map(|operation| operation.path(self.inspection))
    }
}

impl ErrorKind {
    /// The public `code` of the error.
    pub fn code(&self) -> &'static str {
        match self {
            ErrorKind::Unreachable | ErrorKind::Untrusted | ErrorKind::Broken | ErrorKind::NoResponse => "network",
            ErrorKind::AttemptTimeout(_) | ErrorKind::TotalTimeout(_) => "timeout",
            ErrorKind::Http(_) | ErrorKind::Redirect(_) => "http",
            ErrorKind::Unauthorized(_) => "unauthorized",
            ErrorKind::Service => "service",
            ErrorKind::Decode(_) | ErrorKind::CutOff(_) | ErrorKind::Mapping(_) => "decode",
            ErrorKind::TooLarge(_) => "too-large",
            ErrorKind::Incomplete(_) | ErrorKind::Undelivered(_) | ErrorKind::Changed { .. } => "incomplete",
            ErrorKind::Partial { .. } => "partial",
            ErrorKind::Memory | ErrorKind::WorkerLost => "memory",
            ErrorKind::NoWorker => "load",
        }
    }

    /// Whether the same request may succeed later.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            ErrorKind::Unreachable
            | ErrorKind::Broken
            | ErrorKind::CutOff(_)
            | ErrorKind::AttemptTimeout(_)
            | ErrorKind::WorkerLost => true,
            // A 403 is [`ErrorKind::Http`] only with a `Retry-After`.
            ErrorKind::Http(status) => is_transient(*status, true),
            _ => false,
        }
    }

    /// The HTTP status, if the request failed because of it and the host reveals it.
    pub fn status(&self) -> Option<u16> {
        match self {
            ErrorKind::Http(status) | ErrorKind::Unauthorized(status) => Some(*status),
            ErrorKind::Redirect(status) => *status,
            _ => None,
        }
    }

    /// The advice that every error of this kind ends with.
    fn hint(&self) -> Option<Hint> {
        match self {
            ErrorKind::Http(404) => Some(Hint::WrongUrl),
            ErrorKind::Redirect(_) => Some(Hint::SignIn),
            _ => None,
        }
    }
}

impl<Value> Error<Value> {
    /// An error without details. Boxed, so that a `Result` passed along stays small.
    #[cold]
    #[inline(never)]
    pub fn new(kind: ErrorKind, subject: Subject, attempts: u32) -> Box<Self> {
        Box::new(Error {
            kind,
            subject,
            url: None,
            attempts,
            reason: None,
            messages: Vec::new(),
            retry_after: None,
            cause: None,
            headers: Vec::new(),
            response: None,
            request_id: None,
            objects: None,
            hints: Vec::new(),
        })
    }

    /// The message of an error that lists failures: it ends with that of the first one.
    pub fn with_first(&self, failure: Option<&str>) -> String {
        failure.map_or_else(|| self.to_string(), |failure| format!("{self}. First failure: {failure}"))
    }

    /// Adds a hint, unless all errors of this kind have it.
    pub(crate) fn with_hint(mut self: Box<Self>, hint: Hint) -> Box<Self> {
        if self.kind.hint() != Some(hint) {
            self.hints.push(hint);
        }
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
        match (self.url.as_deref().map(Excerpt), self.attempts > 1) {
            (Some(url), true) => write!(formatter, " ({url}, {} attempts)", self.attempts)?,
            (Some(url), false) => write!(formatter, " ({url})")?,
            (None, true) => write!(formatter, " ({} attempts)", self.attempts)?,
            (None, false) => {}
        }
        write!(formatter, ": {}", self.kind)?;
        if let Some(reason) = &self.reason {
            write!(formatter, ": {reason}")?;
        }
        for (position, message) in self.messages.iter().enumerate() {
            formatter.write_str(if position == 0 { ": \"" } else { ", \"" })?;
            formatter.write_str(message)?;
            formatter.write_str("\"")?;
        }
        if matches!(self.kind, ErrorKind::Service) && self.messages.is_empty() {
            formatter.write_str(
                " without a message: `errors` must be null or absent after a success, and it is an empty list",
            )?;
        }
        for (position, hint) in self.kind.hint().iter().chain(&self.hints).enumerate() {
            let is_after_sentence =
                position > 0 || self.messages.last().or(self.reason.as_ref()).is_some_and(|text| is_sentence(text));
            formatter.write_str(if is_after_sentence { " " } else { ". " })?;
            write!(formatter, "{hint}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
impl<Value> fmt::Debug for Error<Value> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

/// What a response with a status of 200 to 299 lacks.
fn lack_of(status: u16) -> &'static str {
    match status {
        204 | 205 => ", which means that there is no body",
        206 => ", which means that the body is only a part",
        _ => "",
    }
}

/// Whether a text ends as a sentence does.
fn is_sentence(text: &str) -> bool {
    text.ends_with(['.', '!', '?'])
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: &str = "partition counts of inspection 42";

    /// An error of the request for the counts, changed in this way.
    fn error(kind: ErrorKind, change: impl FnOnce(&mut Error<()>)) -> Box<Error<()>> {
        let mut error = Error::new(kind, Subject::of_call(42, None).at(Operation::Counts), 1);
        change(&mut error);
        error
    }

    #[test]
    fn names_a_subject_by_its_request_or_else_by_the_call() {
        let call = Subject::of_call(42, Some(Kind::Sentiment));
        assert_eq!(call.to_string(), "sentiment findings of inspection 42");
        assert_eq!(call.at(Operation::Counts).to_string(), COUNTS);
        assert_eq!(Subject::of_call(42, None).to_string(), COUNTS);
        let partition = call.at(Operation::Partition { kind: Kind::Topics, index: 3 });
        assert_eq!(partition.to_string(), "topics partition 3 of inspection 42");
    }

    #[test]
    fn says_what_went_wrong_where_why_and_what_to_do() {
        let http = |status, messages: &[&str]| {
            error(ErrorKind::Http(status), |error| error.messages = messages.iter().copied().map(Into::into).collect())
        };
        let requested = |attempts| {
            error(ErrorKind::Http(500), |error| {
                (error.attempts, error.url) = (attempts, Some("https://service.test/Findings/42".into()));
            })
        };
        let hinted = |hints: &[Hint]| error(ErrorKind::Http(429), |error| error.hints.extend(hints));
        let reason = |error: &mut Error<()>| error.reason = Some("connect ECONNREFUSED 127.0.0.1:9".into());
        for (error, message) in [
            (requested(1), " (https://service.test/Findings/42): the service responded with HTTP status 500"),
            (
                requested(3),
                " (https://service.test/Findings/42, 3 attempts): the service responded with HTTP status 500",
            ),
            (http(400, &[]), ": the service responded with HTTP status 400"),
            (http(503, &["busy", "later"]), ": the service responded with HTTP status 503: \"busy\", \"later\""),
            // Advice begins a sentence.
            (
                http(404, &[]),
                ": the service responded with HTTP status 404. Check baseUrl (--base-url) and the inspection key.",
            ),
            (
                http(404, &["No."]),
                ": the service responded with HTTP status 404: \"No.\" Check baseUrl (--base-url) and the inspection key.",
            ),
            (
                http(404, &["No"]),
                ": the service responded with HTTP status 404: \"No\". Check baseUrl (--base-url) and the inspection key.",
            ),
            (
                error(ErrorKind::Service, |error| error.messages = vec!["busy".into()]),
                ": the service reported a failure: \"busy\"",
            ),
            (
                error(ErrorKind::Service, |_| ()),
                ": the service reported a failure without a message: `errors` must be null or absent after a success, and it is an empty list",
            ),
            (error(ErrorKind::Unreachable, reason), ": no response: connect ECONNREFUSED 127.0.0.1:9"),
            (
                hinted(&[Hint::Offline, Hint::NoRetryLeft]),
                ": the service responded with HTTP status 429. The device is offline. It was not retried because too many requests of this \
                 client have failed; successful requests allow retries again.",
            ),
            (
                hinted(&[Hint::LongRetryAfter { asked: 120_000, most: 60_000 }]),
                ": the service responded with HTTP status 429. The service asked to wait for 120000 ms, longer than the maxRetryAfter of \
                 60000 ms: raise it, or call again later.",
            ),
            (
                hinted(&[Hint::LateRetryAfter { asked: 7000, total: 5000 }]),
                ": the service responded with HTTP status 429. The service asked to wait for 7000 ms, beyond the totalTimeout of 5000 ms: \
                 raise it, or call again later.",
            ),
        ] {
            assert_eq!(error.to_string(), format!("{COUNTS}{message}"));
        }
    }

    #[test]
    fn names_the_first_of_the_missing_partitions_and_its_failure() {
        let subject = Subject::of_call(42, Some(Kind::Topics));
        let error = Error::<()>::new(ErrorKind::Partial { missing: 2, partitions: 9 }, subject, 0);
        let begin = "topics findings of inspection 42: missing 2 of 9 partitions; call resume() to fetch them";
        assert_eq!(error.with_first(None), begin);
        assert_eq!(error.with_first(Some("it failed")), format!("{begin}. First failure: it failed"));
    }
}
