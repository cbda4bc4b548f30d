//! Which requests may begin: permits, bytes, and the `concurrency` of each call.

use chunk::memory::OutOfMemory;

use super::action::Action;
use super::calls::Calls;
use super::host::Host;
use super::numbered::{CallId, Op};
use super::request::{Request, State};
use crate::contract::Operation;
use crate::error::ErrorKind;

/// What keeps a call from requesting another partition.
enum Demand {
    /// Nothing. `fits` unless the byte budget has no room, but the call waits for no other call.
    None { fits: bool },
    /// Bytes that other calls hold.
    Bytes,
    /// The call itself: it has requested all that it may for now.
    Itself,
}

impl<H: Host> Calls<H> {
    /// Requests what the budgets allow, then decodes what has arrived, and ends what is complete.
    pub(super) fn schedule(&mut self, now: f64) {
        loop {
            self.request_more(now);
            let has_begun = self.start_queued(now);
            self.decode_arrived();
            // What has begun holds bytes, and the end of a call lets another one begin.
            if !self.complete() && !has_begun {
                break;
            }
        }
        while let Some(id) = self.touched.pop() {
            if self.calls.get(id).is_some() {
                self.calls.at_mut(id).is_touched = false;
            }
        }
    }

    /// Begins the requests for which there are permits. Returns false if there is none.
    fn start_queued(&mut self, now: f64) -> bool {
        let mut has_begun = false;
        while self.free_permits > 0
            && let Some(op) = self.queue.first().copied()
        {
            has_begun = true;
            self.free_permits -= 1;
            let (request, _) = self.find_mut(op);
            request.has_permit = true;
            let expected = request.expected;
            self.grow_to(op, expected);
            self.start_attempt(now, op);
        }
        has_begun
    }

    /// Lets each call request the partitions that it lost, and then the next ones, until none may. A call for which nothing has changed could only
    /// have waited for bytes, and only the first in that queue may have them.
    fn request_more(&mut self, now: f64) {
        // Another call that is the first to wait for bytes, and bytes that a failed request gives back let others request more.
        let stage = |calls: &Self| (calls.waiting_for_bytes.first().copied(), calls.bytes_held);
        loop {
            let before = stage(self);
            let mut has_requested = before.0.is_some_and(|first| self.request_for(now, first));
            let mut looked_at = 0;
            while let Some(id) = self.touched.get(looked_at).copied() {
                looked_at += 1;
                has_requested |= self.request_for(now, id);
            }
            if !has_requested && before == stage(self) {
                return;
            }
        }
    }

    /// Lets a call request all that it may. Returns false if that is nothing.
    fn request_for(&mut self, now: f64, id: CallId) -> bool {
        let mut has_requested = false;
        // A lost partition whose retries are exhausted may end its call.
        while self.calls.get(id).is_some_and(|call| call.is_fetching)
            && (self.request_lost(now, id) || self.request_next(id))
        {
            has_requested = true;
        }
        has_requested
    }

