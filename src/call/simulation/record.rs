//! The record of one call: its requests, reports and findings. It fails when they contradict each other.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::earlier::{EarlierTable, Finding};
use super::growth::Wager;
use super::schedule::{Call, MAX_PARTITION_BYTES, MAX_TABLE_BYTES, Task};
use super::signal::Signal;
use super::snapshots::Snapshots;
use crate::accumulator::Growth;
use crate::contract::KindCounts;
use crate::retrieve::progress::{PartitionChange, PartitionState, Progress};
use crate::retrieve::settings::{Completeness, FailurePolicy, Settings};
use crate::retrieve::stream::LEAST_EXPECTED_BYTES;
use crate::scheduling::reorder_buffer::Order;

/// The record of one call.
pub(super) struct Record {
    call: Call,
    /// The caller has aborted the call.
    pub(super) over: Signal,
    /// The reader of a stream has begun to read.
    pub(super) begun: Signal,
    /// The call has ended, and its reader too.
    pub(super) finished: Signal,
    /// Whether the reader of a stream is idle.
    pub(super) is_idle: Cell<bool>,
    /// The snapshots of a call for all findings.
    pub(super) snapshots: Snapshots,
    /// The time at which this run began.
    pub(super) begun_at: Cell<f64>,
    run: Cell<usize>,
    is_running: Cell<bool>,
    /// Whether the counts were known in any run.
    is_begun: Cell<bool>,
    /// The number of requests in all runs: for the counts, then for each partition.
    requests: RefCell<Vec<usize>>,
    /// The same at the beginning of the run.
    requests_before: RefCell<Vec<usize>>,
    in_flight: Cell<usize>,
    alarms: Rc<Cell<usize>>,
    reports: RefCell<Vec<Report>>,
    report_of_counts: Cell<Report>,
    /// Partitions received in any run.
    is_received: RefCell<Vec<bool>>,
    /// Whether each partition is that of the earlier table.
    is_kept: RefCell<Vec<bool>>,
    /// What the call may do with the earlier table, until it has decided.
    wager: RefCell<Option<Wager>>,
    growth: Cell<Option<Growth>>,
    /// The partitions received in this run, in order of arrival.
    received: RefCell<Vec<u64>>,
    delivered: Cell<u64>,
    unread: Cell<u64>,
    /// The first partition, in index order, that has failed in this run.
    failed: Cell<Option<u64>>,
    has_thrown: Cell<bool>,
    progress: Cell<Option<Progress>>,
    accumulated_counts: Cell<Option<KindCounts>>,
    calls_of_progress: Cell<u64>,
    calls_of_partition: Cell<u64>,
    warnings: Cell<u64>,
}

/// The last report about a partition in this run, with its attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Report {
    None,
    InFlight(u32),
    Received(u32),
    Failed(u32),
}

/// An alarm of the call, which is set until this is dropped.
pub(super) struct AlarmOfCall {
    alarms: Rc<Cell<usize>>,
}

impl Record {
    /// The record of a call that has not begun.
    pub(super) fn new(call: &Call) -> Self {
        let partitions = call.partitions.len();
        Record {
            call: call.clone(),
            over: Signal::default(),
            begun: Signal::default(),
            finished: Signal::default(),
            is_idle: Cell::new(false),
            snapshots: Snapshots::default(),
            begun_at: Cell::new(0.0),
            run: Cell::new(0),
            is_running: Cell::new(false),
            is_begun: Cell::new(false),
            requests: RefCell::new(vec![0; partitions + 1]),
            requests_before: RefCell::new(vec![0; partitions + 1]),
            in_flight: Cell::new(0),
            alarms: Rc::default(),
            reports: RefCell::new(vec![Report::None; partitions]),
            report_of_counts: Cell::new(Report::None),
            is_received: RefCell::new(vec![false; partitions]),
            is_kept: RefCell::new(vec![false; partitions]),
            wager: RefCell::default(),
            growth: Cell::new(None),
            received: RefCell::default(),
            delivered: Cell::new(0),
            unread: Cell::new(0),
            failed: Cell::default(),
            has_thrown: Cell::new(false),
            progress: Cell::new(None),
            accumulated_counts: Cell::new(None),
            calls_of_progress: Cell::new(0),
            calls_of_partition: Cell::new(0),
            warnings: Cell::new(0),
        }
    }

