//! The options of a call. JavaScript has copied and checked them, merged them with those of the client, and added the defaults.

use js_sys::{Function, JsString, Uint8Array};
use wasm_bindgen::prelude::*;

use super::abort::Signal;
use crate::retrieve::settings::{Completeness, FailurePolicy, Settings};
use crate::scheduling::reorder_buffer::Order;
use crate::scheduling::retry::Policy;

#[wasm_bindgen]
extern "C" {
    /// The options of a call, as `src/js/client/options` passes them: with the documented types, and with all defaults.
    pub type Options;
    #[wasm_bindgen(method, structural, indexing_getter)]
    fn value(this: &Options, name: &str) -> JsValue;
    #[wasm_bindgen(method, structural, indexing_getter)]
    fn number(this: &Options, name: &str) -> f64;
}

impl Options {
    /// The base URL, which ends with a slash.
    pub(super) fn base_url(&self) -> JsString {
        self.value("baseUrl").unchecked_into()
    }

    /// Whether the host is a page, or a worker of one.
    pub(super) fn has_page(&self) -> bool {
        self.value("hasPage").is_truthy()
    }

    /// The headers of each request, or a function that resolves with those of an attempt.
    pub(super) fn headers(&self) -> JsValue {
        self.value("headers")
    }

    /// Sends a request by the caller's `fetch` or the global one.
    pub(super) fn send(&self) -> Function {
        self.value("send").unchecked_into()
    }

    /// Where bodies are decoded.
    pub(super) fn worker(&self) -> JsValue {
        self.value("worker")
    }

    /// How a worker sends requests; undefined if the page has to send them.
    pub(super) fn in_worker(&self) -> JsValue {
        self.value("inWorker")
    }

    /// The names of the columns to keep, each followed by the byte `0xFF`.
    pub(super) fn columns(&self) -> Option<Uint8Array> {
        self.value("columns").dyn_into().ok()
    }

    /// Ends the call when it is aborted.
    pub(super) fn signal(&self) -> Option<Signal> {
        let signal = self.value("signal");
        (!signal.is_undefined()).then(|| signal.unchecked_into())
    }

    /// Maps another counts response.
    pub(super) fn read_counts(&self) -> Option<Function> {
        self.function("readCounts")
    }

    /// Receives the progress of the call.
    pub(super) fn on_progress(&self) -> Option<Function> {
        self.function("onProgress")
    }

    /// Receives the changes of each partition.
    pub(super) fn on_partition(&self) -> Option<Function> {
        self.function("onPartition")
    }

    /// The order of a stream.
    pub(super) fn order(&self) -> Order {
        if self.is("order", "completion") { Order::Completion } else { Order::Index }
    }

    /// Whether attempts and partitions become performance measures.
    pub(super) fn measure(&self) -> bool {
        self.value("measure").is_truthy()
    }

    /// When the call began, by the clock of `performance`.
    pub(super) fn begun(&self) -> f64 {
        self.number("begun")
    }

    /// Whether its findings become tables, not plain objects.
    pub(super) fn as_table(&self) -> bool {
        self.value("asTable").is_truthy()
    }

    /// The settings of the call.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            concurrency: self.number("concurrency") as usize,
            timeout: self.number("timeout"),
            total_timeout: self.value("totalTimeout").as_f64(),
            policy: Policy { retries: self.number("retries") as u32, max_retry_after: self.number("maxRetryAfter") },
            completeness: match () {
                () if self.is("completeness", "warn") => Completeness::Warn,
                () if self.is("completeness", "off") => Completeness::Off,
                () => Completeness::Strict,
            },
            failure_policy: if self.is("failurePolicy", "collect") {
                FailurePolicy::Collect
            } else {
                FailurePolicy::FailFast
            },
            max_partition_bytes: self.number("maxPartitionBytes") as usize,
            max_buffered_bytes: self.number("maxBufferedBytes") as u64,
        }
    }

    fn function(&self, name: &str) -> Option<Function> {
        self.value(name).dyn_into().ok()
    }

    fn is(&self, name: &str, word: &str) -> bool {
        self.value(name) == *word
    }
}
