//! One request with its attempts: headers, response, body, and what each error means for the next attempt.

use std::cell::Cell;
use std::future::{Future, pending};
use std::pin::{Pin, pin};

use chunk::decode::{DecodeError, DecodeErrorKind, page_of};
use futures_util::FutureExt;
use futures_util::future::{Either, select};

use super::host::Host;
use super::progress::{PartitionChange, PartitionState};
use super::retrieval::{OrEnd, Retrieval, decode_error_kind};
use super::way::{Failure, Way};
use crate::contract::Operation;
use crate::error::{CallEnd, Error, ErrorKind, Hint, Subject};
use crate::refusal::messages_of;
use crate::scheduling::byte_budget::Reservation;
use crate::scheduling::credential_refresh::{Generation, RefreshNumber};
use crate::scheduling::retry::{NoRetry, Wait, is_transient, spread};
use crate::transport::body::{Body, read_body, read_excerpt};
use crate::transport::response::BodyError;
use crate::transport::{Head, Response, SendError, Sender};
use chunk::decoding::Runtime;

/// A request and its attempts so far.
pub(super) struct RequestState<Headers> {
    /// What is requested.
    pub(super) subject: Subject,
    /// Attempts made, including the current one.
    pub(super) attempts: u32,
    /// Whether its credentials were refreshed, in time.
    refreshed: bool,
    credentials: Credentials,
    /// The state to report before the next attempt.
    unreported: Option<PartitionState>,
    /// The way of the current attempt.
    pub(super) way: Way,
    /// What its headers say about the latest body.
    stated: Stated,
    /// The headers of all attempts so far.
    headers: Vec<Headers>,
}

/// What the headers of a response say about its body.
#[derive(Clone, Copy, Default)]
struct Stated {
    /// Whether they say that it is HTML.
    is_html: bool,
    /// Whether they state the length that it has. A browser notices itself if such a body is cut off.
    is_whole: bool,
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

/// A response.
enum Reply<B> {
    /// Its body, if the request has succeeded.
    Body(B),
    /// It refuses the request.
    Refused(Refusal),
}

/// A response that refuses a request.
struct Refusal {
    head: Head,
    /// Its `Retry-After`, in milliseconds from its arrival.
    retry_after: Option<f64>,
    /// The beginning of its body.
    excerpt: Vec<u8>,
}

impl<Value> From<Box<Error<Value>>> for AttemptError<Value> {
    fn from(error: Box<Error<Value>>) -> Self {
        AttemptError::End(CallEnd::Failed(error))
    }
}

impl<Headers> RequestState<Headers> {
    /// A request without attempts.
    pub(super) fn new(subject: Subject) -> Self {
        RequestState {
            subject,
            attempts: 1,
            refreshed: false,
            credentials: Credentials::Current(None),
            unreported: Some(PartitionState::Requested),
            way: Way::Any,
            stated: Stated::default(),
            headers: Vec::new(),
        }
    }

    /// The path of the request.
    fn path(&self) -> String {
        self.subject.path().unwrap_or_default()
    }
}

impl<H: Host> Retrieval<H> {
    /// Sends a request, retries it, and reads the body. If the body was lost with an error before, begins with the wait for a retry. Holds a
    /// permit until the body has arrived, also between attempts. The reservation is for the bytes of the body.
    ///
    /// # Errors
    ///
    /// The error of the last attempt.
    pub(super) async fn request(
        &self,
        attempted: &mut RequestState<H::Headers>,
        lost: Option<Box<Error<H::Value>>>,
        reservation: Option<&Reservation>,
    ) -> OrEnd<Body<H::Kept>, H> {
        let (mut failed, mut permit) = (lost, None);
        loop {
            if let Some(error) = failed.take() {
                self.wait_to_retry(attempted, error).await?;
            }
            if permit.is_none() {
                permit = Some(self.scheduler.permits.acquire().await);
                if let Some(reservation) = reservation {
                    reservation.activate();
                }
            }
            self.wait_for_pause().await;
            self.unless_over().await;
            if let Some(state) = attempted.unreported.take() {
                self.report_attempt(attempted, state, None)?;
            }
            // Boxed, so that the state of an attempt does not add to the size of every future around it.
            let result = self.attempt(attempted, reservation).boxed_local().await;
            match result {
                Ok(body) => return Ok(body),
                Err(AttemptError::Expired(generation, _)) if !attempted.refreshed && self.host.can_refresh() => {
                    attempted.credentials = Credentials::InsteadOf(generation);
                }
                Err(AttemptError::Postponed) => {}
                Err(AttemptError::End(CallEnd::Failed(error))) => failed = Some(error),
                Err(AttemptError::Expired(_, error)) => return Err(error.into()),
                Err(AttemptError::End(ended)) => return Err(ended),
            }
        }
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
    ) -> OrEnd<(), H> {
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
        // Only what remains after all retries counts as malformed.
        if let ErrorKind::CutOff(_) = error.kind {
            error.kind = ErrorKind::Broken;
        }
        attempted.way = attempted.way.after(Failure::of(&error.kind));
        attempted.credentials = Credentials::Current(error.kind.status());
        self.count_retry();
        self.report_attempt(attempted, PartitionState::Retrying, Some((&wait, &error)))?;
        drop(error);
        self.wait(wait).await;
        Ok(())
    }

