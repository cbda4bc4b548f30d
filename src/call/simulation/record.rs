//! The record of one call: its requests, reports and findings. It fails when they contradict each other.

use super::earlier::EarlierTable;
use super::inspection::Finding;
use super::outcome::{Over, Value};
use super::schedule::{Call, MAX_PARTITION_BYTES, MAX_TABLE_BYTES, Task};
use crate::contract::KindCounts;
use crate::error::Error;
use crate::machine::{Accumulation, CallId, LEAST_EXPECTED_BYTES, Op, Order};
use crate::progress::{PartitionChange, PartitionState, Progress};
use crate::settings::{Completeness, FailurePolicy, Settings};

/// The record of one call.
pub(super) struct Record {
    pub(super) call: Call,
    /// The number of the run in progress.
    pub(super) id: Option<CallId>,
    /// What its runs receive.
    pub(super) accumulator: Accumulation,
    /// What has ended the run early.
    pub(super) over: Over,
    /// The call has ended, and its reader too.
    pub(super) is_finished: bool,
    /// Whether the reader of a stream is idle.
    pub(super) is_idle: bool,
    /// The time at which this run began.
    pub(super) begun_at: f64,
    /// The run, from 0.
    pub(super) run: usize,
    /// Whether the call may use a worker.
    pub(super) uses_worker: bool,
    /// Whether an error of this call can resume it.
    pub(super) is_resumable: bool,
    /// The errors of the missing partitions of this run.
    pub(super) failures: Vec<(u64, Box<Error<Value>>)>,
    /// The number of requests in all runs: for the counts, then for each partition.
    requests: Vec<usize>,
    /// The same at the beginning of the run.
    requests_before: Vec<usize>,
    /// The number of requests in flight.
    pub(super) in_flight: usize,
    /// The number of refreshes that have returned headers.
    pub(super) newest_token: u64,
    /// Whether the service refused the newest headers.
    pub(super) are_refused: bool,
    /// The refreshes that requests wait for, as far as is known.
    pub(super) refreshing: Vec<Op>,
    /// Whether a refresh may have been abandoned, so that the call does not know the newest headers.
    pub(super) may_be_stale: bool,
    reports: Vec<Report>,
    report_of_counts: Report,
    /// The findings of each partition that the caller, or the accumulator, has.
    has: Vec<Option<Vec<Finding>>>,
    /// Whether each partition is that of the earlier table.
    pub(super) is_kept: Vec<bool>,
    /// The earlier table, until its partitions are kept or dropped.
    earlier: Option<EarlierTable>,
    keeps_earlier: Option<bool>,
    /// The partitions reported as received in this run, in order of arrival.
    pub(super) received: Vec<u64>,
    /// The partitions that the reader of a stream has taken.
    pub(super) read: Vec<u64>,
    /// The first partition, in index order, that has failed in this run.
    failed: Option<u64>,
    /// The last report of the progress of this run.
    progress: Option<Progress>,
    /// The last progress that a live table showed.
    shown: Option<Progress>,
    accumulated_counts: Option<KindCounts>,
    calls_of_progress: u64,
    calls_of_partition: u64,
}

/// The last report about a partition in this run, with its attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Report {
    None,
    InFlight(u32),
    Received(u32),
    Failed(u32),
}

impl Record {
    /// The record of a call that has not begun.
    pub(super) fn new(call: &Call) -> Self {
        let partitions = call.partitions.len();
        Record {
            call: call.clone(),
            id: None,
            accumulator: Accumulation::new(call.from.as_ref().map(EarlierTable::told)),
            over: Over::No,
            is_finished: false,
            is_idle: false,
            begun_at: 0.0,
            run: 0,
            uses_worker: false,
            is_resumable: false,
            failures: Vec::new(),
            requests: vec![0; partitions + 1],
            requests_before: vec![0; partitions + 1],
            in_flight: 0,
            newest_token: 0,
            are_refused: false,
            refreshing: Vec::new(),
            may_be_stale: false,
            reports: vec![Report::None; partitions],
            report_of_counts: Report::None,
            has: vec![None; partitions],
            is_kept: vec![false; partitions],
            earlier: call.from.clone(),
            keeps_earlier: None,
            received: Vec::new(),
            read: Vec::new(),
            failed: None,
            progress: None,
            shown: None,
            accumulated_counts: None,
            calls_of_progress: 0,
            calls_of_partition: 0,
        }
    }

