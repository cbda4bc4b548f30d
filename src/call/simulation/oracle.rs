//! The oracle: checks the end of a call against the promises, given what the service did.

use std::cmp::Reverse;
use std::rc::Rc;

use chunk::value::Value;
use futures_util::FutureExt;
use table::Table;

use super::host::{Caller, SimulatedHost, THROWN_BY_CALLBACK, THROWN_BY_HEADERS, url_of};
use super::outcome::{CallResult, Found, RunEnd, StreamEnd};
use super::record::Report;
use super::schedule::{Call, Task};
use super::service::{Behaviour, Meaning, Step};
use super::worker::WorkerScript;
use crate::contract::{Kind, KindCounts, Operation};
use crate::error::{CallEnd, Error, ErrorKind, Hint};
use crate::retrieve::host::Host;
use crate::retrieve::settings::{Completeness, FailurePolicy, Settings};
use crate::scheduling::partition_tracker::TotalMismatch;
use crate::scheduling::reorder_buffer::Order;
use crate::scheduling::retry::{BACKOFF_CAP, RETRY_COST, RETRY_TOKENS};
use table::tables::table_of;

/// The requests for the counts or a partition in one run.
struct Course {
    attempts: u32,
    is_refreshed: bool,
    last: Option<Step>,
}

/// One run of a call, and what its end depends on.
struct Run<'host> {
    caller: &'host Caller,
    call: &'host Call,
    settings: Settings,
    /// The counts that the service sends in this run.
    counts: KindCounts,
    can_refresh: bool,
    /// Whether attempts may have failed without a request.
    has_lost_attempts: bool,
    /// Whether a worker may end with bodies that the page no longer has.
    loses_bodies: bool,
    /// Whether a worker may get no response where the service sends one.
    loses_responses: bool,
    /// Whether calls fail because there is no worker.
    lacks_worker: bool,
    hides_headers: bool,
}

/// Checks the end of a run.
pub(super) fn check_call(caller: &Caller, end: &RunEnd<CallResult>, received: &Found) {
    let run = Run::new(caller);
    run.follow_all();
    match end {
        RunEnd::Aborted => assert!(caller.record().over.is_given(), "the caller has not aborted the call"),
        RunEnd::Ended(Err(CallEnd::Thrown(value))) => run.check_thrown(value),
        RunEnd::Ended(Ok(got)) => run.check_success(got, received),
        RunEnd::Ended(Err(CallEnd::Failed(error))) => run.check_error(error, received),
    }
}

/// Checks the end of a stream of which these partitions were read.
pub(super) fn check_stream(caller: &Caller, order: Order, read: &[u64], end: Option<StreamEnd>) {
    let run = Run::new(caller);
    run.follow_all();
    let received = caller.record().received();
    let in_row = (0..run.call.partitions.len() as u64).take_while(|index| received.contains(index)).count();
    let readable = if order == Order::Index { in_row } else { received.len() };
    match order {
        Order::Index => assert!(read.iter().copied().eq(0..read.len() as u64), "not in index order: {read:?}"),
        Order::Completion => assert!(received.starts_with(read), "{read:?} is read of {received:?}"),
    }
    match end {
        Some(StreamEnd::Aborted) => assert!(caller.record().over.is_given(), "the caller has not aborted the stream"),
        Some(StreamEnd::Thrown(value)) => run.check_thrown(&value),
        None if caller.record().over.is_given() => {}
        None => {
            assert!(!caller.record().has_thrown(), "a value thrown by a callback is lost");
            assert_eq!(read.len() as u64, run.counts.partitions, "a stream ends too early");
            run.check_total();
        }
        Some(StreamEnd::Failed(error)) => {
            assert!(!caller.record().has_thrown(), "a value thrown by a callback is lost");
            assert_eq!(read.len(), readable, "partitions before the error are not delivered");
            match &error.kind {
                ErrorKind::TotalTimeout(_) => run.check_total_timeout(&error, false),
                ErrorKind::Incomplete(mismatch) => {
                    assert_eq!(read.len() as u64, run.counts.partitions, "a stream is incomplete before its end");
                    run.check_mismatch(*mismatch);
                }
                _ => {
                    run.check_request(&error);
                    if let (Order::Index, Some(index)) = (order, error.subject.partition()) {
                        assert_eq!(read.len() as u64, index, "the error is not at its index");
                    }
                }
            }
        }
    }
}

