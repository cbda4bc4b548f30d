//! A world for tests: a service that answers by a script, a clock that moves only when everybody waits, fixed chance.

pub(crate) mod clock;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use self::clock::{Clock, Sleeping};
use crate::counts::Counts;
use crate::retrieve::host::{Host, Span};
use crate::retrieve::progress::{PartitionChange, Progress};
use crate::transport::{Answer, Piece, SendError, Transport};

/// A handle on the world; clones are the same world.
#[derive(Clone, Default)]
pub(crate) struct MockHost {
    world: Rc<World>,
}

/// How the service treats one request.
#[derive(Clone)]
pub(crate) struct Reply {
    after: f64,
    head: Head,
    body: Vec<Part>,
}

#[derive(Clone)]
enum Head {
    Status { status: u16, retry_after: Option<String>, redirect: bool },
    Broken,
    NoResponse,
    Never,
}

/// A part of a body on the wire.
#[derive(Clone)]
pub(crate) enum Part {
    /// These bytes come at once.
    Bytes(Vec<u8>),
    /// Nothing comes for that many milliseconds.
    Wait(f64),
    /// The connection breaks.
    Broken,
    /// Nothing comes any more.
    Stall,
}

#[derive(Default)]
struct World {
    clock: Clock,
    replies: RefCell<HashMap<String, VecDeque<Reply>>>,
    requests: RefCell<Vec<Request>>,
    in_flight: Cell<usize>,
    most_in_flight: Cell<usize>,
    progress: RefCell<Vec<Progress>>,
    warnings: RefCell<Vec<String>>,
    changes: RefCell<Vec<PartitionChange>>,
    spans: RefCell<Vec<(Span, f64)>>,
    online_again_at: Cell<Option<f64>>,
    hides_headers: Cell<bool>,
    asked: RefCell<Vec<(u32, Option<u16>)>>,
    headers: RefCell<Option<HeadersFunction>>,
    thrown_by_progress: Cell<Option<&'static str>>,
    thrown_by_partition: Cell<Option<&'static str>>,
    mapped: RefCell<Option<Counts<String>>>,
}

type HeadersFunction = Rc<dyn Fn(u32, Option<u16>) -> (f64, Result<String, String>)>;

/// A request that the service saw.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// When it was sent.
    pub(crate) time: f64,
    /// Its path.
    pub(crate) path: String,
    /// Its headers.
    pub(crate) headers: String,
}

impl Reply {
    /// An answer with that status and body.
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Reply {
            after: 0.0,
            head: Head::Status { status, retry_after: None, redirect: false },
            body: vec![Part::Bytes(body.into())],
        }
    }

    /// A success with that body.
    pub(crate) fn ok(body: impl Into<Vec<u8>>) -> Self {
        Reply::new(200, body)
    }

    /// No answer: the connection breaks.
    pub(crate) fn broken() -> Self {
        Reply { head: Head::Broken, ..Reply::ok("") }
    }

    /// Something that is no response.
    pub(crate) fn no_response() -> Self {
        Reply { head: Head::NoResponse, ..Reply::ok("") }
    }

    /// Nothing, ever.
    pub(crate) fn never() -> Self {
        Reply { head: Head::Never, ..Reply::ok("") }
    }

    /// A redirect as a browser shows it.
    pub(crate) fn redirect() -> Self {
        Reply { head: Head::Status { status: 0, retry_after: None, redirect: true }, ..Reply::ok("") }
    }

    /// The same with a `Retry-After`.
    pub(crate) fn retry_after(mut self, value: &str) -> Self {
        if let Head::Status { retry_after, .. } = &mut self.head {
            *retry_after = Some(value.to_owned());
        }
        self
    }

    /// The same after that many milliseconds.
    pub(crate) fn after(self, milliseconds: f64) -> Self {
        Reply { after: milliseconds, ..self }
    }

    /// The same with the body in these parts.
    pub(crate) fn parts(self, body: Vec<Part>) -> Self {
        Reply { body, ..self }
    }
}

impl MockHost {
    /// The service gives these answers to that path, one after the other, and the last one for ever.
    pub(crate) fn reply(&self, path: &str, replies: impl IntoIterator<Item = Reply>) {
        self.world.replies.borrow_mut().insert(path.to_owned(), replies.into_iter().collect());
    }

