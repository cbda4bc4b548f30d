//! The end of a call: complete, failed, or aborted.

use chunk::invariant::Certain;
use chunk::memory::check_reserve;

use super::accumulator::Accumulator;
use super::action::{Action, Outcome};
use super::call::Call;
use super::calls::{Calls, Queued, remove};
use super::event::{AccumulatorId, CallId, Op, Order};
use super::lacking::Lacking;
use super::request::Request;
use crate::error::{CallEnd, Error, ErrorKind};
use crate::partition_tracker::TotalMismatch;
use crate::progress::{PartitionChange, PartitionState};
use crate::settings::Completeness;

impl<V: Clone> Calls<V> {
    /// Ends a request with an error, and its call unless that collects errors.
    pub(super) fn request_failed(&mut self, op: Op, mut error: Box<Error<V>>) {
        self.leave_outside(op);
        let request = self.take_request(op).certain();
        let (id, index) = (request.call, request.index());
        let change = PartitionChange::to(PartitionState::Failed, index, error.attempts);
        self.report(id, change, Some(&error));
        let call = self.call(id).certain();
        let Some(index) = index.filter(|_| call.collects()) else {
            return match (index, call.order()) {
                (Some(index), Some(Order::Index)) => self.fail_from(id, index, error),
                _ => self.end_failed(id, error),
            };
        };
        if check_reserve().is_err() {
            // Without its details, there may be memory for it.
            (error.messages, error.objects, error.cause) = (Vec::new(), None, None);
            error.kind = ErrorKind::Memory;
        }
        self.act(Action::Missing { call: id, index, error });
        if check_reserve().is_err() {
            let error = self.call(id).certain().error(ErrorKind::Memory);
            return self.end_failed(id, error);
        }
        let verdict = self.accumulator_of(id).and_then(|one| one.failed(index));
        if verdict.is_some() {
            self.decided(id, verdict);
            let received = self.accumulator_of(id).certain().progress();
            self.progress(id, received);
        }
    }

    /// Ends each call for findings that has nothing in flight and nothing left to request. Returns false if there is none.
    pub(super) fn complete(&mut self) -> bool {
        let mut has_ended = false;
        while let Some(id) = self.first_complete() {
            has_ended = true;
            let end = self.check(id);
            match self.call(id).certain().order() {
                Some(_) => self.end_stream(id, end),
                None => self.end(id, end.map(|()| Outcome::Delivered).map_err(CallEnd::Failed)),
            }
        }
        has_ended
    }

    fn first_complete(&self) -> Option<CallId> {
        let is_complete = |call: &&Call<V>| {
            let accumulator = || self.accumulators.iter().find(|one| Some(one.id) == call.accumulator());
            call.is_fetching
                && call.is_touched
                && accumulator().is_some_and(|one| !one.has_tickets())
                && !self.requests.iter().any(|request| request.call == call.id)
        };
        self.calls.iter().find(is_complete).map(|call| call.id)
    }

    /// Checks that every partition was received once, and that the total is right.
    fn check(&mut self, id: CallId) -> Result<(), Box<Error<V>>> {
        let accumulator = self.accumulator_of(id).certain();
        let (tracker, has_appended) = (&accumulator.tracker, accumulator.has_appended());
        let (has_each_once, total, partitions) =
            (tracker.has_each_once(), tracker.check(), tracker.counts().partitions);
        let call = self.call(id).certain();
        if !has_each_once {
            return Err(match call.order() {
                Some(_) => call.error(ErrorKind::Undelivered(partitions)),
                None => self.partial(id),
            });
        }
        match (total, call.wanted.settings.completeness) {
            (Err(mismatch), Completeness::Strict) => {
                Err(call.error(ErrorKind::Incomplete(TotalMismatch { has_appended, ..mismatch })))
            }
            (Ok(()), _) | (_, Completeness::Off) => Ok(()),
        }
    }