/// Checks that findings are those of these partitions, in this order.
pub(super) fn check_found(caller: &Caller, indexes: &[u64], found: &Found) {
    match found {
        Found::Table(table) => check_table(caller, indexes, table),
        Found::Objects(objects) => {
            assert!(objects.iter().map(|(index, _)| index).eq(indexes), "other partitions became objects");
            objects.iter().for_each(|(index, objects)| check_rows(caller, &[*index], objects));
        }
    }
}

/// Checks that the findings of a table are those of these partitions, in this order.
pub(super) fn check_table(caller: &Caller, indexes: &[u64], findings: &Table) {
    let rows: Vec<_> = (0..findings.len()).map(|row| findings.json(row).unwrap()).collect();
    check_rows(caller, indexes, &rows);
}

fn check_rows(caller: &Caller, indexes: &[u64], findings: &[String]) {
    let rows: Vec<_> = indexes.iter().flat_map(|index| caller.rows(caller.record().findings(*index))).collect();
    assert_eq!(findings.len(), rows.len(), "another number of findings");
    for (position, (finding, row)) in findings.iter().zip(&rows).enumerate() {
        assert_eq!(finding, row, "another finding at {position}");
    }
}

/// Checks the groups of the findings of these partitions, in this order, by each column that the call keeps.
pub(super) fn check_groups(caller: &Caller, indexes: &[u64], findings: &Table) {
    for name in caller.kept_names().filter(|_| !findings.is_empty()) {
        let mut expected: Vec<(String, usize)> = Vec::new();
        for value in indexes.iter().flat_map(|index| caller.values(*index, name)) {
            match expected.iter_mut().find(|(known, _)| *known == value) {
                Some((_, count)) => *count += 1,
                None => expected.push((value, 1)),
            }
        }
        expected.sort_by_key(|(_, count)| Reverse(*count));
        let groups = findings.groups(&[name], None, None).unwrap();
        let contents = findings.contents();
        let got = groups.keys.iter().zip(&groups.aggregates).map(|(key, group)| (contents.value(*key), group.findings));
        let expected = expected.iter().map(|(text, count)| (Value::Text(text), *count));
        assert!(got.eq(expected), "other groups by {name}");
    }
}

/// Checks that nothing continues and nothing is held after all calls have ended, while the buffers of the streams still exist.
pub(super) fn check_end(host: &SimulatedHost) {
    assert_eq!((host.in_flight(), host.clock.alarms()), (0, 0), "requests are in flight or alarms set after the end");
    assert_eq!(host.scheduler.byte_budget.held(), 0, "bytes are held after the end");
    assert_eq!(host.scheduler.permits.free(), host.schedule.concurrency, "permits are held after the end");
    let permit = host.scheduler.permits.acquire().now_or_never();
    assert!(permit.is_some(), "a call waits for a permit after the end");
    if !host.schedule.has_lost_attempts() && host.schedule.worker.is_none() {
        let (now, bound) = (host.clock.now(), longest(host));
        assert!(now <= bound, "it took {now} ms, and at most {bound} ms are explained");
    }
}

/// The milliseconds that a schedule takes if all its waits follow each other.
fn longest(host: &SimulatedHost) -> f64 {
    let of_call = |(number, call): (usize, &Call)| {
        let record = &host.records[number];
        let indexes = (0..call.partitions.len() as u64).map(Some).chain([None]);
        let requests: usize = indexes.map(|index| record.requests(index)).sum();
        let timeout = call.runs.iter().map(|settings| settings.timeout).fold(0.0, f64::max);
        let pause = match &call.task {
            Task::Stream(_, reader) => reader.pause * record.delivered() as f64,
            _ => call.pause * call.runs.len() as f64,
        };
        // In each run, one more attempt may have begun without a request.
        let attempts = requests + call.runs.len();
        call.begins + call.aborted_after.unwrap_or_default() + pause + attempts as f64 * (timeout + BACKOFF_CAP)
    };
    host.schedule.calls.iter().enumerate().map(of_call).sum()
}

