//! The attempts of a request: the wait for headers, the sending, and what an error means for the next attempt.

use super::action::{Action, Sender};
use super::calls::{Calls, Queued};
use super::host::Host;
use super::numbered::{CallId, Op};
use super::request::{Credentials, State};
use crate::error::{CallEnd, Error, ErrorKind};
use crate::hint::Hint;
use crate::progress::{PartitionChange, PartitionState};
use crate::retry::{NoRetry, Wait, spread};
use crate::way::{Failure, Way};

impl<H: Host> Calls<H> {
    /// Begins an attempt with a permit, after the pause of the client if there is one.
    pub(super) fn start_attempt(&mut self, now: f64, op: Op) {
        let (left, random) = (self.pause.left(now), self.random);
        let (request, call) = self.find_mut(op);
        let unreported = if left > 0.0 { None } else { request.unreported.take() };
        let (index, attempt) = (request.index(), request.attempts);
        let (id, alarm, asks) = (request.call, now + call.wanted.settings.timeout, call.wanted.asks_headers);
        if left > 0.0 {
            // Each request a little longer. Another call may extend the pause meanwhile.
            let until = now + spread(left, call.time_left(now), random());
            self.change(op, State::Waiting { until, ends_online: false });
            return;
        }
        let next = self.renew(op, alarm);
        if let Some(state) = unreported {
            self.report(id, PartitionChange::to(state, index, attempt), None);
        }
        if asks { self.ask(now, next) } else { self.send(now, next, None) }
    }

    /// Asks for the headers of an attempt. The requests of a call that were refused with the same headers wait for one refresh.
    fn ask(&mut self, now: f64, op: Op) {
        let number = self.requests.number();
        let (request, call) = self.find_mut(op);
        let refreshed = &mut call.refreshed;
        // Read before the function is asked: what it returns after a refresh has begun may still be the old headers.
        request.generation = refreshed.generation;
        let (asked, status, waits_for) = match (request.credentials, refreshed.pending) {
            (Credentials::Current(status), _) => (op, status, None),
            (Credentials::InsteadOf(refused), _) if refused < refreshed.generation => {
                let headers = refreshed.headers.clone();
                return self.send(now, op, headers);
            }
            (Credentials::InsteadOf(_), Some(refresh)) => {
                self.change(op, State::Asking(Some(refresh)));
                return;
            }
            (Credentials::InsteadOf(_), None) => {
                refreshed.pending = Some(number);
                (number, Some(401), Some(number))
            }
        };
        self.change(op, State::Asking(waits_for));
        let (request, call) = self.find(op);
        let (id, url, attempt) = (request.call, call.url_of(request.operation), request.attempts);
        let action = Action::AskHeaders { call: call.host(), op: asked, url, attempt, status };
        self.actions.push_back(Queued { call: id, op: Some(asked), action });
    }

    /// Takes the headers of an attempt, or of the refresh that several wait for.
    pub(super) fn headers(&mut self, now: f64, op: Op, headers: H::Value) {
        for waiting in self.asking(op, Some(&headers)) {
            self.send(now, waiting, Some(headers.clone()));
        }
    }

    /// Ends the call for which `headers` or `readCounts` was called with what the function has thrown.
    pub(super) fn thrown(&mut self, op: Op, thrown: H::Value) {
        let is_mapping = self.requests.get(op).is_some_and(|one| matches!(one.state, State::Mapping));
        let waiting = if is_mapping { Some(op) } else { self.asking(op, None).first().copied() };
        if let Some(waiting) = waiting {
            self.end(self.requests.at(waiting).call, Err(CallEnd::Thrown(thrown)));
        }
    }

    /// The requests that wait for these headers. A refresh ends with them.
    fn asking(&mut self, op: Op, headers: Option<&H::Value>) -> Vec<Op> {
        if let Some(request) = self.requests.get(op) {
            return if let State::Asking(None) = request.state { vec![op] } else { Vec::new() };
        }
        let waiting: Vec<_> = self.waiting_for(op).collect();
        if let Some(first) = waiting.first() {
            self.find_mut(*first).1.refreshed.settle(op, headers);
        }
        waiting
    }

    /// The requests that wait for a refresh.
    fn waiting_for(&self, refresh: Op) -> impl Iterator<Item = Op> {
        self.alarms.until(f64::INFINITY).filter(move |op| self.requests.at(*op).waits_for(refresh))
    }

    /// Takes note that a request no longer waits for a refresh. If none does, its headers may be too old for a later one.
    pub(super) fn leave_refresh(&mut self, call: CallId, refresh: Op) {
        if self.waiting_for(refresh).next().is_none() {
            if self.calls.get(call).is_some() {
                self.calls.at_mut(call).refreshed.settle(refresh, None);
            }
            self.withdraw_op(refresh);
        }
    }