    /// Takes note that requests may have ended, and with them the last that waited for a refresh.
    pub(super) fn abandon_refreshes(&mut self) {
        self.may_be_stale |= !self.refreshing.is_empty();
        self.refreshing.clear();
    }

    /// Begins a run: the call is made or resumed.
    pub(super) fn begin_run(&mut self, id: CallId, now: f64) {
        self.id = Some(id);
        self.begun_at = now;
        self.uses_worker = false;
        self.failures.clear();
        self.requests_before.clone_from(&self.requests);
        self.reports.fill(Report::None);
        self.report_of_counts = Report::None;
        self.received.clear();
        self.failed = None;
        (self.progress, self.shown) = (None, None);
    }

    /// Ends the run, and checks that nothing of it continues.
    pub(super) fn end_run(&mut self) {
        self.id = None;
        assert_eq!(self.in_flight, 0, "requests are in flight after the end");
    }

    /// The settings of this run.
    pub(super) fn settings(&self) -> &Settings {
        &self.call.runs[self.run]
    }

    /// The counts that the service sends in this run.
    pub(super) fn counts(&self) -> KindCounts {
        self.call.counts[self.run]
    }

    /// Counts a request, and returns the number before it.
    pub(super) fn count_request(&mut self, index: Option<u64>) -> usize {
        let requests = &mut self.requests[position(index)];
        *requests += 1;
        *requests - 1
    }

    /// The range of the requests for the counts or a partition in this run.
    pub(super) fn span_of_run(&self, index: Option<u64>) -> (usize, usize) {
        (self.requests_before[position(index)], self.requests[position(index)])
    }

    /// The number of requests for the counts or a partition in all runs.
    pub(super) fn requests(&self, index: Option<u64>) -> usize {
        self.requests[position(index)]
    }

    /// The number of requests for the counts or a partition in this run.
    pub(super) fn requests_of_run(&self, index: Option<u64>) -> usize {
        let (first, end) = self.span_of_run(index);
        end - first
    }

    /// Whether the attempt under way is a retry. Not every attempt sends a request: one can time out while it waits for headers.
    pub(super) fn is_retry(&self, index: Option<u64>) -> bool {
        match index.map_or(self.report_of_counts, |index| self.report(index)) {
            Report::InFlight(attempt) => attempt > 1,
            // A call for the counts alone reports nothing.
            _ => self.requests_of_run(index) > 1,
        }
    }

    /// Begins a request.
    pub(super) fn begin_flight(&mut self, index: Option<u64>) {
        if let Some(index) = index {
            assert!(!self.has(index), "partition {index} was received and is requested again");
            let report = self.report(index);
            assert!(
                matches!(report, Report::InFlight(_)),
                "partition {index} is requested and was reported as {report:?}"
            );
        }
        self.in_flight += 1;
    }

    /// Takes a partition that is delivered.
    pub(super) fn deliver(&mut self, index: u64, findings: Vec<Finding>) {
        let place = &mut self.has[index as usize];
        assert!(place.is_none(), "partition {index} is delivered twice");
        *place = Some(findings);
        if let Task::Stream(..) = self.call.task {
            self.read.push(index);
        }
    }

    /// Whether the total of an earlier table was wrong, and totals have to be right.
    fn is_refused(&self, from: &EarlierTable) -> bool {
        self.settings().completeness == Completeness::Strict && from.contradicts_itself()
    }

    /// Keeps the partitions of the earlier table, or drops them, as soon as the counts are known.
    pub(super) fn judge_earlier(&mut self) {
        let Some(is_kept) = self.accumulator.coverage().map(|received| received.keeps_earlier) else { return };
        let Some(from) = self.earlier.take() else { return };
        let may_be_kept = from.counts == self.counts() && !self.is_refused(&from);
        assert_eq!(is_kept, may_be_kept, "an earlier table is kept, or is not");
        self.keeps_earlier = Some(is_kept);
        for index in from.partitions.iter().filter(|_| is_kept) {
            let place = &mut self.has[*index as usize];
            assert!(place.is_none(), "partition {index} has arrived before");
            *place = Some(from.contents[*index as usize].clone());
            self.is_kept[*index as usize] = true;
        }
    }

