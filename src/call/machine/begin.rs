//! The beginning of a call: its counts, and what it begins with.

use chunk::invariant::Certain;

use super::accumulator::{Accumulator, Verdict};
use super::action::{Action, Outcome};
use super::call::{Call, SINGLE, is_worth_a_worker};
use super::calls::Calls;
use super::event::{Begin, CallId, Op, Work, WorkerOption};
use super::request::{Request, State};
use super::source::Source;
use crate::contract::{KindCounts, Operation};
use crate::counts::{Counts, CountsBody};
use crate::error::{CallEnd, Error, ErrorKind};
use crate::hint::Hint;
use crate::partition_tracker::Ticket;
use crate::progress::{PartitionChange, PartitionState, Progress};
use crate::settings::Completeness;

impl<V: Clone> Calls<V> {
    /// Begins a call.
    pub(super) fn begin(&mut self, mut begin: Begin) {
        let Begin { call: id, work, source, .. } = begin;
        self.call(id).is_none().then_some(()).certain();
        if let Some(number) = source {
            match self.sources.iter_mut().find(|one| one.id == number) {
                Some(source) => source.users.push(id),
                None => self.sources.push(Source::new(number, id)),
            }
        }
        let earlier = begin.earlier.take();
        let call = Call::new(begin, self.byte_limit, self.equal_share);
        let (accumulator, expected) = (call.accumulator(), call.bytes.expected);
        self.calls.push(call);
        match (work, accumulator) {
            (Work::Partition(kind, index), _) => {
                self.use_worker(id, Some(SINGLE));
                self.progress(id, Progress::of(SINGLE));
                self.request(id, Operation::Partition { kind, index }, None, expected);
            }
            (_, None) => {
                self.request(id, Operation::Counts, None, 0);
            }
            (_, Some(number)) => {
                if !self.accumulators.iter().any(|one| one.id == number) {
                    self.accumulators.push(Accumulator::new(number, earlier));
                }
                let accumulator = self.accumulator_of(id).certain();
                accumulator.users.push(id);
                if accumulator.users.len() == 1 {
                    self.begin_counts(id);
                }
            }
        }
    }

    /// Begins to fetch the counts for a call that is alone with its accumulator.
    pub(super) fn begin_counts(&mut self, id: CallId) {
        let progress = self.accumulator_of(id).certain().progress();
        self.call_mut(id).certain().progress = progress;
        self.use_worker(id, None);
        self.request(id, Operation::Counts, None, 0);
    }

    /// Adds a request, which begins when it gets a permit.
    pub(super) fn request(&mut self, call: CallId, operation: Operation, ticket: Option<Ticket>, expected: u64) -> Op {
        let op = self.new_op();
        self.queue.push(op);
        self.requests.push(Request::new(op, call, operation, ticket, expected));
        op
    }

    /// Reads the body of the counts.
    pub(super) fn read_counts(&mut self, now: f64, op: Op, body: Vec<u8>) {
        let (request, call) = self.find(op).certain();
        let CountsBody { errors, counts } = match CountsBody::decode(&body) {
            Ok(decoded) => decoded,
            Err(error) => {
                let error = call.decode_error(request, error);
                return self.attempt_failed(now, op, error);
            }
        };
        let (id, maps_counts) = (call.id, call.wanted.maps_counts);
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
                self.find_mut(op).certain().0.state = State::Mapping;
                self.act(Action::MapCounts { call: id, op, body });
            }
            None => {
                let (request, call) = self.find(op).certain();
                let uncountable = |error| call.decode_error(request, error).with_hint(Hint::OtherCounts);
                let Counts { sentiment, topics } = counts;
                let counts = Counts { sentiment: sentiment.map_err(uncountable), topics: topics.map_err(uncountable) };
                self.counted(op, counts);
            }
        }
    }

    /// Takes what `readCounts` has returned.
    pub(super) fn mapped(&mut self, op: Op, counts: Counts<String>) {
        let Some((request, call)) = self.find(op) else { return };
        let State::Mapping = request.state else { return };
        let unmapped = |flaw| call.error_of(request, ErrorKind::Mapping(flaw));
        let Counts { sentiment, topics } = counts;
        let counts = Counts { sentiment: sentiment.map_err(unmapped), topics: topics.map_err(unmapped) };
        self.counted(op, counts);
    }

    /// Takes the counts of both kinds, of which a call for findings needs one.
    fn counted(&mut self, op: Op, counts: Counts<Box<Error<V>>>) {
        let (request, call) = self.find(op).certain();
        let (id, attempts, bytes) = (call.id, request.attempts, request.length);
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
                self.begin_partitions(id, counts);
            }
        }
    }

    fn begin_partitions(&mut self, id: CallId, counts: KindCounts) {
        let random = self.random;
        let is_strict = self.call(id).certain().wanted.settings.completeness == Completeness::Strict;
        let accumulator = self.accumulator_of(id).certain();
        let verdict = match accumulator.begin(counts, is_strict, random) {
            Ok(verdict) => verdict,
            Err(before) => {
                let received = accumulator.tracker.findings();
                let error = self.call(id).certain().error(ErrorKind::Changed { before, now: counts, received });
                return self.end_failed(id, error);
            }
        };
        let (missing, progress) = (accumulator.missing(), accumulator.progress());
        self.call_mut(id).certain().is_fetching = true;
        self.judge(id, verdict);
        self.use_worker(id, Some(missing));
        self.progress(id, progress);
    }

    /// Lets the border know what becomes of the partitions of an earlier table, once that is clear.
    pub(super) fn judge(&mut self, call: CallId, verdict: Option<Verdict>) {
        match verdict {
            Some(Verdict::Keep(below)) => self.act(Action::KeepEarlier { call, below }),
            Some(Verdict::Drop) => self.act(Action::DropEarlier { call }),
            None => {}
        }
    }

    /// Lets a call use a worker if it is large enough. Called without counts before they are requested.
    pub(super) fn use_worker(&mut self, id: CallId, counts: Option<KindCounts>) {
        let is_worth_it = counts.map_or(self.was_worth_a_worker, is_worth_a_worker);
        let call = self.calls.iter_mut().find(|call| call.id == id).certain();
        match call.wanted.worker {
            WorkerOption::Worker => {}
            WorkerOption::Auto if is_worth_it => {}
            _ => return,
        }
        self.was_worth_a_worker = is_worth_it;
        if !std::mem::replace(&mut call.uses_worker, true) {
            self.act(Action::UseWorker { call: id });
        }
    }
}
