//! All calls of one client as one value.

use std::collections::VecDeque;

use chunk::invariant::Certain;

use super::accumulator::{Accumulator, Received};
use super::action::Action;
use super::call::Call;
use super::event::{AccumulatorId, CallId, Op};
use super::lacking::Lacking;
use super::pause::{Pause, WorkerAccess};
use super::request::Request;
use super::source::Source;
use crate::retry::RetryBudget;

/// All calls of one client.
#[cfg_attr(test, derive(Debug))]
pub struct Calls<V> {
    pub(super) calls: Vec<Call<V>>,
    pub(super) requests: Vec<Request<V>>,
    pub(super) accumulators: Vec<Accumulator>,
    pub(super) sources: Vec<Source<V>>,
    /// The requests that wait for a permit, in their order.
    pub(super) queue: Vec<Op>,
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
    pub(super) retries: RetryBudget,
    pub(super) pause: Pause,
    /// Returns a random number in `0.0..1.0`.
    pub(super) random: fn() -> f64,
    pub(super) access: WorkerAccess,
    /// Whether a call was large enough for a worker: then the next one probably is, too.
    pub(super) was_worth_a_worker: bool,
    pub(super) last_op: Op,
    pub(super) actions: VecDeque<Queued<V>>,
}

/// What is to be done.
#[cfg_attr(test, derive(Debug))]
pub(super) enum Queued<V> {
    /// This.
    Action(Action<V>),
    /// To keep an error for each of the partitions that a call has not received.
    Lacking(Lacking),
}

impl<V: Clone> Calls<V> {
    /// The calls of a client with at most `concurrency` requests in flight and `max_buffered_bytes` unread. `random` returns numbers in
    /// `0.0..1.0`.
    pub fn new(concurrency: usize, max_buffered_bytes: u64, random: fn() -> f64) -> Self {
        Calls {
            calls: Vec::new(),
            requests: Vec::new(),
            accumulators: Vec::new(),
            sources: Vec::new(),
            queue: Vec::new(),
            free_permits: concurrency,
            #[cfg(test)]
            permits: concurrency,
            byte_limit: max_buffered_bytes,
            bytes_held: 0,
            equal_share: max_buffered_bytes / concurrency.max(1) as u64,
            waiting_for_bytes: Vec::new(),
            retries: RetryBudget::default(),
            pause: Pause::default(),
            random,
            access: WorkerAccess::default(),
            was_worth_a_worker: false,
            last_op: 0,
            actions: VecDeque::new(),
        }
    }

    /// The next thing to do. An event may come between two of them.
    pub fn next_action(&mut self) -> Option<Action<V>> {
        loop {
            if let Queued::Lacking(lacking) = self.actions.front_mut()? {
                match lacking.next() {
                    Some(action) => return Some(action),
                    None => drop(self.actions.pop_front()),
                }
            } else if let Some(Queued::Action(action)) = self.actions.pop_front() {
                return Some(action);
            }
        }
    }

    /// When [`Event::Tick`](super::Event::Tick) has to come; infinity for never.
    pub fn next_wake(&self) -> f64 {
        let deadlines = self.calls.iter().map(|call| call.deadline);
        self.requests.iter().map(Request::wake).chain(deadlines).fold(f64::INFINITY, f64::min)
    }

    /// What calls have received with an accumulator; `None` before the counts are known.
    pub fn received_with(&self, accumulator: AccumulatorId) -> Option<Received> {
        self.accumulators.iter().find(|one| one.id == accumulator)?.received()
    }

    /// What is left although no call is in flight: nothing, if all was given back.
    #[cfg(test)]
    pub(crate) fn left(&self) -> Vec<&'static str> {
        let used = self.requests.iter().filter(|request| request.has_permit).count();
        let permits = self.free_permits + used;
        [
            (self.calls.is_empty(), "calls"),
            (self.requests.is_empty(), "requests"),
            (self.accumulators.is_empty(), "accumulators"),
            (self.sources.is_empty(), "sources"),
            (self.queue.is_empty(), "requests in the queue"),
            (permits == self.permits, "permits"),
            (self.bytes_held == 0, "bytes"),
            (self.waiting_for_bytes.is_empty(), "calls that wait for bytes"),
            (self.actions.is_empty(), "actions"),
            (self.next_wake() == f64::INFINITY, "alarms"),
        ]
        .into_iter()
        .filter_map(|(is_gone, what)| (!is_gone).then_some(what))
        .collect()
    }

    pub(super) fn act(&mut self, action: Action<V>) {
        self.actions.push_back(Queued::Action(action));
    }

    pub(super) fn new_op(&mut self) -> Op {
        self.last_op = self.last_op.wrapping_add(1);
        self.last_op
    }

    /// The request that an event is about, and its call; `None` if the event is late.
    pub(super) fn find(&self, op: Op) -> Option<(&Request<V>, &Call<V>)> {
        let request = self.requests.iter().find(|request| request.op == op)?;
        Some((request, self.call(request.call).certain()))
    }

    /// The same to change them.
    pub(super) fn find_mut(&mut self, op: Op) -> Option<(&mut Request<V>, &mut Call<V>)> {
        let request = self.requests.iter_mut().find(|request| request.op == op)?;
        let call = self.calls.iter_mut().find(|call| call.id == request.call).certain();
        call.is_touched = true;
        Some((request, call))
    }

    /// A call; `None` if it has ended.
    pub(super) fn call(&self, id: CallId) -> Option<&Call<V>> {
        self.calls.iter().find(|call| call.id == id)
    }

    /// The same to change it.
    pub(super) fn call_mut(&mut self, id: CallId) -> Option<&mut Call<V>> {
        let call = self.calls.iter_mut().find(|call| call.id == id)?;
        call.is_touched = true;
        Some(call)
    }

    /// The accumulator of a call; `None` if it has none, or has ended.
    pub(super) fn accumulator_of(&mut self, id: CallId) -> Option<&mut Accumulator> {
        let accumulator = self.call_mut(id)?.accumulator()?;
        Some(self.accumulators.iter_mut().find(|one| one.id == accumulator).certain())
    }
}

/// Removes a number from a list.
pub(super) fn remove(list: &mut Vec<i32>, number: i32) {
    list.retain(|one| *one != number);
}
