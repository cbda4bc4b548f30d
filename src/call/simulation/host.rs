//! The simulated host: the service and the page around the calls. It fails as soon as an invariant is violated.

use std::cell::Cell;
use std::collections::VecDeque;
use std::future::{Future, pending};
use std::rc::Rc;

use chunk::decode::Decoder;
use chunk::decoding::Runtime;
use chunk::form::Form;
use chunk::hash::HashSeed;
use chunk::memory::OutOfMemory;
use chunk::value::dictionary::Dictionary;
use chunk::value::host_json::HostJson;
use table::{Arrived, Table};

use super::earlier::{EarlierTable, Finding};
use super::record::Record;
use super::rng::Rng;
use super::schedule::{Callback, MAX_PARTITION_BYTES, Schedule, Task};
use super::service::{Behaviour, Meaning, RetryAfter, Step, TRANSIENT};
use crate::clock::{Clock, Sleeping};
use crate::contract::{Kind, KindCounts, Operation};
use crate::counts::Counts;
use crate::error::Error;
use crate::mock_host::{MockObjects, Part, built};
use crate::retrieve::host::{Delegated, DelegatedTo, Host};
use crate::retrieve::progress::{PartitionChange, PartitionState, Progress};
use crate::scheduling::credential_refresh::CredentialRefresh;
use crate::scheduling::retry::{FIRST_SUCCESS, RETRY_COST, RETRY_TOKENS};
use crate::scheduling::scheduler::Scheduler;
use crate::transport::body::Body;
use crate::transport::response::BodyError;
use crate::transport::retry_after;
use crate::transport::{Head, Kept, Response, SendError, Sender, Transport};
use table::tables::new_catalog;

/// The state that all calls of a schedule share.
pub(super) struct SimulatedHost {
    pub(super) schedule: Schedule,
    pub(super) clock: Clock,
    pub(super) rng: Rng,
    pub(super) scheduler: Rc<Scheduler>,
    pub(super) refresh: Rc<CredentialRefresh<Token, String>>,
    pub(super) records: Vec<Record>,
    credentials: Credentials,
    in_flight: Cell<usize>,
    /// Bytes received of the partitions in flight.
    bytes_in_flight: Cell<u64>,
    paused_until: Cell<f64>,
    /// When all requests that waited for a pause have begun.
    resumed_by: Cell<f64>,
    retries: Cell<u32>,
    first_successes: Cell<u32>,
    late_successes: Cell<u32>,
}

/// The headers: the number of refreshes before them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Token(u64);

#[derive(Default)]
struct Credentials {
    calls: Cell<u64>,
    newest: Cell<Token>,
    /// Whether the service refused the newest headers.
    are_refused: Cell<bool>,
    are_refreshed: Cell<bool>,
    have_thrown: Cell<bool>,
}

/// The host as one call sees it.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) host: Rc<SimulatedHost>,
    pub(super) call: usize,
    /// The names of the columns to keep, each followed by the byte `0xFF`.
    columns: Option<Vec<u8>>,
}

/// What the `headers` function throws.
pub(super) const THROWN_BY_HEADERS: &str = "no headers";

/// What a callback throws.
pub(super) const THROWN_BY_CALLBACK: &str = "no more";

/// Milliseconds since 1970 at the start of the clock.
const DATE: f64 = 784_111_777_000.0;

impl SimulatedHost {
    /// Whether a worker ends while it has a body.
    fn worker_ends(&self) -> bool {
        self.schedule.worker.as_ref().is_some_and(|worker| worker.ends(&self.rng))
    }

    /// A host at the beginning of a schedule.
    pub(super) fn new(schedule: Schedule) -> Rc<Self> {
        Rc::new(SimulatedHost {
            clock: Clock::default(),
            // Seeded differently from the generator that drew the schedule.
            rng: Rng::new(!schedule.seed),
            scheduler: Rc::new(Scheduler::new(schedule.concurrency, schedule.byte_budget)),
            refresh: Rc::default(),
            records: schedule.calls.iter().map(Record::new).collect(),
            schedule,
            credentials: Credentials::default(),
            in_flight: Cell::new(0),
            bytes_in_flight: Cell::new(0),
            paused_until: Cell::new(0.0),
            resumed_by: Cell::new(0.0),
            retries: Cell::new(0),
            first_successes: Cell::new(0),
            late_successes: Cell::new(0),
        })
    }

