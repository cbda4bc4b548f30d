//! One request with its attempts: headers, response, body, and what each error means for the next attempt.

use std::cell::Cell;
use std::future::{Future, pending, poll_fn};
use std::pin::pin;

use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, select};

use super::host::{Host, Span};
use super::progress::{PartitionChange, PartitionState};
use super::retrieval::{Outcome, Retrieval};
use crate::contract::{Kind, Operation};
use crate::counts::CountsBody;
use crate::decode::Thread;
use crate::error::{CallEnd, Error, ErrorKind, Hint, Subject};
use crate::scheduling::byte_budget::Reservation;
use crate::scheduling::credential_refresh::{Generation, RefreshNumber};
use crate::scheduling::retry::{NoRetry, Wait, is_transient};
use crate::transport::body::{Body, read_body, read_excerpt};
use crate::transport::response::BodyError;
use crate::transport::{Head, Response, SendError};

/// A request and its attempts so far.
pub(super) struct RequestState<Headers> {
    operation: Operation,
    /// The kind of findings that the call is about; `None` for both.
    requested: Option<Kind>,
    /// Attempts made, including the current one.
    attempts: u32,
    /// Whether an attempt was repeated with refreshed credentials.
    refreshed: bool,
    credentials: Credentials,
    /// The state to report before the next attempt.
    unreported: Option<PartitionState>,
    /// Whether a body has broken off, so that the next body is read piece by piece.
    has_broken: bool,
    /// Whether a worker has lost a body, so that the calling thread decodes the next body.
    pub(super) is_lost: bool,
    /// Whether the body is HTML, according to its headers.
    is_html: bool,
    /// The headers of the latest attempt.
    headers: Option<Headers>,
}

/// A body that has arrived.
pub(super) struct Received<H: Host> {
    /// The whole body.
    pub(super) body: Body<H::Blob>,
    /// Its request.
    pub(super) attempted: RequestState<H::Headers>,
}

/// The source of an attempt's headers.
#[derive(Clone, Copy)]
enum Credentials {
    /// The `headers` option, called with the status of the attempt before.
    Current(Option<u16>),
    /// A refresh, because the service refused headers of this generation.
    InsteadOf(Generation),
}

/// Why an attempt got no body.
enum AttemptError<Value> {
    /// The service asked the client to pause while the attempt waited for headers. It starts over after the pause.
    Postponed,
    /// The service responded with 401 to headers of this generation.
    Expired(Generation, Box<Error<Value>>),
    /// The call ends unless the error is transient.
    End(CallEnd<Value>),
}

impl<Value> From<Box<Error<Value>>> for AttemptError<Value> {
    fn from(error: Box<Error<Value>>) -> Self {
        AttemptError::End(CallEnd::Failed(error))
    }
}

impl<Headers: Clone> RequestState<Headers> {
    /// A request without attempts.
    pub(super) fn new(operation: Operation, requested: Option<Kind>) -> Self {
        RequestState {
            operation,
            requested,
            attempts: 1,
            refreshed: false,
            credentials: Credentials::Current(None),
            unreported: Some(PartitionState::Requested),
            has_broken: false,
            is_lost: false,
            is_html: false,
            headers: None,
        }
    }

    /// The error of a body that cannot be decoded.
    pub(super) fn decode_error<Value>(&self, error: Box<Error<Value>>) -> Box<Error<Value>> {
        if self.is_html { error.with_hint(Hint::WrongUrl) } else { error }
    }

    /// The error of the latest attempt, with the headers that its texts must not contain.
    pub(super) fn failed<Value>(&self, mut error: Box<Error<Value>>) -> Box<Error<Value>>
    where
        Headers: Into<Value>,
    {
        error.headers = self.headers.clone().map(Into::into);
        error
    }

    /// Attempts made.
    pub(super) fn attempts(&self) -> u32 {
        self.attempts
    }
}