    /// Ends a call with an error; a collecting call that lacks partitions with `partial`, if time or memory has ended it. If every partition is
    /// there, the call timed out while it read the counts again; nothing is missing.
    pub(super) fn end_failed(&mut self, id: CallId, error: Box<Error<V>>) {
        let call = self.call(id).certain();
        if call.order().is_some() {
            self.cancel_requests(id, 0);
            // A partition behind those that are missing now may have failed before.
            self.call_mut(id).certain().unread.end = None;
            return self.end_stream(id, Err(error));
        }
        let may_be_partial = call.collects() && matches!(error.kind, ErrorKind::TotalTimeout(_) | ErrorKind::Memory);
        let accumulator = self.accumulator_of(id);
        if !accumulator.is_some_and(|one| may_be_partial && one.is_begun && !one.tracker.is_whole()) {
            return self.end(id, Err(CallEnd::Failed(error)));
        }
        let call = self.call(id).certain();
        let (base, inspection, kind) = (call.wanted.base.clone(), call.wanted.inspection, call.kind().certain());
        let missing = self.accumulator_of(id).certain().tracker.missing();
        let lacking = Lacking::new(id, base, inspection, kind, error.kind, missing);
        self.actions.push_back(Queued::Lacking(lacking));
        let end = self.partial(id);
        self.end(id, Err(CallEnd::Failed(end)));
    }

    fn partial(&mut self, id: CallId) -> Box<Error<V>> {
        let tracker = &self.accumulator_of(id).certain().tracker;
        let partitions = tracker.counts().partitions;
        let missing = partitions - tracker.partitions();
        self.call(id).certain().error(ErrorKind::Partial { missing, partitions })
    }

    /// Ends a call.
    pub(super) fn end(&mut self, id: CallId, end: Result<Outcome, CallEnd<V>>) {
        self.cancel_requests(id, 0);
        self.forget(id);
        self.act(Action::End { call: id, end });
    }

    /// Ends a call that its caller has aborted, with what was still to be done for it, but for what it keeps.
    pub(super) fn abort(&mut self, id: CallId) {
        let is_running = self.call(id).is_some();
        if is_running {
            self.cancel_requests(id, 0);
            self.forget(id);
        }
        let had_actions = self.withdraw(&|queued| match queued {
            Queued::Action(action) => action.call() == Some(id),
            Queued::Lacking(lacking) => lacking.call == id,
        });
        if is_running || had_actions {
            self.act(Action::Forget { call: id });
        }
    }

    /// Cancels the requests of a call from an index on, last first: otherwise a later partition would get the connection of an earlier one.
    pub(super) fn cancel_requests(&mut self, id: CallId, from: u64) {
        let is_meant = |one: &&Request<V>| one.call == id && one.index().is_none_or(|index| index >= from);
        while let Some(last) = self.requests.iter().filter(is_meant).max_by_key(|one| one.index()) {
            let op = last.op;
            self.leave_outside(op);
            drop(self.take_request(op));
        }
    }

    /// Forgets a call, and what nobody else uses. The next call of its accumulator begins.
    fn forget(&mut self, id: CallId) {
        self.drop_unread(id);
        let accumulator = self.call(id).certain().accumulator();
        let is_stream = self.call(id).certain().order().is_some();
        let position = self.calls.iter().position(|call| call.id == id).certain();
        drop(self.calls.remove(position));
        remove(&mut self.waiting_for_bytes, id);
        self.sources.iter_mut().for_each(|source| remove(&mut source.users, id));
        if let Some(position) = self.sources.iter().position(|source| source.users.is_empty()) {
            self.sources.swap_remove(position);
        }
        let Some(number) = accumulator else { return };
        let accumulator = self.accumulators.iter_mut().find(|one| one.id == number).certain();
        let was_first = accumulator.users.first() == Some(&id);
        remove(&mut accumulator.users, id);
        accumulator.is_forgotten |= is_stream;
        let next = accumulator.users.first().copied().filter(|_| was_first);
        self.drop_forgotten(number);
        if let Some(next) = next {
            self.begin_counts(next);
        }
    }

    /// Forgets an accumulator with which nobody can begin another call, once the last call has ended.
    pub(super) fn forget_accumulator(&mut self, number: AccumulatorId) {
        if let Some(accumulator) = self.accumulators.iter_mut().find(|one| one.id == number) {
            accumulator.is_forgotten = true;
            self.drop_forgotten(number);
        }
    }

    fn drop_forgotten(&mut self, number: AccumulatorId) {
        let is_unused = |one: &Accumulator| one.id == number && one.is_forgotten && one.users.is_empty();
        if let Some(position) = self.accumulators.iter().position(is_unused) {
            self.accumulators.swap_remove(position);
        }
    }

    /// Ends the calls that have exceeded their `totalTimeout`.
    pub(super) fn end_late(&mut self, now: f64) {
        while let Some(late) = self.calls.iter().find(|call| call.deadline <= now) {
            let limit = late.wanted.settings.total_timeout.certain() as u64;
            let (id, error) = (late.id, late.error(ErrorKind::TotalTimeout(limit)));
            self.end_failed(id, error);
        }
    }
}
