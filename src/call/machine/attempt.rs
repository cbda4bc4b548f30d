//! The attempts of a request: the wait for headers, the sending, and what an error means for the next attempt.

use chunk::invariant::Certain;

use super::action::{Action, Sender};
use super::calls::{Calls, Queued};
use super::event::Op;
use super::request::{Credentials, Request, State};
use super::source::Newer;
use crate::error::{CallEnd, Error, ErrorKind};
use crate::hint::Hint;
use crate::progress::{PartitionChange, PartitionState};
use crate::retry::{NoRetry, Wait, spread};
use crate::way::{Failure, Way};

impl<V: Clone> Calls<V> {
    /// Begins an attempt with a permit, after the pause of the client if there is one.
    pub(super) fn begin_attempt(&mut self, now: f64, op: Op) {
        let (left, random) = (self.pause.left(now), self.random);
        let (request, call) = self.find_mut(op).certain();
        if left > 0.0 {
            // Each request a little longer. Another call may extend the pause meanwhile.
            let until = now + spread(left, call.time_left(now), random());
            request.state = State::Waiting { until, ends_online: false };
            return;
        }
        let (id, alarm, source) = (call.id, now + call.wanted.settings.timeout, call.wanted.source);
        let next = self.new_op();
        let (request, _) = self.find_mut(op).certain();
        (request.op, request.alarm) = (next, alarm);
        let (index, attempt) = (request.index(), request.attempts);
        if let Some(state) = request.unreported.take() {
            self.report(id, PartitionChange::to(state, index, attempt), None);
        }
        match source {
            None => self.send(now, next, None),
            Some(source) => self.ask(now, next, source),
        }
    }

    /// Fetches the headers of an attempt.
    fn ask(&mut self, now: f64, op: Op, source: u32) {
        let refresh = self.new_op();
        let source = self.sources.iter_mut().find(|one| one.id == source).certain();
        let request = self.requests.iter_mut().find(|one| one.op == op).certain();
        // Read before the call: headers requested before a refresh may be the old ones.
        request.generation = source.generation;
        let (asked, status, waits_for) = match request.credentials {
            Credentials::Current(status) => (op, status, None),
            Credentials::InsteadOf(refused) => match source.newer(refused) {
                Newer::Are(headers) => return self.send(now, op, Some(headers)),
                Newer::Join(refresh) => {
                    request.state = State::Asking(Some(refresh));
                    return;
                }
                Newer::Begin => {
                    source.begin(refresh);
                    (refresh, Some(401), Some(refresh))
                }
            },
        };
        request.state = State::Asking(waits_for);
        let (request, call) = self.find(op).certain();
        let (url, attempt, call) = (call.url_of(request.operation), request.attempts, call.id);
        self.act(Action::AskHeaders { call, op: asked, url, attempt, status });
    }

    /// Takes the headers of an attempt, or of the refresh that several wait for.
    pub(super) fn headers(&mut self, now: f64, op: Op, headers: V) {
        self.sources.iter_mut().for_each(|source| source.settle(op, &headers));
        for waiting in self.asking(op) {
            self.send(now, waiting, Some(headers.clone()));
        }
    }

    /// Ends the calls that wait for headers with what the function has thrown.
    pub(super) fn headers_failed(&mut self, op: Op, thrown: V) {
        self.abandon(op);
        for waiting in self.asking(op) {
            // The call of several has ended with the first of them.
            if let Some((_, call)) = self.find(waiting) {
                let id = call.id;
                self.end(id, Err(CallEnd::Thrown(thrown.clone())));
            }
        }
    }

    /// The requests that wait for these headers.
    fn asking(&self, op: Op) -> Vec<Op> {
        let waiting = self.requests.iter().filter(|request| match request.state {
            State::Asking(None) => request.op == op,
            State::Asking(refresh) => refresh == Some(op),
            _ => false,
        });
        waiting.map(|request| request.op).collect()
    }

    /// The numbers of some requests.
    fn ops(&self, are_meant: &dyn Fn(&Request<V>) -> bool) -> Vec<Op> {
        self.requests.iter().filter(|request| are_meant(request)).map(|request| request.op).collect()
    }

    /// Abandons a refresh of headers, if this is one.
    fn abandon(&mut self, op: Op) {
        self.sources.iter_mut().for_each(|source| source.abandon(op));
    }

    /// Takes note that a request no longer waits for a refresh. If none does, its headers may be too old for a later one.
    pub(super) fn leave_refresh(&mut self, refresh: Op) {
        let waits = |one: &&Request<V>| matches!(one.state, State::Asking(Some(other)) if other == refresh);
        let Some(waiting) = self.requests.iter().find(waits) else {
            self.abandon(refresh);
            self.withdraw_op(refresh);
            return;
        };
        // If the function is still to be asked, it is asked for one that waits.
        for queued in &mut self.actions {
            if let Queued::Action(Action::AskHeaders { call, op, .. }) = queued
                && *op == refresh
            {
                *call = waiting.call;
            }
        }
    }

