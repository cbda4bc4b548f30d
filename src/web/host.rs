//! The JavaScript host of a call: its clock, randomness, timers and the caller's callbacks.

use std::cell::{Cell, RefCell};
use std::future::{Future, pending, poll_fn};
use std::rc::Rc;
use std::task::{Poll, Waker};

use chunk::memory::OutOfMemory;
use js_sys::{Function, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::abort::AbortListener;
use super::error::{ErrorContext, error_of_attempt, explain};
use super::event::EventListener;
use super::headers::HeadersSource;
#[cfg(feature = "tables")]
use super::live::Watch;
use super::mapping::mapped_counts;
use super::rows::{self, FindingList};
use super::serialize::to_js;
use super::workers::CallWorker;
use super::yield_now::{self, ThisRuntime};
use crate::fetch::{Fetch, FetchResponse, Held};
use crate::host_functions;
#[cfg(feature = "tables")]
use crate::js_bytes;
use call::contract::KindCounts;
use call::counts::Counts;
use call::error::Error;
use call::retrieve::host::{Delegated, DelegatedTo, Host};
use call::retrieve::progress::{PartitionChange, Progress};
use call::transport::body::Body;
use call::transport::{SendError, Sender, Transport};
use chunk::form::Form;

/// The host of one call.
pub(super) struct JavaScript {
    /// How requests are sent.
    pub(super) fetch: Fetch,
    /// The names of the columns to keep.
    pub(super) columns: Option<Rc<[u8]>>,
    /// The form of the findings.
    pub(super) form: Form,
    /// Where bodies are decoded.
    pub(super) worker: CallWorker,
    /// The source of headers.
    pub(super) headers: HeadersSource,
    /// The headers of the first attempt, if their function was asked before the module was ready.
    pub(super) asked_headers: Cell<Option<Promise>>,
    /// The caller's `readCounts`.
    pub(super) read_counts: Option<Function>,
    /// The caller's `onProgress`.
    pub(super) on_progress: Option<Function>,
    /// The caller's `onPartition`.
    pub(super) on_partition: Option<Function>,
    /// What the errors of the call contain.
    pub(super) context: ErrorContext,
    /// The live table that the call belongs to.
    #[cfg(feature = "tables")]
    pub(super) watch: Option<Rc<Watch>>,
    /// The signals that end the call.
    pub(super) signals: Vec<Rc<AbortListener>>,
    /// Ends the call if a promise that a callback returned is rejected; `None` without callbacks.
    pub(super) interrupt: Option<Interrupt>,
}

/// Ends a call with the reason of the first rejected promise that a callback has returned.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Rc<Rejection>);

/// The reason of a rejection, and the task that waits for it.
#[derive(Debug, Default)]
struct Rejection {
    /// The number of promises that have not settled.
    pending: Cell<u32>,
    reason: RefCell<Option<JsValue>>,
    waker: RefCell<Option<Waker>>,
}

/// A timer that is cleared on drop. After a trap nothing is dropped, so JavaScript clears it.
struct Sleep(host_functions::Timer);

impl Sleep {
    async fn end(&self) {
        // It never rejects, and does not stay pending.
        let _ = JsFuture::from(host_functions::timer_over(&self.0)).await;
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        host_functions::clear_timer(&self.0);
    }
}

impl Interrupt {
    /// Resolves with the reason that ends the call.
    pub(super) async fn value(self) -> JsValue {
        poll_fn(|context| match self.0.reason.take() {
            Some(reason) => Poll::Ready(reason),
            None => {
                self.0.waker.replace(Some(context.waker().clone()));
                Poll::Pending
            }
        })
        .await
    }

    /// Whether a promise that a callback returned has not settled, as far as is known.
    pub(super) fn is_waiting(&self) -> bool {
        self.0.pending.get() > 0
    }

    /// Interrupts the call when a callback's result is a promise that is rejected.
    fn on_rejection(&self, returned: JsValue) {
        let Some(promise) = host_functions::promise_of(&returned) else { return };
        let rejection = Rc::clone(&self.0);
        rejection.pending.update(|pending| pending + 1);
        spawn_local(async move {
            let settled = JsFuture::from(promise).await;
            rejection.pending.update(|pending| pending - 1);
            if let Err(reason) = settled {
                rejection.reason.borrow_mut().get_or_insert(reason);
                let waker = rejection.waker.take();
                if let Some(waker) = waker {
                    waker.wake();
                }
            }
        });
    }
}

impl JavaScript {
    fn call(&self, function: &Function, report: &JsValue) -> Result<(), JsValue> {
        let returned = function.call1(&JsValue::UNDEFINED, report)?;
        if let Some(interrupt) = &self.interrupt {
            interrupt.on_rejection(returned);
        }
        Ok(())
    }

    async fn sent(
        &self,
        path: &str,
        headers: &web_sys::Headers,
        sender: Sender,
    ) -> Result<FetchResponse, SendError<JsValue>> {
        if sender == Sender::Any
            && let Some(response) = self.worker.send(&self.fetch.href(path), headers).await?
        {
            return Ok(response);
        }
        let response = self.fetch.send(path, headers).await?;
        if sender == Sender::PageAfterWorker {
            self.worker.note_refusal();
        }
        Ok(response)
    }
}

impl Transport for JavaScript {
    type Value = JsValue;
    type Headers = web_sys::Headers;
    type Kept = Held;
    type Response = FetchResponse;

    async fn send(
        &self,
        path: &str,
        headers: &web_sys::Headers,
        sender: Sender,
    ) -> Result<FetchResponse, SendError<JsValue>> {
        yield_now::wait(self.sent(path, headers, sender)).await
    }
}

impl Host for JavaScript {
    type Runtime = ThisRuntime;
    type Packed = Uint8Array;
    type Objects = FindingList;

    fn runtime(&self) -> ThisRuntime {
        ThisRuntime
    }

    fn form(&self) -> Form {
        self.form
    }

    fn columns(&self) -> Option<&[u8]> {
        self.columns.as_deref()
    }

    fn prepare_worker(&self, counts: Option<KindCounts>) {
        self.worker.prepare(counts, self.form);
    }

    async fn delegate(&self, body: Body<Held>) -> Result<DelegatedTo<Self>, JsValue> {
        if !self.worker.is_used() {
            return Ok(Delegated { packed: None, body: Some(body) });
        }
        yield_now::wait(self.worker.delegate(body)).await
    }

    #[cfg(feature = "tables")]
    fn copied(&self, packed: &Uint8Array) -> Option<Vec<u8>> {
        js_bytes::copied(packed).ok()
    }

    fn handed_over(&self, rows: &[u8]) -> Result<Uint8Array, OutOfMemory> {
        host_functions::copy_bytes(rows).ok_or(OutOfMemory)
    }

    async fn build(&self, rows: &Uint8Array) -> Result<FindingList, JsValue> {
        rows::build(rows).await
    }

    fn url(&self, path: &str) -> String {
        self.fetch.href(path)
    }

    fn explain(&self, error: &mut Error<JsValue>, headers: &[web_sys::Headers]) {
        explain(error, headers, &self.context.base_url);
    }

    fn now(&self) -> f64 {
        host_functions::now()
    }

    fn date(&self) -> f64 {
        host_functions::date()
    }

    fn random(&self) -> f64 {
        host_functions::random()
    }

    async fn sleep(&self, milliseconds: f64) {
        Sleep(host_functions::start_timer(milliseconds)).end().await;
    }

    fn is_offline(&self) -> bool {
        host_functions::is_offline()
    }

    async fn back_online(&self) {
        let Ok(listener) = EventListener::to(js_sys::global().unchecked_ref(), "online") else {
            return pending().await;
        };
        poll_fn(|context| if listener.has_occurred(context) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    fn headers(
        &self,
        path: &str,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<web_sys::Headers, JsValue>> + 'static {
        self.headers.ask(self.fetch.href(path), attempt, status, self.asked_headers.take())
    }

    fn can_refresh(&self) -> bool {
        self.headers.is_function()
    }

    fn map_counts(&self, body: &[u8]) -> Option<Result<Counts<String>, JsValue>> {
        self.read_counts.as_ref().map(|function| mapped_counts(function, body))
    }

    fn is_over(&self) -> bool {
        self.signals.iter().any(|signal| signal.is_aborted())
    }

    fn progress(&self, progress: &Progress) -> Result<(), JsValue> {
        self.on_progress.as_ref().map_or(Ok(()), |function| self.call(function, &to_js(progress)?))
    }

    fn changed(&self, progress: &Progress) {
        #[cfg(feature = "tables")]
        if let Some(watch) = &self.watch {
            watch.note(*progress);
        }
    }

    fn partition(&self, change: &PartitionChange, error: Option<&Error<JsValue>>) -> Result<(), JsValue> {
        let Some(function) = &self.on_partition else { return Ok(()) };
        let report = to_js(change)?;
        if let Some(error) = error {
            Reflect::set(&report, &"error".into(), &error_of_attempt(error, &self.context)?)?;
        }
        self.call(function, &report)
    }

    fn warn(&self, message: &str) {
        host_functions::warn(message);
    }
}