impl<'host> Run<'host> {
    fn new(caller: &'host Caller) -> Self {
        let schedule = &caller.host.schedule;
        let call = &schedule.calls[caller.call];
        let run = caller.record().run();
        Run {
            caller,
            call,
            settings: call.runs[run],
            counts: call.counts[run],
            can_refresh: schedule.headers.is_some(),
            has_lost_attempts: schedule.has_lost_attempts(),
            loses_bodies: schedule.worker.as_ref().is_some_and(WorkerScript::loses_bodies),
            loses_responses: schedule.worker.as_ref().is_some_and(WorkerScript::loses_responses),
            lacks_worker: schedule.worker.as_ref().is_some_and(WorkerScript::lacks_worker),
            hides_headers: schedule.hides_headers,
        }
    }

    /// Checks all requests of the run.
    fn follow_all(&self) {
        self.follow(None);
        for index in 0..self.call.partitions.len() as u64 {
            let course = self.follow(Some(index));
            if let Report::Received(attempt) = self.caller.record().report(index) {
                let succeeded = course.last.is_some_and(|step| step.behaviour.meaning() == Meaning::Success);
                assert!(succeeded, "partition {index} was received from a service that did not give it");
                self.check_attempts(attempt, course.attempts);
            }
        }
    }

    fn follow(&self, index: Option<u64>) -> Course {
        let script = index.map_or(&self.call.counts_script, |index| &self.call.partitions[index as usize].script);
        let (first, end) = self.caller.record().span_of_run(index);
        let mut course = Course { attempts: 0, is_refreshed: false, last: None };
        for time in first..end {
            match course.last.take().map(|step| step.behaviour.meaning()) {
                None => course.attempts = 1,
                Some(Meaning::Expired) if self.can_refresh && !course.is_refreshed => course.is_refreshed = true,
                // The refresh before may never have come.
                Some(Meaning::Expired) if self.can_refresh && self.has_lost_attempts => {}
                Some(meaning) => {
                    let may_be_retried = meaning.may_be_retried(self.hides_headers) || self.loses_bodies;
                    assert!(may_be_retried, "{index:?} was retried after {meaning:?}");
                    course.attempts += 1;
                }
            }
            assert!(course.attempts <= self.settings.policy.retries + 1, "{index:?} was retried too often");
            course.last = Some(script.step(time).clone());
        }
        course
    }

    fn check_thrown(&self, value: &str) {
        let is_thrown = match value {
            THROWN_BY_CALLBACK => self.caller.record().has_thrown(),
            THROWN_BY_HEADERS => self.caller.host.headers_have_thrown(),
            _ => false,
        };
        assert!(is_thrown, "no callback has thrown {value:?}");
    }

    fn check_success(&self, got: &CallResult, received: &Found) {
        assert!(!self.caller.record().has_thrown(), "a value thrown by a callback is lost");
        match (&self.call.task, got) {
            (Task::Counts, CallResult::Counts(both)) => {
                let other = KindCounts { partitions: 7, findings: None };
                let expected =
                    if self.call.kind == Kind::Sentiment { (self.counts, other) } else { (other, self.counts) };
                assert_eq!(*both, expected, "other counts");
            }
            (Task::Partition(index), CallResult::Partition(found)) => check_found(self.caller, &[*index], found),
            (Task::Findings, CallResult::All) => {
                self.check_whole(received);
                self.check_total();
            }
            _ => panic!("another result than was requested"),
        }
    }

    fn check_whole(&self, received: &Found) {
        assert_eq!(self.caller.record().accumulated_counts(), Some(self.counts), "the counts have changed");
        let indexes: Vec<_> = (0..self.counts.partitions).collect();
        assert!(indexes.iter().all(|index| self.caller.record().is_received(*index)), "not everything was received");
        let progress = self.caller.record().progress();
        assert!(progress.is_some_and(|progress| progress.partitions_done == self.counts.partitions));
        check_found(self.caller, &indexes, received);
        self.check_kept(&indexes);
    }

