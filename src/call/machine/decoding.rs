//! A body that becomes findings, in a worker or in the page.

use chunk::decode::DecodeError;
use chunk::invariant::Certain;

use super::accumulator::Verdict;
use super::action::{Action, Outcome};
use super::call::SINGLE;
use super::calls::Calls;
use super::event::{CallId, Decoded, NotDelegated, Op, Work};
use super::request::{Request, State};
use crate::error::{Error, ErrorKind};
use crate::progress::{PartitionChange, PartitionState, Progress};
use crate::way::Way;

impl<V: Clone> Calls<V> {
    /// Decodes the bodies that have arrived: in a worker all, in the page one after the other, which needs the least memory.
    pub(super) fn decode_received(&mut self) {
        while let Some((op, by_worker)) = self.next_to_decode() {
            let (request, call) = self.find_mut(op).certain();
            request.state = State::Decoding { by_worker };
            let (id, index, length) = (call.id, request.index().certain(), request.length);
            let compares = self.accumulator_of(id).is_some_and(|one| one.compares(index));
            self.act(match by_worker {
                true => Action::Delegate { call: id, op, index, length, compares },
                false => Action::Decode { call: id, op, index, length, compares },
            });
        }
    }

    /// The next body to decode, and whether a worker does: that of the lowest index.
    fn next_to_decode(&self) -> Option<(Op, bool)> {
        let is_busy = self.requests.iter().any(|one| matches!(one.state, State::Decoding { by_worker: false }));
        let is_worker_used = self.calls.iter().any(|call| call.uses_worker);
        let in_worker =
            |one: &Request<V>| is_worker_used && one.way.may_delegate() && self.call(one.call).certain().uses_worker;
        let received = self.requests.iter().filter(|one| matches!(one.state, State::Received));
        let received = received.map(|one| (one.index(), one.op, in_worker(one)));
        let next = received.filter(|(_, _, by_worker)| *by_worker || !is_busy).min();
        next.map(|(_, op, by_worker)| (op, by_worker))
    }

    /// Takes the findings of a partition.
    pub(super) fn decoded(&mut self, op: Op, decoded: Decoded) {
        let Decoded { findings, bytes, as_kept } = decoded;
        let Some((request, call)) = self.find(op) else { return };
        let State::Decoding { .. } = request.state else { return };
        let (id, work, index, body) = (call.id, call.wanted.work, request.index().certain(), request.length);
        if self.accumulator_of(id).is_some_and(|one| one.tracker.reserve(index).is_err()) {
            let (request, call) = self.find(op).certain();
            let error = call.error_of(request, ErrorKind::Memory);
            return self.request_failed(op, error);
        }
        let request = self.take_request(op).certain();
        self.retries.give_back(request.attempts);
        if let (Some(ticket), Some(accumulator)) = (request.ticket, self.accumulator_of(id)) {
            accumulator.tracker.take(ticket, findings).ok().certain();
            accumulator.bytes += body;
        }
        // First of all, so that a report that throws cannot lose it.
        match work {
            Work::Stream(_, _, order) => self.insert(id, order, index, op, bytes),
            _ => self.act(Action::Deliver { call: id, op, index }),
        }
        let change = PartitionChange::to(PartitionState::Received, Some(index), request.attempts);
        self.report(id, PartitionChange { findings, bytes: body, ..change }, None);
        let verdict = self.accumulator_of(id).and_then(|one| one.compared(index, as_kept == Some(true)));
        self.decided(id, verdict);
        let single = || Progress { partitions_done: 1, findings_done: findings, bytes: body, ..Progress::of(SINGLE) };
        let received = self.accumulator_of(id).map_or_else(single, |one| one.progress());
        self.progress(id, received);
        if let Work::Partition(..) = work {
            self.end(id, Ok(Outcome::Delivered));
        }
    }

    /// Goes on once it is decided what becomes of an earlier table.
    pub(super) fn decided(&mut self, id: CallId, verdict: Option<Verdict>) {
        if verdict.is_some() {
            self.judge(id, verdict);
            let missing = self.accumulator_of(id).certain().missing();
            self.use_worker(id, Some(missing));
        }
    }

    /// Decides about a body that is no partition.
    #[cold]
    #[inline(never)]
    pub(super) fn undecoded(&mut self, now: f64, op: Op, error: DecodeError) {
        let Some((request, call)) = self.find(op) else { return };
        let State::Decoding { .. } = request.state else { return };
        let error = call.decode_error(request, error);
        self.lost(now, op, error);
    }

    /// Decides about a body that has `errors`.
    #[cold]
    #[inline(never)]
    pub(super) fn reported_errors(&mut self, op: Op, messages: Vec<String>, objects: Option<V>) {
        let Some((request, call)) = self.find(op) else { return };
        let State::Decoding { .. } = request.state else { return };
        let mut error = call.error_of(request, ErrorKind::Service);
        (error.messages, error.objects) = (messages, objects);
        self.request_failed(op, error);
    }

    /// Takes note of objects that could not be made.
    #[cold]
    #[inline(never)]
    pub(super) fn unbuilt(&mut self, op: Op, cause: V) {
        let Some((request, call)) = self.find(op) else { return };
        let State::Decoding { .. } = request.state else { return };
        let mut error = call.error_of(request, ErrorKind::Memory);
        error.cause = Some(cause);
        self.request_failed(op, error);
    }

    /// Takes note of a body that a worker has not decoded.
    #[cold]
    #[inline(never)]
    pub(super) fn not_delegated(&mut self, now: f64, op: Op, why: NotDelegated<V>) {
        let Some((request, call)) = self.find_mut(op) else { return };
        let State::Decoding { by_worker: true } = request.state else { return };
        match why {
            NotDelegated::PageDecodes => {
                // The page decodes what a worker cannot, and finds the error.
                request.way = Way::PageOnly;
                request.state = State::Received;
            }
            NotDelegated::NoWorker { cause, is_offline } => {
                let mut error = call.error_of(request, ErrorKind::NoWorker);
                error.cause = Some(cause);
                error.offline(is_offline);
                self.request_failed(op, error);
            }
            NotDelegated::Lost => {
                let error = call.error_of(request, ErrorKind::WorkerLost);
                self.lost(now, op, error);
            }
        }
    }

    /// Lets a partition whose body is lost be requested again, if its error allows that: when there is room, if its call requests several.
    pub(super) fn lost(&mut self, now: f64, op: Op, error: Box<Error<V>>) {
        let (_, call) = self.find(op).certain();
        let waits = matches!(call.wanted.work, Work::Findings(..)) && error.kind.is_transient();
        if !waits {
            return self.attempt_failed(now, op, error);
        }
        self.leave_outside(op);
        self.find_mut(op).certain().0.state = State::Lost(error);
    }
}
