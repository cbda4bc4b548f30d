//! The simulated world around the calls of one client: it performs their actions, and holds what is under way as plain data.

use std::cell::Cell;
use std::collections::VecDeque;

use super::outcome::{Over, Simulated};
use super::page::Outside;
use super::record::Record;
use super::rng::Rng;
use super::schedule::{Interruption, Schedule, Task};
use crate::machine::{Calls, Event, Op};
use crate::retry::{FIRST_SUCCESS, RETRY_COST, RETRY_TOKENS};

thread_local! {
    /// The state of the numbers that the calls draw: a function pointer has no state of its own.
    static DRAWS: Cell<u32> = const { Cell::new(0) };
}

/// What will happen.
#[derive(Clone, Debug)]
pub(super) enum Coming {
    /// A call begins, or a stream's reader begins to read, or a call is resumed.
    Begin(usize),
    /// The reader of a stream wants the next partition.
    Read(usize),
    /// The caller aborts a call.
    Abort(usize),
    /// The next part of an exchange happens.
    Exchange(Op),
    /// The `headers` function returns: the question, its call, whether it refreshes, and the number of the question.
    Headers(Op, usize, bool, u64),
    /// A body has been worked on, with this result.
    Worked(Op, Worked),
    /// The device is online again.
    Online,
}

/// The result of work on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Worked {
    /// The page, or a worker, has decoded it.
    Decoded,
    /// A worker has given it back.
    Returned,
    /// A worker has ended with it.
    Lost,
    /// There is no worker.
    NoWorker,
    /// The page cannot read it, because the worker has ended that kept it.
    Unread,
}

/// The world around the calls of one client.
pub(super) struct World {
    pub(super) schedule: Schedule,
    pub(super) now: f64,
    pub(super) records: Vec<Record>,
    pub(super) calls: Calls<Simulated>,
    /// The number of calls that have begun.
    pub(super) begun: u32,
    pub(super) rng: Rng,
    pub(super) coming: Vec<(f64, Coming)>,
    /// What lies outside under the number of an attempt.
    pub(super) outside: Vec<Outside>,
    /// The numbers of attempts that have ended.
    pub(super) ended_ops: VecDeque<Op>,
    /// What happened, if it is to be printed.
    pub(super) trace: Option<Vec<String>>,
    /// The number of events that cannot be.
    pub(super) strays: u64,
    pub(super) asked: u64,
    pub(super) have_thrown: bool,
    pub(super) paused_until: f64,
    /// Whether something has happened between two actions, so that what follows was decided before it.
    pub(super) is_interrupted: bool,
    /// When all requests that waited for a pause have begun.
    pub(super) resumed_by: f64,
    pub(super) retries: u32,
    pub(super) first_successes: u32,
    pub(super) late_successes: u32,
    pub(super) steps: u64,
}

/// Milliseconds since 1970 at the start of the clock.
pub(super) const DATE: f64 = 784_111_777_000.0;

pub(super) const BASE: &str = "https://service.test/";

/// The URL of a path.
pub(super) fn url_of(path: &str) -> String {
    [BASE, path].concat()
}

/// Draws from `0.0..1.0` in steps of 1/256, so that sums of times stay exact.
fn draw() -> f64 {
    let next = DRAWS.get().wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    DRAWS.set(next);
    f64::from(next >> 24) / 256.0
}

impl World {
    /// A world at the beginning of a schedule.
    pub(super) fn new(schedule: Schedule, rng: Rng) -> Self {
        DRAWS.set(0);
        let mut world = World {
            now: 0.0,
            records: schedule.calls.iter().map(Record::new).collect(),
            calls: Calls::new(schedule.concurrency, schedule.byte_budget, draw),
            rng,
            coming: Vec::new(),
            outside: Vec::new(),
            ended_ops: VecDeque::new(),
            trace: None,
            strays: 0,
            asked: 0,
            have_thrown: false,
            paused_until: 0.0,
            is_interrupted: false,
            resumed_by: 0.0,
            retries: 0,
            begun: 0,
            first_successes: 0,
            late_successes: 0,
            steps: 0,
            schedule,
        };
        for number in 0..world.schedule.calls.len() {
            let (begins, aborted) = (world.schedule.calls[number].begins, world.schedule.calls[number].aborted_after);
            world.coming.push((begins, Coming::Begin(number)));
            world.coming.extend(aborted.map(|time| (begins + time, Coming::Abort(number))));
        }
        world.coming.extend(world.schedule.offline.map(|(_, until)| (until, Coming::Online)));
        world
    }

    /// Whether the `headers` function has thrown.
    pub(super) fn headers_have_thrown(&self) -> bool {
        self.have_thrown
    }