    /// Reports that another attempt follows, after a wait for an error unless it is the first. A call for the counts alone has no reports.
    fn report_attempt(
        &self,
        attempted: &RequestState<H::Headers>,
        state: PartitionState,
        retry: Option<(&Wait, &Error<H::Value>)>,
    ) -> OrEnd<(), H> {
        let subject = &attempted.subject;
        if subject.kind.is_none() {
            return Ok(());
        }
        let (delay, error) = retry.map(|(wait, error)| (wait.milliseconds.ceil(), error)).unzip();
        self.report(
            &PartitionChange { delay, ..PartitionChange::to(state, subject.partition(), attempted.attempts) },
            error,
        )
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
            self.scheduler.pause(self.host.now(), wait);
        }
    }

    /// Waits until the client is no longer paused, each request a little longer. Checks again afterwards, because another call may have
    /// extended the pause.
    async fn wait_for_pause(&self) {
        loop {
            let left = self.scheduler.pause_left(self.host.now());
            if left <= 0.0 {
                return;
            }
            self.host.sleep(spread(left, self.time_left(), self.host.random())).await;
        }
    }

    /// Makes one attempt, within its `timeout`.
    async fn attempt(
        &self,
        attempted: &mut RequestState<H::Headers>,
        reservation: Option<&Reservation>,
    ) -> Result<Body<H::Kept>, AttemptError<H::Value>> {
        let mut alarm = pin!(self.host.sleep(self.settings.timeout));
        let (generation, headers) = self.prepare(attempted, alarm.as_mut()).boxed_local().await?;
        match self.exchange(attempted, headers, reservation, alarm).await? {
            Reply::Body(body) => Ok(body),
            Reply::Refused(refusal) => Err(self.refusal_error(refusal, generation, attempted)),
        }
    }