    /// Sends an attempt, unless the service has asked for a pause while it waited for its headers: then it starts over after the pause.
    fn send(&mut self, now: f64, op: Op, headers: Option<V>) {
        let is_paused = self.pause.left(now) > 0.0;
        let (request, call) = self.find_mut(op).certain();
        request.is_refreshed |= matches!(request.credentials, Credentials::InsteadOf(_));
        if is_paused {
            return self.begin_attempt(now, op);
        }
        request.headers.extend(headers.clone());
        request.state = State::Sent;
        // The page has the last attempt: a policy or an extension may refuse a worker what the page may do.
        let is_last = request.attempts > call.wanted.settings.policy.retries;
        let may_be_worker = request.way == Way::Any && request.index().is_some() && !is_last && call.uses_worker;
        let (id, url) = (call.id, call.url_of(request.operation));
        let sender = if may_be_worker && self.access.may_send(now) { Sender::Any } else { Sender::Page };
        self.act(Action::Send { call: id, op, url, headers, sender });
    }

    /// Lets another attempt follow, unless the error is not transient or no retry is left.
    pub(super) fn attempt_failed(&mut self, now: f64, op: Op, mut error: Box<Error<V>>) {
        let Some(wait) = self.wait_after(now, op, &mut error) else { return self.request_failed(op, error) };
        self.leave_outside(op);
        // Only what remains after all retries counts as malformed.
        if let ErrorKind::CutOff(_) = error.kind {
            error.kind = ErrorKind::Broken;
        }
        let (request, call) = self.find_mut(op).certain();
        request.attempts += 1;
        request.way = request.way.after(Failure::of(&error.kind));
        request.credentials = Credentials::Current(error.kind.status());
        let until = now + wait.milliseconds;
        request.state = State::Waiting { until, ends_online: wait.may_end_early };
        let (id, index, attempt) = (call.id, request.index(), request.attempts);
        self.count_retry(id);
        let change = PartitionChange::to(PartitionState::Retrying, index, attempt);
        self.report(id, PartitionChange { delay: Some(wait.milliseconds.ceil()), ..change }, Some(&error));
    }

    /// The wait before the next attempt; `None` if there is none, which the error then explains.
    fn wait_after(&mut self, now: f64, op: Op, error: &mut Error<V>) -> Option<Wait> {
        if !error.kind.is_transient() {
            return None;
        }
        let random = self.random;
        let (_, call) = self.find(op).certain();
        let (policy, total) = (call.wanted.settings.policy, call.wanted.settings.total_timeout);
        let hint = match policy.wait_after(error.attempts, error.retry_after, call.time_left(now), random()) {
            Ok(wait) if self.retries.take() => return Some(wait),
            Ok(_) => Hint::NoRetryLeft,
            Err(NoRetry::Exhausted) => return None,
            Err(NoRetry::ExceedsMaxRetryAfter(asked)) => {
                Hint::LongRetryAfter { asked: asked as u64, most: policy.max_retry_after as u64 }
            }
            Err(NoRetry::ExceedsTotalTimeout(asked)) => {
                Hint::LateRetryAfter { asked: asked as u64, total: total.certain() as u64 }
            }
        };
        error.hints.push(hint);
        None
    }

    /// Does what time has to do: ends calls, waits and attempts.
    pub(super) fn tick(&mut self, now: f64) {
        self.end_late(now);
        for op in self.ops(&|request| request.wake() <= now) {
            self.time_is_up(now, op);
        }
    }

    fn time_is_up(&mut self, now: f64, op: Op) {
        // One that was due may have ended the call of another.
        let Some((request, call)) = self.find(op) else { return };
        let timeout = ErrorKind::AttemptTimeout(call.wanted.settings.timeout as u64);
        match request.state {
            State::Waiting { .. } => self.resume(now, op),
            State::Refused(..) => self.quote(now, op),
            State::Asking(refresh) => {
                let error = call.error_of(request, timeout).with_hint(Hint::SlowHeaders);
                // So that the next refusal does not join the refresh that the attempt waits for.
                if let Some(refresh) = refresh {
                    self.abandon(refresh);
                }
                self.attempt_failed(now, op, error);
            }
            _ => {
                let error = call.error_of(request, timeout);
                self.attempt_failed(now, op, error);
            }
        }
    }

    /// Ends the waits that end once the host is online.
    pub(super) fn online(&mut self, now: f64) {
        for op in self.ops(&|request| matches!(request.state, State::Waiting { ends_online: true, .. })) {
            self.resume(now, op);
        }
    }

    /// Goes on after a wait.
    fn resume(&mut self, now: f64, op: Op) {
        let (request, _) = self.find_mut(op).certain();
        if request.has_permit {
            return self.begin_attempt(now, op);
        }
        request.state = State::Queued;
        self.queue.push(op);
    }
}