    /// Waits on behalf of no call.
    pub(super) fn wait(&self, milliseconds: f64) -> Sleeping {
        self.clock.sleep(milliseconds)
    }

    /// Checks the invariants that hold between two steps.
    pub(super) fn check(&self) {
        self.check_reservations();
        let lost = u64::from(self.retries.get() * RETRY_COST);
        let had = RETRY_TOKENS + self.first_successes.get() * FIRST_SUCCESS + self.late_successes.get() * RETRY_COST;
        assert!(lost <= u64::from(had), "more retries than the client has");
    }

    /// Checks that the bytes held are at least those received, and at most those that the partitions in flight or unread can need beyond the
    /// limit: each was granted within it, unless a reader waits, and has grown since.
    fn check_reservations(&self) {
        let held = self.scheduler.byte_budget.held();
        assert!(held >= self.bytes_in_flight.get(), "bodies are received without a reservation");
        let excess: u64 = self.records.iter().map(|record| record.bytes_at_most(self.schedule.byte_budget)).sum();
        assert!(held <= self.schedule.byte_budget + excess, "{held} bytes are held of {}", self.schedule.byte_budget);
        for (record, call) in self.records.iter().zip(&self.schedule.calls) {
            let settings = record.settings();
            assert!(record.in_flight() <= settings.concurrency, "the call has too many requests in flight");
            if let Task::Stream(..) = call.task {
                assert!(record.unread() <= settings.concurrency as u64, "too many partitions are requested or unread");
            }
        }
    }

    /// Checks that no call idles while all tasks wait for time to pass: if a permit is free, no pause lasts, and the budget has room
    /// for any body, each call has as many partitions in flight or unread as it may.
    pub(super) fn check_diligence(&self) {
        let permits: usize = self.records.iter().map(Record::permits_at_most).sum();
        let is_work_left = self.clock.next_alarm() == Some(self.clock.now());
        if is_work_left || permits >= self.schedule.concurrency || self.resumed_by.get() > self.clock.now() {
            return;
        }
        let running = || self.records.iter().filter(|record| record.is_running());
        let held = self.scheduler.byte_budget.held();
        let need = |record: &Record| record.need_at_most(self.schedule.byte_budget);
        if held.saturating_add(running().map(need).max().unwrap_or_default()) > self.schedule.byte_budget {
            return;
        }
        for record in
            running().filter(|record| held.saturating_add(need(record)) <= record.settings().max_buffered_bytes)
        {
            record.check_diligence();
        }
    }

    /// An upper bound of the retries begun: those of partitions are reported, those of counts are requested or cancelled.
    pub(super) fn retries_at_most(&self) -> u32 {
        let of_counts: usize = self.records.iter().map(|record| record.requests(None)).sum();
        let runs: usize = self.schedule.calls.iter().map(|call| call.runs.len()).sum();
        self.retries.get() + (of_counts + runs) as u32
    }

    /// Requests in flight.
    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.get()
    }

    /// Whether the `headers` function has thrown.
    pub(super) fn headers_have_thrown(&self) -> bool {
        self.credentials.have_thrown.get()
    }

    /// The `Retry-After` header that the service sends now.
    fn retry_after_header(&self, retry_after: RetryAfter) -> Option<retry_after::RetryAfter> {
        match retry_after {
            RetryAfter::None => None,
            RetryAfter::Seconds(seconds) => Some(retry_after::RetryAfter::Delay(seconds as f64 * 1000.0)),
            RetryAfter::Date(seconds) => {
                // Dates of HTTP have whole seconds.
                let date = ((self.date() / 1000.0) as u64 + seconds) as f64 * 1000.0;
                Some(retry_after::RetryAfter::Date(date))
            }
        }
    }

    fn check_pause(&self) {
        assert!(self.clock.now() >= self.paused_until.get(), "a request starts during the pause");
    }

    fn date(&self) -> f64 {
        DATE + self.clock.now()
    }
}

