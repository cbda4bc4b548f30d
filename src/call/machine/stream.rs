//! A stream: a call whose partitions a reader takes one at a time while others are in flight.

use super::action::{Action, Outcome};
use super::calls::Calls;
use super::event::Order;
use super::host::Host;
use super::numbered::CallId;
use crate::error::{CallEnd, Error};

impl<H: Host> Calls<H> {
    /// Keeps the findings of a partition, and the bytes that they hold, until the reader takes them.
    pub(super) fn insert(&mut self, id: CallId, order: Order, index: u64, attempt: H::Attempt, bytes: u64) {
        self.bytes_held += bytes;
        let call = self.call_mut(id);
        call.bytes.held += bytes;
        call.bytes.arrived(bytes);
        call.unread.insert(order, index, attempt, bytes);
        self.give(id);
    }

    /// Takes note of a reader that waits.
    pub(super) fn read(&mut self, id: CallId) {
        let call = self.call_mut(id);
        if call.order().is_some() {
            call.unread.is_awaited = true;
            self.give(id);
        }
    }

    /// Ends a stream behind the partitions that the reader takes before.
    pub(super) fn end_stream(&mut self, id: CallId, end: Result<(), Box<Error<H::Value>>>) {
        self.set_deadline(id, f64::INFINITY);
        let call = self.call_mut(id);
        call.is_fetching = false;
        call.unread.end.get_or_insert(end);
        // Its reader may take the rest at any time, or never.
        self.stop_waiting_for_bytes(id);
        self.give(id);
    }

    /// Fails a stream in index order: what comes before this partition is still delivered.
    pub(super) fn fail_from(&mut self, id: CallId, index: u64, error: Box<Error<H::Value>>) {
        self.cancel_requests(id, index);
        let call = self.call_mut(id);
        (call.next, call.unread.end) = (None, Some(Err(error)));
    }

    /// Gives the reader that waits the next partition, or the end.
    fn give(&mut self, id: CallId) {
        let call = self.call_mut(id);
        if !call.unread.is_awaited {
            return;
        }
        if let Some(next) = call.unread.take() {
            call.bytes.held -= next.bytes;
            let action = Action::Deliver { call: call.host(), attempt: next.attempt, index: next.index };
            self.bytes_held -= next.bytes;
            self.act(id, action);
        } else if !call.is_fetching
            && let Some(end) = call.unread.end.take()
        {
            self.end(id, end.map(|()| Outcome::Delivered).map_err(CallEnd::Failed));
        }
    }

    /// Forgets the partitions that the reader of a stream has not taken.
    pub(super) fn drop_unread(&mut self, id: CallId) {
        for one in self.call_mut(id).unread.drain() {
            self.bytes_held -= one.bytes;
            self.act(id, Action::Cancel { attempt: one.attempt });
        }
    }
}
