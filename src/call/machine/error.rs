//! The errors of requests and of calls: what failed, and what the caller can do about it.

use chunk::decode::{DecodeError, DecodeErrorKind, page_of};

use super::call::Call;
use super::event::{Advice, Failure, Task};
use super::head::Head;
use super::host::Host;
use super::request::Request;
use crate::contract::Operation;
use crate::error::{Error, ErrorKind, Subject};
use crate::hint::Hint;
use crate::refusal::messages_of;
use crate::retry::is_transient;

impl<H: Host> Call<H> {
    /// An error of the latest attempt of a request.
    #[cold]
    #[inline(never)]
    pub(super) fn error_of(&self, request: &Request<H>, kind: ErrorKind) -> Box<Error<H::Value>> {
        let mut error = self.error_at(request.operation, kind);
        error.attempts = request.attempts;
        error.headers.clone_from(&request.headers);
        error.response.clone_from(&request.response);
        error
    }

    /// The error of a body that cannot be decoded. It is transient if the body may be cut off.
    #[cold]
    #[inline(never)]
    pub(super) fn decode_error(&self, request: &Request<H>, error: DecodeError) -> Box<Error<H::Value>> {
        let (stated, is_empty) = (request.stated, error.kind == DecodeErrorKind::EmptyBody);
        // A service that is restarted may send an empty body of a stated length.
        let may_be_cut = error.is_cut_off() && (!stated.is_whole || is_empty);
        let is_page = error.kind == DecodeErrorKind::UnexpectedByte(b'<') && error.format.is_some();
        let kind = match error.kind {
            DecodeErrorKind::OutOfMemory => ErrorKind::Memory,
            _ if may_be_cut => ErrorKind::CutOff(error),
            _ => ErrorKind::Decode(error),
        };
        let mut error = self.error_of(request, kind);
        match () {
            // The message says so.
            () if is_page => {}
            () if stated.is_html => error.hints.push(Hint::Html),
            () if may_be_cut && !is_empty => error.hints.push(Hint::UnknownLength),
            () => {}
        }
        doubting_url(error, is_page || stated.is_html)
    }

    /// The error of a response that refuses a request, whose body begins like this.
    #[cold]
    #[inline(never)]
    pub(super) fn refusal_error(&self, request: &Request<H>, head: Head, excerpt: &[u8]) -> Box<Error<H::Value>> {
        let Head { status, is_redirect, destination, hides_headers, retry_after, is_html, .. } = head;
        if is_redirect {
            let mut error = self.error_of(request, ErrorKind::Redirect((status != 0).then_some(status)));
            error.reason = destination.map(|destination| ["it leads to ", &*destination].concat());
            return error;
        }
        let page = page_of(excerpt);
        let (is_markup, is_html) = (page.is_some(), is_html || page.is_some());
        let is_transient = is_transient(status, retry_after.is_some());
        let is_unauthorized = matches!(status, 401 | 403) && !is_transient;
        let kind = if is_unauthorized { ErrorKind::Unauthorized(status) } else { ErrorKind::Http(status) };
        let mut error = self.error_of(request, kind);
        error.retry_after = retry_after;
        error.messages = messages_of(excerpt);
        error.reason = page.map(|page| ["the body is ", &*page].concat());
        match status {
            _ if is_html && !is_markup => error.hints.push(Hint::Html),
            401 => error.hints.push(Hint::Credentials),
            404 if matches!(self.wanted.task, Task::Partition(..)) => error.hints.push(Hint::WrongIndex),
            403 if is_unauthorized && !is_html => error.hints.push(Hint::NoPermission),
            // Something in front of the service, such as a busy proxy, may hide it.
            429 | 503 if retry_after.is_none() && hides_headers => error.hints.push(Hint::HiddenRetryAfter),
            _ => {}
        }
        doubting_url(error, is_html && !is_transient && !is_unauthorized)
    }

    /// An error of the call as a whole.
    #[cold]
    #[inline(never)]
    pub(super) fn error(&self, kind: ErrorKind) -> Box<Error<H::Value>> {
        Error::new(kind, self.subject(), 0)
    }

    /// An error of what was not requested.
    #[cold]
    #[inline(never)]
    pub(super) fn error_at(&self, operation: Operation, kind: ErrorKind) -> Box<Error<H::Value>> {
        let mut error = Error::new(kind, self.subject().at(operation), 0);
        error.url = Some(self.url_of(operation));
        error
    }

    /// The URL of a request.
    pub(super) fn url_of(&self, operation: Operation) -> String {
        [&*self.wanted.base, &*operation.path(self.wanted.inspection)].concat()
    }

    fn subject(&self) -> Subject {
        Subject::of_call(self.wanted.inspection, self.kind())
    }
}

impl<V> Error<V> {
    /// Adds what the host knows about a connection that failed.
    #[cold]
    #[inline(never)]
    pub(super) fn explain(&mut self, failure: Failure<V>) {
        let Failure { cause, reason, advice, is_offline, .. } = failure;
        self.cause = Some(cause);
        self.offline(is_offline);
        if matches!(self.kind, ErrorKind::Unreachable | ErrorKind::Broken | ErrorKind::NoResponse) {
            self.reason = (!reason.is_empty()).then_some(reason);
        }
        if !matches!(self.kind, ErrorKind::Unreachable) || is_offline {
            return;
        }
        match advice {
            Advice::None => {}
            Advice::Hint(hint) => self.hints.push(hint),
            // A certificate stays as it is, however often it is presented.
            Advice::Untrusted => self.kind = ErrorKind::Untrusted,
        }
    }

    /// Says that the host is offline, if it is and that explains the error.
    pub(super) fn offline(&mut self, is_offline: bool) {
        if is_offline && matches!(self.kind, ErrorKind::Unreachable | ErrorKind::Broken | ErrorKind::NoWorker) {
            self.hints.push(Hint::Offline);
        }
    }
}

/// Adds advice about the URL to an error of the counts, which came with HTML. A partition has the URL at which the counts were.
fn doubting_url<V>(error: Box<Error<V>>, is_html: bool) -> Box<Error<V>> {
    let is_of_counts = error.subject.operation == Some(Operation::Counts);
    if is_html && is_of_counts { error.with_hint(Hint::WrongUrl) } else { error }
}