    /// The caller's headers function: what it gives, after how many milliseconds.
    pub(crate) fn headers_from(&self, function: impl Fn(u32, Option<u16>) -> (f64, Result<String, String>) + 'static) {
        self.world.headers.replace(Some(Rc::new(function)));
    }

    /// The caller's progress function throws this.
    pub(crate) fn progress_throws(&self, value: &'static str) {
        self.world.thrown_by_progress.set(Some(value));
    }

    /// The caller's partition function throws this.
    pub(crate) fn partition_throws(&self, value: &'static str) {
        self.world.thrown_by_partition.set(Some(value));
    }

    /// The host is offline until that time.
    pub(crate) fn offline_until(&self, time: f64) {
        self.world.online_again_at.set(Some(time));
    }

    /// The answers come from another origin, and their headers are not exposed.
    pub(crate) fn hide_headers(&self) {
        self.world.hides_headers.set(true);
    }

    /// The caller maps the counts answer to these counts.
    pub(crate) fn counts_are_mapped_to(&self, counts: Counts<String>) {
        self.world.mapped.replace(Some(counts));
    }

    /// Runs a future to its end, moving the clock whenever everybody waits for it.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            if let Some(result) = self.poll_while_awake(future.as_mut()) {
                return result;
            }
            assert!(self.world.clock.ring_next(), "everybody waits and no alarm is set");
        }
    }

    /// Runs a future until that time and drops it there, as an abort does.
    pub(crate) fn run_until<T>(&self, time: f64, future: impl Future<Output = T>) -> Option<T> {
        let mut future = Box::pin(future);
        loop {
            if let Some(result) = self.poll_while_awake(future.as_mut()) {
                return Some(result);
            }
            if self.world.clock.next_alarm().is_none_or(|next| next > time) {
                self.world.clock.move_to(time);
                return None;
            }
            self.world.clock.ring_next();
        }
    }

    /// The requests that the service saw.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.world.requests.borrow().clone()
    }

    /// When the requests with that path were sent.
    pub(crate) fn times(&self, path: &str) -> Vec<f64> {
        self.requests().into_iter().filter(|request| request.path == path).map(|request| request.time).collect()
    }

    /// Requests in flight now, and the most that ever were at the same time.
    pub(crate) fn in_flight(&self) -> (usize, usize) {
        (self.world.in_flight.get(), self.world.most_in_flight.get())
    }

    /// What the progress function was told.
    pub(crate) fn told(&self) -> Vec<Progress> {
        self.world.progress.borrow().clone()
    }

    /// What the partition function was told.
    pub(crate) fn changes(&self) -> Vec<PartitionChange> {
        self.world.changes.borrow().clone()
    }

    /// What was measured, each with its end.
    pub(crate) fn spans(&self) -> Vec<(Span, f64)> {
        self.world.spans.borrow().clone()
    }

    /// What was warned of.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.world.warnings.borrow().clone()
    }

    /// What the headers function was asked with.
    pub(crate) fn asked(&self) -> Vec<(u32, Option<u16>)> {
        self.world.asked.borrow().clone()
    }

    /// Alarms that somebody still waits for.
    pub(crate) fn alarms(&self) -> usize {
        self.world.clock.alarms()
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

    fn next_reply(&self, path: &str) -> Reply {
        let mut replies = self.world.replies.borrow_mut();
        let replies = replies.get_mut(path).unwrap_or_else(|| panic!("no reply scripted for {path}"));
        if replies.len() > 1 { replies.pop_front().unwrap() } else { replies[0].clone() }
    }

    fn sleeping(&self, milliseconds: f64) -> Sleeping {
        self.world.clock.sleep(milliseconds)
    }
}

impl Transport for MockHost {
    type Value = String;
    type Headers = String;
    type Answer = ScriptedAnswer;

