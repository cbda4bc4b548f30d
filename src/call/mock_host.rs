//! A mock host for tests: a service with scripted responses, a virtual clock and a fixed random number.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use chunk::decoding::{Packing, Runtime};
use chunk::hash::HashSeed;
use chunk::memory::OutOfMemory;
use chunk::rows::json::packed_rows;
use chunk::value::host_json::HostJson;

use crate::accumulator::Objects;
use crate::clock::{Clock, Sleeping};
use crate::contract::KindCounts;
use crate::counts::Counts;
use crate::error::{Error, ErrorKind};
use crate::retrieve::host::{Delegated, DelegatedTo, Host};
use crate::retrieve::progress::{PartitionChange, PartitionState, Progress};
use crate::transport::body::Body;
use crate::transport::response::{BodyError, Piece};
use crate::transport::retry_after::RetryAfter;
use crate::transport::{self, Kept, Response, SendError, Sender, Transport};
use chunk::form::{Form, Formed};

/// A mock host. Clones share its state.
#[derive(Clone, Default)]
pub(crate) struct MockHost {
    state: Rc<State>,
}

/// The response of the service to one request.
#[derive(Clone)]
pub(crate) struct ScriptedResponse {
    after: f64,
    head: Head,
    announced: Option<usize>,
    is_encoded: bool,
    is_html: bool,
    body: Vec<Part>,
}

#[derive(Clone)]
enum Head {
    Status { status: u16, retry_after: Option<RetryAfter>, redirect: bool },
    Broken,
    NoResponse,
    Never,
}

/// A part of a body, as it arrives.
#[derive(Clone)]
pub(crate) enum Part {
    /// These bytes arrive at once.
    Bytes(Vec<u8>),
    /// Nothing arrives for this many milliseconds.
    Wait(f64),
    /// The connection breaks.
    Broken,
    /// Nothing arrives any more.
    Stall,
}

#[derive(Default)]
struct State {
    clock: Clock,
    responses: RefCell<HashMap<String, VecDeque<ScriptedResponse>>>,
    requests: RefCell<Vec<Request>>,
    in_flight: Cell<usize>,
    most_in_flight: Cell<usize>,
    progress: RefCell<Vec<Progress>>,
    shown: RefCell<Vec<Progress>>,
    warnings: RefCell<Vec<String>>,
    changes: RefCell<Vec<(PartitionChange, Option<ErrorKind>)>>,
    online_again_at: Cell<Option<f64>>,
    hides_headers: Cell<bool>,
    header_calls: RefCell<Vec<(u32, Option<u16>)>>,
    headers: RefCell<Option<HeadersFunction>>,
    thrown_by_progress: Cell<Option<&'static str>>,
    thrown_by_partition: Cell<Option<(Option<u64>, PartitionState, &'static str)>>,
    mapped: RefCell<Option<Counts<String>>>,
    prepared: RefCell<Vec<Option<KindCounts>>>,
    work: RefCell<VecDeque<MockWork>>,
    /// What a worker does with the requests that it may send.
    requests_in_worker: RefCell<VecDeque<MockRequest>>,
    /// Who may send each request.
    senders: RefCell<Vec<Sender>>,
    /// Whether calls keep objects.
    as_objects: Cell<bool>,
    thrown_by_build: Cell<Option<(&'static str, u32)>>,
}

/// How a worker deals with a body.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MockWork {
    /// Returns its findings.
    Packed,
    /// Returns bytes that are no packed findings.
    Junk,
    /// Returns the body: the page decodes it.
    Returned,
    /// Loses the body.
    Lost,
    /// There is no worker.
    NoWorker,
}

/// What a worker does with a request that it may send.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MockRequest {
    /// Sends it, and keeps the body.
    Keeps,
    /// Gets no response.
    Fails,
    /// Sends it, and ends before it has the body.
    Ends,
}

/// Decodes a body as a worker does.
pub(crate) fn packed(body: &[u8], columns: Option<&[u8]>, form: Form) -> Option<Vec<u8>> {
    let names = columns.map(|_| body.len());
    let body = [body, columns.unwrap_or_default()].concat();
    let mut packing = Packing::new(body.len(), MockHost::hash_seed(), form).ok()?;
    packing.body_mut().copy_from_slice(&body);
    packing.begin(names);
    while !packing.advance(100) {}
    packing.packed().map(<[u8]>::to_vec)
}

/// The objects of a partition, as JSON.
pub(crate) type MockObjects = Vec<String>;

