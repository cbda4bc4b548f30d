//! The oracle: checks the end of a call against the promises, given what the service did.

use super::outcome::{Over, RunEnd, THROWN_BY_CALLBACK, THROWN_BY_HEADERS, Value};
use super::record::{Record, Report};
use super::schedule::{Call, Task};
use super::service::{Behaviour, Meaning, Step};
use super::worker::WorkerScript;
use super::world::{World, url_of};
use crate::contract::{Kind, KindCounts, Operation};
use crate::error::{Error, ErrorKind};
use crate::hint::Hint;
use crate::machine::{Order, Outcome};
use crate::partition_tracker::TotalMismatch;
use crate::retry::{BACKOFF_CAP, RETRY_COST, RETRY_TOKENS};
use crate::settings::{Completeness, FailurePolicy, Settings};

/// The requests for the counts or a partition in one run.
struct Course {
    attempts: u32,
    is_refreshed: bool,
    last: Option<Step>,
}

/// One run of a call, and what its end depends on.
struct Run<'world> {
    world: &'world World,
    number: usize,
    record: &'world Record,
    call: &'world Call,
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
pub(super) fn check_run(world: &World, number: usize, end: &RunEnd) {
    let run = Run::new(world, number);
    run.follow_all();
    match (end, &run.call.task) {
        (RunEnd::Aborted, _) => assert_eq!(run.record.over, Over::Aborted, "the caller has not aborted the call"),
        (RunEnd::Threw(value), _) => run.check_thrown(value),
        (RunEnd::Succeeded(_) | RunEnd::Failed(_), _) if run.record.over != Over::No => {
            panic!("a call ends by itself after its caller has ended it")
        }
        (end, Task::Stream(order, _)) => run.check_stream(*order, end),
        (RunEnd::Succeeded(got), _) => run.check_success(got),
        (RunEnd::Failed(error), _) => run.check_error(error),
    }
}

/// Checks that a schedule took no longer than all its waits together.
pub(super) fn check_duration(world: &World) {
    if !world.schedule.has_lost_attempts() && world.schedule.worker.is_none() {
        let bound = longest(world);
        assert!(world.now <= bound, "it took {} ms, and at most {bound} ms are explained", world.now);
    }
}

/// The milliseconds that a schedule takes if all its waits follow each other.
fn longest(world: &World) -> f64 {
    let of_call = |(record, call): (&Record, &Call)| {
        let indexes = (0..call.partitions.len() as u64).map(Some).chain([None]);
        let requests: usize = indexes.map(|index| record.requests(index)).sum();
        let timeout = call.runs.iter().map(|settings| settings.timeout).fold(0.0, f64::max);
        let pause = match &call.task {
            Task::Stream(_, reader) => reader.pause * record.read.len() as f64,
            _ => call.pause * call.runs.len() as f64,
        };
        // In each run, one more attempt may have begun without a request.
        let attempts = requests + call.runs.len();
        call.begins + call.aborted_after.unwrap_or_default() + pause + attempts as f64 * (timeout + BACKOFF_CAP)
    };
    world.records.iter().zip(&world.schedule.calls).map(of_call).sum()
}

impl<'world> Run<'world> {
    fn new(world: &'world World, number: usize) -> Self {
        let (schedule, record) = (&world.schedule, &world.records[number]);
        Run {
            world,
            number,
            record,
            call: &schedule.calls[number],
            settings: *record.settings(),
            counts: record.counts(),
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
            if self.record.requests_of_run(Some(index)) > 0 {
                self.follow(Some(index));
            }
        }
    }