    /// Whether the earlier table was kept, once that is known.
    pub(super) fn keeps_earlier(&self) -> Option<bool> {
        self.keeps_earlier
    }

    /// Checks what a live table shows.
    pub(super) fn note_shown(&mut self, progress: &Progress, is_report: bool) {
        if let Some(before) = self.shown.replace(*progress) {
            let is_retry = Progress { retries: before.retries + 1, ..before } == *progress;
            assert_eq!(is_retry, !is_report, "a live table shows {progress:?} after {before:?}");
        }
    }

    /// Checks and notes a progress report, and returns the number of those before it.
    pub(super) fn note_progress(&mut self, progress: &Progress) -> u64 {
        let done = match self.call.task {
            Task::Stream(..) => self.received.len(),
            _ => self.has.iter().filter(|has| has.is_some()).count(),
        };
        assert_eq!(progress.partitions_done, done as u64, "progress reports other partitions than were received");
        assert!(progress.partitions.is_some(), "progress is reported before the counts");
        let before = self.progress.replace(*progress);
        match before {
            None => assert!(self.received.is_empty(), "progress is reported too late"),
            Some(before) => {
                assert_eq!(progress.partitions_done, before.partitions_done + 1, "progress skips a partition");
                assert_eq!((progress.partitions, progress.findings), (before.partitions, before.findings));
                assert!(progress.bytes > before.bytes, "progress has other bytes");
                assert!(progress.retries >= before.retries, "progress decreases");
            }
        }
        assert_eq!(progress.findings_done, self.received_rows(), "progress reports another number of findings");
        self.calls_of_progress += 1;
        self.calls_of_progress - 1
    }

    /// The last progress report of this run.
    pub(super) fn progress(&self) -> Option<Progress> {
        self.progress
    }

    /// The counts of the first run that received them.
    pub(super) fn accumulated_counts(&self) -> Option<KindCounts> {
        self.accumulated_counts
    }

    /// Checks and notes the report of a partition's state, and returns the number of those before it.
    pub(super) fn note_change(&mut self, change: &PartitionChange) -> u64 {
        let PartitionChange { index, state, attempt, findings, .. } = *change;
        let before = index.map_or(self.report_of_counts, |index| self.report(index));
        let now = match (state, before) {
            (PartitionState::Requested, Report::None) if attempt == 1 => Report::InFlight(1),
            (PartitionState::Retrying, Report::InFlight(last)) if attempt == last + 1 => Report::InFlight(attempt),
            (PartitionState::Received, Report::InFlight(last)) if attempt == last => Report::Received(attempt),
            (PartitionState::Failed, Report::InFlight(last)) if attempt == last => Report::Failed(attempt),
            _ => panic!("partition {index:?} is reported as {state:?} at attempt {attempt} after {before:?}"),
        };
        self.calls_of_partition += 1;
        let Some(index) = index else {
            assert!(self.progress.is_none(), "the counts are reported after the progress");
            self.report_of_counts = now;
            if let Report::Received(_) = now {
                self.accumulated_counts = self.accumulated_counts.or(Some(self.counts()));
            }
            return self.calls_of_partition - 1;
        };
        let counts = self.report_of_counts;
        let is_partition = matches!(self.call.task, Task::Partition(_));
        assert!(
            matches!(counts, Report::Received(_)) != is_partition,
            "partition {index} is reported after {counts:?} counts"
        );
        self.reports[index as usize] = now;
        match now {
            Report::InFlight(1) => self.check_wanted(index),
            Report::Received(_) => {
                assert_eq!(findings, self.call.partitions[index as usize].findings.len() as u64);
                assert!(!self.received.contains(&index), "partition {index} was received twice");
                let is_stream = matches!(self.call.task, Task::Stream(..));
                assert!(is_stream || self.has(index), "partition {index} is received before it is delivered");
                self.received.push(index);
            }
            Report::Failed(_) => self.failed = Some(self.failed.unwrap_or(index).min(index)),
            _ => {}
        }
        self.calls_of_partition - 1
    }

    fn check_wanted(&self, index: u64) {
        // A stream in index order delivers every partition before the one that has failed.
        let is_before =
            matches!(self.call.task, Task::Stream(Order::Index, _)) && self.failed.is_some_and(|failed| index < failed);
        assert!(self.continues() || is_before, "partition {index} is requested after another one has failed");
    }