    /// Requests the first partition again whose body was lost, if there is room. Returns false if not.
    fn request_lost(&mut self, now: f64, id: CallId) -> bool {
        let call = self.call(id);
        if self.requested(id) >= call.room() {
            return false;
        }
        let requests = call.requests.iter().map(|op| (*op, self.requests.at(*op)));
        let lost = requests.filter(|(_, request)| matches!(request.state, State::Lost(_)));
        let Some((op, _)) = lost.min_by_key(|(_, request)| request.index()) else { return false };
        if let State::Lost(error) = self.change(op, State::Waiting { until: f64::INFINITY, ends_online: false }) {
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
        self.stop_waiting_for_bytes(id);
        let (Demand::None { fits }, Some((kind, index))) = (demand, self.call(id).next) else { return false };
        if let Err(OutOfMemory) = self.requests.make_room() {
            let error = self.call(id).error(ErrorKind::Memory);
            self.end_failed(id, error);
            return false;
        }
        let next = self.received(id, |tracker| tracker.missing_from(index + 1).next());
        let call = self.call_mut(id);
        call.next = next.map(|next| (kind, next));
        let expected = call.bytes.expected;
        let op = self.request(id, Operation::Partition { kind, index }, expected);
        if fits {
            self.grow_to(op, expected);
        }
        true
    }

    /// Takes a call out of the queue for bytes.
    pub(super) fn stop_waiting_for_bytes(&mut self, id: CallId) {
        if let Some(position) = self.waiting_for_bytes.iter().position(|one| *one == id) {
            self.waiting_for_bytes.remove(position);
        }
    }

    fn demand(&self, id: CallId) -> Demand {
        let call = self.call(id);
        let (in_flight, room) = (call.requests.len(), call.room());
        // At most as many more may wait for the decoder, because no budget counts the requests themselves.
        if !call.is_fetching || call.next.is_none() || self.requested(id) >= room || in_flight >= room.saturating_mul(2)
        {
            return Demand::Itself;
        }
        let expected = call.bytes.expected;
        let fits_call = call.bytes.held.saturating_add(expected) <= call.bytes.limit;
        let is_first = self.waiting_for_bytes.first().is_none_or(|first| *first == id);
        let fits = fits_call && is_first && self.bytes_held.saturating_add(expected) <= self.byte_limit;
        // A call that has nothing in flight, and whose reader waits if it is a stream, waits for nobody, so that no other call can block it.
        let is_awaited = in_flight == 0 && (call.order().is_none() || call.unread.is_awaited);
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
        let call = self.call(id);
        if call.order().is_some() { call.requests.len() } else { call.requested }
    }

    /// Lets the request for a partition hold at least this many bytes.
    pub(super) fn grow_to(&mut self, op: Op, bytes: u64) {
        let (request, call) = self.find_mut(op);
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
        let (request, _) = self.find_mut(op);
        if std::mem::take(&mut request.has_permit) {
            self.free_permits += 1;
        }
    }

    /// Adds a request, which begins when it gets a permit.
    pub(super) fn request(&mut self, id: CallId, operation: Operation, expected: u64) -> Op {
        let op = self.requests.insert(Request::new(id, operation, expected));
        self.call_mut(id).requests.push(op);
        self.list(op, true);
        op
    }

    /// Puts a request in another state. Returns the one before.
    pub(super) fn change(&mut self, op: Op, state: State<H>) -> State<H> {
        self.list(op, false);
        let (request, _) = self.find_mut(op);
        let before = std::mem::replace(&mut request.state, state);
        self.list(op, true);
        before
    }

    /// Gives a request the number of its next attempt, which has this time limit.
    pub(super) fn renew(&mut self, op: Op, alarm: f64) -> Op {
        self.list(op, false);
        let next = self.requests.renewed(op);
        let (request, call) = self.find_mut(next);
        request.alarm = alarm;
        request.state = State::Asking(None);
        call.requests.iter_mut().filter(|one| **one == op).for_each(|one| *one = next);
        self.list(next, true);
        next
    }

    /// Adds a request to the lists and counts of its state, or removes it from them.
    pub(super) fn list(&mut self, op: Op, is_in: bool) {
        let request = self.requests.at(op);
        let call = self.calls.at_mut(request.call);
        match (request.is_requested(), is_in) {
            (true, true) => call.requested += 1,
            (true, false) => call.requested -= 1,
            (false, _) => {}
        }
        let by_worker = call.uses_worker && request.way.may_delegate();
        let (list, key) = match request.state {
            State::Arrived { index } if by_worker => (&mut self.for_worker, index as f64),
            State::Arrived { index } => (&mut self.for_page, index as f64),
            _ => (&mut self.alarms, request.wake()),
        };
        if is_in {
            list.insert(key, op)
        } else {
            list.remove(key, op)
        }
        match request.state {
            State::Queued if is_in => self.queue.push(op),
            State::Queued => {
                self.queue.retain(|one| *one != op);
            }
            State::Decoding { by_worker: false, .. } => self.is_page_decoding = is_in,
            _ => {}
        }
    }

    /// Ends what is under way for a request, and does not begin what has not begun.
    pub(super) fn leave_outside(&mut self, op: Op) {
        let request = self.requests.at_mut(op);
        let (id, attempt) = (request.call, request.attempt.take());
        self.withdraw_op(op);
        if let Some(attempt) = attempt {
            self.act(id, Action::Cancel { attempt });
        }
    }

    /// Removes what was to begin under this number.
    pub(super) fn withdraw_op(&mut self, op: Op) {
        self.actions.retain(|queued| queued.op != Some(op));
    }

    /// Removes a request with its permit and its bytes.
    pub(super) fn take_request(&mut self, op: Op) -> Request<H> {
        self.list(op, false);
        let request = self.requests.take(op);
        self.free_permits += usize::from(request.has_permit);
        self.bytes_held -= request.held;
        let call = self.call_mut(request.call);
        call.bytes.held -= request.held;
        call.requests.retain(|one| *one != op);
        if let State::Asking(Some(refresh)) = request.state {
            self.leave_refresh(request.call, refresh);
        }
        request
    }
}
