//! Which requests may begin: permits, bytes, and the `concurrency` of each call.

use chunk::invariant::Certain;

use super::action::Action;
use super::calls::{Calls, Queued, remove};
use super::event::{CallId, Op, Work};
use super::request::{Request, State};
use crate::contract::Operation;

/// What keeps a call from requesting another partition.
enum Demand {
    /// Nothing. `fits` unless the byte budget has no room, but the call waits for no other call.
    None { fits: bool },
    /// Bytes that other calls hold.
    Bytes,
    /// The call itself: it has requested all that it may for now.
    Itself,
}

impl<V: Clone> Calls<V> {
    /// Requests what the budgets allow, then decodes what has arrived, and ends what is complete.
    pub(super) fn schedule(&mut self, now: f64) {
        loop {
            self.request_more(now);
            let has_begun = self.begin_queued(now);
            self.decode_received();
            // What has begun holds bytes, and the end of a call lets another one begin.
            if !self.complete() && !has_begun {
                break;
            }
        }
        self.calls.iter_mut().for_each(|call| call.is_touched = false);
    }

    /// Begins the requests for which there are permits. Returns false if there is none.
    fn begin_queued(&mut self, now: f64) -> bool {
        let mut has_begun = false;
        while self.free_permits > 0
            && let Some(op) = self.queue.first().copied()
        {
            has_begun = true;
            self.queue.remove(0);
            self.free_permits -= 1;
            let (request, _) = self.find_mut(op).certain();
            request.has_permit = true;
            let expected = request.expected;
            self.grow_to(op, expected);
            self.begin_attempt(now, op);
        }
        has_begun
    }

    /// Lets each call request the partitions that it lost, and then the next ones, until none may. A call for which nothing has changed could only
    /// have waited for bytes, and only the first in that queue may have them.
    fn request_more(&mut self, now: f64) {
        // A new request, another call that is the first to wait for bytes, and bytes that a failed request gives back let others request more.
        let stage = |calls: &Self| (calls.last_op, calls.waiting_for_bytes.first().copied(), calls.bytes_held);
        loop {
            let before = stage(self);
            let first = self.waiting_for_bytes.first().copied();
            let may = self.calls.iter().filter(|one| one.is_fetching && (one.is_touched || Some(one.id) == first));
            let may: Vec<_> = may.map(|call| call.id).collect();
            for id in may {
                // A lost partition whose retries are exhausted may end its call.
                while self.call(id).is_some() && (self.request_lost(now, id) || self.request_next(id)) {}
            }
            if before == stage(self) {
                return;
            }
        }
    }

    /// Requests the first partition again whose body was lost, if there is room. Returns false if not.
    fn request_lost(&mut self, now: f64, id: CallId) -> bool {
        let room = self.call(id).certain().room();
        if self.requested(id) >= room {
            return false;
        }
        let is_lost = |one: &&mut Request<V>| one.call == id && matches!(one.state, State::Lost(_));
        let Some(lost) = self.requests.iter_mut().filter(is_lost).min_by_key(|one| one.index()) else { return false };
        let op = lost.op;
        if let State::Lost(error) = std::mem::replace(&mut lost.state, State::Queued) {
            self.attempt_failed(now, op, error);
        }
        true
    }

    /// Requests the next partition, if the budgets allow it. Returns false if not.
    fn request_next(&mut self, id: CallId) -> bool {
        let demand = self.demand(id);
        if let Demand::Bytes = demand {
            if !self.waiting_for_bytes.contains(&id) {
                self.waiting_for_bytes.push(id);
            }
            return false;
        }
        remove(&mut self.waiting_for_bytes, id);
        let Demand::None { fits } = demand else { return false };
        let ticket = self.accumulator_of(id).certain().next_ticket().certain();
        let call = self.call(id).certain();
        let (kind, expected) = (call.kind().certain(), call.bytes.expected);
        let operation = Operation::Partition { kind, index: ticket.index() };
        let op = self.request(id, operation, Some(ticket), expected);
        if fits {
            self.grow_to(op, expected);
        }
        true
    }