    /// Whether no failed partition ends the call.
    fn continues(&self) -> bool {
        let collects = self.settings().failure_policy == FailurePolicy::Collect;
        self.failed.is_none() || matches!(self.call.task, Task::Findings) && collects
    }

    /// An upper bound of the permits that the call holds or waits for.
    pub(super) fn permits_at_most(&self) -> usize {
        if self.id.is_none() {
            return 0;
        }
        // Before the first progress report, the request for the counts holds one.
        self.in_flight_partitions().max(1)
    }

    /// An upper bound of the bytes of the partitions in flight and unread, and of the one that a reader waits for.
    pub(super) fn bytes_at_most(&self, budget: u64) -> u64 {
        let partitions = self.in_flight_partitions() as u64 + self.unread_partitions() as u64;
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
            Task::Stream(..) if self.progress.is_none_or(|progress| progress.partitions_done == 0) => u64::MAX,
            Task::Stream(..) => MAX_TABLE_BYTES.max(guess),
            _ => (MAX_PARTITION_BYTES as u64).max(guess),
        }
    }

    /// Checks that the call, for which permits and bytes are left, has as many partitions in flight or unread as it may.
    pub(super) fn check_diligence(&self, now: f64) {
        let Some(Progress { partitions: Some(partitions), .. }) = self.progress else { return };
        // What a stream has received in time is still read afterwards.
        let is_late = now >= self.begun_at + self.settings().total_timeout;
        if is_late || matches!(self.call.task, Task::Partition(_)) || self.over != Over::No || !self.continues() {
            return;
        }
        let is_new = |index: &u64| self.report(*index) == Report::None && !self.has(*index);
        let new = (0..partitions).filter(is_new).count();
        let busy = self.in_flight_partitions() + self.unread_partitions();
        assert!(
            new == 0 || busy >= self.settings().concurrency,
            "{new} partitions are not requested though they may be"
        );
    }

    fn in_flight_partitions(&self) -> usize {
        self.reports.iter().filter(|report| matches!(report, Report::InFlight(_))).count()
    }

    fn unread_partitions(&self) -> usize {
        if let Task::Stream(..) = self.call.task { self.received.len().saturating_sub(self.read.len()) } else { 0 }
    }

    /// The number of partitions of a stream in flight or unread; 0 after an error, which may cancel others.
    pub(super) fn ahead(&self) -> usize {
        if self.failed.is_some() || self.over != Over::No {
            return 0;
        }
        self.in_flight_partitions() + self.unread_partitions()
    }

    /// The last report about a partition in this run.
    pub(super) fn report(&self, index: u64) -> Report {
        let report = self.reports.get(index as usize).copied();
        report.unwrap_or_else(|| panic!("there is no partition {index}"))
    }

    /// Whether the call has a partition.
    pub(super) fn has(&self, index: u64) -> bool {
        self.has[index as usize].is_some()
    }

    /// The indexes of the partitions that it has.
    pub(super) fn indexes(&self) -> Vec<u64> {
        (0..self.has.len() as u64).filter(|index| self.has(*index)).collect()
    }

    /// The findings that it has of a partition.
    pub(super) fn findings(&self, index: u64) -> Option<&[Finding]> {
        self.has[index as usize].as_deref()
    }

    /// Whether it is open what becomes of the earlier table.
    pub(super) fn has_earlier(&self) -> bool {
        self.earlier.is_some()
    }

    /// The number of findings received so far.
    pub(super) fn received_rows(&self) -> u64 {
        let of_service = |index: &u64| self.call.partitions[*index as usize].findings.len();
        match self.call.task {
            Task::Stream(..) => self.received.iter().map(of_service).sum::<usize>() as u64,
            _ => self.has.iter().flatten().map(Vec::len).sum::<usize>() as u64,
        }
    }

    /// The findings in the partitions that these counts announce: those that the call has kept, otherwise those that the service sends.
    pub(super) fn rows_of(&self, counts: KindCounts) -> u64 {
        let of = |index: u64| match self.findings(index) {
            Some(findings) => findings.len(),
            None => self.call.partitions[index as usize].findings.len(),
        };
        (0..counts.partitions).map(of).sum::<usize>() as u64
    }
}

fn position(index: Option<u64>) -> usize {
    index.map_or(0, |index| index as usize + 1)
}
