//! The JavaScript host of a call: its clock, randomness, timers and the caller's callbacks.

use std::future::{Future, pending, poll_fn};
use std::rc::Rc;
use std::task::Poll;

use futures_util::FutureExt;
use js_sys::{Date, Function, Math, Promise, Reflect};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::abort::Signal;
use super::event::Listening;
use super::headers::HeadersSource;
use super::live::Watch;
use super::mapping::mapped_counts;
use super::sending::Sending;
use super::serialize::to_js;
use super::workers::{Place, page_instead};
use super::yield_now::{self, ThisThread};
use crate::attempt::any_response::AnyResponse;
use crate::attempt::local::{self, LocalResponse};
use crate::attempt::remote::{Connection, RemoteCall, RemoteResponse};
use crate::attempt::{Attempts, Request};
use crate::counts::Counts;
use crate::retrieve::host::{Host, Span};
use crate::retrieve::progress::{PartitionChange, Progress};
use crate::transport::SendError;
use crate::transport::fetch::{Fetch, Response, ignore_rejection, is_promise, settled, tell_rejection};

#[wasm_bindgen(typescript_custom_section)]
const PROGRESS: &str = r#"
/** The progress of a call. */
export interface Progress {
  /** Number of partitions received. */
  partitionsDone: number;
  /** Number of all partitions. */
  partitions: number;
  /** Number of findings received. */
  findingsDone: number;
  /** Total number of findings; null if the service announces none. */
  findings: number | null;
  /** Size of the bodies of the partitions received, in bytes after decompression. */
  bytes: number;
  /** Number of retries. */
  retries: number;
}

/** A change of the state of a partition. */
export interface PartitionChange {
  /** The index of the partition. */
  index: number;
  /**
   * The new state: `"requested"` when the first attempt begins, `"retrying"` when an attempt has failed and another will
   * follow, `"received"` when the findings are complete, `"failed"` when there will be no other attempt.
   */
  state: "requested" | "retrying" | "received" | "failed";
  /** The number of the attempt, from 1: for `"requested"` and `"retrying"` the next one, otherwise the last one. */
  attempt: number;
  /** The number of findings, once received; before that 0. */
  findings: number;
  /** The size of the body in bytes, once received; before that 0. */
  bytes: number;
}
"#;

/// The host of one call.
pub(super) struct JavaScript {
    /// How requests are sent.
    pub(super) fetch: Fetch,
    /// Where attempts are made.
    pub(super) place: Place,
    /// What the attempts in a worker share.
    pub(super) remote: RemoteCall<Sending>,
    /// The source of headers.
    pub(super) headers: Rc<HeadersSource>,
    /// The caller's mapping of the counts answer.
    pub(super) read_counts: Option<Function>,
    /// The caller's `onProgress`.
    pub(super) on_progress: Option<Function>,
    /// The caller's `onPartition`.
    pub(super) on_partition: Option<Function>,
    /// What shows the progress of a live table.
    pub(super) watch: Option<Rc<Watch>>,
    /// Whether attempts and partitions become performance measures.
    pub(super) measures: bool,
    /// The signals that end the call.
    pub(super) signals: Vec<Signal>,
    /// Ends the call if a promise that a callback returned is rejected; `None` without callbacks.
    pub(super) interrupt: Option<Interrupt>,
}

/// The second argument of `performance.measure`.
#[derive(Serialize)]
struct Measure {
    start: f64,
    end: f64,
    detail: Detail,
}

#[derive(Serialize)]
struct Detail {
    devtools: DevTools,
}

/// Where developer tools show a measure.
#[derive(Serialize)]
struct DevTools {
    track: &'static str,
}

/// Ends a call with a value, once. It is a JavaScript promise, so that no future waits for a promise that never settles.
#[derive(Clone, Debug)]
pub(super) struct Interrupt {
    promise: Promise,
    reject: Option<Function>,
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console, js_name = warn)]
    fn console_warn(message: &str);
    #[wasm_bindgen(js_namespace = performance, catch)]
    fn measure(name: &str, options: &JsValue) -> Result<JsValue, JsValue>;
}

// If the module stops, nothing is dropped, so JavaScript clears these timers.
#[wasm_bindgen(raw_module = "./cleanup.js")]
extern "C" {
    type Timer;
    #[wasm_bindgen(js_name = startTimer)]
    fn start_timer(milliseconds: f64) -> Timer;
    #[wasm_bindgen(js_name = startAwakeTimer)]
    fn start_awake_timer(milliseconds: f64) -> Timer;
    #[wasm_bindgen(method, getter)]
    fn over(this: &Timer) -> Promise;
    #[wasm_bindgen(method)]
    fn clear(this: &Timer);
}

/// A timer that is cleared on drop.
struct Sleep(Timer);

impl Sleep {
    async fn end(&self) {
        // It is never rejected, and does not stay pending.
        let _ = JsFuture::from(self.0.over()).await;
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        self.0.clear();
    }
}

impl Interrupt {
    /// An interrupt that has not occurred.
    pub(super) fn new() -> Self {
        let mut reject_it = None;
        let promise = Promise::new(&mut |_, reject| reject_it = Some(reject));
        // A rejection after the end of the call is not reported as unhandled.
        ignore_rejection(&promise);
        Interrupt { promise, reject: reject_it }
    }

    /// Resolves with the value that ends the call.
    pub(super) async fn value(self) -> JsValue {
        match settled(&self.promise).await {
            Err(value) => value,
            Ok(_) => pending().await,
        }
    }