/// The findings of a partition in the form of its call.
pub(crate) type MockFindings = Formed<MockObjects>;

impl Objects for MockObjects {
    fn len(&self) -> usize {
        self.len()
    }
}

/// Builds objects from packed rows.
pub(crate) fn built(rows: &[u8]) -> Result<MockObjects, String> {
    packed_rows(rows).ok_or_else(|| "the rows are malformed".into())
}

type HeadersFunction = Rc<dyn Fn(u32, Option<u16>) -> (f64, Result<String, String>)>;

/// A request that the service received.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// When it was sent.
    pub(crate) time: f64,
    /// Its path.
    pub(crate) path: String,
    /// Its headers.
    pub(crate) headers: String,
}

impl ScriptedResponse {
    /// A response with a status and a body.
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        ScriptedResponse {
            after: 0.0,
            head: Head::Status { status, retry_after: None, redirect: false },
            announced: None,
            is_encoded: false,
            is_html: false,
            body: vec![Part::Bytes(body.into())],
        }
    }

    /// A response with status 200 and a body.
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        ScriptedResponse::new(200, body)
    }

    /// No response: the connection breaks.
    pub(crate) fn broken() -> Self {
        ScriptedResponse { head: Head::Broken, ..ScriptedResponse::ok("") }
    }

    /// Something other than a response.
    pub(crate) fn no_response() -> Self {
        ScriptedResponse { head: Head::NoResponse, ..ScriptedResponse::ok("") }
    }

    /// No response, ever.
    pub(crate) fn never() -> Self {
        ScriptedResponse { head: Head::Never, ..ScriptedResponse::ok("") }
    }

    /// A redirect as a browser reports it.
    pub(crate) fn redirect() -> Self {
        ScriptedResponse {
            head: Head::Status { status: 0, retry_after: None, redirect: true },
            ..ScriptedResponse::ok("")
        }
    }

    /// Adds a `Retry-After` header.
    pub(crate) fn retry_after(mut self, value: RetryAfter) -> Self {
        if let Head::Status { retry_after, .. } = &mut self.head {
            *retry_after = Some(value);
        }
        self
    }

    /// Adds a `Content-Length` header.
    pub(crate) fn announcing(self, length: usize) -> Self {
        ScriptedResponse { announced: Some(length), ..self }
    }

    /// Adds a `Content-Encoding` header.
    pub(crate) fn encoded(self) -> Self {
        ScriptedResponse { is_encoded: true, ..self }
    }

    /// Adds the `Content-Type` header of an HTML page.
    pub(crate) fn page(self) -> Self {
        ScriptedResponse { is_html: true, ..self }
    }

    /// Delays the response by this many milliseconds.
    pub(crate) fn after(self, milliseconds: f64) -> Self {
        ScriptedResponse { after: milliseconds, ..self }
    }

    /// Replaces the body.
    pub(crate) fn parts(self, body: Vec<Part>) -> Self {
        ScriptedResponse { body, ..self }
    }
}

impl MockHost {
    /// Scripts the responses to a path: one after the other, and the last one for all further requests.
    pub(crate) fn respond(&self, path: &str, responses: impl IntoIterator<Item = ScriptedResponse>) {
        self.state.responses.borrow_mut().insert(path.to_owned(), responses.into_iter().collect());
    }

    /// Sets the `headers` function, which returns the milliseconds that it takes and its result.
    pub(crate) fn headers_from(&self, function: impl Fn(u32, Option<u16>) -> (f64, Result<String, String>) + 'static) {
        self.state.headers.replace(Some(Rc::new(function)));
    }

    /// Makes the `onProgress` function throw this.
    pub(crate) fn progress_throws(&self, value: &'static str) {
        self.state.thrown_by_progress.set(Some(value));
    }

    /// Makes the `onPartition` function throw this once, when a partition or the counts reach this state.
    pub(crate) fn partition_throws(&self, index: Option<u64>, state: PartitionState, value: &'static str) {
        self.state.thrown_by_partition.set(Some((index, state, value)));
    }

    /// Makes a worker do this with the bodies, one after the other; the page decodes the rest.
    pub(crate) fn delegates(&self, work: impl IntoIterator<Item = MockWork>) {
        self.state.work.replace(work.into_iter().collect());
    }

    /// Makes a worker do this with the requests that it may send, one after the other; the page sends the rest.
    pub(crate) fn sends_in_worker(&self, requests: impl IntoIterator<Item = MockRequest>) {
        self.state.requests_in_worker.replace(requests.into_iter().collect());
    }