    /// Sends an attempt, unless the service has asked for a pause while it waited for its headers: then it starts over after the pause.
    fn send(&mut self, now: f64, op: Op, headers: Option<H::Value>) {
        let is_paused = self.pause.left(now) > 0.0;
        let (request, call) = self.find_mut(op);
        request.is_refreshed |= matches!(request.credentials, Credentials::InsteadOf(_));
        if is_paused {
            return self.start_attempt(now, op);
        }
        request.headers.extend(headers.clone());
        // The page has the last attempt: a policy or an extension may refuse a worker what the page may do.
        let is_last = request.attempts > call.wanted.settings.policy.retries;
        let may_be_worker = request.way == Way::Any && request.index().is_some() && !is_last && call.uses_worker;
        let (call, url) = (call.host(), call.url_of(request.operation));
        let sender = if may_be_worker && self.access.may_send(now) { Sender::Any } else { Sender::Page };
        self.change(op, State::Sent);
        self.act_for(op, Action::Send { call, op, url, headers, sender });
    }

    /// Lets another attempt follow, unless the error is not transient or no retry is left.
    pub(super) fn attempt_failed(&mut self, now: f64, op: Op, mut error: Box<Error<H::Value>>) {
        let Some(wait) = self.wait_after(now, op, &mut error) else { return self.request_failed(op, error) };
        self.leave_outside(op);
        // Only what remains after all retries counts as malformed.
        if let ErrorKind::CutOff(_) = error.kind {
            error.kind = ErrorKind::Broken;
        }
        let (request, _) = self.find_mut(op);
        request.attempts += 1;
        request.way = request.way.after(Failure::of(&error.kind));
        request.credentials = Credentials::Current(error.kind.status());
        let (id, index, attempt) = (request.call, request.index(), request.attempts);
        self.change(op, State::Waiting { until: now + wait.milliseconds, ends_online: wait.may_end_early });
        self.count_retry(id);
        let change = PartitionChange::to(PartitionState::Retrying, index, attempt);
        self.report(id, PartitionChange { delay: Some(wait.milliseconds.ceil()), ..change }, Some(&error));
    }

    /// The wait before the next attempt; `None` if there is none, which the error then explains.
    fn wait_after(&mut self, now: f64, op: Op, error: &mut Error<H::Value>) -> Option<Wait> {
        if !error.kind.is_transient() {
            return None;
        }
        let random = self.random;
        let (_, call) = self.find(op);
        let (policy, total) = (call.wanted.settings.policy, call.wanted.settings.total_timeout);
        let hint = match policy.wait_after(error.attempts, error.retry_after, call.time_left(now), random()) {
            Ok(wait) if self.retries.take() => return Some(wait),
            Ok(_) => Hint::NoRetryLeft,
            Err(NoRetry::Exhausted) => return None,
            Err(NoRetry::ExceedsMaxRetryAfter(asked)) => {
                Hint::LongRetryAfter { asked: asked as u64, most: policy.max_retry_after as u64 }
            }
            Err(NoRetry::ExceedsTotalTimeout(asked)) => {
                Hint::LateRetryAfter { asked: asked as u64, total: total as u64 }
            }
        };
        error.hints.push(hint);
        None
    }

    /// Does what time has to do: ends calls, waits and attempts.
    pub(super) fn tick(&mut self, now: f64) {
        self.end_late(now);
        let due: Vec<_> = self.alarms.until(now).collect();
        for op in due {
            // One that was due may have ended the call of another.
            if self.requests.get(op).is_some() {
                self.time_is_up(now, op);
            }
        }
    }

    fn time_is_up(&mut self, now: f64, op: Op) {
        let (request, call) = self.find(op);
        let timeout = ErrorKind::AttemptTimeout(call.wanted.settings.timeout as u64);
        match request.state {
            State::Waiting { .. } => self.resume(now, op),
            State::Refused(..) => self.quote(now, op),
            State::Asking(refresh) => {
                let error = call.error_of(request, timeout).with_hint(Hint::SlowHeaders);
                let id = request.call;
                // So that the next refusal does not join the refresh that the attempt waits for.
                if let Some(refresh) = refresh {
                    self.find_mut(op).1.refreshed.settle(refresh, None);
                }
                self.attempt_failed(now, op, error);
                if let Some(refresh) = refresh {
                    self.leave_refresh(id, refresh);
                }
            }
            _ => {
                let error = call.error_of(request, timeout);
                self.attempt_failed(now, op, error);
            }
        }
    }

    /// Ends the waits that end once the host is online.
    pub(super) fn online(&mut self, now: f64) {
        let waits = |op: &Op| self.requests.at(*op).waits_for_host();
        let waiting: Vec<_> = self.alarms.until(f64::INFINITY).filter(waits).collect();
        for op in waiting {
            self.resume(now, op);
        }
    }

    /// Goes on after a wait.
    fn resume(&mut self, now: f64, op: Op) {
        let (request, _) = self.find_mut(op);
        if request.has_permit {
            return self.start_attempt(now, op);
        }
        self.change(op, State::Queued);
    }
}