    /// Interrupts the call when a callback's result is a promise that is rejected.
    fn on_rejection(&self, given: &JsValue) {
        if let Some(reject) = self.reject.as_ref().filter(|_| is_promise(given)) {
            tell_rejection(given, reject);
        }
    }
}

impl JavaScript {
    /// Sends a request from the worker; `None` if the page makes the attempt.
    async fn send_remote(
        &self,
        request: Request<'_>,
        headers: &web_sys::Headers,
    ) -> Result<Option<RemoteResponse>, SendError<JsValue>> {
        let Some(connection) = self.connection().await? else { return Ok(None) };
        let Fetch { credentials, cache, .. } = self.fetch;
        let sending = Sending::new(self.fetch.href(request.path), headers, credentials, cache);
        self.remote.send(&connection, request, sending).await.map(Some)
    }

    /// Connects to the worker; `None` if the page makes the attempt.
    async fn connection(&self) -> Result<Option<Rc<Connection<Sending>>>, SendError<JsValue>> {
        match &self.place {
            Place::Page => Ok(None),
            Place::Worker(source) => source.connection().await.map(Some).map_err(SendError::NoWorker),
            Place::Auto(source) => {
                if !source.has_failed() {
                    match source.connection().await {
                        Ok(connection) => return Ok(Some(connection)),
                        Err(cause) => self.warn(&page_instead(&cause)),
                    }
                }
                self.remote.decodes_here();
                Ok(None)
            }
        }
    }

    fn report(&self, function: &Function, report: &impl Serialize) -> Result<(), JsValue> {
        let returned = function.call1(&JsValue::UNDEFINED, &to_js(report)?)?;
        if let Some(interrupt) = &self.interrupt {
            interrupt.on_rejection(&returned);
        }
        Ok(())
    }

    fn try_to_measure(&self, name: &str, begun: f64) -> Result<JsValue, JsValue> {
        let detail = Detail { devtools: DevTools { track: "inspection-findings" } };
        measure(name, &to_js(&Measure { start: begun, end: self.now(), detail })?)
    }
}

impl Attempts for JavaScript {
    type Value = JsValue;
    type Headers = web_sys::Headers;
    type Response = AnyResponse<LocalResponse<Response, ThisThread>>;

    async fn send(
        &self,
        request: Request<'_>,
        headers: &web_sys::Headers,
    ) -> Result<Self::Response, SendError<JsValue>> {
        // Boxed, so that engines do not compile it for calls that use no worker.
        if !matches!(self.place, Place::Page)
            && let Some(response) = self.send_remote(request, headers).boxed_local().await?
        {
            return Ok(AnyResponse::Remote(response));
        }
        let sent = local::send(&self.fetch, ThisThread, request, headers);
        yield_now::wait(sent).await.map(AnyResponse::Local)
    }
}

impl Host for JavaScript {
    type Thread = ThisThread;

    fn thread(&self) -> ThisThread {
        ThisThread
    }

    fn now(&self) -> f64 {
        yield_now::now()
    }

    fn date(&self) -> f64 {
        Date::now()
    }

    fn random(&self) -> f64 {
        Math::random()
    }

    async fn sleep(&self, milliseconds: f64) {
        // Timers count whole milliseconds. Rounded down, they would fire early.
        Sleep(start_timer(milliseconds.ceil())).end().await;
    }

    async fn sleep_awake(&self, milliseconds: f64) {
        Sleep(start_awake_timer(milliseconds.ceil())).end().await;
    }

    fn is_offline(&self) -> bool {
        let navigator = Reflect::get(&js_sys::global(), &"navigator".into());
        navigator.and_then(|navigator| Reflect::get(&navigator, &"onLine".into())).is_ok_and(|online| online == false)
    }

    async fn back_online(&self) {
        let Ok(listening) = Listening::to(js_sys::global().unchecked_ref(), "online") else { return pending().await };
        poll_fn(|context| if listening.has_heard(context) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn headers(
        &self,
        path: &str,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<web_sys::Headers, JsValue>> + 'static {
        self.headers.ask(self.fetch.href(path), attempt, status)
    }

    fn can_refresh(&self) -> bool {
        self.headers.is_function()
    }

    fn map_counts(&self, body: &[u8]) -> Option<Result<Counts<String>, JsValue>> {
        self.read_counts.as_ref().map(|function| mapped_counts(function, body))
    }

    fn is_over(&self) -> bool {
        self.signals.iter().any(|signal| !matches!(signal.reason_of_abort(), Ok(None)))
    }

    fn progress(&self, progress: &Progress) -> Result<(), JsValue> {
        self.on_progress.as_ref().map_or(Ok(()), |function| self.report(function, progress))
    }

    fn changed(&self, progress: &Progress) {
        if let Some(watch) = &self.watch {
            watch.note(*progress);
        }
    }

    fn partition(&self, change: &PartitionChange) -> Result<(), JsValue> {
        self.on_partition.as_ref().map_or(Ok(()), |function| self.report(function, change))
    }

    fn measure(&self, Span { subject, attempt, begun }: Span) {
        if self.measures {
            let name = match attempt {
                Some(attempt) => format!("{subject}, attempt {attempt}"),
                None => subject.to_string(),
            };
            // A call does not fail because the host cannot measure.
            let _ = self.try_to_measure(&name, begun);
        }
    }

    fn warn(&self, message: &str) {
        console_warn(message);
    }
}
