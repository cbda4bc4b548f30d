//! One request with its attempts: headers, answer, body, and what each failure means for the next attempt.

use std::cell::Cell;
use std::future::{Future, pending};
use std::pin::pin;

use futures_util::FutureExt;
use futures_util::future::{Either, LocalBoxFuture, select};

use super::{Host, Outcome, PartitionChange, PartitionState, Progress, Retrieval, Span};
use crate::contract::{Kind, Operation};
use crate::counts::CountsBody;
use crate::failure::{Ended, Failure, Place, Reason, Remark};
use crate::scheduling::byte_budget::Reservation;
use crate::scheduling::credential_refresh::{Generation, RefreshNumber};
use crate::scheduling::retry::{Situation, Wait, is_transient, parse_retry_after};
use crate::transport::{Answer, BodyFailure, EXCERPT_LIMIT, SendFailure, read_body};

/// A body and the attempts that it took.
pub struct Received {
    /// The whole body.
    pub body: Vec<u8>,
    /// Attempts made, the successful one included.
    pub attempts: u32,
}

/// Which headers an attempt is sent with.
#[derive(Clone, Copy)]
enum Credentials {
    /// Those that the caller gives for this attempt, knowing the status of the one before.
    Current(Option<u16>),
    /// Those after a refresh, because these were refused.
    InsteadOf(Generation),
}

/// How an attempt went that gave no body.
enum Setback<Value> {
    /// The service has asked for a pause while it was getting headers: it begins anew after that.
    Postponed,
    /// 401 with headers of that generation.
    Expired(Generation, Box<Failure<Value>>),
    Ended(Ended<Value>),
}

impl<Value> From<Box<Failure<Value>>> for Setback<Value> {
    fn from(failure: Box<Failure<Value>>) -> Self {
        Setback::Ended(Ended::Failed(failure))
    }
}

impl<H: Host> Retrieval<H> {
    /// One request with its retries, and the reservation for its body where that is limited. It keeps its slot while it waits for the
    /// next attempt.
    pub async fn request(
        &self,
        operation: Operation,
        asked: Option<Kind>,
        reservation: Option<&Reservation>,
    ) -> Outcome<Received, H> {
        let _permit = self.scheduler.semaphore.acquire().await;
        if let Some(reservation) = reservation {
            reservation.activate();
        }
        let place = self.place(asked).at(operation);
        let (mut attempts, mut refreshed) = (1, false);
        let mut credentials = Credentials::Current(None);
        let mut news = Some(PartitionState::Requested);
        loop {
            self.wait_for_the_pause().await;
            if let Some(state) = news.take() {
                self.tell_attempt(operation, state, attempts)?;
            }
            let attempt_begun = self.host.now();
            // In a box, for all that is waited for in an attempt takes much reservation.
            let result = self.attempt(operation, place, attempts, credentials, reservation).boxed_local().await;
            if !matches!(result, Err(Setback::Postponed)) {
                self.host.measure(Span { place, attempt: Some(attempts), begun: attempt_begun });
            }
            let failure = match result {
                Ok(body) => {
                    self.scheduler.retries.give_back(attempts);
                    return Ok(Received { body, attempts });
                }
                Err(Setback::Expired(generation, _)) if !refreshed && self.host.can_refresh() => {
                    refreshed = true;
                    credentials = Credentials::InsteadOf(generation);
                    continue;
                }
                Err(Setback::Postponed) => continue,
                Err(Setback::Ended(Ended::Failed(failure))) if failure.reason.is_transient() => failure,
                Err(Setback::Expired(_, failure)) => return Err(Ended::Failed(failure)),
                Err(Setback::Ended(ended)) => return Err(ended),
            };
            let Some(wait) = self.wait_after(&failure) else { return Err(Ended::Failed(failure)) };
            if !self.scheduler.retries.take() {
                return Err(Ended::Failed(failure.remarking(Remark::NoRetryLeft)));
            }
            attempts += 1;
            credentials = Credentials::Current(failure.reason.status());
            self.progress.update(|progress| Progress { retries: progress.retries + 1, ..progress });
            self.tell_attempt(operation, PartitionState::Retrying, attempts)?;
            self.pass(wait).await;
        }
    }

