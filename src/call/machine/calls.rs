//! All calls of one client as one value.

use std::collections::VecDeque;

use chunk::invariant::Certain;
use chunk::memory::OutOfMemory;

use super::action::Action;
use super::call::Call;
use super::host::Host;
use super::numbered::{CallId, Numbered, Op};
use super::ordered::Ordered;
use super::pause::{Pause, WorkerAccess};
use super::request::Request;
use crate::partition_tracker::PartitionTracker;
use crate::retry::RetryBudget;

/// All calls of one client.
#[cfg_attr(test, derive(Debug))]
pub struct Calls<H: Host> {
    pub(super) calls: Numbered<CallId, Call<H>>,
    /// The requests. A refresh of headers has a number among theirs.
    pub(super) requests: Numbered<Op, Request<H>>,
    /// The requests that wait for a permit, in their order.
    pub(super) queue: Vec<Op>,
    /// When time has to do something for calls, and for requests.
    pub(super) deadlines: Ordered<CallId>,
    pub(super) alarms: Ordered<Op>,
    /// The bodies that wait for a worker, and for the page, which decodes one after the other: the lowest index first.
    pub(super) for_worker: Ordered<Op>,
    pub(super) for_page: Ordered<Op>,
    pub(super) is_page_decoding: bool,
    pub(super) free_permits: usize,
    /// The permits that there are.
    #[cfg(test)]
    permits: usize,
    /// The bytes of bodies and findings that the calls may hold, and those that they hold.
    pub(super) byte_limit: u64,
    pub(crate) bytes_held: u64,
    /// An equal share of the limit for each of the requests in flight.
    pub(super) equal_share: u64,
    /// The calls that wait for bytes, in their order.
    pub(super) waiting_for_bytes: Vec<CallId>,
    /// The calls for which something has changed since it was looked at whether they may request more, or are complete.
    pub(super) touched: Vec<CallId>,
    pub(super) retries: RetryBudget,
    pub(super) pause: Pause,
    /// Returns a random number in `0.0..1.0`.
    pub(super) random: fn() -> f64,
    pub(super) access: WorkerAccess,
    /// Whether a call was large enough for a worker: then the next one probably is, too.
    pub(super) was_worth_a_worker: bool,
    pub(super) actions: VecDeque<Queued<H>>,
}

/// What is to be done for a call.
#[cfg_attr(test, derive(Debug))]
pub(super) struct Queued<H: Host> {
    pub(super) call: CallId,
    /// What is known outside by this number begins with it.
    pub(super) op: Option<Op>,
    pub(super) action: Action<H>,
}

impl<H: Host> Calls<H> {
    /// The calls of a client with at most `concurrency` requests in flight and `max_buffered_bytes` unread. `random` returns numbers in
    /// `0.0..1.0`.
    pub fn new(concurrency: usize, max_buffered_bytes: u64, random: fn() -> f64) -> Self {
        Calls {
            calls: Numbered::default(),
            requests: Numbered::default(),
            queue: Vec::new(),
            deadlines: Ordered::default(),
            alarms: Ordered::default(),
            for_worker: Ordered::default(),
            for_page: Ordered::default(),
            is_page_decoding: false,
            free_permits: concurrency,
            #[cfg(test)]
            permits: concurrency,
            byte_limit: max_buffered_bytes,
            bytes_held: 0,
            equal_share: max_buffered_bytes / concurrency.max(1) as u64,
            waiting_for_bytes: Vec::new(),
            touched: Vec::new(),
            retries: RetryBudget::default(),
            pause: Pause::default(),
            random,
            access: WorkerAccess::default(),
            was_worth_a_worker: false,
            actions: VecDeque::new(),
        }
    }

    /// Asks for the places of a call that begins, and of its first request.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub fn make_room(&mut self) -> Result<(), OutOfMemory> {
        self.calls.make_room()?;
        self.requests.make_room()
    }

    /// The next thing to do. An event may come between two of them.
    pub fn next_action(&mut self) -> Option<Action<H>> {
        self.actions.pop_front().map(|queued| queued.action)
    }

    /// Takes what performs an attempt that was to be sent.
    pub fn keep(&mut self, op: Op, attempt: H::Attempt) {
        self.requests.at_mut(op).attempt = Some(attempt);
    }

    /// What performs an attempt; `None` if nobody waits for it any more.
    pub fn attempt(&self, op: Op) -> Option<&H::Attempt> {
        self.requests.get(op)?.attempt.as_ref()
    }

    /// When [`Event::Tick`](super::Event::Tick) has to come; infinity for never.
    pub fn next_wake(&self) -> f64 {
        self.deadlines.first_key().min(self.alarms.first_key())
    }

    /// What is left although no call is in flight: nothing, if all was given back.
    #[cfg(test)]
    pub(crate) fn left(&self) -> Vec<&'static str> {
        let used = self.requests.values().filter(|request| request.has_permit).count();
        let permits = self.free_permits + used;
        [
            (self.calls.values().next().is_none(), "calls"),
            (self.requests.values().next().is_none(), "requests"),
            (self.queue.is_empty(), "requests in the queue"),
            (self.for_worker.is_empty() && self.for_page.is_empty(), "bodies to decode"),
            (!self.is_page_decoding, "a body that the page decodes"),
            (permits == self.permits, "permits"),
            (self.bytes_held == 0, "bytes"),
            (self.waiting_for_bytes.is_empty(), "calls that wait for bytes"),
            (self.touched.is_empty(), "calls to look at"),
            (self.actions.is_empty(), "actions"),
            (self.next_wake() == f64::INFINITY, "alarms"),
        ]
        .into_iter()
        .filter_map(|(is_gone, what)| (!is_gone).then_some(what))
        .collect()
    }

    /// Has something done for a call.
    pub(super) fn act(&mut self, call: CallId, action: Action<H>) {
        self.actions.push_back(Queued { call, op: None, action });
    }

    /// Has the next thing done for a request.
    pub(super) fn act_for(&mut self, op: Op, action: Action<H>) {
        let call = self.requests.at(op).call;
        self.actions.push_back(Queued { call, op: Some(op), action });
    }

    /// A request in flight, and its call.
    pub(super) fn find(&self, op: Op) -> (&Request<H>, &Call<H>) {
        let request = self.requests.at(op);
        (request, self.calls.at(request.call))
    }

    /// The same to change them, but for the state of the request.
    pub(super) fn find_mut(&mut self, op: Op) -> (&mut Request<H>, &mut Call<H>) {
        let request = self.requests.at_mut(op);
        let call = self.calls.at_mut(request.call);
        call.touch(request.call, &mut self.touched);
        (request, call)
    }

    /// A call in flight.
    pub(super) fn call(&self, id: CallId) -> &Call<H> {
        self.calls.at(id)
    }

    /// The same to change it.
    pub(super) fn call_mut(&mut self, id: CallId) -> &mut Call<H> {
        let call = self.calls.at_mut(id);
        call.touch(id, &mut self.touched);
        call
    }

    /// Looks at the partitions that a call has received which gathers all, once it has read the counts.
    pub(super) fn received<T>(&self, id: CallId, look: impl FnOnce(&PartitionTracker) -> T) -> T {
        self.call(id).wanted.accumulator.as_ref().and_then(|one| one.look(look)).certain()
    }
}
