//! What is noted of one call while it goes on: requests, news, findings. News that make no sense are noticed here.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::schedule::{Call, MAX_PARTITION_BYTES, MAX_TABLE_BYTES, Task};
use super::signal::Signal;
use crate::contract::KindCounts;
use crate::retrieve::progress::{PartitionChange, PartitionState, Progress};
use crate::retrieve::settings::{FailurePolicy, Settings};

/// What is noted of one call.
pub(super) struct Record {
    call: Call,
    /// The caller has ended it.
    pub(super) over: Signal,
    /// The reader of a stream has begun to read.
    pub(super) begun: Signal,
    /// It has come to its end, and its reader too.
    pub(super) finished: Signal,
    /// Whether its reader does nothing any more.
    pub(super) is_idle: Cell<bool>,
    /// When this run began.
    pub(super) begun_at: Cell<f64>,
    run: Cell<usize>,
    is_running: Cell<bool>,
    /// Requests of all runs: for the counts, then for each partition.
    requests: RefCell<Vec<usize>>,
    /// As many as there were when the run began.
    requests_before: RefCell<Vec<usize>>,
    in_flight: Cell<usize>,
    alarms: Rc<Cell<usize>>,
    news: RefCell<Vec<News>>,
    /// Partitions received in any run.
    is_received: RefCell<Vec<bool>>,
    /// In the order in which they came in this run.
    received: RefCell<Vec<u64>>,
    delivered: Cell<u64>,
    unread: Cell<u64>,
    has_failed: Cell<bool>,
    has_thrown: Cell<bool>,
    progress: Cell<Option<Progress>>,
    accumulated_counts: Cell<Option<KindCounts>>,
    calls_of_progress: Cell<u64>,
    calls_of_partition: Cell<u64>,
    warnings: Cell<u64>,
}

/// The last that was told of a partition in this run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum News {
    None,
    UnderWay(u32),
    Received(u32),
    Failed(u32),
}

/// An alarm of the call, until it is dropped.
pub(super) struct AlarmOfCall {
    alarms: Rc<Cell<usize>>,
}

impl Record {
    /// Nothing has happened yet.
    pub(super) fn new(call: &Call) -> Self {
        let partitions = call.partitions.len();
        Record {
            call: call.clone(),
            over: Signal::default(),
            begun: Signal::default(),
            finished: Signal::default(),
            is_idle: Cell::new(false),
            begun_at: Cell::new(0.0),
            run: Cell::new(0),
            is_running: Cell::new(false),
            requests: RefCell::new(vec![0; partitions + 1]),
            requests_before: RefCell::new(vec![0; partitions + 1]),
            in_flight: Cell::new(0),
            alarms: Rc::default(),
            news: RefCell::new(vec![News::None; partitions]),
            is_received: RefCell::new(vec![false; partitions]),
            received: RefCell::default(),
            delivered: Cell::new(0),
            unread: Cell::new(0),
            has_failed: Cell::new(false),
            has_thrown: Cell::new(false),
            progress: Cell::new(None),
            accumulated_counts: Cell::new(None),
            calls_of_progress: Cell::new(0),
            calls_of_partition: Cell::new(0),
            warnings: Cell::new(0),
        }
    }

    /// Notes that the call is made, or resumed.
    pub(super) fn begin_run(&self, run: usize) {
        self.run.set(run);
        self.is_running.set(true);
        self.requests_before.replace(self.requests.borrow().clone());
        self.news.borrow_mut().fill(News::None);
        self.received.borrow_mut().clear();
        self.has_failed.set(false);
        self.has_thrown.set(false);
        self.progress.set(None);
    }

    /// Notes that the run has ended; nothing of it may go on.
    pub(super) fn end_run(&self) {
        self.is_running.set(false);
        assert_eq!(self.in_flight.get(), 0, "requests are in flight after the end");
        assert_eq!(self.alarms.get(), 0, "alarms are set after the end");
    }

    /// Whether a run is going on.
    pub(super) fn is_running(&self) -> bool {
        self.is_running.get()
    }

    /// What the caller allows in this run.
    pub(super) fn settings(&self) -> &Settings {
        &self.call.runs[self.run()]
    }

    /// Which run it is.
    pub(super) fn run(&self) -> usize {
        self.run.get()
    }

    /// Counts a request, and tells how many there were before.
    pub(super) fn count_request(&self, index: Option<u64>) -> usize {
        let requests = &mut self.requests.borrow_mut()[position(index)];
        *requests += 1;
        *requests - 1
    }