    fn follow(&self, index: Option<u64>) -> Course {
        let script = index.map_or(&self.call.counts_script, |index| &self.call.partitions[index as usize].script);
        let (first, end) = self.record.span_of_run(index);
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

    fn check_thrown(&self, value: &Value) {
        let is_thrown = match value {
            value if *value == THROWN_BY_CALLBACK => self.record.over == Over::Threw,
            value if *value == THROWN_BY_HEADERS => self.world.headers_have_thrown(),
            _ => false,
        };
        assert!(is_thrown, "no callback has thrown {value:?}");
    }

    fn check_stream(&self, order: Order, end: &RunEnd) {
        let (read, received) = (&self.record.read, &self.record.received);
        let in_row = (0..self.call.partitions.len() as u64).take_while(|index| received.contains(index)).count();
        let readable = if order == Order::Index { in_row } else { received.len() };
        match order {
            Order::Index => assert!(read.iter().copied().eq(0..read.len() as u64), "not in index order: {read:?}"),
            Order::Completion => assert!(received.starts_with(read), "{read:?} is read of {received:?}"),
        }
        let RunEnd::Failed(error) = end else {
            assert_eq!(read.len() as u64, self.counts.partitions, "a stream ends too early");
            return self.check_total();
        };
        assert_eq!(read.len(), readable, "partitions before the error are not delivered");
        match &error.kind {
            ErrorKind::TotalTimeout(_) => self.check_total_timeout(error, false),
            ErrorKind::Incomplete(mismatch) => {
                assert_eq!(read.len() as u64, self.counts.partitions, "a stream is incomplete before its end");
                self.check_mismatch(*mismatch);
            }
            _ => {
                self.check_request(error);
                if let (Order::Index, Some(index)) = (order, error.subject.partition()) {
                    assert_eq!(read.len() as u64, index, "the error is not at its index");
                }
            }
        }
    }

    fn check_success(&self, got: &Outcome) {
        match (&self.call.task, got) {
            (Task::Counts, Outcome::Counts(sentiment, topics)) => {
                let other = KindCounts { partitions: 7, findings: None };
                let is_sentiment = self.call.kind == Kind::Sentiment;
                let expected = if is_sentiment { (self.counts, other) } else { (other, self.counts) };
                assert_eq!((*sentiment, *topics), expected, "other counts");
            }
            (Task::Partition(index), Outcome::Delivered) => {
                assert_eq!(self.record.indexes(), [*index], "other partitions were delivered");
                self.check_findings();
            }
            (Task::Findings, Outcome::Delivered) => {
                self.check_whole();
                self.check_total();
            }
            _ => panic!("another result than was requested"),
        }
    }

    /// Checks that the call has every partition, each that of the service or of the earlier table.
    fn check_whole(&self) {
        assert_eq!(self.record.accumulated_counts(), Some(self.counts), "the counts have changed");
        assert!(self.record.indexes().into_iter().eq(0..self.counts.partitions), "not everything was received");
        assert!(!self.record.has_earlier(), "nothing is decided about the earlier table");
        let progress = self.record.progress();
        assert!(progress.is_some_and(|progress| progress.partitions_done == self.counts.partitions));
        self.check_findings();
        if self.call.from.is_none() {
            return;
        }
        for index in 0..self.counts.partitions {
            let is_requested = self.record.requests(Some(index)) > 0;
            assert_ne!(
                self.record.is_kept[index as usize], is_requested,
                "partition {index} is kept and requested, or neither"
            );
        }
    }

    /// Checks that each partition that the call has is that of the service, unless it is kept.
    fn check_findings(&self) {
        for index in self.record.indexes() {
            let now = &*self.call.partitions[index as usize].findings;
            let is_right = self.record.findings(index) == Some(now) || self.record.is_kept[index as usize];
            assert!(is_right, "partition {index} has other findings");
        }
    }

    /// Checks that a wrong total is treated as the `completeness` option says.
    fn check_total(&self) {
        let is_right = self.counts.findings.is_none_or(|findings| findings == self.record.rows_of(self.counts));
        assert!(is_right || self.settings.completeness == Completeness::Off, "a wrong total is ignored");
    }

    fn check_error(&self, error: &Error<Value>) {
        match &error.kind {
            ErrorKind::TotalTimeout(_) => self.check_total_timeout(error, true),
            ErrorKind::Changed { before, now, received } => {
                assert_eq!(self.record.accumulated_counts(), Some(*before));
                assert_eq!((*now, *received), (self.counts, self.record.received_rows()));
                assert_ne!(before, now, "the counts are the same");
            }
            ErrorKind::Incomplete(mismatch) => {
                self.check_mismatch(*mismatch);
                self.check_whole();
            }
            ErrorKind::Partial { missing, partitions } => self.check_partial(*missing, *partitions),
            _ => {
                let collects = self.settings.failure_policy == FailurePolicy::Collect;
                let goes_on = matches!(self.call.task, Task::Findings) && collects;
                assert!(error.subject.partition().is_none() || !goes_on, "an error ends a call that collects");
                self.check_request(error);
            }
        }
    }

    fn check_total_timeout(&self, error: &Error<Value>, is_immediate: bool) {
        let limit = self.settings.total_timeout;
        assert!(limit.is_finite(), "the call has no totalTimeout");
        let (ends, now) = (self.record.begun_at + limit, self.world.now);
        assert!(now == ends || now > ends && !is_immediate, "it is {now}, the time was up at {ends}");
        assert_eq!((&error.kind, error.attempts), (&ErrorKind::TotalTimeout(limit as u64), 0));
    }

    fn check_mismatch(&self, mismatch: TotalMismatch) {
        let TotalMismatch { expected, received, partitions } = mismatch;
        assert_eq!(self.settings.completeness, Completeness::Strict, "the total does not matter");
        assert_eq!((Some(expected), received), (self.counts.findings, self.record.rows_of(self.counts)));
        assert_ne!(expected, received, "the total is right");
        assert_eq!(partitions, self.counts.partitions, "of other counts");
    }

    fn check_partial(&self, missing: u64, partitions: u64) {
        let record = self.record;
        assert_eq!(self.settings.failure_policy, FailurePolicy::Collect, "the call should have failed at once");
        assert_eq!(record.accumulated_counts().map(|counts| counts.partitions), Some(partitions));
        let lacking: Vec<_> = (0..partitions).filter(|index| !record.has(*index)).collect();
        let named: Vec<_> = record.failures.iter().map(|(index, _)| *index).collect();
        assert_eq!((missing, &named), (lacking.len() as u64, &lacking), "other partitions are missing than are listed");
        assert!(missing > 0, "nothing is missing");
        for (index, error) in &record.failures {
            assert_eq!(error.subject.partition(), Some(*index), "an error of another partition");
            assert_eq!(error.url, error.subject.path().as_deref().map(url_of), "an error of another URL");
            if let ErrorKind::TotalTimeout(_) = error.kind {
                self.check_total_timeout(error, true);
                assert!(!matches!(record.report(*index), Report::Failed(_)), "the error of partition {index} is lost");
            } else {
                self.check_request(error);
            }
        }
        self.check_findings();
    }

    /// Checks that the service's behaviour explains the error of a request, and that no retry was left.
    fn check_request(&self, error: &Error<Value>) {
        let index = match error.subject.operation {
            Some(Operation::Partition { kind, index }) if kind == self.call.kind => Some(index),
            Some(Operation::Counts) => None,
            other => panic!("{other:?} has failed without being requested"),
        };
        assert_eq!(error.subject.inspection, self.number as i64);
        assert_eq!(error.url, error.subject.path().as_deref().map(url_of), "an error of another URL");
        if let Some(index) = index {
            assert_eq!(self.record.report(index), Report::Failed(error.attempts), "partition {index}");
        }
        let sent = if self.can_refresh { self.record.requests_of_run(index) } else { 0 };
        assert_eq!(error.headers.len(), sent, "the error lacks headers of its attempts");
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
            "{:?} after {:?}",
            error.kind,
            step.behaviour
        );
        assert!(error.messages == step.behaviour.messages(), "other messages: {:?}", error.messages);
        let carries = step.behaviour == Behaviour::Errors(true) && index.is_some();
        assert_eq!(error.objects, carries.then_some(Value::Objects), "other findings beside the error");
        self.check_hints(error, step);
        assert!(self.is_given_up(error, &course, step.behaviour.meaning()), "{index:?} should have been retried");
    }

