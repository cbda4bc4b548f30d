//! The attempts of a request: the wait for headers, the sending, and what an error means for the next attempt.

use chunk::invariant::Certain;

use super::action::{Action, Sender};
use super::calls::{Calls, Queued};
use super::host::Host;
use super::numbered::Op;
use super::request::{Credentials, State};
use super::source::Newer;
use crate::error::{CallEnd, Error, ErrorKind};
use crate::hint::Hint;
use crate::progress::{PartitionChange, PartitionState};
use crate::retry::{NoRetry, Wait, spread};
use crate::way::{Failure, Way};

impl<H: Host> Calls<H> {
    /// Begins an attempt with a permit, after the pause of the client if there is one.
    pub(super) fn start_attempt(&mut self, now: f64, op: Op) {
        let (left, random) = (self.pause.left(now), self.random);
        let (request, call) = self.find_mut(op).certain();
        let unreported = if left > 0.0 { None } else { request.unreported.take() };
        let (index, attempt) = (request.index(), request.attempts);
        let (id, alarm, source) = (request.call, now + call.wanted.settings.timeout, call.wanted.source);
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
        match source {
            None => self.send(now, next, None),
            Some(source) => self.ask(now, next, source),
        }
    }

    /// Fetches the headers of an attempt.
    fn ask(&mut self, now: f64, op: Op, number: u32) {
        let source = self.sources.get(number);
        let request = self.requests.get_mut(op).certain();
        // Read before the call: headers requested before a refresh may be the old ones.
        request.generation = source.generation;
        let (asked, status, waits_for) = match request.credentials {
            Credentials::Current(status) => (op, status, None),
            Credentials::InsteadOf(refused) => match source.newer(refused) {
                Newer::Are(headers) => return self.send(now, op, Some(headers)),
                Newer::Join(refresh) => {
                    self.change(op, State::Asking(Some(refresh)));
                    return;
                }
                Newer::Ask => {
                    let refresh = self.requests.number();
                    self.sources.get(number).refresh_by(refresh);
                    (refresh, Some(401), Some(refresh))
                }
            },
        };
        self.change(op, State::Asking(waits_for));
        let (request, call) = self.find(op).certain();
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

    /// Ends the calls that wait for headers with what the function has thrown.
    pub(super) fn headers_failed(&mut self, op: Op, thrown: H::Value) {
        for waiting in self.asking(op, None) {
            // The call of several has ended with the first of them.
            if let Some((request, _)) = self.find(waiting) {
                self.end(request.call, Err(CallEnd::Thrown(thrown.clone())));
            }
        }
    }

    /// The requests that wait for these headers. A refresh ends with them.
    fn asking(&mut self, op: Op, headers: Option<&H::Value>) -> Vec<Op> {
        if let Some((request, _)) = self.find(op) {
            return if let State::Asking(None) = request.state { vec![op] } else { Vec::new() };
        }
        self.sources.settle(op, headers);
        self.waiting_for(op).collect()
    }

    /// The requests that wait for a refresh.
    fn waiting_for(&self, refresh: Op) -> impl Iterator<Item = Op> {
        let waits = move |op: &Op| matches!(self.find(*op), Some((request, _)) if request.waits_for(refresh));
        self.alarms.until(f64::INFINITY).filter(waits)
    }

    /// Takes note that a request no longer waits for a refresh. If none does, its headers may be too old for a later one.
    pub(super) fn leave_refresh(&mut self, refresh: Op) {
        let Some(waiting) = self.waiting_for(refresh).next() else {
            self.sources.settle(refresh, None);
            return self.withdraw_op(refresh);
        };
        let (request, other) = self.find(waiting).certain();
        let (other_id, other) = (request.call, other.host());
        // If the function is still to be asked, it is asked for one that waits.
        for queued in &mut self.actions {
            if let Queued { call: id, op: Some(op), action: Action::AskHeaders { call, .. } } = queued
                && *op == refresh
            {
                (*id, *call) = (other_id, other.clone());
            }
        }
    }

    /// Sends an attempt, unless the service has asked for a pause while it waited for its headers: then it starts over after the pause.
    fn send(&mut self, now: f64, op: Op, headers: Option<H::Value>) {
        let is_paused = self.pause.left(now) > 0.0;
        let (request, call) = self.find_mut(op).certain();
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
        let (request, _) = self.find_mut(op).certain();
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
        let due: Vec<_> = self.alarms.until(now).collect();
        for op in due {
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
                    self.sources.settle(refresh, None);
                }
                self.attempt_failed(now, op, error);
                if let Some(refresh) = refresh {
                    self.leave_refresh(refresh);
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
        let waits = |op: &Op| matches!(self.find(*op), Some((request, _)) if request.waits_for_host());
        let waiting: Vec<_> = self.alarms.until(f64::INFINITY).filter(waits).collect();
        for op in waiting {
            self.resume(now, op);
        }
    }

    /// Goes on after a wait.
    fn resume(&mut self, now: f64, op: Op) {
        let (request, _) = self.find_mut(op).certain();
        if request.has_permit {
            return self.start_attempt(now, op);
        }
        self.change(op, State::Queued);
    }
}