    /// Tells the caller that an attempt on a partition will be made.
    fn tell_attempt(&self, operation: Operation, state: PartitionState, attempt: u32) -> Outcome<(), H> {
        match operation {
            Operation::Partition { index, .. } => {
                self.tell(&PartitionChange { index, state, attempt, findings: 0, bytes: 0 })
            }
            Operation::Counts => Ok(()),
        }
    }

    /// Waits as was decided. What the service asked for is waited for to its end.
    async fn pass(&self, wait: Wait) {
        match wait {
            Wait::BackOff(time) => {
                select(pin!(self.host.sleep(time)), pin!(self.host.back_online())).await;
            }
            Wait::RetryAfter(time) => self.host.sleep(time).await,
        }
    }

    fn wait_after(&self, failure: &Failure<H::Value>) -> Option<Wait> {
        self.settings.policy.wait_after(Situation {
            attempts: failure.attempts,
            retry_after: failure.retry_after,
            remaining: self.deadline.map(|deadline| deadline - self.host.now()),
            chance: self.host.chance(),
        })
    }

    /// Lets nothing of this client start before the time that the service asked for, if the caller waits that long at all.
    fn pause(&self, retry_after: Option<f64>) {
        if let Some(wait) = retry_after.filter(|wait| self.settings.policy.honours(*wait)) {
            self.scheduler.pause_until(self.host.now() + wait);
        }
    }

    /// Waits until no `Retry-After` that any call of this client was given forbids to start. It may be prolonged meanwhile.
    async fn wait_for_the_pause(&self) {
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
        place: Place,
        attempts: u32,
        credentials: Credentials,
        reservation: Option<&Reservation>,
    ) -> Result<Vec<u8>, Setback<H::Value>> {
        let failed = |reason| Failure::new(reason, place, attempts);
        let mut alarm = self.host.sleep(self.settings.timeout).boxed_local();
        let outran = || failed(Reason::AttemptTimeout(self.settings.timeout as u64));

        self.unless_over().await;
        let path = operation.path(self.inspection);
        let refresh = Cell::default();
        let headers = self.headers(&path, attempts, credentials, &refresh);
        let (generation, headers) = match until(&mut alarm, headers).await {
            Some(Ok(headers)) => headers,
            Some(Err(thrown)) => return Err(Setback::Ended(Ended::Thrown(thrown))),
            None => {
                // The next refusal asks anew.
                self.refresh.abandon(refresh.get());
                return Err(outran().into());
            }
        };
        self.unless_over().await;
        if self.scheduler.pause_left(self.host.now()) > 0.0 {
            return Err(Setback::Postponed);
        }
        let sent = until(&mut alarm, self.host.send(&path, &headers)).await.ok_or_else(outran)?;
        let mut answer = sent.map_err(|failure| match failure {
            SendFailure::Connection(cause) => self.cut(failed(Reason::Unreachable).caused_by(cause)),
            SendFailure::NoResponse(cause) => failed(Reason::NoResponse).caused_by(cause),
        })?;
        if !(200..300).contains(&answer.status()) {
            return Err(self.refusal(&mut answer, &mut alarm, generation, failed).await);
        }
        let (mut body, limit) = (Vec::new(), self.settings.max_partition_bytes);
        // One byte more than that tells that there are more.
        let read = until(&mut alarm, self.read(&mut answer, &mut body, limit.saturating_add(1), reservation)).await;
        read.ok_or_else(outran)?.map_err(|failure| match failure {
            BodyFailure::Connection(cause) => self.cut(failed(Reason::Broken).caused_by(cause)),
            BodyFailure::Memory => failed(Reason::Memory),
        })?;
        if body.len() > limit {
            return Err(failed(Reason::TooLarge(limit)).into());
        }
        // Without TLS a browser takes headers that were cut for all of them, and the body for empty.
        if body.is_empty() && answer.announced_length().is_some_and(|announced| announced > 0) {
            return Err(self.cut(failed(Reason::Broken)).into());
        }
        Ok(body)
    }