impl<H: Host> Retrieval<H> {
    /// Sends a request, retries it, and reads the body. Holds a permit until then, also between attempts. The reservation is for the bytes
    /// of the body.
    ///
    /// # Errors
    ///
    /// The error of the last attempt.
    pub(super) async fn request(
        &self,
        mut attempted: RequestState<H::Headers>,
        reservation: Option<&Reservation>,
    ) -> Outcome<Received<H>, H> {
        let _permit = self.permit().await;
        if let Some(reservation) = reservation {
            reservation.activate();
        }
        let subject = self.subject(attempted.requested).at(attempted.operation);
        loop {
            self.wait_for_pause().await;
            if let Some(state) = attempted.unreported.take() {
                self.report_attempt(&attempted, state, None)?;
            }
            let attempt_begun = self.host.now();
            // Boxed, so that the state of an attempt does not add to the size of every future around it.
            let result = self.attempt(&mut attempted, subject, reservation).boxed_local().await;
            if !matches!(result, Err(AttemptError::Postponed)) {
                self.host.measure(Span { subject, attempt: Some(attempted.attempts), begun: attempt_begun });
            }
            match result {
                Ok((body, is_html)) => {
                    attempted.is_html = is_html;
                    self.scheduler.retries.give_back(attempted.attempts);
                    return Ok(Received { body, attempted });
                }
                Err(AttemptError::Expired(generation, _)) if !attempted.refreshed && self.host.can_refresh() => {
                    attempted.refreshed = true;
                    attempted.credentials = Credentials::InsteadOf(generation);
                }
                Err(AttemptError::Postponed) => {}
                Err(AttemptError::End(CallEnd::Failed(error))) => {
                    let error = attempted.failed(error);
                    self.wait_to_retry(&mut attempted, error).await?;
                }
                Err(AttemptError::Expired(_, error)) => return Err(CallEnd::Failed(attempted.failed(error))),
                Err(AttemptError::End(ended)) => return Err(ended),
            }
        }
    }

    /// Waits for a permit for a request in flight.
    async fn permit(&self) -> Reservation {
        let permits = self.scheduler.permits.call_budget(u64::MAX, 1);
        poll_fn(|context| permits.poll_reserve(false, context.waker())).await
    }

    /// Requests a lost body again.
    ///
    /// # Errors
    ///
    /// No retry is left, or the error of the last attempt.
    pub(super) async fn request_again(
        &self,
        mut attempted: RequestState<H::Headers>,
        error: Box<Error<H::Value>>,
        reservation: &Reservation,
    ) -> Outcome<Received<H>, H> {
        attempted.is_lost |= matches!(error.kind, ErrorKind::WorkerLost);
        let error = attempted.failed(error);
        self.wait_to_retry(&mut attempted, error).await?;
        self.request(attempted, Some(reservation)).await
    }

    /// Waits until a request may be retried after an error.
    ///
    /// # Errors
    ///
    /// The error, unless the request is to be retried.
    async fn wait_to_retry(
        &self,
        attempted: &mut RequestState<H::Headers>,
        mut error: Box<Error<H::Value>>,
    ) -> Outcome<(), H> {
        if !error.kind.is_transient() {
            return Err(CallEnd::Failed(error));
        }
        let Error { attempts, retry_after, .. } = *error;
        let wait = match self.settings.policy.wait_after(attempts, retry_after, self.time_left(), self.host.random()) {
            Ok(wait) => wait,
            Err(reason) => return Err(CallEnd::Failed(self.without_retry(error, reason))),
        };
        if !self.scheduler.retries.take() {
            return Err(CallEnd::Failed(error.with_hint(Hint::NoRetryLeft)));
        }
        attempted.attempts += 1;
        attempted.has_broken |= matches!(error.kind, ErrorKind::Broken);
        attempted.credentials = Credentials::Current(error.kind.status());
        self.count_retry();
        self.report_attempt(attempted, PartitionState::Retrying, Some((&wait, &mut error)))?;
        drop(error);
        self.wait(wait).await;
        Ok(())
    }

    /// Reports that another attempt follows, after a wait for an error unless it is the first. A call for the counts alone has no reports.
    fn report_attempt(
        &self,
        attempted: &RequestState<H::Headers>,
        state: PartitionState,
        retry: Option<(&Wait, &mut Error<H::Value>)>,
    ) -> Outcome<(), H> {
        let index = match attempted.operation {
            Operation::Partition { index, .. } => Some(index),
            Operation::Counts if attempted.requested.is_none() => return Ok(()),
            Operation::Counts => None,
        };
        let (delay, error) = retry.map(|(wait, error)| (wait.milliseconds.ceil(), error)).unzip();
        self.report(&PartitionChange { delay, ..PartitionChange::to(state, index, attempted.attempts) }, error)
    }

