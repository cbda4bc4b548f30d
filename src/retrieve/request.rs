//! One request with its attempts: headers, response, body, and what each error means for the next attempt.

use std::cell::Cell;
use std::future::{Future, pending};
use std::pin::pin;

use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, select};

use super::host::{Host, Span};
use super::progress::{PartitionChange, PartitionState};
use super::retrieval::{Outcome, Retrieval};
use crate::contract::{Kind, Operation};
use crate::counts::CountsBody;
use crate::error::{CallEnd, Error, ErrorKind, Hint, Subject};
use crate::scheduling::byte_budget::Reservation;
use crate::scheduling::credential_refresh::{Generation, RefreshNumber};
use crate::scheduling::retry::{Situation, Wait, is_transient, parse_retry_after};
use crate::transport::{Answer, BodyError, EXCERPT_LIMIT, SendError, read_body};

/// A body, and the number of attempts until it arrived.
pub(super) struct Received {
    /// The whole body.
    pub(super) body: Vec<u8>,
    /// Attempts made, including the successful one.
    pub(super) attempts: u32,
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
    /// The service answered 401 to headers of this generation.
    Expired(Generation, Box<Error<Value>>),
    /// The call ends unless the error is transient.
    End(CallEnd<Value>),
}

impl<Value> From<Box<Error<Value>>> for AttemptError<Value> {
    fn from(error: Box<Error<Value>>) -> Self {
        AttemptError::End(CallEnd::Failed(error))
    }
}

impl<H: Host> Retrieval<H> {
    /// Sends a request and retries it, and reads the body. Holds a permit until then, also between attempts. `requested` is the
    /// kind of findings that the call is about; the reservation is for the bytes of the body.
    ///
    /// # Errors
    ///
    /// The error of the last attempt.
    pub(super) async fn request(
        &self,
        operation: Operation,
        requested: Option<Kind>,
        reservation: Option<&Reservation>,
    ) -> Outcome<Received, H> {
        let _permit = self.scheduler.semaphore.acquire().await;
        if let Some(reservation) = reservation {
            reservation.activate();
        }
        let subject = self.subject(requested).at(operation);
        let (mut attempts, mut refreshed) = (1, false);
        let mut credentials = Credentials::Current(None);
        let mut unreported = Some(PartitionState::Requested);
        loop {
            self.wait_for_pause().await;
            if let Some(state) = unreported.take() {
                self.report_attempt(operation, state, attempts)?;
            }
            let attempt_begun = self.host.now();
            // Boxed, so that the state of an attempt does not add to the size of every future around it.
            let result = self.attempt(operation, subject, attempts, credentials, reservation).boxed_local().await;
            if !matches!(result, Err(AttemptError::Postponed)) {
                self.host.measure(Span { subject, attempt: Some(attempts), begun: attempt_begun });
            }
            let error = match result {
                Ok(body) => {
                    self.scheduler.retries.give_back(attempts);
                    return Ok(Received { body, attempts });
                }
                Err(AttemptError::Expired(generation, _)) if !refreshed && self.host.can_refresh() => {
                    refreshed = true;
                    credentials = Credentials::InsteadOf(generation);
                    continue;
                }
                Err(AttemptError::Postponed) => continue,
                Err(AttemptError::End(CallEnd::Failed(error))) if error.kind.is_transient() => error,
                Err(AttemptError::Expired(_, error)) => return Err(CallEnd::Failed(error)),
                Err(AttemptError::End(ended)) => return Err(ended),
            };
            let Some(wait) = self.wait_after(&error) else { return Err(CallEnd::Failed(error)) };
            if !self.scheduler.retries.take() {
                return Err(CallEnd::Failed(error.with_hint(Hint::NoRetryLeft)));
            }
            attempts += 1;
            credentials = Credentials::Current(error.kind.status());
            self.count_retry();
            self.report_attempt(operation, PartitionState::Retrying, attempts)?;
            self.wait(wait).await;
        }
    }

    /// Reports that an attempt on a partition follows.
    fn report_attempt(&self, operation: Operation, state: PartitionState, attempt: u32) -> Outcome<(), H> {
        match operation {
            Operation::Partition { index, .. } => {
                self.report(&PartitionChange { index, state, attempt, findings: 0, bytes: 0 })
            }
            Operation::Counts => Ok(()),
        }
    }

    /// Waits between two attempts. Being online again ends a backoff early, but not a `Retry-After`.
    async fn wait(&self, wait: Wait) {
        match wait {
            Wait::BackOff(time) => {
                select(pin!(self.host.sleep(time)), pin!(self.host.back_online())).await;
            }
            Wait::RetryAfter(time) => self.host.sleep(time).await,
        }
    }