    /// Checks which partitions of an earlier table are kept: their findings are those of the service, unless an older one was changed.
    fn check_kept(&self, indexes: &[u64]) {
        let (record, Some(from)) = (self.caller.record(), &self.call.from) else { return };
        for index in indexes {
            let is_requested = record.requests(Some(*index)) > 0;
            assert_ne!(
                record.is_kept(*index),
                is_requested,
                "partition {index} is both kept and requested, or neither"
            );
            if from.change.only_appends() && record.growth().is_some() {
                let now = &self.call.partitions[*index as usize].findings;
                assert_eq!(record.findings(*index), now, "partition {index} is not that of a full read");
            }
        }
    }

    /// Checks that a wrong total is treated as the `completeness` option says.
    fn check_total(&self) {
        let is_right = self.counts.findings.is_none_or(|findings| findings == self.all_rows());
        match self.settings.completeness {
            Completeness::Strict => assert!(is_right, "a wrong total is ignored"),
            Completeness::Warn => assert!(is_right || self.caller.record().warnings() > 0, "a warning is missing"),
            Completeness::Off => {}
        }
    }

    fn check_error(&self, error: &Error<String>, got: &Found) {
        assert!(!self.caller.record().has_thrown(), "a value thrown by a callback is lost");
        match &error.kind {
            ErrorKind::TotalTimeout(_) => self.check_total_timeout(error, true),
            ErrorKind::Changed { before, now, received } => {
                assert_eq!(self.caller.record().accumulated_counts(), Some(*before));
                assert_eq!((*now, *received), (self.counts, self.received_rows()));
                assert_ne!(before, now, "the counts are the same");
            }
            ErrorKind::Incomplete(mismatch) => {
                self.check_mismatch(*mismatch);
                self.check_whole(got);
            }
            ErrorKind::Partial { missing, partitions } => self.check_partial(error, *missing, *partitions, got),
            _ => {
                let collects = self.settings.failure_policy == FailurePolicy::Collect;
                let goes_on = matches!(self.call.task, Task::Findings) && collects;
                assert!(error.subject.partition().is_none() || !goes_on, "an error ends a call that collects");
                self.check_request(error);
            }
        }
    }

    fn check_total_timeout(&self, error: &Error<String>, is_immediate: bool) {
        let limit = self.settings.total_timeout.unwrap_or_else(|| panic!("there is no limit of time"));
        let ends = self.caller.record().begun_at.get() + limit;
        let now = self.caller.now();
        assert!(now == ends || now > ends && !is_immediate, "it is {now}, the time was up at {ends}");
        assert_eq!((&error.kind, error.attempts), (&ErrorKind::TotalTimeout(limit as u64), 0));
    }

    fn check_mismatch(&self, mismatch: TotalMismatch) {
        let TotalMismatch { expected, received, .. } = mismatch;
        assert_eq!(self.settings.completeness, Completeness::Strict, "the total does not matter");
        assert_eq!((Some(expected), received), (self.counts.findings, self.all_rows()));
        assert_ne!(expected, received, "the total is right");
    }

    fn check_partial(&self, error: &Error<String>, missing: u64, partitions: u64, got: &Found) {
        let record = self.caller.record();
        assert_eq!(self.settings.failure_policy, FailurePolicy::Collect, "the call should have failed at once");
        assert_eq!(record.accumulated_counts().map(|counts| counts.partitions), Some(partitions));
        let (received, lacking): (Vec<_>, Vec<_>) = (0..partitions).partition(|index| record.has(*index));
        let named: Vec<_> = error.failures.iter().map(|(index, _)| *index).collect();
        assert_eq!((missing, &named), (lacking.len() as u64, &lacking), "other partitions are missing than are listed");
        assert!(missing > 0, "nothing is missing");
        for (index, error) in &error.failures {
            assert_eq!(error.subject.partition(), Some(*index), "an error of another partition");
            assert_eq!(error.url, error.subject.path().as_deref().map(url_of), "an error of another URL");
            if let ErrorKind::TotalTimeout(_) = error.kind {
                self.check_total_timeout(error, true);
                assert!(!matches!(record.report(*index), Report::Failed(_)), "the error of partition {index} is lost");
            } else {
                self.check_request(error);
            }
        }
        check_found(self.caller, &received, got);
    }