    /// Whether the promises allow no further attempt.
    fn is_given_up(&self, error: &Error<Value>, course: &Course, meaning: Meaning) -> bool {
        match meaning {
            Meaning::Success => false,
            Meaning::Final => true,
            Meaning::Expired => !self.can_refresh || course.is_refreshed || self.has_lost_attempts,
            Meaning::Transient(_) | Meaning::Limited(_) => {
                let comes_too_late =
                    meaning.names_a_time() && !self.hides_headers && self.settings.total_timeout.is_finite();
                error.attempts > self.settings.policy.retries
                    || !meaning.may_be_retried(self.hides_headers)
                    || comes_too_late
                    || error.hints.contains(&Hint::NoRetryLeft)
            }
        }
    }

    fn check_hints(&self, error: &Error<Value>, step: &Step) {
        let hidden = matches!(step.behaviour, Behaviour::Status(429 | 503, _) | Behaviour::StalledStatus(429 | 503, _));
        let has = |hint| error.hints.contains(&hint);
        assert_eq!(has(Hint::HiddenRetryAfter), hidden && self.hides_headers, "hidden Retry-After");
        assert!(!has(Hint::Offline) || self.world.schedule.offline.is_some(), "it was never offline");
        let are_gone = self.world.retries_at_most() >= RETRY_TOKENS / RETRY_COST;
        assert!(!has(Hint::NoRetryLeft) || are_gone, "there are retries left");
    }

    fn check_attempts(&self, reported: u32, seen: u32) {
        let most = self.settings.policy.retries + 1;
        let is_right = if self.has_lost_attempts { (seen..=most).contains(&reported) } else { reported == seen };
        assert!(is_right, "{reported} attempts are reported, and {seen} were seen");
    }
}
