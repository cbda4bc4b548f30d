//! The world of a call in JavaScript: its clock, its chance, its timers and the caller's functions.

use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

use futures_channel::oneshot;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Date, Function, Math};
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

use super::abort::Signal;
use super::headers::HeadersSource;
use super::mapping::mapped_counts;
use super::turn;
use crate::decode::counts::Counts;
use crate::retrieve::{Host, Progress};
use crate::transport::fetch::{Fetch, Response, is_promise, settled};
use crate::transport::{SendFailure, Transport};

#[wasm_bindgen(typescript_custom_section)]
const PROGRESS: &str = r#"
/** How far a call has come. */
export interface Progress {
  /** Partitions received. */
  partitionsDone: number;
  /** Partitions to receive. */
  partitions: number;
  /** Findings received. */
  findingsDone: number;
  /** Findings to receive; null where the service gave no total. */
  findings: number | null;
  /** Bytes of the partitions received, as they were decoded. */
  bytes: number;
  /** Retries made. */
  retries: number;
}
"#;

/// The host of one call.
#[derive(Debug)]
pub struct JavaScript {
    /// How requests are sent.
    pub fetch: Fetch,
    /// Where headers come from.
    pub headers: Rc<HeadersSource>,
    /// The caller's mapping of the counts answer.
    pub read_counts: Option<Function>,
    /// The caller's function that is told how far the call has come.
    pub on_progress: Option<Function>,
    /// The signals that end the call.
    pub signals: Vec<Signal>,
    /// Ends the call with what a promise given by [`JavaScript::on_progress`] was rejected with.
    pub interrupt: Interrupt,
}

/// Ends a call with a value, once.
#[derive(Clone, Debug)]
pub struct Interrupt {
    sender: Rc<RefCell<Option<oneshot::Sender<JsValue>>>>,
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = Number)]
    fn number_of(json: &str) -> f64;
    #[wasm_bindgen(js_namespace = console, js_name = warn)]
    fn console_warn(message: &str);
}

impl Interrupt {
    /// An interrupt and what waits for it.
    pub fn new() -> (Self, oneshot::Receiver<JsValue>) {
        let (sender, receiver) = oneshot::channel();
        (Interrupt { sender: Rc::new(RefCell::new(Some(sender))) }, receiver)
    }

    fn send(&self, value: JsValue) {
        if let Some(sender) = self.sender.take() {
            // Nobody waits any longer when the call has ended already.
            let _ = sender.send(value);
        }
    }

    /// Interrupts when what a function of the caller gave is a promise and is rejected.
    fn on_rejection(&self, given: JsValue) {
        if is_promise(&given) {
            let interrupt = self.clone();
            spawn_local(async move {
                if let Err(value) = settled(&given).await {
                    interrupt.send(value);
                }
            });
        }
    }
}

impl Transport for JavaScript {
    type Value = JsValue;
    type Headers = web_sys::Headers;
    type Answer = Response;

    async fn send(&self, path: &str, headers: &web_sys::Headers) -> Result<Response, SendFailure<JsValue>> {
        self.fetch.send(path, headers).await
    }
}

impl Host for JavaScript {
    fn now(&self) -> f64 {
        turn::now()
    }

    fn date(&self) -> f64 {
        Date::now()
    }

    fn read_number(json: &str) -> f64 {
        number_of(json)
    }

    fn chance(&self) -> f64 {
        Math::random()
    }

    async fn sleep(&self, milliseconds: f64) {
        // Timers count whole milliseconds; a shorter one would ring too early.
        TimeoutFuture::new(milliseconds.ceil() as u32).await;
    }

    fn headers(
        &self,
        attempt: u32,
        status: Option<u16>,
    ) -> impl Future<Output = Result<web_sys::Headers, JsValue>> + 'static {
        self.headers.ask(attempt, status)
    }

    fn can_renew(&self) -> bool {
        self.headers.is_function()
    }

    fn map_counts(&self, body: &[u8]) -> Option<Result<Counts<String>, JsValue>> {
        self.read_counts.as_ref().map(|function| mapped_counts(function, body))
    }

    fn is_over(&self) -> bool {
        self.signals.iter().any(|signal| !matches!(signal.reason_of_abort(), Ok(None)))
    }

    async fn breathe(&self) {
        turn::breathe().await;
    }

    fn progress(&self, progress: &Progress) -> Result<(), JsValue> {
        let Some(function) = &self.on_progress else { return Ok(()) };
        let progress = progress.serialize(&Serializer::new().serialize_missing_as_null(true))?;
        self.interrupt.on_rejection(function.call1(&JsValue::UNDEFINED, &progress)?);
        Ok(())
    }

    fn warn(&self, message: &str) {
        console_warn(message);
    }
}