    /// Who may have sent each request.
    pub(crate) fn senders(&self) -> Vec<Sender> {
        self.state.senders.borrow().clone()
    }

    /// Makes the calls build objects.
    pub(crate) fn build_objects(&self) {
        self.state.as_objects.set(true);
    }

    /// Makes building objects throw this so many times.
    pub(crate) fn build_throws(&self, value: &'static str, times: u32) {
        self.state.thrown_by_build.set(Some((value, times)));
    }

    /// What the calls have reported for the choice of a worker.
    pub(crate) fn prepared(&self) -> Vec<Option<KindCounts>> {
        self.state.prepared.borrow().clone()
    }

    /// Makes the host offline until a time.
    pub(crate) fn offline_until(&self, time: f64) {
        self.state.online_again_at.set(Some(time));
    }

    /// Hides the headers of responses, as CORS does.
    pub(crate) fn hide_headers(&self) {
        self.state.hides_headers.set(true);
    }

    /// Makes the `readCounts` function return these counts.
    pub(crate) fn counts_are_mapped_to(&self, counts: Counts<String>) {
        self.state.mapped.replace(Some(counts));
    }

    /// Runs a future until it resolves. Advances the clock whenever the future is pending.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            if let Some(result) = self.poll_while_awake(future.as_mut()) {
                return result;
            }
            assert!(self.state.clock.ring_next(), "the future is pending and no alarm is set");
        }
    }

    /// Runs a future until it resolves or a time is reached. Then drops it, as an abort does.
    pub(crate) fn run_until<T>(&self, time: f64, future: impl Future<Output = T>) -> Option<T> {
        let mut future = Box::pin(future);
        loop {
            if let Some(result) = self.poll_while_awake(future.as_mut()) {
                return Some(result);
            }
            if self.state.clock.next_alarm().is_none_or(|next| next > time) {
                self.state.clock.move_to(time);
                return None;
            }
            self.state.clock.ring_next();
        }
    }

    /// The requests that the service received.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.state.requests.borrow().clone()
    }

    /// The times of the requests for a path.
    pub(crate) fn times(&self, path: &str) -> Vec<f64> {
        self.requests().into_iter().filter(|request| request.path == path).map(|request| request.time).collect()
    }

    /// The number of requests in flight now, and its maximum so far.
    pub(crate) fn in_flight(&self) -> (usize, usize) {
        (self.state.in_flight.get(), self.state.most_in_flight.get())
    }

    /// The calls of the `onProgress` function.
    pub(crate) fn reported_progress(&self) -> Vec<Progress> {
        self.state.progress.borrow().clone()
    }

    /// The progress shown to those who watch, in order.
    pub(crate) fn shown_progress(&self) -> Vec<Progress> {
        self.state.shown.borrow().clone()
    }

    /// The calls of the `onPartition` function, with what failed.
    pub(crate) fn changes(&self) -> Vec<(PartitionChange, Option<ErrorKind>)> {
        self.state.changes.borrow().clone()
    }

    /// The warnings.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.state.warnings.borrow().clone()
    }

    /// The calls of the `headers` function: attempt and status.
    pub(crate) fn header_calls(&self) -> Vec<(u32, Option<u16>)> {
        self.state.header_calls.borrow().clone()
    }

    /// The number of alarms set.
    pub(crate) fn alarms(&self) -> usize {
        self.state.clock.alarms()
    }

    fn poll_while_awake<T>(&self, mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
        let awake = Arc::new(Awake(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&awake));
        while awake.0.swap(false, Ordering::Relaxed) {
            if let Poll::Ready(result) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                return Some(result);
            }
        }
        None
    }

    fn next_response(&self, path: &str) -> ScriptedResponse {
        let mut responses = self.state.responses.borrow_mut();
        let responses = responses.get_mut(path).unwrap_or_else(|| panic!("no response scripted for {path}"));
        if responses.len() > 1 { responses.pop_front().unwrap() } else { responses[0].clone() }
    }

    fn sleeping(&self, milliseconds: f64) -> Sleeping {
        self.state.clock.sleep(milliseconds)
    }
}

impl Transport for MockHost {
    type Value = String;
    type Headers = String;
    type Kept = MockKept;
    type Response = MockResponse;