    /// Fetches the headers of an attempt.
    async fn prepare(
        &self,
        attempted: &mut RequestState<H::Headers>,
        alarm: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<(Generation, H::Headers), AttemptError<H::Value>> {
        self.unless_over().await;
        let RequestState { attempts, credentials, .. } = *attempted;
        let (path, refresh) = (attempted.path(), Cell::default());
        let Some(headers) = until(alarm, self.headers(&path, attempts, credentials, &refresh)).await else {
            // So that the next refusal does not join the refresh that the attempt waits for.
            self.refresh.abandon(refresh.get());
            let timeout = ErrorKind::AttemptTimeout(self.settings.timeout as u64);
            return Err(self.error_of(attempted, timeout).with_hint(Hint::SlowHeaders).into());
        };
        let headers = headers.map_err(|thrown| AttemptError::End(CallEnd::Thrown(thrown)))?;
        attempted.refreshed |= matches!(credentials, Credentials::InsteadOf(_));
        self.unless_over().await;
        if self.scheduler.pause_left(self.host.now()) > 0.0 { Err(AttemptError::Postponed) } else { Ok(headers) }
    }

    /// Sends a request and reads the response.
    async fn exchange(
        &self,
        attempted: &mut RequestState<H::Headers>,
        headers: H::Headers,
        reservation: Option<&Reservation>,
        mut alarm: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Reply<Body<H::Kept>>, AttemptError<H::Value>> {
        attempted.headers.push(headers.clone());
        let path = attempted.path();
        let sent = until(alarm.as_mut(), self.host.send(&path, &headers, self.sender(attempted))).await;
        let sent = sent.ok_or_else(|| self.timed_out(attempted))?;
        if let Err(SendError::InWorker(_)) = sent {
            attempted.way = attempted.way.after(Failure::InWorker);
        }
        let response = sent.map_err(|error| self.send_error(error, attempted))?;
        // Boxed like the other halves of an attempt: one function for all of them would be the largest of the module.
        self.read(attempted, response, reservation, alarm).boxed_local().await
    }

    /// Reads a response, or the beginning of one that refuses the request.
    async fn read(
        &self,
        attempted: &mut RequestState<H::Headers>,
        mut response: H::Response,
        reservation: Option<&Reservation>,
        alarm: Pin<&mut impl Future<Output = ()>>,
    ) -> Result<Reply<Body<H::Kept>>, AttemptError<H::Value>> {
        let (runtime, head) = (self.host.runtime(), response.head().clone());
        let pause = async || runtime.yield_now().await;
        if !head.is_success {
            let mut refusal = self.refused(head);
            if !refusal.head.is_redirect {
                // What has arrived may contain messages, also if the body never ends.
                until(alarm, read_excerpt(&mut response, &mut refusal.excerpt, pause)).await;
            }
            return Ok(Reply::Refused(refusal));
        }
        attempted.stated = Stated { is_html: head.is_html, is_whole: false };
        let grow = |bytes| {
            if let Some(reservation) = reservation {
                reservation.grow_to(bytes as u64);
            }
        };
        let limit = self.settings.max_partition_bytes;
        let read = until(alarm, read_body(&mut response, limit, grow, pause)).await;
        let read = read.ok_or_else(|| self.timed_out(attempted))?;
        let body = read.map_err(|error| self.body_error(error, attempted))?;
        let stated = head.length.filter(|_| !head.is_encoded);
        attempted.stated.is_whole = stated.is_some_and(|length| length as u64 == body.length());
        Ok(Reply::Body(body))
    }

    /// Who sends an attempt. A worker sends only for a partition. The page has the last attempt: a policy or an extension may refuse a worker what
    /// the page may do.
    fn sender(&self, attempted: &RequestState<H::Headers>) -> Sender {
        let is_last = attempted.attempts > self.settings.policy.retries;
        match attempted.way {
            Way::Any if attempted.subject.partition().is_some() && !is_last => Sender::Any,
            Way::PageSends => Sender::PageAfterWorker,
            Way::Any | Way::PageOnly => Sender::Page,
        }
    }

    /// The error of an attempt that exceeds its `timeout`.
    #[cold]
    fn timed_out(&self, attempted: &RequestState<H::Headers>) -> AttemptError<H::Value> {
        self.error_of(attempted, ErrorKind::AttemptTimeout(self.settings.timeout as u64)).into()
    }

    /// Why a request has no response.
    #[cold]
    fn send_error(&self, error: SendError<H::Value>, attempted: &RequestState<H::Headers>) -> AttemptError<H::Value> {
        match error {
            SendError::Connection(cause) | SendError::InWorker(cause) => {
                self.error_caused(attempted, ErrorKind::Unreachable, cause).into()
            }
            SendError::NoResponse(cause) => self.error_caused(attempted, ErrorKind::NoResponse, cause).into(),
            SendError::Thrown(value) => AttemptError::End(CallEnd::Thrown(value)),
        }
    }

    /// The error of a response whose body did not arrive.
    #[cold]
    pub(super) fn body_error(
        &self,
        error: BodyError<H::Value>,
        attempted: &RequestState<H::Headers>,
    ) -> Box<Error<H::Value>> {
        match error {
            BodyError::Connection(cause) => self.error_caused(attempted, ErrorKind::Broken, cause),
            BodyError::NoResponse(cause) => self.error_caused(attempted, ErrorKind::NoResponse, cause),
            BodyError::Empty => self.error_of(attempted, ErrorKind::Broken),
            BodyError::TooLarge => self.error_of(attempted, ErrorKind::TooLarge(self.settings.max_partition_bytes)),
            BodyError::Memory => self.error_of(attempted, ErrorKind::Memory),
            BodyError::Lost => self.error_of(attempted, ErrorKind::WorkerLost),
        }
    }

    /// The error of a body that cannot be decoded. It is transient if the body may be cut off.
    #[cold]
    pub(super) fn decode_error(
        &self,
        error: DecodeError,
        attempted: &RequestState<H::Headers>,
    ) -> Box<Error<H::Value>> {
        let is_empty = error.kind == DecodeErrorKind::EmptyBody;
        // A service that is restarted may send an empty body of a stated length.
        let may_be_cut = error.is_cut_off() && (!attempted.stated.is_whole || is_empty);
        let kind = if may_be_cut { ErrorKind::CutOff(error) } else { decode_error_kind(error) };
        let is_page = matches!(&kind, ErrorKind::Decode(error) if error.begins_as_markup());
        let mut error = self.error_of(attempted, kind);
        match () {
            // The diagnosis says so.
            () if is_page => {}
            () if attempted.stated.is_html => error.hints.push(Hint::Html),
            () if may_be_cut && !is_empty => error.hints.push(Hint::UnknownLength),
            () => {}
        }
        self.doubting_url(error, is_page || attempted.stated.is_html)
    }

    /// Adds advice about the URL to an error of the counts, which came with HTML. A partition has the URL at which the counts were.
    fn doubting_url(&self, error: Box<Error<H::Value>>, is_html: bool) -> Box<Error<H::Value>> {
        let is_of_counts = error.subject.operation == Some(Operation::Counts);
        if is_html && is_of_counts { error.with_hint(Hint::WrongUrl) } else { error }
    }

    /// The error of a response that refuses a request, whose headers have this generation.
    #[cold]
    #[inline(never)]
    fn refusal_error(
        &self,
        Refusal { head, retry_after, excerpt }: Refusal,
        generation: Generation,
        attempted: &RequestState<H::Headers>,
    ) -> AttemptError<H::Value> {
        let Head { status, is_redirect, destination, hides_headers, is_html, .. } = head;
        if is_redirect {
            let reason = destination.map(|destination| format!("it leads to {destination}"));
            return self
                .explained(attempted, ErrorKind::Redirect((status != 0).then_some(status)), |error| {
                    error.reason = reason;
                })
                .into();
        }
        let page = page_of(&excerpt);
        let (is_markup, is_html) = (page.is_some(), is_html || page.is_some());
        let is_transient = is_transient(status, retry_after.is_some());
        let is_unauthorized = matches!(status, 401 | 403) && !is_transient;
        let kind = if is_unauthorized { ErrorKind::Unauthorized(status) } else { ErrorKind::Http(status) };
        let mut error = self.explained(attempted, kind, |error| {
            error.retry_after = retry_after;
            error.messages = messages_of(&excerpt);
            error.reason = page.map(|page| format!("the body is {page}"));
        });
        match status {
            _ if is_html && !is_markup => error.hints.push(Hint::Html),
            403 if is_unauthorized && !is_html => error.hints.push(Hint::NoPermission),
            401 if error.hints.is_empty() => error.hints.push(Hint::Credentials),
            // Something in front of the service, such as a busy proxy, may hide it.
            429 | 503 if retry_after.is_none() && hides_headers => error.hints.push(Hint::HiddenRetryAfter),
            _ => {}
        }
        let error = self.doubting_url(error, is_html && !is_transient && !is_unauthorized);
        if status == 401 { AttemptError::Expired(generation, error) } else { error.into() }
    }

    /// An error of the latest attempt.
    #[cold]
    pub(super) fn error_of(&self, attempted: &RequestState<H::Headers>, kind: ErrorKind) -> Box<Error<H::Value>> {
        self.explained(attempted, kind, |_| {})
    }

    /// An error of the latest attempt that has a cause.
    #[cold]
    pub(super) fn error_caused(
        &self,
        attempted: &RequestState<H::Headers>,
        kind: ErrorKind,
        cause: H::Value,
    ) -> Box<Error<H::Value>> {
        self.explained(attempted, kind, |error| error.cause = Some(cause))
    }

    /// An error of the latest attempt with messages of the service.
    #[cold]
    pub(super) fn error_with_messages(
        &self,
        attempted: &RequestState<H::Headers>,
        kind: ErrorKind,
        messages: Vec<String>,
    ) -> Box<Error<H::Value>> {
        self.explained(attempted, kind, |error| error.messages = messages)
    }

    /// An error of the latest attempt with these details, and all that the host knows about it.
    fn explained(
        &self,
        attempted: &RequestState<H::Headers>,
        kind: ErrorKind,
        add_details: impl FnOnce(&mut Error<H::Value>),
    ) -> Box<Error<H::Value>> {
        let mut error = self.request_error(kind, attempted.subject, attempted.attempts);
        add_details(&mut error);
        self.explain(attempted, &mut error);
        error
    }

    #[inline(never)]
    fn explain(&self, attempted: &RequestState<H::Headers>, error: &mut Error<H::Value>) {
        let is_of_network = matches!(error.kind, ErrorKind::Unreachable | ErrorKind::Broken | ErrorKind::NoWorker);
        if is_of_network && self.host.is_offline() {
            error.hints.push(Hint::Offline);
        }
        self.host.explain(error, &attempted.headers);
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

    /// Notes a response that refuses a request, and pauses the client if the response asks for it, even before its body arrives.
    fn refused(&self, head: Head) -> Refusal {
        let retry_after = head.retry_after.map(|retry_after| retry_after.wait(self.host.date()));
        if is_transient(head.status, retry_after.is_some()) {
            self.pause(retry_after);
        }
        Refusal { head, retry_after, excerpt: Vec::new() }
    }
}

/// Runs a future until it resolves; `None` if the alarm comes first.
async fn until<T>(alarm: Pin<&mut impl Future<Output = ()>>, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), alarm).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}