    /// Begins a run: the call is made or resumed.
    pub(super) fn begin_run(&self, run: usize) {
        self.run.set(run);
        self.is_running.set(true);
        self.requests_before.replace(self.requests.borrow().clone());
        self.reports.borrow_mut().fill(Report::None);
        self.report_of_counts.set(Report::None);
        self.received.borrow_mut().clear();
        self.failed.set(None);
        self.has_thrown.set(false);
        self.progress.set(None);
    }

    /// Ends the run, and checks that nothing of it continues.
    pub(super) fn end_run(&self) {
        self.is_running.set(false);
        assert_eq!(self.in_flight.get(), 0, "requests are in flight after the end");
        assert_eq!(self.alarms.get(), 0, "alarms are set after the end");
    }

    /// Whether a run is in progress.
    pub(super) fn is_running(&self) -> bool {
        self.is_running.get()
    }

    /// The settings of this run.
    pub(super) fn settings(&self) -> &Settings {
        &self.call.runs[self.run()]
    }

    /// The number of this run, from 0.
    pub(super) fn run(&self) -> usize {
        self.run.get()
    }

    /// Counts a request, and returns the number before it.
    pub(super) fn count_request(&self, index: Option<u64>) -> usize {
        let requests = &mut self.requests.borrow_mut()[position(index)];
        *requests += 1;
        *requests - 1
    }

    /// The range of the requests for the counts or a partition in this run.
    pub(super) fn span_of_run(&self, index: Option<u64>) -> (usize, usize) {
        let position = position(index);
        (self.requests_before.borrow()[position], self.requests.borrow()[position])
    }

    /// The number of requests for the counts or a partition in all runs.
    pub(super) fn requests(&self, index: Option<u64>) -> usize {
        self.requests.borrow()[position(index)]
    }

    /// The number of requests for the counts or a partition in this run.
    pub(super) fn requests_of_run(&self, index: Option<u64>) -> usize {
        let (first, end) = self.span_of_run(index);
        end - first
    }

    /// Whether the attempt under way is a retry. Not every attempt sends a request: one can time out while it waits for headers.
    pub(super) fn is_retry(&self, index: Option<u64>) -> bool {
        match index.map_or(self.report_of_counts.get(), |index| self.report(index)) {
            Report::InFlight(attempt) => attempt > 1,
            // A call for the counts alone reports nothing.
            _ => self.requests_of_run(index) > 1,
        }
    }

    /// Checks that the call may begin something.
    pub(super) fn check_not_over(&self) {
        assert!(!self.over.is_given(), "the call is over and begins something");
        assert!(!self.has_thrown.get(), "a callback has thrown and the call begins something");
    }

    /// Begins a request.
    pub(super) fn begin_flight(&self, index: Option<u64>) {
        self.check_not_over();
        if let Some(index) = index {
            assert!(!self.is_received(index), "partition {index} was received and is requested again");
            let report = self.reports.borrow()[index as usize];
            assert!(
                matches!(report, Report::InFlight(_)),
                "partition {index} is requested and was reported as {report:?}"
            );
        }
        self.in_flight.update(|requests| requests + 1);
    }

    /// Ends a request.
    pub(super) fn end_flight(&self) {
        self.in_flight.update(|requests| requests - 1);
    }