    async fn send(&self, path: &str, headers: &String, sender: Sender) -> Result<MockResponse, SendError<String>> {
        self.state.senders.borrow_mut().push(sender);
        let in_worker = match sender {
            Sender::Any => self.state.requests_in_worker.borrow_mut().pop_front(),
            Sender::Page | Sender::PageAfterWorker => None,
        };
        let request = Request { time: self.state.clock.now(), path: path.to_owned(), headers: headers.clone() };
        self.state.requests.borrow_mut().push(request);
        let in_flight = InFlight::new(&self.state);
        let ScriptedResponse { after, head, announced, is_encoded, is_html, body } = self.next_response(path);
        self.sleeping(after).await;
        match head {
            Head::Status { .. } if matches!(in_worker, Some(MockRequest::Fails)) => {
                Err(SendError::InWorker("refused by a policy".into()))
            }
            Head::Status { status, retry_after, redirect } => Ok(MockResponse {
                in_worker,
                host: self.clone(),
                head: transport::Head {
                    status,
                    is_success: matches!(status, 200..=203 | 207..=299),
                    is_redirect: redirect,
                    destination: redirect.then(|| "https://login.example".to_owned()),
                    hides_headers: self.state.hides_headers.get(),
                    retry_after: retry_after.filter(|_| !self.state.hides_headers.get()),
                    is_html,
                    length: announced,
                    is_encoded,
                },
                body: body.into(),
                _in_flight: in_flight,
            }),
            Head::Broken => Err(SendError::Connection("connection refused".into())),
            Head::NoResponse => Err(SendError::NoResponse("not a response".into())),
            Head::Never => std::future::pending().await,
        }
    }
}

impl Runtime for MockHost {
    const JSON: HostJson = HostJson::RUST;

    fn hash_seed() -> HashSeed {
        HashSeed::new(0.5)
    }

    async fn yield_now(&self) {
        self.sleeping(0.0).await;
    }
}

impl Host for MockHost {
    type Runtime = MockHost;
    type Packed = Vec<u8>;
    type Objects = MockObjects;

    fn runtime(&self) -> MockHost {
        self.clone()
    }

    fn form(&self) -> Form {
        if self.state.as_objects.get() { Form::Rows } else { Form::Chunk }
    }

    fn prepare_worker(&self, counts: Option<KindCounts>) {
        self.state.prepared.borrow_mut().push(counts);
    }

    async fn delegate(&self, body: Body<MockKept>) -> Result<DelegatedTo<Self>, String> {
        let work = self.state.work.borrow_mut().pop_front();
        let packed = match work {
            None | Some(MockWork::Returned) => None,
            Some(MockWork::Lost) => return Ok(Delegated { packed: None, body: None }),
            Some(MockWork::NoWorker) => return Err("no worker".into()),
            Some(MockWork::Junk) => Some(b"junk".to_vec()),
            Some(MockWork::Packed) => packed(bytes_of(&body), None, self.form()),
        };
        Ok(Delegated { packed, body: Some(body) })
    }

    fn copied(&self, packed: &Vec<u8>) -> Option<Vec<u8>> {
        Some(packed.clone())
    }

    fn handed_over(&self, rows: &[u8]) -> Result<Vec<u8>, OutOfMemory> {
        Ok(rows.to_vec())
    }

    async fn build(&self, rows: &Vec<u8>) -> Result<MockObjects, String> {
        self.sleeping(1.0).await;
        match self.state.thrown_by_build.take() {
            Some((value, times)) if times > 0 => {
                self.state.thrown_by_build.set(Some((value, times - 1)));
                Err(value.into())
            }
            _ => built(rows),
        }
    }

    fn url(&self, path: &str) -> String {
        format!("https://service.test/{path}")
    }

    fn explain(&self, error: &mut Error<String>, headers: &[String]) {
        error.reason.get_or_insert_with(|| format!("headers {headers:?}"));
    }

    fn now(&self) -> f64 {
        self.state.clock.now()
    }

    fn date(&self) -> f64 {
        784_111_777_000.0 + self.state.clock.now()
    }

    fn random(&self) -> f64 {
        0.5
    }

    async fn sleep(&self, milliseconds: f64) {
        self.sleeping(milliseconds).await;
    }

    fn is_offline(&self) -> bool {
        self.state.online_again_at.get().is_some_and(|time| self.state.clock.now() < time)
    }

    async fn back_online(&self) {
        match self.state.online_again_at.get() {
            Some(time) if self.state.clock.now() < time => self.sleeping(time - self.state.clock.now()).await,
            _ => std::future::pending().await,
        }
    }