impl Caller {
    /// A call of this number.
    pub(super) fn new(host: Rc<SimulatedHost>, call: usize) -> Self {
        let columns = host.schedule.calls[call].columns.as_ref();
        let columns = columns.map(|names| names.iter().flat_map(|name| [name.as_bytes(), b"\xFF"].concat()).collect());
        Caller { host, call, columns }
    }

    /// The same for another run.
    pub(super) fn of_run(&self) -> Self {
        Caller::new(Rc::clone(&self.host), self.call)
    }

    /// The record of the call.
    pub(super) fn record(&self) -> &Record {
        &self.host.records[self.call]
    }

    /// The id of the inspection: the number of the call, so that each call has its own inspection.
    pub(super) fn inspection(&self) -> i64 {
        self.call as i64
    }

    fn kind(&self) -> Kind {
        self.host.schedule.calls[self.call].kind
    }

    /// The index of the partition with this path; `None` for the counts.
    fn index_of(&self, path: &str) -> Option<u64> {
        if path == Operation::Counts.path(self.inspection()) {
            return None;
        }
        let index = path.rsplit('/').next().and_then(|index| index.parse().ok());
        let index: u64 = index.unwrap_or_else(|| panic!("unexpected request for {path}"));
        assert_eq!(path, Operation::Partition { kind: self.kind(), index }.path(self.inspection()));
        Some(index)
    }

    /// The next step of the service's script for this request.
    fn next_step(&self, index: Option<u64>) -> Step {
        let call = &self.host.schedule.calls[self.call];
        let time = self.record().count_request(index);
        let script = index.map_or(&call.counts_script, |index| &call.partitions[index as usize].script);
        script.step(time).clone()
    }

    /// The body of a successful response.
    pub(super) fn contents(&self, index: Option<u64>) -> String {
        let call = &self.host.schedule.calls[self.call];
        match index {
            Some(index) => self.body_of(&call.partitions[index as usize].findings),
            None => counts_body(call.kind, call.counts[self.record().run()]),
        }
    }

    /// The body of a partition with these findings.
    fn body_of(&self, findings: &[Finding]) -> String {
        let rows: Vec<_> = findings.iter().map(|finding| json(&self.fields(finding))).collect();
        format!(r#"{{"Findings":[{}],"errors":null}}"#, rows.join(","))
    }

    /// What the call keeps of these findings, as JSON.
    pub(super) fn rows(&self, findings: &[Finding]) -> Vec<String> {
        findings.iter().map(|finding| self.kept(&self.fields(finding))).collect()
    }

    /// What the call keeps of a finding with these fields, as JSON.
    pub(super) fn kept(&self, fields: &[(&str, String)]) -> String {
        let columns = &self.host.schedule.calls[self.call].columns;
        let is_kept = |name| columns.as_ref().is_none_or(|columns| columns.contains(name));
        json(fields.iter().filter(|(name, _)| is_kept(name)))
    }

    /// The names of the columns that the call keeps of its findings.
    pub(super) fn kept_names(&self) -> impl Iterator<Item = &'static str> {
        let columns = &self.host.schedule.calls[self.call].columns;
        ["Id", "Text"].into_iter().filter(|name| columns.as_ref().is_none_or(|columns| columns.contains(name)))
    }

    /// The values of a column of the findings that the call has of a partition.
    pub(super) fn values(&self, index: u64, name: &str) -> impl Iterator<Item = String> {
        let fields = self.record().findings(index).iter().flat_map(|finding| self.fields(finding));
        fields.filter(move |(field, _)| *field == name).map(|(_, value)| value)
    }