    /// Waits between two attempts. Being online again ends a backoff early, but not a `Retry-After`.
    async fn wait(&self, wait: Wait) {
        let slept = pin!(self.host.sleep(wait.milliseconds));
        if wait.may_end_early {
            select(slept, pin!(self.host.back_online())).await;
        } else {
            slept.await;
        }
    }

    /// Adds the reason why an error is not retried, unless the number of attempts already says it.
    fn without_retry(&self, error: Box<Error<H::Value>>, reason: NoRetry) -> Box<Error<H::Value>> {
        match reason {
            NoRetry::Exhausted => error,
            NoRetry::ExceedsMaxRetryAfter(asked) => {
                let most = self.settings.policy.max_retry_after as u64;
                error.with_hint(Hint::LongRetryAfter { asked: asked as u64, most })
            }
            NoRetry::ExceedsTotalTimeout(asked) => {
                let total = self.settings.total_timeout.unwrap_or_default() as u64;
                error.with_hint(Hint::LateRetryAfter { asked: asked as u64, total })
            }
        }
    }

    /// Pauses the client for a `Retry-After`, in milliseconds, unless it exceeds `maxRetryAfter`.
    fn pause(&self, retry_after: Option<f64>) {
        if let Some(wait) = retry_after.filter(|wait| self.settings.policy.honours(*wait)) {
            self.scheduler.pause_until(self.host.now() + wait);
        }
    }

    /// Waits until the client is no longer paused. Checks again afterwards, because another call may have extended the pause.
    async fn wait_for_pause(&self) {
        loop {
            let left = self.scheduler.pause_left(self.host.now());
            if left <= 0.0 {
                return;
            }
            self.host.sleep(left).await;
        }
    }

    async fn attempt(
        &self,
        attempted: &mut RequestState<H::Headers>,
        subject: Subject,
        reservation: Option<&Reservation>,
    ) -> Result<(Body<H::Blob>, bool), AttemptError<H::Value>> {
        let RequestState { attempts, credentials, has_broken, .. } = *attempted;
        let error_of = |kind| Error::new(kind, subject, attempts);
        let mut alarm = self.host.sleep(self.settings.timeout).boxed_local();
        let timed_out = || error_of(ErrorKind::AttemptTimeout(self.settings.timeout as u64));

        self.unless_over().await;
        let path = attempted.operation.path(self.inspection);
        let refresh = Cell::default();
        let headers = self.headers(&path, attempts, credentials, &refresh);
        let (generation, headers) = match until(&mut alarm, headers).await {
            Some(Ok(headers)) => headers,
            Some(Err(thrown)) => return Err(AttemptError::End(CallEnd::Thrown(thrown))),
            None => {
                // So that the next refusal does not join this refresh.
                self.refresh.abandon(refresh.get());
                return Err(timed_out().into());
            }
        };
        self.unless_over().await;
        if self.scheduler.pause_left(self.host.now()) > 0.0 {
            return Err(AttemptError::Postponed);
        }
        attempted.headers = Some(headers.clone());
        let sent = until(&mut alarm, self.host.send(&path, &headers)).await.ok_or_else(timed_out)?;
        let mut response = sent.map_err(|error| self.send_error(error, error_of))?;
        if !response.head().is_success() {
            // Boxed, so that engines compile it only when a request is refused.
            return Err(self.refusal(&mut response, &mut alarm, generation, error_of).boxed_local().await);
        }
        let thread = self.host.thread();
        let at_least = async |bytes| {
            if let Some(reservation) = reservation {
                reservation.grow_to(bytes as u64);
            }
            thread.yield_now().await;
        };
        let may_be_blob = matches!(attempted.operation, Operation::Partition { .. }) && !has_broken;
        let reading = read_body(&mut response, self.settings.max_partition_bytes, may_be_blob, at_least);
        let read = until(&mut alarm, reading).await.ok_or_else(timed_out)?;
        let is_html = response.head().is_html;
        read.map(|body| (body, is_html)).map_err(|error| self.body_error(error, error_of).into())
    }

    /// The error of a request without a response.
    #[cold]
    fn send_error(
        &self,
        error: SendError<H::Value>,
        error_of: impl Fn(ErrorKind) -> Box<Error<H::Value>>,
    ) -> Box<Error<H::Value>> {
        match error {
            SendError::Connection(cause) => self.disconnected(error_of(ErrorKind::Unreachable).with_cause(cause)),
            SendError::NoResponse(cause) => error_of(ErrorKind::NoResponse).with_cause(cause),
        }
    }