    /// Reads at most so much of a body, with the reservation that it takes where that is limited.
    async fn read(
        &self,
        answer: &mut H::Answer,
        body: &mut Vec<u8>,
        most: usize,
        reservation: Option<&Reservation>,
    ) -> Result<(), BodyFailure<H::Value>> {
        let at_least = async |bytes| {
            if let Some(reservation) = reservation {
                reservation.grow_to(bytes as u64);
            }
            self.host.yield_now().await;
        };
        read_body(answer, body, most, at_least).await
    }

    /// A connection that failed, with what the host knows about it.
    fn cut(&self, failure: Box<Failure<H::Value>>) -> Box<Failure<H::Value>> {
        if self.host.is_offline() { failure.remarking(Remark::Offline) } else { failure }
    }

    /// Stops here for ever once the call is over: a function of the caller may have ended it just now.
    async fn unless_over(&self) {
        if self.host.is_over() {
            pending().await
        }
    }

    /// The headers of an attempt. `refresh` becomes the number of the refresh that is waited for, if it is one.
    async fn headers(
        &self,
        path: &str,
        attempt: u32,
        credentials: Credentials,
        refresh: &Cell<RefreshNumber>,
    ) -> Result<(Generation, H::Headers), H::Value> {
        // Taken before asking: headers that were asked for before a refresh may be the old ones.
        let generation = self.refresh.generation();
        let headers = match credentials {
            Credentials::Current(status) => self.host.headers(path, attempt, status).await?,
            Credentials::InsteadOf(refused) => {
                self.refresh.refreshed(refused, refresh, || self.host.headers(path, attempt, Some(401))).await?
            }
        };
        Ok((generation, headers))
    }

    /// What an answer means that is not a success. Its status stands even if its body never ends.
    async fn refusal(
        &self,
        answer: &mut H::Answer,
        alarm: &mut LocalBoxFuture<'_, ()>,
        generation: Generation,
        failed: impl FnOnce(Reason) -> Box<Failure<H::Value>>,
    ) -> Setback<H::Value> {
        let status = answer.status();
        if answer.is_redirect() {
            return failed(Reason::Redirect((status != 0).then_some(status))).into();
        }
        let retry_after = answer.retry_after().and_then(|header| parse_retry_after(&header, self.host.date()));
        if is_transient(status) {
            self.pause(retry_after);
        }
        let is_hidden = matches!(status, 429 | 503) && retry_after.is_none() && answer.hides_headers();
        let mut excerpt = Vec::new();
        // Whatever ends it, there may be messages in what has come.
        let _ = until(alarm, self.read(answer, &mut excerpt, EXCERPT_LIMIT, None)).await;
        let messages = CountsBody::decode(&excerpt).ok().and_then(|body| body.errors).unwrap_or_default();
        let failure = |reason| {
            let mut failure = failed(reason).saying(messages);
            failure.retry_after = retry_after;
            if is_hidden { failure.remarking(Remark::HiddenRetryAfter) } else { failure }
        };
        match status {
            401 => Setback::Expired(generation, failure(Reason::Unauthorized(status))),
            403 => failure(Reason::Unauthorized(status)).into(),
            _ => failure(Reason::Http(status)).into(),
        }
    }
}

/// The work's result, or `None` when the alarm rings first.
async fn until<T>(alarm: &mut LocalBoxFuture<'_, ()>, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), alarm).await {
        Either::Left((result, _)) => Some(result),
        Either::Right(_) => None,
    }
}