    /// The fields of a finding, as the service sends them.
    fn fields(&self, Finding { id, length }: &Finding) -> [(&'static str, String); 2] {
        [("Id", format!("{}.{id}", self.call)), ("Text", "x".repeat(*length))]
    }

    /// The earlier table of the call.
    pub(super) fn earlier_table(&self, from: &EarlierTable) -> Table {
        let catalog = Rc::new(new_catalog::<Self>(self.columns()).unwrap());
        let mut arrived = Vec::new();
        for index in &from.partitions {
            let mut dictionary = Dictionary::default();
            dictionary.keep_only(self.columns()).unwrap();
            let body = self.body_of(&from.contents[*index as usize]);
            let mut decoder = Decoder::new(body.into_bytes(), dictionary);
            while !decoder.advance(usize::MAX).unwrap() {}
            let member = catalog.add(Rc::new(decoder.finish().findings.unwrap())).unwrap();
            arrived.push(Arrived { index: *index, member });
        }
        Table::arrived(catalog, &arrived, None, true).unwrap()
    }

    fn sleeping(&self, milliseconds: f64) -> impl Future<Output = ()> + use<> {
        let (alarm, sleeping) = (self.record().alarm(), self.host.clock.sleep(milliseconds));
        async move {
            sleeping.await;
            drop(alarm);
        }
    }

    /// Records the pause that begins when the page has the headers.
    fn note_pause(&self, head: &Head) {
        let Head { status, retry_after: Some(retry_after), .. } = head else { return };
        if !TRANSIENT.contains(status) && *status != 403 {
            return;
        }
        let host = &self.host;
        let settings = &host.schedule.calls[self.call].runs[self.record().run()];
        let wait = Some(retry_after.wait(host.date())).filter(|wait| *wait <= settings.policy.max_retry_after);
        let wait = wait.unwrap_or_default();
        host.paused_until.update(|until| until.max(host.clock.now() + wait));
        host.resumed_by.update(|by| by.max(host.clock.now() + wait * 1.1));
    }

    fn intervene(&self, callback: Callback, calls: u64) -> Result<(), String> {
        let Some(intervention) = self.host.schedule.calls[self.call].intervention else { return Ok(()) };
        if intervention.callback != callback || intervention.at != calls {
            return Ok(());
        }
        if intervention.throws {
            self.record().note_throw();
            return Err(THROWN_BY_CALLBACK.to_owned());
        }
        self.record().over.give();
        Ok(())
    }
}

/// An object with these fields, as JSON.
fn json<'field>(fields: impl IntoIterator<Item = &'field (&'field str, String)>) -> String {
    let members: Vec<_> = fields.into_iter().map(|(name, value)| format!(r#""{name}":"{value}""#)).collect();
    format!("{{{}}}", members.join(","))
}

/// The URL of a path.
pub(super) fn url_of(path: &str) -> String {
    format!("https://service.test/{path}")
}

fn counts_body(kind: Kind, counts: KindCounts) -> String {
    let total = counts.findings.map_or("null".to_owned(), |findings| findings.to_string());
    let other = Kind::ALL.into_iter().find(|other| *other != kind).unwrap_or(kind);
    format!(
        r#"{{"{}":7,"{}":{},"{}":{total},"errors":null}}"#,
        other.partitions_field(),
        kind.partitions_field(),
        counts.partitions,
        kind.findings_field(),
    )
}

impl Transport for Caller {
    type Value = String;
    type Headers = Token;
    type Kept = SimulatedKept;
    type Response = ServiceResponse;

    async fn send(&self, path: &str, token: &Token, sender: Sender) -> Result<ServiceResponse, SendError<String>> {
        let worker = self.host.schedule.worker.as_ref().filter(|worker| sender == Sender::Any && worker.sends(self));
        let index = self.index_of(path);
        let flight = Flight::new(self, index);
        let step = self.next_step(index);
        self.host.wait(step.after).await;
        let is_success = step.behaviour.meaning() == Meaning::Success;
        if let Some(worker) = worker
            && worker.loses_response(self, is_success).await
        {
            return Err(SendError::InWorker("refused in the worker".into()));
        }
        match step.behaviour {
            Behaviour::Refuses if worker.is_some() => Err(SendError::InWorker("connection refused".into())),
            Behaviour::Refuses => Err(SendError::Connection("connection refused".into())),
            Behaviour::NoResponse => Err(SendError::NoResponse("not a response".into())),
            Behaviour::Silent => pending().await,
            _ => {
                let mut response = ServiceResponse::new(self.clone(), index, *token, step, flight);
                response.is_in_worker = worker.is_some();
                self.note_pause(response.head());
                Ok(response)
            }
        }
    }
}

impl Runtime for Caller {
    const JSON: HostJson = HostJson::RUST;

    fn hash_seed() -> HashSeed {
        HashSeed::new(0.5)
    }

    async fn yield_now(&self) {
        self.record().snapshots.check(self);
        if self.host.rng.once_in(4) {
            self.sleeping(0.0).await;
        }
    }
}

impl Host for Caller {
    type Runtime = Caller;
    type Packed = Vec<u8>;
    type Objects = MockObjects;

    fn runtime(&self) -> Caller {
        self.clone()
    }

    fn form(&self) -> Form {
        self.host.schedule.calls[self.call].form
    }

    fn columns(&self) -> Option<&[u8]> {
        self.columns.as_deref()
    }

    fn prepare_worker(&self, _: Option<KindCounts>) {}

    async fn delegate(&self, body: Body<SimulatedKept>) -> Result<DelegatedTo<Self>, String> {
        match &self.host.schedule.worker {
            Some(worker) => worker.decode(self, body).await,
            None => Ok(Delegated { packed: None, body: Some(body) }),
        }
    }

    fn copied(&self, packed: &Vec<u8>) -> Option<Vec<u8>> {
        Some(packed.clone())
    }

    fn handed_over(&self, rows: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
        Ok(rows.to_vec())
    }

    async fn build(&self, rows: &Vec<u8>) -> Result<MockObjects, String> {
        self.yield_now().await;
        built(rows)
    }

    fn url(&self, path: &str) -> String {
        url_of(path)
    }

    fn explain(&self, error: &mut Error<String>, headers: &[Token]) {
        assert_eq!(error.reason, None, "an error is explained twice");
        error.reason = Some(format!("{} headers", headers.len()));
    }

    fn now(&self) -> f64 {
        self.host.clock.now()
    }

    fn date(&self) -> f64 {
        self.host.date()
    }

    fn random(&self) -> f64 {
        self.host.rng.part()
    }

    fn sleep(&self, milliseconds: f64) -> impl Future<Output = ()> {
        self.sleeping(milliseconds)
    }

    fn is_offline(&self) -> bool {
        self.host.schedule.offline.is_some_and(|(from, until)| (from..until).contains(&self.now()))
    }

    async fn back_online(&self) {
        match self.host.schedule.offline {
            Some((_, until)) if self.is_offline() => self.sleeping(until - self.now()).await,
            _ => pending().await,
        }
    }

    fn headers(&self, _: &str, _: u32, status: Option<u16>) -> impl Future<Output = Result<Token, String>> + 'static {
        let refreshes = status == Some(401);
        self.record().check_not_over();
        if !refreshes {
            self.host.check_pause();
        }
        give_headers(Rc::clone(&self.host), refreshes)
    }

    fn can_refresh(&self) -> bool {
        self.host.schedule.headers.is_some()
    }

    fn map_counts(&self, _: &[u8]) -> Option<Result<Counts<String>, String>> {
        None
    }

    fn is_over(&self) -> bool {
        self.record().over.is_given()
    }

    fn progress(&self, progress: &Progress) -> Result<(), String> {
        self.record().snapshots.note_begin(self);
        self.record().note_growth(progress.growth);
        let calls = self.record().note_progress(progress);
        self.intervene(Callback::Progress, calls)
    }

    fn changed(&self, progress: &Progress) {
        self.record().snapshots.check_change(self, progress);
    }

    fn partition(&self, change: &PartitionChange, error: Option<&Error<String>>) -> Result<(), String> {
        if let Some(error) = error {
            assert_eq!(error.url, error.subject.path().as_deref().map(url_of), "an error of another URL");
            assert!(error.reason.is_some(), "an error is reported before it is explained");
        }
        let has_failed = matches!(change.state, PartitionState::Retrying | PartitionState::Failed);
        assert_eq!(error.is_some(), has_failed, "{change:?} has an error, or lacks one");
        assert_eq!(
            change.delay.is_some(),
            change.state == PartitionState::Retrying,
            "{change:?} has a delay, or lacks one"
        );
        let calls = self.record().note_change(change);
        if change.state == PartitionState::Retrying {
            self.host.retries.update(|retries| retries + 1);
        }
        let intervene = self.intervene(Callback::Partition, calls);
        if intervene.is_err()
            && change.state == PartitionState::Received
            && let Some(index) = change.index
        {
            // The call ends before it can keep the partition.
            self.record().take_back(index);
        }
        intervene
    }

    fn warn(&self, _: &str) {
        self.record().note_warning();
    }
}

/// Runs the `headers` function. It belongs to the page, not to the call: a refresh outlives the call if other calls wait for it.
async fn give_headers(host: Rc<SimulatedHost>, refreshes: bool) -> Result<Token, String> {
    let Some(headers) = host.schedule.headers.clone() else { return Ok(Token::default()) };
    let credentials = &host.credentials;
    let time = credentials.calls.replace(credentials.calls.get() + 1);
    let token = credentials.newest.get();
    let refreshing = refreshes.then(|| Refreshing(&credentials.are_refreshed));
    if refreshes && !host.schedule.has_lost_attempts() {
        assert!(!credentials.are_refreshed.replace(true), "requests wait for two refreshes at the same time");
        assert!(credentials.are_refused.get(), "a refresh of headers that were not refused");
    }
    if headers.hangs_at == Some(time) {
        pending::<()>().await;
    }
    host.clock.sleep(headers.takes).await;
    drop(refreshing);
    if headers.throws_at == Some(time) {
        credentials.have_thrown.set(true);
        return Err(THROWN_BY_HEADERS.to_owned());
    }
    if refreshes {
        credentials.are_refused.set(false);
        let next = Token(token.0 + 1);
        credentials.newest.set(next);
        return Ok(next);
    }
    Ok(token)
}

/// A refresh that requests wait for: it is dropped when they are.
struct Refreshing<'host>(&'host Cell<bool>);

impl Drop for Refreshing<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}

