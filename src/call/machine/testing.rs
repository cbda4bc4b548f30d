//! A page for tests: it performs what the calls of a client ask for, and a test says what the service does, one response after the other.

use std::collections::VecDeque;

use chunk::decode::Decoder;
use chunk::value::dictionary::Dictionary;

pub(super) use super::{
    Accumulation, Action, Advice, CallId, Calls, Decoded, Earlier, Event, Failure, Head, Host, NewCall, Op, Order,
    Outcome, Sender, Task, Undecoded, Why, WorkerOption,
};
pub(super) use crate::contract::{Kind, KindCounts};
pub(super) use crate::counts::Counts;
pub(super) use crate::error::{CallEnd, Error, ErrorKind};
pub(super) use crate::hint::Hint;
pub(super) use crate::progress::{PartitionChange, PartitionState, Progress};
pub(super) use crate::retry::Policy;
pub(super) use crate::settings::{Completeness, FailurePolicy, Settings};

pub(super) const SETTINGS: Settings = Settings {
    concurrency: 6,
    timeout: 30_000.0,
    total_timeout: f64::INFINITY,
    policy: Policy { retries: 3, max_retry_after: 60_000.0 },
    completeness: Completeness::Strict,
    failure_policy: FailurePolicy::FailFast,
    max_partition_bytes: 1 << 20,
    max_buffered_bytes: 64 << 20,
};

pub(super) const COLLECT: Settings = Settings { failure_policy: FailurePolicy::Collect, ..SETTINGS };

/// Without retries.
pub(super) const ONCE: Settings = Settings { policy: Policy { retries: 0, ..SETTINGS.policy }, ..SETTINGS };

/// The task of a call for all sentiment findings.
pub(super) const FINDINGS: Task = Task::Findings(Kind::Sentiment);

/// The path of the counts. A partition of sentiment findings has its index as its path here.
pub(super) const COUNTS: &str = "counts";

/// What lies outside is known by its number.
#[derive(Debug)]
pub(super) struct Numbers;

impl Host for Numbers {
    type Value = &'static str;
    type Call = CallId;
    type Attempt = Op;
}