    /// Checks that the service's behaviour explains the error of a request, and that no retry was left.
    fn check_request(&self, error: &Error<String>) {
        let index = match error.subject.operation {
            Some(Operation::Partition { kind, index }) if kind == self.call.kind => Some(index),
            Some(Operation::Counts) => None,
            other => panic!("{other:?} has failed without being requested"),
        };
        assert_eq!(error.subject.inspection, self.caller.inspection());
        if let Some(index) = index {
            assert_eq!(self.caller.record().report(index), Report::Failed(error.attempts), "partition {index}");
        }
        let course = self.follow(index);
        self.check_attempts(error.attempts, course.attempts);
        let is_lost = match error.kind {
            ErrorKind::AttemptTimeout(_) => self.has_lost_attempts,
            ErrorKind::WorkerLost => self.loses_bodies,
            ErrorKind::Unreachable => self.loses_responses,
            ErrorKind::NoWorker => self.lacks_worker,
            ErrorKind::Broken => self.loses_bodies,
            _ => false,
        };
        let Some(step) = course.last.as_ref().filter(|_| !is_lost) else {
            assert!(is_lost, "{index:?} has failed without a request");
            return;
        };
        assert!(
            step.behaviour.causes(&error.kind, &self.settings, self.hides_headers),
            "{:?} after {}",
            error.kind,
            step.behaviour
        );
        assert!(error.messages == step.behaviour.messages(), "other messages: {:?}", error.messages);
        let carries = step.behaviour == Behaviour::Errors(true) && index.is_some();
        let table = error.findings.as_ref().map(|chunk| table_of::<Caller>(0, Rc::clone(chunk), None).unwrap());
        let findings = table.map(|table| (table.len(), table.json(0).unwrap_or_default()));
        let half = self.caller.kept(&[("Id", "half".to_owned()), ("Text", String::new())]);
        assert_eq!(findings, carries.then_some((1, half)), "other findings beside the error");
        self.check_hints(error, step);
        assert!(self.is_given_up(error, &course, step.behaviour.meaning()), "{index:?} should have been retried");
    }

    /// Whether the promises allow no further attempt.
    fn is_given_up(&self, error: &Error<String>, course: &Course, meaning: Meaning) -> bool {
        match meaning {
            Meaning::Success => false,
            Meaning::Final => true,
            Meaning::Expired => !self.can_refresh || course.is_refreshed || self.has_lost_attempts,
            Meaning::Transient(_) | Meaning::Limited(_) => {
                let comes_too_late =
                    meaning.names_a_time() && !self.hides_headers && self.settings.total_timeout.is_some();
                error.attempts > self.settings.policy.retries
                    || !meaning.may_be_retried(self.hides_headers)
                    || comes_too_late
                    || error.hints.contains(&Hint::NoRetryLeft)
            }
        }
    }

    fn check_hints(&self, error: &Error<String>, step: &Step) {
        let hidden = matches!(step.behaviour, Behaviour::Status(429 | 503, _) | Behaviour::StalledStatus(429 | 503, _));
        let has = |hint| error.hints.contains(&hint);
        assert_eq!(has(Hint::HiddenRetryAfter), hidden && self.hides_headers, "hidden Retry-After");
        assert!(!has(Hint::Offline) || self.caller.host.schedule.offline.is_some(), "it was never offline");
        let are_gone = self.caller.host.retries_at_most() >= RETRY_TOKENS / RETRY_COST;
        assert!(!has(Hint::NoRetryLeft) || are_gone, "there are retries left");
    }

    fn check_attempts(&self, reported: u32, seen: u32) {
        let most = self.settings.policy.retries + 1;
        let is_right = if self.has_lost_attempts { (seen..=most).contains(&reported) } else { reported == seen };
        assert!(is_right, "{reported} attempts are reported, and {seen} were seen");
    }

    /// The findings in the partitions that the counts of this run announce.
    fn all_rows(&self) -> u64 {
        (0..self.counts.partitions).map(|index| self.caller.record().rows_of(index)).sum()
    }

    fn received_rows(&self) -> u64 {
        let record = self.caller.record();
        record.received_in_any_run().map(|index| record.rows_of(index)).sum()
    }
}