    /// The number of requests in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.get()
    }

    /// Sets an alarm.
    pub(super) fn alarm(&self) -> AlarmOfCall {
        self.alarms.update(|alarms| alarms + 1);
        AlarmOfCall { alarms: Rc::clone(&self.alarms) }
    }

    /// Records that a callback has thrown.
    pub(super) fn note_throw(&self) {
        self.has_thrown.set(true);
    }

    /// Whether a callback has thrown in this run.
    pub(super) fn has_thrown(&self) -> bool {
        self.has_thrown.get()
    }

    /// Records a warning.
    pub(super) fn note_warning(&self) {
        self.warnings.update(|warnings| warnings + 1);
    }

    /// The number of warnings in all runs.
    pub(super) fn warnings(&self) -> u64 {
        self.warnings.get()
    }

    /// Records that the counts are known: if they are those of an earlier table whose total was right, its partitions are received.
    pub(super) fn note_begin(&self) {
        if self.is_begun.replace(true) {
            return;
        }
        let (Some(from), counts) = (&self.call.from, self.call.counts[self.run()]) else { return };
        let is_wrong = self.settings().completeness == Completeness::Strict && from.contradicts_itself();
        if from.counts == counts {
            if !is_wrong {
                self.keep(&from.partitions);
            }
        } else if self.settings().appends {
            let wager = Wager::on(from, counts).filter(|_| !is_wrong);
            self.growth.set(wager.is_none().then_some(Growth::Reload));
            self.wager.replace(wager);
        }
    }

    /// Checks what the progress says of the earlier table, and notes what the call keeps of it.
    pub(super) fn note_growth(&self, growth: Option<Growth>) {
        let has_to_decide = self.wager.borrow().as_ref().is_some_and(|wager| {
            wager.is_settled(|index| self.is_received(index) || matches!(self.report(index), Report::Failed(_)))
        });
        if growth == self.growth.get() {
            assert!(!has_to_decide, "the call does not decide on an earlier table");
            return;
        }
        assert!(has_to_decide, "an earlier table becomes {growth:?}, and nothing can be decided");
        let Some(wager) = self.wager.take() else { return };
        let is_won = wager.is_won(&self.call, |index| self.is_received(index));
        assert_eq!(growth, Some(if is_won { Growth::Append } else { Growth::Reload }), "another decision");
        self.growth.set(growth);
        if is_won {
            self.keep(&wager.kept());
        }
    }

    /// How the call has treated an earlier table with other counts.
    pub(super) fn growth(&self) -> Option<Growth> {
        self.growth.get()
    }

    /// Whether the call has not decided yet on an earlier table.
    pub(super) fn is_undecided(&self) -> bool {
        self.wager.borrow().is_some()
    }

    /// Whether the earlier table has a partition that the call will have.
    pub(super) fn is_behind(&self) -> bool {
        let lacks = |from: &EarlierTable| from.partitions.iter().any(|index| !self.is_received(*index));
        self.is_undecided() || self.growth() == Some(Growth::Append) && self.call.from.as_ref().is_some_and(lacks)
    }

    /// Records that the call has these partitions of the earlier table.
    fn keep(&self, indexes: &[u64]) {
        for index in indexes {
            self.is_kept.borrow_mut()[*index as usize] = true;
            self.is_received.borrow_mut()[*index as usize] = true;
        }
    }

    /// Checks and notes a progress report, and returns the number of those before it.
    pub(super) fn note_progress(&self, progress: &Progress) -> u64 {
        let done = self.is_received.borrow().iter().filter(|received| **received).count() as u64;
        assert_eq!(progress.partitions_done, done, "progress reports another number of partitions than was received");
        let before = self.progress.replace(Some(*progress));
        match before {
            None => {
                assert!(self.received.borrow().is_empty(), "progress is reported too late");
                let counts = self.accumulated_counts.get().unwrap_or(self.call.counts[self.run()]);
                self.accumulated_counts.set(Some(counts));
            }
            Some(before) => {
                let has_decided = progress.growth != before.growth;
                let is_next = has_decided || progress.partitions_done == before.partitions_done + 1;
                assert!(is_next, "progress skips a partition");
                assert_eq!((progress.partitions, progress.findings), (before.partitions, before.findings));
                // A partition that failed may decide, too.
                let is_lost = has_decided && progress.growth == Some(Growth::Reload);
                assert!(is_lost || progress.bytes > before.bytes, "progress has other bytes");
                assert!(progress.retries >= before.retries && progress.bytes >= before.bytes, "progress decreases");
            }
        }
        let received = (0..self.call.partitions.len() as u64).filter(|index| self.is_received(*index));
        let rows = received.map(|index| self.rows_of(index)).sum::<u64>();
        assert_eq!(progress.findings_done, rows, "progress reports another number of findings than was received");
        self.calls_of_progress.replace(self.calls_of_progress.get() + 1)
    }

    /// The last progress report of this run.
    pub(super) fn progress(&self) -> Option<Progress> {
        self.progress.get()
    }

    /// The counts of the first run that received them.
    pub(super) fn accumulated_counts(&self) -> Option<KindCounts> {
        self.accumulated_counts.get()
    }

    /// Checks and notes the report of a partition's state, and returns the number of those before it.
    pub(super) fn note_change(&self, change: &PartitionChange) -> u64 {
        let PartitionChange { index, state, attempt, findings, .. } = *change;
        let before = index.map_or(self.report_of_counts.get(), |index| self.report(index));
        let now = match (state, before) {
            (PartitionState::Requested, Report::None) if attempt == 1 => Report::InFlight(1),
            (PartitionState::Retrying, Report::InFlight(last)) if attempt == last + 1 => Report::InFlight(attempt),
            (PartitionState::Received, Report::InFlight(last)) if attempt == last => Report::Received(attempt),
            (PartitionState::Failed, Report::InFlight(last)) if attempt == last => Report::Failed(attempt),
            _ => panic!("partition {index:?} is reported as {state:?} at attempt {attempt} after {before:?}"),
        };
        let calls = self.calls_of_partition.replace(self.calls_of_partition.get() + 1);
        let Some(index) = index else {
            assert!(self.progress().is_none(), "the counts are reported after the progress");
            self.report_of_counts.set(now);
            return calls;
        };
        let counts = self.report_of_counts.get();
        assert!(
            matches!(counts, Report::Received(_) | Report::None),
            "partition {index} is reported after {counts:?} counts"
        );
        self.reports.borrow_mut()[index as usize] = now;
        match now {
            Report::InFlight(1) => {
                self.check_wanted(index);
                self.wager.borrow_mut().iter_mut().for_each(|wager| wager.note_request(index));
            }
            Report::Received(_) => {
                assert_eq!(findings, self.rows_of(index), "partition {index} has other findings");
                let came_before = std::mem::replace(&mut self.is_received.borrow_mut()[index as usize], true);
                assert!(!came_before, "partition {index} was received twice");
                self.received.borrow_mut().push(index);
                self.unread.update(|unread| unread + 1);
            }
            Report::Failed(_) => self.failed.update(|failed| Some(failed.unwrap_or(index).min(index))),
            _ => {}
        }
        calls
    }

    /// Records that a partition reported as received is lost.
    pub(super) fn take_back(&self, index: u64) {
        self.is_received.borrow_mut()[index as usize] = false;
        self.received.borrow_mut().pop();
        self.unread.update(|unread| unread - 1);
    }

    fn check_wanted(&self, index: u64) {
        // A stream in index order delivers every partition before the one that has failed.
        let is_before = matches!(self.call.task, Task::Stream(Order::Index, _))
            && self.failed.get().is_some_and(|failed| index < failed);
        assert!(self.continues() || is_before, "partition {index} is requested after another one has failed");
    }

    /// Keeps the reader idle until a signal.
    pub(super) async fn idle_until(&self, signal: &Signal) {
        self.is_idle.set(true);
        signal.given().await;
        self.is_idle.set(false);
    }

    /// Whether no failed partition ends the call.
    fn continues(&self) -> bool {
        let collects = self.settings().failure_policy == FailurePolicy::Collect;
        self.failed.get().is_none() || matches!(self.call.task, Task::Findings) && collects
    }

    /// An upper bound of the permits that the call holds or waits for.
    pub(super) fn permits_at_most(&self) -> usize {
        if !self.is_running() {
            return 0;
        }
        // Before the first progress report, the request for the counts holds one.
        self.in_flight_partitions().max(1)
    }

    /// An upper bound of the bytes of the partitions in flight and unread, and of the one that a reader waits for.
    pub(super) fn bytes_at_most(&self, budget: u64) -> u64 {
        let partitions = self.in_flight_partitions() as u64 + self.unread.get();
        let Settings { concurrency, max_buffered_bytes, .. } = *self.settings();
        let guess = budget.min(max_buffered_bytes) / concurrency as u64;
        let least = if let Task::Stream(..) = self.call.task { LEAST_EXPECTED_BYTES } else { 0 };
        partitions.max(1) * MAX_TABLE_BYTES + guess.max(least)
    }

    /// An upper bound of the bytes that the call reserves for its next body.
    pub(super) fn need_at_most(&self, reservation: u64) -> u64 {
        let Settings { concurrency, max_buffered_bytes, .. } = *self.settings();
        let guess = reservation.min(max_buffered_bytes) / concurrency as u64;
        match self.call.task {
            // Until a body has arrived, it may reserve more than the budget.
            Task::Stream(..) if self.progress().is_none_or(|progress| progress.partitions_done == 0) => u64::MAX,
            Task::Stream(..) => MAX_TABLE_BYTES.max(guess),
            _ => (MAX_PARTITION_BYTES as u64).max(guess),
        }
    }

    /// Checks that the call, for which permits and bytes are left, has as many partitions in flight or unread as it may.
    pub(super) fn check_diligence(&self) {
        let Some(Progress { partitions, .. }) = self.progress() else { return };
        if matches!(self.call.task, Task::Partition(_)) || self.over.is_given() || !self.continues() {
            return;
        }
        let unread = if let Task::Stream(..) = self.call.task { self.unread.get() as usize } else { 0 };
        let is_new = |index: &u64| self.report(*index) == Report::None && !self.is_received(*index);
        let new: Vec<_> = (0..partitions).filter(is_new).collect();
        let new = self.wager.borrow().as_ref().map_or(new.len(), |wager| wager.requestable(&new));
        let busy = self.in_flight_partitions() + unread;
        assert!(
            new == 0 || busy >= self.settings().concurrency,
            "{new} partitions are not requested though they may be"
        );
    }

    fn in_flight_partitions(&self) -> usize {
        self.reports.borrow().iter().filter(|report| matches!(report, Report::InFlight(_))).count()
    }

    /// Records that the reader took a partition.
    pub(super) fn note_delivery(&self) {
        self.delivered.update(|delivered| delivered + 1);
        self.unread.update(|unread| unread - 1);
    }

    /// The number of partitions that the reader took.
    pub(super) fn delivered(&self) -> u64 {
        self.delivered.get()
    }

    /// The number of partitions of a stream in flight or unread; 0 after an error, which may cancel others.
    pub(super) fn unread(&self) -> u64 {
        if self.failed.get().is_some() || self.over.is_given() {
            return 0;
        }
        self.in_flight_partitions() as u64 + self.unread.get()
    }

    /// The last report about a partition in this run.
    pub(super) fn report(&self, index: u64) -> Report {
        let report = self.reports.borrow().get(index as usize).copied();
        report.unwrap_or_else(|| panic!("there is no partition {index}"))
    }

    /// Whether a partition was received in any run.
    pub(super) fn is_received(&self, index: u64) -> bool {
        self.is_received.borrow()[index as usize]
    }

    /// Whether the result has a partition: it was received, and not only to decide.
    pub(super) fn has(&self, index: u64) -> bool {
        self.is_received(index) && !self.is_undecided()
    }

    /// Whether a partition is that of the earlier table.
    pub(super) fn is_kept(&self, index: u64) -> bool {
        self.is_kept.borrow()[index as usize]
    }

    /// The findings that the call has of a partition: those of the earlier table if it is kept, otherwise those that the service sends.
    pub(super) fn findings(&self, index: u64) -> &[Finding] {
        match &self.call.from {
            Some(EarlierTable { contents, .. }) if self.is_kept(index) => &contents[index as usize],
            _ => &self.call.partitions[index as usize].findings,
        }
    }

    /// The number of these findings.
    pub(super) fn rows_of(&self, index: u64) -> u64 {
        self.findings(index).len() as u64
    }

    /// The partitions received in this run, in order of arrival.
    pub(super) fn received(&self) -> Vec<u64> {
        self.received.borrow().clone()
    }

    /// The partitions that the result has, in index order.
    pub(super) fn received_in_any_run(&self) -> impl Iterator<Item = u64> {
        (0..self.call.partitions.len() as u64).filter(|index| self.has(*index))
    }
}

fn position(index: Option<u64>) -> usize {
    index.map_or(0, |index| index as usize + 1)
}

impl Drop for AlarmOfCall {
    fn drop(&mut self) {
        self.alarms.update(|alarms| alarms - 1);
    }
}