    /// An upper bound of the retries begun: those of partitions are reported, those of counts are requested or cancelled.
    pub(super) fn retries_at_most(&self) -> u32 {
        let of_counts: usize = self.records.iter().map(|record| record.requests(None)).sum();
        let runs: usize = self.schedule.calls.iter().map(|call| call.runs.len()).sum();
        self.retries + (of_counts + runs) as u32
    }

    /// Ends a stream whose reader is idle, once nothing else is left to wait for; false if there is none.
    pub(super) fn end_idle_streams(&mut self) -> bool {
        let idles = |record: &&Record| {
            let interruption = match &record.call.task {
                Task::Stream(_, reader) => reader.interruption,
                _ => None,
            };
            matches!(interruption, Some((_, Interruption::Idles))) && record.is_idle && !record.is_finished
        };
        let Some(number) = self.records.iter().position(|record| idles(&record)) else { return false };
        self.end(number, Over::Aborted);
        true
    }

    pub(super) fn later(&mut self, milliseconds: f64, coming: Coming) {
        self.coming.push((self.now + milliseconds, coming));
    }

    pub(super) fn happen(&mut self, coming: Coming) {
        match coming {
            Coming::Begin(number) => self.begin(number),
            Coming::Read(number) => self.read(number),
            Coming::Abort(number) => self.end(number, Over::Aborted),
            Coming::Exchange(op) => self.exchange(op),
            Coming::Headers(op, number, refreshes, time) => self.return_headers(op, number, refreshes, time),
            Coming::Worked(op, worked) => self.worked(op, worked),
            Coming::Online => self.handle(Event::Online),
        }
    }

    /// Hands an event to the calls, and performs what they ask for.
    pub(super) fn handle(&mut self, event: Event<Simulated>) {
        if let Some(trace) = &mut self.trace {
            trace.push(format!("{:>9} {event:?}", self.now));
        }
        self.calls.handle(self.now, event);
        self.perform_all();
    }

    pub(super) fn perform_all(&mut self) {
        while let Some(action) = self.calls.next_action() {
            if let Some(trace) = &mut self.trace {
                trace.push(format!("          -> {action:?}"));
            }
            self.perform(action);
            // The border may do something else between two actions.
            if self.rng.once_in(40) {
                self.interrupt();
            }
        }
    }

    /// Lets something that is due happen between two actions.
    pub(super) fn interrupt(&mut self) {
        let due: Vec<_> = (0..self.coming.len()).filter(|at| self.coming[*at].0 <= self.now).collect();
        if let Some(position) = due.get(self.rng.below(due.len().max(1) as u64) as usize) {
            let (_, coming) = self.coming.remove(*position);
            self.is_interrupted = true;
            self.happen(coming);
        }
    }

    // What holds at any time.

    pub(super) fn check_pause(&self) {
        assert!(self.is_interrupted || self.now >= self.paused_until, "a request starts during the pause");
    }

    /// Checks the invariants that hold between two steps.
    pub(super) fn check(&self) {
        let held = self.calls.bytes_held;
        let in_flight = self.outside.iter().filter(|one| one.is_in_flight && one.index.is_some());
        let arrived: usize = in_flight.filter(|one| one.content.is_success()).map(|one| one.arrived).sum();
        assert!(held >= arrived as u64, "bodies are received without a reservation");
        let excess: u64 = self.records.iter().map(|record| record.bytes_at_most(self.schedule.byte_budget)).sum();
        assert!(held <= self.schedule.byte_budget + excess, "{held} bytes are held of {}", self.schedule.byte_budget);
        for record in &self.records {
            let concurrency = record.settings().concurrency;
            assert!(record.in_flight <= concurrency, "the call has too many requests in flight");
            if let Task::Stream(..) = record.call.task {
                assert!(record.ahead() <= concurrency, "too many partitions are requested or unread");
            }
        }
        let lost = u64::from(self.retries * RETRY_COST);
        let had = RETRY_TOKENS + self.first_successes * FIRST_SUCCESS + self.late_successes * RETRY_COST;
        assert!(lost <= u64::from(had), "more retries than the client has");
    }

    /// Checks that no call idles while only time can pass: if a permit is free, no pause lasts, and the budget has room for any body, each call
    /// has as many partitions in flight or unread as it may.
    pub(super) fn check_diligence(&self) {
        let permits: usize = self.records.iter().map(Record::permits_at_most).sum();
        if permits >= self.schedule.concurrency || self.resumed_by > self.now {
            return;
        }
        let running = || self.records.iter().filter(|record| record.id.is_some());
        let held = self.calls.bytes_held;
        let need = |record: &Record| record.need_at_most(self.schedule.byte_budget);
        if held.saturating_add(running().map(need).max().unwrap_or_default()) > self.schedule.byte_budget {
            return;
        }
        for record in
            running().filter(|record| held.saturating_add(need(record)) <= record.settings().max_buffered_bytes)
        {
            record.check_diligence(self.now);
        }
    }
}