/// A request in flight.
pub(super) struct Flight {
    caller: Caller,
    is_of_partition: bool,
    bytes: Cell<usize>,
}

impl Flight {
    fn new(caller: &Caller, index: Option<u64>) -> Self {
        let host = &caller.host;
        caller.record().begin_flight(index);
        host.check_pause();
        host.in_flight.update(|requests| requests + 1);
        assert!(host.in_flight.get() <= host.schedule.concurrency, "the client has too many requests in flight");
        Flight { caller: caller.clone(), is_of_partition: index.is_some(), bytes: Cell::new(0) }
    }

    /// Records that this many more bytes have been received.
    fn receive(&self, bytes: usize) {
        if self.is_of_partition {
            self.bytes.update(|sum| sum + bytes);
            self.caller.host.bytes_in_flight.update(|sum| sum + bytes as u64);
        }
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let host = &self.caller.host;
        host.bytes_in_flight.update(|sum| sum - self.bytes.get() as u64);
        host.in_flight.update(|requests| requests - 1);
        self.caller.record().end_flight();
    }
}

/// A body that a worker keeps.
pub(super) struct SimulatedKept {
    host: Rc<SimulatedHost>,
    pub(super) bytes: Vec<u8>,
}

impl Kept for SimulatedKept {
    type Value = String;
    type Piece = Vec<u8>;