/// A page, whose clock moves only when the test says so.
pub(super) struct Page {
    pub(super) calls: Calls<Numbers>,
    pub(super) now: f64,
    pub(super) is_offline: bool,
    /// The requests sent: when, what, by whom, and with which headers.
    pub(super) sent: Vec<(f64, String, Sender, Option<&'static str>)>,
    /// The questions for headers that have no answer: which, at which attempt, and after which status.
    pub(super) asked: Vec<(Op, u32, Option<u16>)>,
    /// What lies outside: the path of each request, and what has arrived of its body.
    pub(super) outside: Vec<(Op, String, Vec<u8>)>,
    pub(super) progress: Vec<Progress>,
    pub(super) shown: Vec<Progress>,
    pub(super) changes: Vec<(PartitionChange, Option<Error<&'static str>>)>,
    /// The partitions delivered to each call.
    pub(super) delivered: Vec<(CallId, u64)>,
    pub(super) missing: Vec<(u64, Error<&'static str>)>,
    pub(super) ends: Vec<(CallId, Result<Outcome, CallEnd<&'static str>>)>,
    /// The calls forgotten, and the workers used.
    pub(super) notes: Vec<String>,
    /// What workers do with the next bodies. Without one, they decode them.
    pub(super) delegates: VecDeque<Undecoded<&'static str>>,
    /// Whether bodies are decoded only by [`Page::decode`].
    pub(super) holds_bodies: bool,
    /// Ends this call at the next report of this partition in this state, `"received"` or the like.
    pub(super) throws_at: Option<(CallId, Option<u64>, &'static str)>,
    pub(super) last_call: CallId,
    /// What calls for all findings receive, unless they have another accumulator.
    pub(super) accumulator: Accumulation,
    held: Vec<(Op, bool)>,
}

/// A response.
#[derive(Clone)]
pub(super) struct Reply {
    pub(super) head: Head,
    pub(super) body: Vec<u8>,
    pub(super) end: End,
}

/// How a response ends.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    Whole,
    Broken,
    /// It does not end.
    Stalls,
}

/// A response with a status of 200.
pub(super) fn ok(body: impl Into<Vec<u8>>) -> Reply {
    status(200, body)
}

/// A response with this status.
pub(super) fn status(status: u16, body: impl Into<Vec<u8>>) -> Reply {
    let head = Head { status, is_success: status == 200, ..Head::default() };
    Reply { head, body: body.into(), end: End::Whole }
}

/// The counts of the sentiment findings.
pub(super) fn counts(partitions: u64, findings: u64) -> Reply {
    ok(format!(r#"{{"SentimentPartitions":{partitions},"SentimentFindings":{findings},"errors":null}}"#))
}

/// A partition of two findings.
pub(super) fn two() -> Reply {
    ok(r#"{"Findings":[{},{}],"errors":null}"#)
}

impl Reply {
    pub(super) fn length(mut self, length: u64) -> Self {
        self.head.length = Some(length);
        self
    }

    pub(super) fn encoded(mut self) -> Self {
        self.head.is_encoded = true;
        self
    }

    pub(super) fn page(mut self) -> Self {
        self.head.is_html = true;
        self
    }

    pub(super) fn retry_after(mut self, milliseconds: f64) -> Self {
        self.head.retry_after = Some(milliseconds);
        self
    }

    pub(super) fn ending(mut self, end: End) -> Self {
        self.end = end;
        self
    }
}

fn half() -> f64 {
    0.5
}

impl Page {
    /// A page whose client may have this many requests in flight. Random numbers are 0.5.
    pub(super) fn new(concurrency: usize) -> Self {
        Page::with_budget(concurrency, 64 << 20, half)
    }

    pub(super) fn with_budget(concurrency: usize, max_buffered_bytes: u64, random: fn() -> f64) -> Self {
        Page {
            calls: Calls::new(concurrency, max_buffered_bytes, random),
            now: 0.0,
            is_offline: false,
            sent: Vec::new(),
            asked: Vec::new(),
            outside: Vec::new(),
            progress: Vec::new(),
            shown: Vec::new(),
            changes: Vec::new(),
            delivered: Vec::new(),
            missing: Vec::new(),
            ends: Vec::new(),
            notes: Vec::new(),
            delegates: VecDeque::new(),
            holds_bodies: false,
            throws_at: None,
            last_call: CallId(0),
            accumulator: Accumulation::default(),
            held: Vec::new(),
        }
    }

    /// A page whose call for all sentiment findings has the counts of this many partitions, of two findings each.
    pub(super) fn requesting(partitions: u64, settings: Settings) -> Self {
        let mut page = Page::new(6);
        page.findings(settings);
        page.reply(COUNTS, counts(partitions, 2 * partitions));
        page
    }

    /// Begins a call.
    pub(super) fn begin(&mut self, task: Task, settings: Settings) -> CallId {
        self.begin_with(task, settings, |_| {})
    }

    /// Begins a call that is changed in this way.
    pub(super) fn begin_with(
        &mut self,
        task: Task,
        settings: Settings,
        change: impl FnOnce(&mut NewCall<Numbers>),
    ) -> CallId {
        self.last_call = CallId(self.last_call.0 + 1);
        let mut begin = self.new_call(task, settings);
        change(&mut begin);
        assert_eq!(self.calls.begin(self.now, begin), self.last_call);
        self.perform_all();
        self.last_call
    }

    /// A call that is to begin.
    pub(super) fn new_call(&self, task: Task, settings: Settings) -> NewCall<Numbers> {
        NewCall {
            call: self.last_call,
            base: "https://service.test/".into(),
            inspection: 42,
            task,
            accumulator: matches!(task, Task::Findings(_)).then(|| self.accumulator.clone()),
            settings,
            begun: self.now,
            asks_headers: false,
            reports_progress: true,
            reports_partitions: true,
            is_watched: true,
            maps_counts: false,
            worker: WorkerOption::Page,
        }
    }

    /// Whether the partitions of the earlier table are among those received.
    pub(super) fn keeps_earlier(&self) -> bool {
        self.accumulator.coverage().unwrap().keeps_earlier
    }

    /// Begins a call for all sentiment findings that gathers nothing for another one.
    pub(super) fn other_findings(&mut self, settings: Settings) -> CallId {
        self.begin_with(FINDINGS, settings, |begin| begin.accumulator = Some(Accumulation::default()))
    }

    /// Begins a call for all sentiment findings.
    pub(super) fn findings(&mut self, settings: Settings) -> CallId {
        self.begin(FINDINGS, settings)
    }

    /// Begins a call for one sentiment partition.
    pub(super) fn partition(&mut self, index: u64, settings: Settings) -> CallId {
        self.begin(Task::Partition(Kind::Sentiment, index), settings)
    }

    /// Lets an event happen, and performs what the calls then ask for.
    pub(super) fn event(&mut self, event: Event<Numbers>) {
        self.calls.handle(self.now, event);
        self.perform_all();
    }

    fn perform_all(&mut self) {
        while let Some(action) = self.calls.next_action() {
            self.perform(action);
        }
    }

    fn perform(&mut self, action: Action<Numbers>) {
        match action {
            Action::AskHeaders { op, attempt, status, .. } => self.asked.push((op, attempt, status)),
            Action::Send { op, url, headers, sender, .. } => {
                let path = url.strip_prefix("https://service.test/Findings/42").unwrap().to_owned();
                let path = path.strip_prefix("/Sentiment/").map_or(path.clone(), str::to_owned);
                let path = if path.is_empty() { COUNTS.to_owned() } else { path };
                self.sent.push((self.now, path.clone(), sender, headers));
                self.outside.push((op, path, Vec::new()));
                self.calls.keep(op, op);
            }
            Action::Cancel { attempt } => {
                self.outside.retain(|(other, ..)| *other != attempt);
                self.held.retain(|(other, ..)| *other != attempt);
            }
            Action::ReadBytes { op, length, .. } => {
                let position = self.outside.iter().position(|(other, ..)| *other == op).unwrap();
                let mut body = self.outside.remove(position).2;
                body.truncate(length as usize);
                self.event(Event::Bytes(op, body));
            }
            Action::UseWorker { call } => self.notes.push(format!("{call:?} uses a worker")),
            Action::Decode { attempt, by_worker, .. } => self.begin_decoding(attempt, by_worker),
            Action::MapCounts { op, .. } => self.notes.push(format!("map {op:?}")),
            Action::Progress { progress, is_report, .. } => {
                self.shown.push(progress);
                self.progress.extend(is_report.then_some(progress));
            }
            Action::Report { call, change, error } => {
                let state = format!("{:?}", change.state).to_lowercase();
                self.changes.push((change, error.map(|error| *error)));
                if self
                    .throws_at
                    .take_if(|(of, index, at)| (*of, *index, *at) == (call, change.index, &*state))
                    .is_some()
                {
                    self.event(Event::Abort(call));
                }
            }
            Action::Deliver { call, attempt, index } => {
                self.outside.retain(|(other, ..)| *other != attempt);
                self.delivered.push((call, index));
            }
            Action::Missing { index, error, .. } => {
                if !self.missing.iter().any(|(other, _)| *other == index) {
                    self.missing.push((index, *error));
                    self.missing.sort_by_key(|(index, _)| *index);
                }
            }
            Action::End { call, end } => self.ends.push((call, end)),
        }
    }

    fn begin_decoding(&mut self, op: Op, by_worker: bool) {
        if self.holds_bodies {
            return self.held.push((op, by_worker));
        }
        self.decode(op, by_worker);
    }

    /// Decodes the body that is held of this partition.
    pub(super) fn decode_held(&mut self, index: u64) {
        let (op, ..) = *self.outside.iter().find(|(_, path, _)| *path == index.to_string()).unwrap();
        let position = self.held.iter().position(|(other, _)| *other == op).unwrap();
        let (op, by_worker) = self.held.remove(position);
        self.decode(op, by_worker);
    }

    fn decode(&mut self, op: Op, by_worker: bool) {
        if by_worker && let Some(why) = self.delegates.pop_front() {
            return self.event(Event::Decoded(op, Err(why)));
        }
        let body = self.outside.iter().find(|(other, ..)| *other == op).unwrap().2.clone();
        let bytes = body.len() as u64;
        let mut decoder = Decoder::new(body, Dictionary::default());
        let decoded = loop {
            match decoder.advance(usize::MAX) {
                Ok(false) => {}
                Ok(true) => break Ok(decoder.finish()),
                Err(error) => break Err(error),
            }
        };
        let end = match decoded {
            Err(error) => Err(Undecoded::Wrong(error)),
            Ok(body) => match (body.errors, body.findings) {
                (Some(messages), findings) => Err(Undecoded::Refused(messages, findings.ok().map(|_| "findings"))),
                (None, Err(error)) => Err(Undecoded::Wrong(error)),
                (None, Ok(chunk)) => Ok(Decoded { findings: chunk.len() as u64, bytes }),
            },
        };
        // A worker gives back what it cannot decode.
        let end = if by_worker { end.map_err(|_| Undecoded::PageDecodes) } else { end };
        self.event(Event::Decoded(op, end));
    }

    /// The number of the request in flight with this path.
    pub(super) fn op(&self, path: &str) -> Op {
        let request = self.outside.iter().find(|(_, other, _)| other == path);
        request.unwrap_or_else(|| panic!("{path} is not in flight")).0
    }

    /// Lets the service respond to the request in flight with this path.
    pub(super) fn reply(&mut self, path: &str, reply: Reply) {
        self.reply_to(self.op(path), reply);
    }

    /// Lets the service respond to the request in flight with this number.
    pub(super) fn reply_to(&mut self, op: Op, reply: Reply) {
        let Reply { head, body, end } = reply;
        self.event(Event::Head(op, head, false, ""));
        if !body.is_empty() && self.outside.iter().any(|(other, ..)| *other == op) {
            self.piece(op, &body);
        }
        match end {
            End::Whole => self.event(Event::BodyEnd(op)),
            End::Broken => self.fail(op, Why::Connection),
            End::Stalls => {}
        }
    }

    /// Lets a piece of a body arrive.
    pub(super) fn piece(&mut self, op: Op, piece: &[u8]) {
        if let Some((.., arrived)) = self.outside.iter_mut().find(|(other, ..)| *other == op) {
            arrived.extend(piece);
        }
        self.event(Event::Piece(op, piece.len() as u64));
    }

    /// Lets the connection of the request in flight with this path fail.
    pub(super) fn break_off(&mut self, path: &str) {
        self.fail(self.op(path), Why::Connection);
    }

    pub(super) fn fail(&mut self, op: Op, why: Why) {
        let (cause, reason, is_offline) = ("cause", String::from("reset"), self.is_offline);
        self.event(Event::Failed(op, Failure { why, cause, reason, advice: Advice::None, is_offline }));
    }

    /// Answers the first question for headers.
    pub(super) fn headers(&mut self, headers: &'static str) {
        let (op, ..) = self.asked.remove(0);
        self.event(Event::Headers(op, headers));
    }

    /// Lets time pass until something has to be done.
    pub(super) fn wait(&mut self) {
        self.now = self.calls.next_wake();
        assert!(self.now.is_finite(), "nothing waits");
        self.event(Event::Tick);
    }

    /// The times at which a path was requested.
    pub(super) fn times(&self, path: &str) -> Vec<f64> {
        self.sent.iter().filter(|(_, other, ..)| other == path).map(|(time, ..)| *time).collect()
    }

    /// The paths requested so far.
    pub(super) fn paths(&self) -> Vec<&str> {
        self.sent.iter().map(|(_, path, ..)| &**path).collect()
    }

    /// The end of the last call that ended.
    pub(super) fn end(&self) -> &Result<Outcome, CallEnd<&'static str>> {
        &self.ends.last().expect("no call has ended").1
    }

    /// The error of the last call that ended.
    pub(super) fn error(&self) -> &Error<&'static str> {
        match self.end() {
            Err(CallEnd::Failed(error)) => error,
            other => panic!("the call did not fail: {other:?}"),
        }
    }

    /// Makes the calls forget the request in flight with this path, which cannot be.
    pub(super) fn lose_request(&mut self, path: &str) {
        drop(self.calls.take_request(self.op(path)));
        self.outside.retain(|(_, other, _)| other != path);
        self.event(Event::Online);
    }

    pub(super) fn succeeded(&self) -> bool {
        self.end().is_ok()
    }

    /// The last progress reported.
    pub(super) fn last_progress(&self) -> Progress {
        *self.progress.last().expect("no progress was reported")
    }
}
