//! The end of a call: complete, failed, or aborted.

use chunk::memory::check_reserve;

use super::accumulator::Accumulation;
use super::action::{Action, Outcome};
use super::calls::Calls;
use super::event::Order;
use super::host::Host;
use super::numbered::{CallId, Op};
use crate::contract::Operation;
use crate::error::{CallEnd, Error, ErrorKind};
use crate::partition_tracker::PartitionTracker;
use crate::progress::{PartitionChange, PartitionState};
use crate::settings::Completeness;

/// The maximum number of unrequested partitions listed in `failures`.
const MAX_LISTED_MISSING: usize = 1000;

impl<H: Host> Calls<H> {
    /// Ends a request with an error, and its call unless that collects errors.
    pub(super) fn request_failed(&mut self, op: Op, error: Box<Error<H::Value>>) {
        self.leave_outside(op);
        let request = self.take_request(op);
        let (id, index) = (request.call, request.index());
        let change = PartitionChange::to(PartitionState::Failed, index, error.attempts);
        self.report(id, change, Some(&error));
        let call = self.call(id);
        let Some(index) = index.filter(|_| call.collects()) else {
            return match (index, call.order()) {
                (Some(index), Some(Order::Index)) => self.fail_from(id, index, error),
                _ => self.end_failed(id, error),
            };
        };
        let missing = Action::Missing { call: call.host(), index, error };
        self.act(id, missing);
    }

    /// Ends each call for findings that has nothing in flight and nothing left to request. Returns false if there is none.
    pub(super) fn complete(&mut self) -> bool {
        let (mut has_ended, mut looked_at) = (false, 0);
        while let Some(id) = self.touched.get(looked_at).copied() {
            looked_at += 1;
            if !self.is_complete(id) {
                continue;
            }
            has_ended = true;
            let end = self.check(id);
            match self.call(id).order() {
                Some(_) => self.end_stream(id, end),
                None => self.end(id, end.map(|()| Outcome::Delivered).map_err(CallEnd::Failed)),
            }
        }
        has_ended
    }

    fn is_complete(&self, id: CallId) -> bool {
        self.calls.get(id).is_some_and(|call| call.is_fetching && call.requests.is_empty() && call.next.is_none())
    }

    /// Checks that every partition was received, and that the total is right.
    fn check(&self, id: CallId) -> Result<(), Box<Error<H::Value>>> {
        let look = |one: &PartitionTracker| (one.is_whole(), one.check(), one.counts().partitions);
        let (is_whole, total, partitions) = self.received(id, look);
        let call = self.call(id);
        if !is_whole {
            return Err(match call.order() {
                Some(_) => call.error(ErrorKind::Undelivered(partitions)),
                None => self.partial(id),
            });
        }
        match (total, call.wanted.settings.completeness) {
            (Err(mismatch), Completeness::Strict) => Err(call.error(ErrorKind::Incomplete(mismatch))),
            (Ok(()), _) | (_, Completeness::Off) => Ok(()),
        }
    }

    /// Ends a call with an error; a collecting call that lacks partitions with `partial`, if time or memory has ended it. If every partition is
    /// there, the call timed out while it read the counts again; nothing is missing.
    pub(super) fn end_failed(&mut self, id: CallId, error: Box<Error<H::Value>>) {
        let call = self.call(id);
        if call.order().is_some() {
            self.cancel_requests(id, 0);
            // A partition behind those that are missing now may have failed before.
            self.call_mut(id).unread.end = None;
            return self.end_stream(id, Err(error));
        }
        let may_be_partial = call.collects() && matches!(error.kind, ErrorKind::TotalTimeout(_) | ErrorKind::Memory);
        let received = call.wanted.accumulator.as_ref().and_then(Accumulation::coverage);
        let lacks = received.is_some_and(|received| !received.is_whole);
        let Some(kind) = call.kind().filter(|_| may_be_partial && lacks) else {
            return self.end(id, Err(CallEnd::Failed(error)));
        };
        let missing = self.received(id, |one| one.missing_from(0).take(MAX_LISTED_MISSING).collect::<Vec<_>>());
        for index in missing.into_iter().take_while(|_| check_reserve().is_ok()) {
            let call = self.call(id);
            let missing = call.error_at(Operation::Partition { kind, index }, error.kind.clone());
            let action = Action::Missing { call: call.host(), index, error: missing };
            self.act(id, action);
        }
        let end = self.partial(id);
        self.end(id, Err(CallEnd::Failed(end)));
    }

    fn partial(&self, id: CallId) -> Box<Error<H::Value>> {
        let count = |one: &PartitionTracker| (one.counts().partitions, one.missing().partitions);
        let (partitions, missing) = self.received(id, count);
        self.call(id).error(ErrorKind::Partial { missing, partitions })
    }

    /// Ends a call.
    pub(super) fn end(&mut self, id: CallId, end: Result<Outcome, CallEnd<H::Value>>) {
        let call = self.call(id).host();
        self.cancel_requests(id, 0);
        self.forget(id);
        self.act(id, Action::End { call, end });
    }

    /// Ends a call that its caller has aborted, with what was still to be done for it, but for what it keeps.
    pub(super) fn abort(&mut self, id: CallId) {
        if self.calls.get(id).is_some() {
            self.cancel_requests(id, 0);
            self.forget(id);
        }
        self.actions.retain(|queued| queued.call != id || queued.action.remains());
    }

    /// Cancels the requests of a call from an index on, last first: otherwise a later partition would get the connection of an earlier one.
    pub(super) fn cancel_requests(&mut self, id: CallId, from: u64) {
        while let Some(op) = self.last_request(id, from) {
            self.leave_outside(op);
            drop(self.take_request(op));
        }
    }

    fn last_request(&self, id: CallId, from: u64) -> Option<Op> {
        let requests = self.call(id).requests.iter().map(|op| (*op, self.requests.at(*op).index()));
        let meant = requests.filter(|(_, index)| index.is_none_or(|index| index >= from));
        meant.max_by_key(|(_, index)| *index).map(|(op, _)| op)
    }

    /// Forgets a call, and what nobody else uses. The next call of its accumulator begins.
    fn forget(&mut self, id: CallId) {
        self.drop_unread(id);
        self.stop_waiting_for_bytes(id);
        self.set_deadline(id, f64::INFINITY);
        let call = self.calls.take(id);
        if let Some(next) = call.wanted.accumulator.and_then(|one| one.leave(id)) {
            self.fetch_counts(next);
        }
    }

    /// Lets a call end at another time by its `totalTimeout`.
    pub(super) fn set_deadline(&mut self, id: CallId, deadline: f64) {
        let call = self.calls.at_mut(id);
        let before = std::mem::replace(&mut call.deadline, deadline);
        self.deadlines.remove(before, id);
        self.deadlines.insert(deadline, id);
    }

    /// Ends the calls that have exceeded their `totalTimeout`.
    pub(super) fn end_late(&mut self, now: f64) {
        while let Some((_, id)) = self.deadlines.first().filter(|(deadline, _)| *deadline <= now) {
            let call = self.call(id);
            let limit = call.wanted.settings.total_timeout as u64;
            let error = call.error(ErrorKind::TotalTimeout(limit));
            self.end_failed(id, error);
        }
    }
}