    fn demand(&self, id: CallId) -> Demand {
        let call = self.call(id).certain();
        let accumulator = self.accumulators.iter().find(|one| Some(one.id) == call.accumulator()).certain();
        let in_flight = self.requests.iter().filter(|one| one.call == id).count();
        let room = call.room();
        // At most as many more may wait for the decoder, because no budget counts the requests themselves.
        if !call.is_fetching
            || !accumulator.has_tickets()
            || self.requested(id) >= room
            || in_flight >= room.saturating_mul(2)
        {
            return Demand::Itself;
        }
        let expected = call.bytes.expected;
        let fits_call = call.bytes.held.saturating_add(expected) <= call.bytes.limit;
        let is_first = self.waiting_for_bytes.first().is_none_or(|first| *first == id);
        let fits = fits_call && is_first && self.bytes_held.saturating_add(expected) <= self.byte_limit;
        // A call that has nothing in flight, or a stream whose reader waits, waits for nobody, so that no other call can block it.
        let is_awaited = match call.wanted.work {
            Work::Stream(_, _, order) => call.unread.awaits(order, accumulator.tracker.issued(), in_flight),
            _ => in_flight == 0,
        };
        match (fits || is_awaited, fits_call) {
            (true, _) => Demand::None { fits },
            (false, true) => Demand::Bytes,
            // It waits for its own reader, so others do not have to wait behind it.
            (false, false) => Demand::Itself,
        }
    }

    /// The requests of a call that count against its `concurrency`. A stream must not be further ahead of its reader: there, those that are decoded
    /// count, too.
    fn requested(&self, id: CallId) -> usize {
        let is_stream = self.call(id).certain().order().is_some();
        self.requests.iter().filter(|one| one.call == id && (is_stream || one.is_requested())).count()
    }

    /// Lets the request for a partition hold at least this many bytes.
    pub(super) fn grow_to(&mut self, op: Op, bytes: u64) {
        let (request, call) = self.find_mut(op).certain();
        // The counts have no part in the budget.
        if request.index().is_none() {
            return;
        }
        let more = bytes.saturating_sub(request.held);
        request.held += more;
        call.bytes.held += more;
        self.bytes_held += more;
    }

    /// Lets another request begin.
    pub(super) fn release_permit(&mut self, op: Op) {
        let (request, _) = self.find_mut(op).certain();
        if std::mem::take(&mut request.has_permit) {
            self.free_permits += 1;
        }
    }

    /// Lets the border forget what lies outside under the number of a request, and does not begin what has not begun.
    pub(super) fn leave_outside(&mut self, op: Op) {
        let (request, _) = self.find(op).certain();
        let (is_outside, is_sent) = (request.is_outside(), matches!(request.state, State::Sent));
        let is_unsent = self.withdraw_op(op) && is_sent;
        if is_outside && !is_unsent {
            self.act(Action::Cancel { op });
        }
    }

    /// Removes what was to begin under this number. Returns false if there is nothing.
    pub(super) fn withdraw_op(&mut self, op: Op) -> bool {
        self.withdraw(&|queued| matches!(queued, Queued::Action(action) if action.op() == Some(op)))
    }

    /// Removes what was to be done. Returns false if there is nothing.
    pub(super) fn withdraw(&mut self, is_meant: &dyn Fn(&Queued<V>) -> bool) -> bool {
        let before = self.actions.len();
        self.actions.retain(|queued| !is_meant(queued));
        self.actions.len() < before
    }

    /// Removes a request with its permit and its bytes.
    pub(super) fn take_request(&mut self, op: Op) -> Option<Request<V>> {
        let position = self.requests.iter().position(|request| request.op == op)?;
        let request = self.requests.swap_remove(position);
        remove(&mut self.queue, op);
        self.free_permits += usize::from(request.has_permit);
        self.bytes_held -= request.held;
        self.call_mut(request.call).certain().bytes.held -= request.held;
        if let State::Asking(Some(refresh)) = request.state {
            self.leave_refresh(refresh);
        }
        Some(request)
    }
}
