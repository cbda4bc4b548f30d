//! The beginning of a call: its counts, and what it begins with.

use super::accumulator::Accumulation;
use super::action::{Action, Outcome};
use super::call::{Call, SINGLE, is_worth_a_worker};
use super::calls::Calls;
use super::event::{NewCall, Task, WorkerOption};
use super::host::Host;
use super::numbered::{CallId, Op};
use super::request::State;
use crate::contract::{Kind, KindCounts, Operation};
use crate::counts::{Counts, CountsBody};
use crate::error::{CallEnd, Error, ErrorKind};
use crate::hint::Hint;
use crate::partition_tracker::PartitionTracker;
use crate::progress::{PartitionChange, PartitionState, Progress};
use crate::settings::Completeness;

impl<H: Host> Calls<H> {
    /// Begins a call at a time, as [`handle`](Self::handle) takes note of an event. Returns its number.
    pub fn begin(&mut self, now: f64, mut begin: NewCall<H>) -> CallId {
        let task = begin.task;
        if let Task::Stream(..) = task {
            begin.accumulator = Some(Accumulation::default());
        }
        let call = Call::new(begin, self.byte_limit, self.equal_share);
        let (deadline, expected) = (call.deadline, call.bytes.expected);
        let id = self.calls.insert(call);
        self.call_mut(id);
        self.deadlines.insert(deadline, id);
        if let Task::Partition(kind, index) = task {
            self.use_worker(id, Some(SINGLE));
            self.progress(id, Progress::of(SINGLE));
            self.request(id, Operation::Partition { kind, index }, expected);
        } else {
            match self.call(id).wanted.accumulator.as_ref().map(|one| one.enter(id)) {
                None => drop(self.request(id, Operation::Counts, 0)),
                Some(true) => self.fetch_counts(id),
                Some(false) => {}
            }
        }
        self.schedule(now);
        id
    }

    /// Begins to fetch the counts for a call that is alone with its accumulator.
    pub(super) fn fetch_counts(&mut self, id: CallId) {
        let call = self.call_mut(id);
        call.progress = call.wanted.accumulator.as_ref().map_or(Progress::NONE, Accumulation::progress);
        self.use_worker(id, None);
        self.request(id, Operation::Counts, 0);
    }

    /// Reads the body of the counts.
    pub(super) fn read_counts(&mut self, now: f64, op: Op, body: Vec<u8>) {
        let (request, call) = self.find(op);
        let CountsBody { errors, counts } = match CountsBody::decode(&body) {
            Ok(decoded) => decoded,
            Err(error) => {
                let error = call.decode_error(request, error);
                return self.attempt_failed(now, op, error);
            }
        };
        let (host, maps_counts) = (call.host(), call.wanted.maps_counts);
        let error = errors.map(|messages| {
            let mut error = call.error_of(request, ErrorKind::Service);
            error.messages = messages;
            error
        });
        let attempts = request.attempts;
        self.retries.give_back(attempts);
        match error {
            Some(error) => self.request_failed(op, error),
            None if maps_counts => {
                self.change(op, State::Mapping);
                self.act_for(op, Action::MapCounts { call: host, op, body });
            }
            None => {
                let (request, call) = self.find(op);
                let uncountable = |error| call.decode_error(request, error).with_hint(Hint::OtherCounts);
                let Counts { sentiment, topics } = counts;
                let counts = Counts { sentiment: sentiment.map_err(uncountable), topics: topics.map_err(uncountable) };
                self.counted(op, counts);
            }
        }
    }

    /// Takes what `readCounts` has returned.
    pub(super) fn mapped(&mut self, op: Op, counts: Counts<String>) {
        let (request, call) = self.find(op);
        let State::Mapping = request.state else { return };
        let unmapped = |flaw| call.error_of(request, ErrorKind::Mapping(flaw));
        let Counts { sentiment, topics } = counts;
        let counts = Counts { sentiment: sentiment.map_err(unmapped), topics: topics.map_err(unmapped) };
        self.counted(op, counts);
    }

    /// Takes the counts of both kinds, of which a call for findings needs one.
    fn counted(&mut self, op: Op, counts: Counts<Box<Error<H::Value>>>) {
        let (request, call) = self.find(op);
        let (id, attempts, bytes) = (request.call, request.attempts, request.length);
        let Some(kind) = call.kind() else {
            let end = match (counts.sentiment, counts.topics) {
                (Ok(sentiment), Ok(topics)) => Ok(Outcome::Counts(sentiment, topics)),
                (Err(error), _) | (_, Err(error)) => Err(CallEnd::Failed(error)),
            };
            return self.end(id, end);
        };
        match counts.of(kind) {
            Err(error) => self.request_failed(op, error),
            Ok(counts) => {
                drop(self.take_request(op));
                let change = PartitionChange::to(PartitionState::Received, None, attempts);
                self.report(id, PartitionChange { bytes, ..change }, None);
                self.fetch_partitions(id, kind, counts);
            }
        }
    }

    fn fetch_partitions(&mut self, id: CallId, kind: Kind, counts: KindCounts) {
        let wanted = &self.call(id).wanted;
        let is_strict = wanted.settings.completeness == Completeness::Strict;
        if let Some(Err(before)) = wanted.accumulator.as_ref().map(|one| one.open(counts, is_strict)) {
            let received = self.received(id, PartitionTracker::findings);
            let error = self.call(id).error(ErrorKind::Changed { before, now: counts, received });
            return self.end_failed(id, error);
        }
        let look = |one: &PartitionTracker| (one.missing_from(0).next(), one.missing(), one.progress());
        let (next, missing, progress) = self.received(id, look);
        let call = self.call_mut(id);
        call.is_fetching = true;
        call.next = next.map(|index| (kind, index));
        self.use_worker(id, Some(missing));
        self.progress(id, progress);
    }

    /// Lets a call use a worker if it is large enough. Called without counts before they are requested.
    pub(super) fn use_worker(&mut self, id: CallId, counts: Option<KindCounts>) {
        let is_worth_it = counts.map_or(self.was_worth_a_worker, is_worth_a_worker);
        let call = self.call_mut(id);
        match call.wanted.worker {
            WorkerOption::Worker => {}
            WorkerOption::Auto if is_worth_it => {}
            _ => return,
        }
        if call.uses_worker {
            self.was_worth_a_worker = is_worth_it;
            return;
        }
        let (host, mut received) = (call.host(), call.requests.clone());
        self.was_worth_a_worker = is_worth_it;
        // A worker decodes what waits for the page.
        received.retain(|op| matches!(self.requests.at(*op).state, State::Arrived { .. }));
        received.iter().for_each(|op| self.list(*op, false));
        self.call_mut(id).uses_worker = true;
        received.iter().for_each(|op| self.list(*op, true));
        self.act(id, Action::UseWorker { call: host });
    }
}