    /// The error of a response whose body did not arrive.
    #[cold]
    pub(super) fn body_error(
        &self,
        error: BodyError<H::Value>,
        error_of: impl Fn(ErrorKind) -> Box<Error<H::Value>>,
    ) -> Box<Error<H::Value>> {
        match error {
            BodyError::Connection(cause) => self.disconnected(error_of(ErrorKind::Broken).with_cause(cause)),
            BodyError::NoResponse(cause) => error_of(ErrorKind::NoResponse).with_cause(cause),
            BodyError::Empty => self.disconnected(error_of(ErrorKind::Broken)),
            BodyError::TooLarge => error_of(ErrorKind::TooLarge(self.settings.max_partition_bytes)),
            BodyError::Memory => error_of(ErrorKind::Memory),
        }
    }

    /// Adds a hint to the error of a broken connection if the host is offline.
    fn disconnected(&self, error: Box<Error<H::Value>>) -> Box<Error<H::Value>> {
        if self.host.is_offline() { error.with_hint(Hint::Offline) } else { error }
    }

    /// Never resolves after the call has ended: a function of the caller may just have aborted it.
    async fn unless_over(&self) {
        if self.host.is_over() {
            pending().await
        }
    }

    /// Fetches the headers of an attempt. Sets `refresh` to the number of the refresh it waits for, if it waits for one.
    ///
    /// # Errors
    ///
    /// The value that the `headers` function threw.
    async fn headers(
        &self,
        path: &str,
        attempt: u32,
        credentials: Credentials,
        refresh: &Cell<RefreshNumber>,
    ) -> Result<(Generation, H::Headers), H::Value> {
        // Read before the call: headers requested before a refresh may be the old ones.
        let generation = self.refresh.generation();
        let headers = match credentials {
            Credentials::Current(status) => self.host.headers(path, attempt, status).await?,
            Credentials::InsteadOf(refused) => {
                self.refresh.refreshed(refused, refresh, || self.host.headers(path, attempt, Some(401))).await?
            }
        };
        Ok((generation, headers))
    }

    /// The error of an unsuccessful response. It has the status even if the body never ends.
    async fn refusal(
        &self,
        response: &mut H::Response,
        alarm: &mut LocalBoxFuture<'_, ()>,
        generation: Generation,
        error_of: impl FnOnce(ErrorKind) -> Box<Error<H::Value>>,
    ) -> AttemptError<H::Value> {
        let Head { status, is_redirect, hides_headers, retry_after, is_html, .. } = *response.head();
        if is_redirect {
            return error_of(ErrorKind::Redirect((status != 0).then_some(status))).into();
        }
        let retry_after = retry_after.map(|retry_after| retry_after.wait(self.host.date()));
        if is_transient(status) {
            self.pause(retry_after);
        }
        let is_hidden = matches!(status, 429 | 503) && retry_after.is_none() && hides_headers;
        let (mut excerpt, thread) = (Vec::new(), self.host.thread());
        let _ = until(alarm, read_excerpt(response, &mut excerpt, async || thread.yield_now().await)).await;
        let messages = CountsBody::decode(&excerpt).ok().and_then(|body| body.errors).unwrap_or_default();
        let is_html = is_html || excerpt.trim_ascii_start().starts_with(b"<");
        // HTML from something in front of the service, such as a busy proxy, does not mean that the URL is wrong.
        let doubts_url = is_html && !is_transient(status);
        let error = |kind| {
            let mut error = error_of(kind).with_messages(messages);
            error.retry_after = retry_after;
            let error = if doubts_url { error.with_hint(Hint::WrongUrl) } else { error };
            if is_hidden { error.with_hint(Hint::HiddenRetryAfter) } else { error }
        };
        match status {
            401 => AttemptError::Expired(generation, error(ErrorKind::Unauthorized(status))),
            403 => error(ErrorKind::Unauthorized(status)).into(),
            _ => error(ErrorKind::Http(status)).into(),
        }
    }
}

/// Runs a future until it resolves; `None` if the timeout comes first.
async fn until<T>(alarm: &mut LocalBoxFuture<'_, ()>, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), alarm).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}