    async fn send(&self, path: &str, headers: &String) -> Result<ScriptedAnswer, SendError<String>> {
        let request = Request { time: self.world.clock.now(), path: path.to_owned(), headers: headers.clone() };
        self.world.requests.borrow_mut().push(request);
        let in_flight = InFlight::new(&self.world);
        let Reply { after, head, body } = self.next_reply(path);
        self.sleeping(after).await;
        match head {
            Head::Status { status, retry_after, redirect } => Ok(ScriptedAnswer {
                world: self.clone(),
                status,
                retry_after,
                redirect,
                body: body.into(),
                _in_flight: in_flight,
            }),
            Head::Broken => Err(SendError::Connection("connection refused".into())),
            Head::NoResponse => Err(SendError::NoResponse("not a response".into())),
            Head::Never => std::future::pending().await,
        }
    }
}

impl Host for MockHost {
    fn now(&self) -> f64 {
        self.world.clock.now()
    }

    fn date(&self) -> f64 {
        784_111_777_000.0 + self.world.clock.now()
    }

    fn read_number(json: &str) -> f64 {
        columns::number_interner::rust_number(json)
    }

    fn random(&self) -> f64 {
        0.5
    }

    async fn sleep(&self, milliseconds: f64) {
        self.sleeping(milliseconds).await;
    }

    fn is_offline(&self) -> bool {
        self.world.online_again_at.get().is_some_and(|time| self.world.clock.now() < time)
    }

    async fn back_online(&self) {
        match self.world.online_again_at.get() {
            Some(time) if self.world.clock.now() < time => self.sleeping(time - self.world.clock.now()).await,
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
            let function = host.world.headers.borrow().clone();
            let Some(function) = function else { return Ok("fixed".into()) };
            host.world.asked.borrow_mut().push((attempt, status));
            let (wait, headers) = function(attempt, status);
            host.sleep(wait).await;
            headers
        }
    }

    fn can_refresh(&self) -> bool {
        self.world.headers.borrow().is_some()
    }

    fn map_counts(&self, _: &[u8]) -> Option<Result<Counts<String>, String>> {
        self.world.mapped.borrow().clone().map(Ok)
    }

    fn is_over(&self) -> bool {
        false
    }

    async fn yield_now(&self) {
        self.sleeping(0.0).await;
    }

    fn progress(&self, progress: &Progress) -> Result<(), String> {
        self.world.progress.borrow_mut().push(*progress);
        self.world.thrown_by_progress.get().map_or(Ok(()), |value| Err(value.to_owned()))
    }

    fn partition(&self, change: &PartitionChange) -> Result<(), String> {
        self.world.changes.borrow_mut().push(*change);
        self.world.thrown_by_partition.get().map_or(Ok(()), |value| Err(value.to_owned()))
    }

    fn measure(&self, span: Span) {
        self.world.spans.borrow_mut().push((span, self.world.clock.now()));
    }

    fn warn(&self, message: &str) {
        self.world.warnings.borrow_mut().push(message.to_owned());
    }
}

/// An answer of the scripted service.
pub(crate) struct ScriptedAnswer {
    world: MockHost,
    status: u16,
    retry_after: Option<String>,
    redirect: bool,
    body: VecDeque<Part>,
    _in_flight: InFlight,
}

impl Answer for ScriptedAnswer {
    type Value = String;
    type Piece = Vec<u8>;

    fn status(&self) -> u16 {
        self.status
    }

    fn is_redirect(&self) -> bool {
        self.redirect
    }

    fn hides_headers(&self) -> bool {
        self.world.world.hides_headers.get()
    }

    fn retry_after(&self) -> Option<String> {
        if self.hides_headers() { None } else { self.retry_after.clone() }
    }

    fn announced_length(&self) -> Option<usize> {
        None
    }

    async fn next_piece(&mut self) -> Result<Option<Vec<u8>>, String> {
        while let Some(part) = self.body.pop_front() {
            match part {
                Part::Bytes(bytes) => return Ok(Some(bytes)),
                Part::Wait(milliseconds) => self.world.sleeping(milliseconds).await,
                Part::Broken => return Err("connection reset".into()),
                Part::Stall => std::future::pending().await,
            }
        }
        Ok(None)
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
    world: Rc<World>,
}

impl InFlight {
    fn new(world: &Rc<World>) -> Self {
        world.in_flight.update(|requests| requests + 1);
        world.most_in_flight.set(world.most_in_flight.get().max(world.in_flight.get()));
        InFlight { world: Rc::clone(world) }
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.world.in_flight.update(|requests| requests - 1);
    }
}

struct Awake(AtomicBool);

impl Wake for Awake {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