    /// The first and the end of the requests for it in this run.
    pub(super) fn span_of_run(&self, index: Option<u64>) -> (usize, usize) {
        let position = position(index);
        (self.requests_before.borrow()[position], self.requests.borrow()[position])
    }

    /// Requests for it in all runs.
    pub(super) fn requests(&self, index: Option<u64>) -> usize {
        self.requests.borrow()[position(index)]
    }

    /// Requests for it in this run.
    pub(super) fn requests_of_run(&self, index: Option<u64>) -> usize {
        let (first, end) = self.span_of_run(index);
        end - first
    }

    /// Fails when the call has ended and yet begins something.
    pub(super) fn check_not_over(&self) {
        assert!(!self.over.is_given(), "the call is over and begins something");
        assert!(!self.has_thrown.get(), "a callback has thrown and the call begins something");
    }

    /// Notes a request.
    pub(super) fn begin_flight(&self, index: Option<u64>) {
        self.check_not_over();
        if let Some(index) = index {
            assert!(!self.is_received(index), "partition {index} was received and is asked for again");
            let news = self.news.borrow()[index as usize];
            assert!(matches!(news, News::UnderWay(_)), "partition {index} is asked for and was told as {news:?}");
        }
        self.in_flight.update(|requests| requests + 1);
    }

    /// Notes that it is over.
    pub(super) fn end_flight(&self) {
        self.in_flight.update(|requests| requests - 1);
    }