    fn headers(
        &self,
        _: &str,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<String, String>> + 'static {
        let host = self.clone();
        async move {
            let function = host.state.headers.borrow().clone();
            let Some(function) = function else { return Ok("fixed".into()) };
            host.state.header_calls.borrow_mut().push((attempt, status));
            let (wait, headers) = function(attempt, status);
            host.sleep(wait).await;
            headers
        }
    }

    fn can_refresh(&self) -> bool {
        self.state.headers.borrow().is_some()
    }

    fn map_counts(&self, _: &[u8]) -> Option<Result<Counts<String>, String>> {
        self.state.mapped.borrow().clone().map(Ok)
    }

    fn is_over(&self) -> bool {
        false
    }

    fn progress(&self, progress: &Progress) -> Result<(), String> {
        self.state.progress.borrow_mut().push(*progress);
        self.state.thrown_by_progress.get().map_or(Ok(()), |value| Err(value.to_owned()))
    }

    fn changed(&self, progress: &Progress) {
        self.state.shown.borrow_mut().push(*progress);
    }

    fn partition(&self, change: &PartitionChange, error: Option<&Error<String>>) -> Result<(), String> {
        self.state.changes.borrow_mut().push((*change, error.map(|error| error.kind.clone())));
        let thrown = self.state.thrown_by_partition.get();
        match thrown.filter(|(index, state, _)| (*index, *state) == (change.index, change.state)) {
            Some((.., value)) => {
                self.state.thrown_by_partition.set(None);
                Err(value.to_owned())
            }
            None => Ok(()),
        }
    }

    fn warn(&self, message: &str) {
        self.state.warnings.borrow_mut().push(message.to_owned());
    }
}

/// A response of the mock service.
pub(crate) struct MockResponse {
    host: MockHost,
    head: transport::Head,
    in_worker: Option<MockRequest>,
    body: VecDeque<Part>,
    _in_flight: InFlight,
}

impl Response for MockResponse {
    type Value = String;
    type Piece = Vec<u8>;
    type Kept = MockKept;

    fn head(&self) -> &transport::Head {
        &self.head
    }

    fn arrives_by_turns(&self) -> bool {
        false
    }

    fn is_kept(&self) -> bool {
        self.in_worker.is_some()
    }

    async fn kept(&mut self) -> Result<MockKept, BodyError<String>> {
        if matches!(self.in_worker, Some(MockRequest::Ends)) {
            return Err(BodyError::Lost);
        }
        let mut bytes = Vec::new();
        while let Some(piece) = self.next_part().await? {
            bytes.extend(piece);
        }
        Ok(MockKept(bytes))
    }

    async fn next_piece(&mut self) -> Result<Option<Vec<u8>>, BodyError<String>> {
        Ok(self.next_part().await?)
    }
}

impl MockResponse {
    async fn next_part(&mut self) -> Result<Option<Vec<u8>>, String> {
        while let Some(part) = self.body.pop_front() {
            match part {
                Part::Bytes(bytes) => return Ok(Some(bytes)),
                Part::Wait(milliseconds) => self.host.sleeping(milliseconds).await,
                Part::Broken => return Err("connection reset".into()),
                Part::Stall => std::future::pending().await,
            }
        }
        Ok(None)
    }
}

/// A body that the mock worker keeps.
pub(crate) struct MockKept(Vec<u8>);

/// The bytes of a body.
fn bytes_of(body: &Body<MockKept>) -> &[u8] {
    match body {
        Body::Bytes(bytes) | Body::Kept(MockKept(bytes)) => bytes,
    }
}

impl Kept for MockKept {
    type Value = String;
    type Piece = Vec<u8>;

    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    async fn read(&self) -> Result<Vec<u8>, String> {
        Ok(self.0.clone())
    }
}

impl Piece for Vec<u8> {
    type Value = String;

    fn length(&self) -> usize {
        self.len()
    }

    fn copy_to(&self, target: &mut [u8]) -> Result<(), String> {
        target.copy_from_slice(&self[..target.len()]);
        Ok(())
    }
}

struct InFlight {
    state: Rc<State>,
}

impl InFlight {
    fn new(state: &Rc<State>) -> Self {
        state.in_flight.update(|requests| requests + 1);
        state.most_in_flight.set(state.most_in_flight.get().max(state.in_flight.get()));
        InFlight { state: Rc::clone(state) }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.state.in_flight.update(|requests| requests - 1);
    }
}

struct Awake(AtomicBool);

impl Wake for Awake {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