    fn length(&self) -> u64 {
        self.bytes.len() as u64
    }

    async fn read(&self) -> Result<Vec<u8>, String> {
        let host = &self.host;
        host.wait(host.rng.milliseconds(3)).await;
        if host.worker_ends() { Err("the worker has ended".into()) } else { Ok(self.bytes.clone()) }
    }
}

/// A response of the service.
pub(super) struct ServiceResponse {
    caller: Caller,
    index: Option<u64>,
    head: Head,
    body: VecDeque<Part>,
    flight: Flight,
    /// Whether a worker has sent the request.
    is_in_worker: bool,
}

impl ServiceResponse {
    fn new(caller: Caller, index: Option<u64>, token: Token, step: Step, flight: Flight) -> Self {
        let credentials = &caller.host.credentials;
        if step.behaviour.meaning() == Meaning::Expired && token == credentials.newest.get() {
            credentials.are_refused.set(true);
        }
        let text = match step.behaviour {
            Behaviour::Status(..) | Behaviour::Errors(false) => errors_body(step.behaviour),
            Behaviour::Errors(true) => {
                errors_body(step.behaviour).replace('}', r#","Findings":[{"Id":"half","Text":""}]}"#)
            }
            Behaviour::Wrong => r#"{"Findings":[{"Id":?"#.to_owned(),
            Behaviour::CutsOff => r#"{"Findings":[{"Id":1"#.to_owned(),
            Behaviour::Empty => String::new(),
            Behaviour::TooLarge => " ".repeat(MAX_PARTITION_BYTES + 1),
            _ => caller.contents(index),
        };
        let retry_after = match step.behaviour {
            Behaviour::Status(_, retry_after) | Behaviour::StalledStatus(_, retry_after) => {
                caller.host.retry_after_header(retry_after)
            }
            _ => None,
        };
        let body = on_the_wire(&step, text.as_bytes());
        let hides_headers = caller.host.schedule.hides_headers;
        let status = match step.behaviour {
            Behaviour::Status(status, _) | Behaviour::StalledStatus(status, _) => status,
            Behaviour::Redirects => 0,
            _ => 200,
        };
        let head = Head {
            status,
            is_success: status == 200,
            is_redirect: step.behaviour == Behaviour::Redirects,
            destination: None,
            hides_headers,
            retry_after: retry_after.filter(|_| !hides_headers),
            is_html: false,
            length: (step.pieces == 1 && step.behaviour != Behaviour::CutsOff).then_some(text.len()),
            is_encoded: true,
        };
        ServiceResponse { caller, index, head, body, flight, is_in_worker: false }
    }

    /// Counts a success at the end of its body.
    fn end(&self) {
        if self.head.is_success {
            let host = &self.caller.host;
            let successes =
                if self.caller.record().is_retry(self.index) { &host.late_successes } else { &host.first_successes };
            successes.update(|successes| successes + 1);
        }
    }
}

fn errors_body(behaviour: Behaviour) -> String {
    let messages: Vec<_> = behaviour.messages().iter().map(|message| format!("{message:?}")).collect();
    format!(r#"{{"errors":[{}]}}"#, messages.join(","))
}

/// Splits a body into the parts that arrive.
fn on_the_wire(step: &Step, text: &[u8]) -> VecDeque<Part> {
    let (text, end) = match step.behaviour {
        Behaviour::Cuts => (&text[..text.len() / 2], Some(Part::Broken)),
        Behaviour::Stalls | Behaviour::StalledStatus(..) => (&text[..text.len() / 2], Some(Part::Stall)),
        _ => (text, None),
    };
    let pieces = text.chunks(text.len().div_ceil(step.pieces).max(1));
    let parts = pieces.flat_map(|piece| {
        let wait = (step.wait > 0.0).then_some(Part::Wait(step.wait));
        wait.into_iter().chain([Part::Bytes(piece.to_vec())])
    });
    parts.chain(end).collect()
}

impl Response for ServiceResponse {
    type Value = String;
    type Piece = Vec<u8>;
    type Kept = SimulatedKept;

    fn head(&self) -> &Head {
        &self.head
    }

    fn arrives_by_turns(&self) -> bool {
        false
    }

    fn is_kept(&self) -> bool {
        self.is_in_worker
    }

    async fn kept(&mut self) -> Result<SimulatedKept, BodyError<String>> {
        let mut bytes = Vec::new();
        while let Some(piece) = self.next_part().await? {
            bytes.extend(piece);
        }
        let host = Rc::clone(&self.caller.host);
        if host.worker_ends() { Err(BodyError::Lost) } else { Ok(SimulatedKept { host, bytes }) }
    }

    async fn next_piece(&mut self) -> Result<Option<Vec<u8>>, BodyError<String>> {
        let piece = self.next_part().await?;
        if self.head.is_success {
            self.flight.receive(piece.as_ref().map_or(0, Vec::len));
        }
        Ok(piece)
    }
}

impl ServiceResponse {
    async fn next_part(&mut self) -> Result<Option<Vec<u8>>, String> {
        while let Some(part) = self.body.pop_front() {
            match part {
                Part::Bytes(bytes) => return Ok(Some(bytes)),
                Part::Wait(milliseconds) => self.caller.host.wait(milliseconds).await,
                Part::Broken => return Err("connection reset".into()),
                Part::Stall => pending().await,
            }
        }
        self.end();
        Ok(None)
    }
}