    /// Requests in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.get()
    }

    /// Notes an alarm.
    pub(super) fn alarm(&self) -> AlarmOfCall {
        self.alarms.update(|alarms| alarms + 1);
        AlarmOfCall { alarms: Rc::clone(&self.alarms) }
    }

    /// Notes that a callback has thrown.
    pub(super) fn note_throw(&self) {
        self.has_thrown.set(true);
    }

    /// Whether a callback has thrown in this run.
    pub(super) fn has_thrown(&self) -> bool {
        self.has_thrown.get()
    }

    /// Notes a warning.
    pub(super) fn note_warning(&self) {
        self.warnings.update(|warnings| warnings + 1);
    }

    /// Warnings of all runs.
    pub(super) fn warnings(&self) -> u64 {
        self.warnings.get()
    }

    /// Notes the progress that was told, and tells how often it was told before.
    pub(super) fn note_progress(&self, progress: &Progress) -> u64 {
        let done = self.is_received.borrow().iter().filter(|received| **received).count() as u64;
        assert_eq!(progress.partitions_done, done, "progress tells another number of partitions than was received");
        let before = self.progress.replace(Some(*progress));
        match before {
            None => {
                assert!(self.received.borrow().is_empty(), "progress is told too late");
                let counts = self.accumulated_counts.get().unwrap_or(self.call.counts[self.run()]);
                self.accumulated_counts.set(Some(counts));
            }
            Some(before) => {
                assert_eq!(progress.partitions_done, before.partitions_done + 1, "progress leaps");
                assert_eq!((progress.partitions, progress.findings), (before.partitions, before.findings));
                assert!(progress.retries >= before.retries && progress.bytes > before.bytes, "progress goes back");
            }
        }
        let rows = self.received_in_any_run().map(|index| self.call.partitions[index as usize].rows).sum::<u64>();
        assert_eq!(progress.findings_done, rows, "progress tells another number of findings than was received");
        self.calls_of_progress.replace(self.calls_of_progress.get() + 1)
    }

    /// The last progress that was told in this run.
    pub(super) fn progress(&self) -> Option<Progress> {
        self.progress.get()
    }

    /// The counts with which the first run began that came to know them.
    pub(super) fn accumulated_counts(&self) -> Option<KindCounts> {
        self.accumulated_counts.get()
    }

    /// Notes what was told of a partition, and tells how often something was told before.
    pub(super) fn note_change(&self, change: &PartitionChange) -> u64 {
        let PartitionChange { index, state, attempt, findings, .. } = *change;
        let before = self.news(index);
        let now = match (state, before) {
            (PartitionState::Requested, News::None) if attempt == 1 => News::UnderWay(1),
            (PartitionState::Retrying, News::UnderWay(last)) if attempt == last + 1 => News::UnderWay(attempt),
            (PartitionState::Received, News::UnderWay(last)) if attempt == last => News::Received(attempt),
            (PartitionState::Failed, News::UnderWay(last)) if attempt == last => News::Failed(attempt),
            _ => panic!("partition {index} is told as {state:?} at attempt {attempt} after {before:?}"),
        };
        self.news.borrow_mut()[index as usize] = now;
        match now {
            News::UnderWay(1) => self.check_wanted(index),
            News::Received(_) => {
                assert_eq!(findings, self.call.partitions[index as usize].rows, "partition {index} has other findings");
                let came_before = std::mem::replace(&mut self.is_received.borrow_mut()[index as usize], true);
                assert!(!came_before, "partition {index} came twice");
                self.received.borrow_mut().push(index);
                self.unread.update(|unread| unread + 1);
            }
            News::Failed(_) => self.has_failed.set(true),
            _ => {}
        }
        self.calls_of_partition.replace(self.calls_of_partition.get() + 1)
    }

    /// Notes that a partition was told as received and yet is lost.
    pub(super) fn take_back(&self, index: u64) {
        self.is_received.borrow_mut()[index as usize] = false;
        self.received.borrow_mut().pop();
        self.unread.update(|unread| unread - 1);
    }

    fn check_wanted(&self, index: u64) {
        assert!(self.goes_on(), "partition {index} is asked for after another one has failed");
    }

    /// Its reader does nothing before that.
    pub(super) async fn idle_until(&self, signal: &Signal) {
        self.is_idle.set(true);
        signal.given().await;
        self.is_idle.set(false);
    }

    /// Whether nothing has failed that ends the call.
    fn goes_on(&self) -> bool {
        let collects = self.settings().failure_policy == FailurePolicy::Collect;
        !self.has_failed.get() || matches!(self.call.task, Task::Findings) && collects
    }

    /// Slots that the call has or waits for, or fewer.
    pub(super) fn slots_at_most(&self) -> usize {
        if !self.is_running() {
            return 0;
        }
        // Before the first progress there is the request for the counts.
        self.under_way().max(1)
    }

    /// Bytes of reservation that the call may want for its next body, or fewer.
    pub(super) fn need_at_most(&self, reservation: u64) -> u64 {
        let Settings { concurrency, max_buffered_bytes, .. } = *self.settings();
        let guess = reservation.min(max_buffered_bytes) / concurrency as u64;
        match self.call.task {
            // Until something has come, it wants more than there is.
            Task::Stream(..) if self.progress().is_none_or(|progress| progress.partitions_done == 0) => u64::MAX,
            Task::Stream(..) => MAX_TABLE_BYTES.max(guess),
            _ => (MAX_PARTITION_BYTES as u64).max(guess),
        }
    }

    /// Fails when the call, which has slots and reservation, has fewer partitions on their way or unread than it may.
    pub(super) fn check_diligence(&self) {
        let Some(Progress { partitions, .. }) = self.progress() else { return };
        if matches!(self.call.task, Task::Partition(_)) || self.over.is_given() || !self.goes_on() {
            return;
        }
        let unread = if let Task::Stream(..) = self.call.task { self.unread.get() as usize } else { 0 };
        let is_new = |index: &u64| self.news(*index) == News::None && !self.is_received(*index);
        let new = (0..partitions).filter(is_new).count();
        let busy = self.under_way() + unread;
        assert!(new == 0 || busy >= self.settings().concurrency, "{new} partitions wait for nothing");
    }

    fn under_way(&self) -> usize {
        self.news.borrow().iter().filter(|news| matches!(news, News::UnderWay(_))).count()
    }

    /// Notes that a reader was given a partition.
    pub(super) fn note_delivery(&self) {
        self.delivered.update(|delivered| delivered + 1);
        self.unread.update(|unread| unread - 1);
    }

    /// Partitions that were given to the reader.
    pub(super) fn delivered(&self) -> u64 {
        self.delivered.get()
    }

    /// Partitions of a stream that are requested or not yet read; none where one has failed, for others may be cancelled then.
    pub(super) fn unread(&self) -> u64 {
        if self.has_failed.get() || self.over.is_given() {
            return 0;
        }
        self.under_way() as u64 + self.unread.get()
    }

    /// What was last told of a partition in this run.
    pub(super) fn news(&self, index: u64) -> News {
        let news = self.news.borrow().get(index as usize).copied();
        news.unwrap_or_else(|| panic!("there is no partition {index}"))
    }

    /// Whether a partition was received in any run.
    pub(super) fn is_received(&self, index: u64) -> bool {
        self.is_received.borrow()[index as usize]
    }

    /// The partitions that came in this run, as they came.
    pub(super) fn received(&self) -> Vec<u64> {
        self.received.borrow().clone()
    }

    fn received_in_any_run(&self) -> impl Iterator<Item = u64> {
        (0..self.call.partitions.len() as u64).filter(|index| self.is_received(*index))
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