    fn wait_after(&self, error: &Error<H::Value>) -> Option<Wait> {
        self.settings.policy.wait_after(Situation {
            attempts: error.attempts,
            retry_after: error.retry_after,
            remaining: self.time_left(),
            random: self.host.random(),
        })
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
        operation: Operation,
        subject: Subject,
        attempts: u32,
        credentials: Credentials,
        reservation: Option<&Reservation>,
    ) -> Result<Vec<u8>, AttemptError<H::Value>> {
        let error_of = |kind| Error::new(kind, subject, attempts);
        let mut alarm = self.host.sleep(self.settings.timeout).boxed_local();
        let timed_out = || error_of(ErrorKind::AttemptTimeout(self.settings.timeout as u64));

        self.unless_over().await;
        let path = operation.path(self.inspection);
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
        let sent = until(&mut alarm, self.host.send(&path, &headers)).await.ok_or_else(timed_out)?;
        let mut answer = sent.map_err(|error| match error {
            SendError::Connection(cause) => self.disconnected(error_of(ErrorKind::Unreachable).with_cause(cause)),
            SendError::NoResponse(cause) => error_of(ErrorKind::NoResponse).with_cause(cause),
        })?;
        if !(200..300).contains(&answer.status()) {
            return Err(self.refusal(&mut answer, &mut alarm, generation, error_of).await);
        }
        let (mut body, limit) = (Vec::new(), self.settings.max_partition_bytes);
        // One byte more than the limit shows that the body exceeds it.
        let read = until(&mut alarm, self.read(&mut answer, &mut body, limit.saturating_add(1), reservation)).await;
        read.ok_or_else(timed_out)?.map_err(|error| match error {
            BodyError::Connection(cause) => self.disconnected(error_of(ErrorKind::Broken).with_cause(cause)),
            BodyError::NoResponse(cause) => error_of(ErrorKind::NoResponse).with_cause(cause),
            BodyError::Memory => error_of(ErrorKind::Memory),
        })?;
        if body.len() > limit {
            return Err(error_of(ErrorKind::TooLarge(limit)).into());
        }
        // Without TLS, browsers report a response that was cut in its headers as complete, with an empty body.
        if body.is_empty() && answer.announced_length().is_some_and(|announced| announced > 0) {
            return Err(self.disconnected(error_of(ErrorKind::Broken)).into());
        }
        Ok(body)
    }

    /// Reads at most `most` bytes of a body, and grows the reservation with it.
    async fn read(
        &self,
        answer: &mut H::Answer,
        body: &mut Vec<u8>,
        most: usize,
        reservation: Option<&Reservation>,
    ) -> Result<(), BodyError<H::Value>> {
        let at_least = async |bytes| {
            if let Some(reservation) = reservation {
                reservation.grow_to(bytes as u64);
            }
            self.host.yield_now().await;
        };
        read_body(answer, body, most, at_least).await
    }

    /// Adds a hint to the error of a broken connection if the host is offline.
    fn disconnected(&self, error: Box<Error<H::Value>>) -> Box<Error<H::Value>> {
        if self.host.is_offline() { error.with_hint(Hint::Offline) } else { error }
    }

    /// Never resolves once the call is over: a function of the caller may just have aborted it.
    async fn unless_over(&self) {
        if self.host.is_over() {
            pending().await
        }
    }

    /// Gets the headers of an attempt. Sets `refresh` to the number of the refresh it waits for, if it waits for one.
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

    /// The error of a response without success. It keeps its status even if its body never ends.
    async fn refusal(
        &self,
        answer: &mut H::Answer,
        alarm: &mut LocalBoxFuture<'_, ()>,
        generation: Generation,
        error_of: impl FnOnce(ErrorKind) -> Box<Error<H::Value>>,
    ) -> AttemptError<H::Value> {
        let status = answer.status();
        if answer.is_redirect() {
            return error_of(ErrorKind::Redirect((status != 0).then_some(status))).into();
        }
        let retry_after = answer.retry_after().and_then(|header| parse_retry_after(&header, self.host.date()));
        if is_transient(status) {
            self.pause(retry_after);
        }
        let is_hidden = matches!(status, 429 | 503) && retry_after.is_none() && answer.hides_headers();
        let mut excerpt = Vec::new();
        // However the read ends, the bytes received may contain messages.
        let _ = until(alarm, self.read(answer, &mut excerpt, EXCERPT_LIMIT, None)).await;
        let messages = CountsBody::decode(&excerpt).ok().and_then(|body| body.errors).unwrap_or_default();
        // A page of what stands in front of a service, such as a proxy that is busy, says nothing of the address.
        let is_page = excerpt.trim_ascii_start().starts_with(b"<") && !is_transient(status);
        let error = |kind| {
            let mut error = error_of(kind).with_messages(messages);
            error.retry_after = retry_after;
            let error = if is_page { error.with_hint(Hint::WrongAddress) } else { error };
            if is_hidden { error.with_hint(Hint::HiddenRetryAfter) } else { error }
        };
        match status {
            401 => AttemptError::Expired(generation, error(ErrorKind::Unauthorized(status))),
            403 => error(ErrorKind::Unauthorized(status)).into(),
            _ => error(ErrorKind::Http(status)).into(),
        }
    }
}

/// Runs a future until it resolves; `None` if the alarm rings first.
async fn until<T>(alarm: &mut LocalBoxFuture<'_, ()>, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), alarm).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}
