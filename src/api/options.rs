//! The options of a call. JavaScript has copied and checked them, merged them with those of the client, and added the defaults.

use js_sys::{Function, JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

use super::abort::Signal;
use crate::retrieve::settings::{Completeness, FailurePolicy, Settings};
use crate::scheduling::reorder_buffer::Order;
use crate::scheduling::retry::Policy;

#[wasm_bindgen]
extern "C" {
    /// The options of a call with all defaults: the interface `Settings` of `src/js/engine/engine.ts`, which describes its members.
    #[wasm_bindgen(typescript_type = "Settings")]
    pub type Options;
    #[wasm_bindgen(method, getter, structural, js_name = baseUrl)]
    pub(super) fn base_url(this: &Options) -> JsString;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn headers(this: &Options) -> JsValue;
    #[wasm_bindgen(method, getter, structural, js_name = askedHeaders)]
    pub(super) fn asked_headers(this: &Options) -> Option<Promise>;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn send(this: &Options) -> Function;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn worker(this: &Options) -> JsValue;
    #[wasm_bindgen(method, getter, structural, js_name = inWorker)]
    pub(super) fn in_worker(this: &Options) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn columns(this: &Options) -> Option<Uint8Array>;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn signal(this: &Options) -> Option<Signal>;
    #[wasm_bindgen(method, getter, structural, js_name = readCounts)]
    pub(super) fn read_counts(this: &Options) -> Option<Function>;
    #[wasm_bindgen(method, getter, structural, js_name = onProgress)]
    pub(super) fn on_progress(this: &Options) -> Option<Function>;
    #[wasm_bindgen(method, getter, structural, js_name = onPartition)]
    pub(super) fn on_partition(this: &Options) -> Option<Function>;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn measure(this: &Options) -> bool;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn begun(this: &Options) -> f64;
    #[wasm_bindgen(method, getter, structural, js_name = asTable)]
    pub(super) fn as_table(this: &Options) -> bool;
    #[wasm_bindgen(method, getter, structural, js_name = order)]
    fn order_name(this: &Options) -> JsString;
    #[wasm_bindgen(method, getter, structural)]
    fn concurrency(this: &Options) -> usize;
    #[wasm_bindgen(method, getter, structural)]
    fn timeout(this: &Options) -> f64;
    #[wasm_bindgen(method, getter, structural, js_name = totalTimeout)]
    fn total_timeout(this: &Options) -> Option<f64>;
    #[wasm_bindgen(method, getter, structural)]
    fn retries(this: &Options) -> u32;
    #[wasm_bindgen(method, getter, structural, js_name = maxRetryAfter)]
    fn max_retry_after(this: &Options) -> f64;
    #[wasm_bindgen(method, getter, structural)]
    fn completeness(this: &Options) -> JsString;
    #[wasm_bindgen(method, getter, structural, js_name = failurePolicy)]
    fn failure_policy(this: &Options) -> JsString;
    #[wasm_bindgen(method, getter, structural, js_name = maxPartitionBytes)]
    fn max_partition_bytes(this: &Options) -> usize;
    #[wasm_bindgen(method, getter, structural, js_name = maxBufferedBytes)]
    fn max_buffered_bytes(this: &Options) -> f64;
}

impl Options {
    /// The order of a stream.
    pub(super) fn order(&self) -> Order {
        if self.order_name() == "completion" { Order::Completion } else { Order::Index }
    }

    /// The settings of the call.
    pub(super) fn settings(&self) -> Settings {
        Settings {
            concurrency: self.concurrency(),
            timeout: self.timeout(),
            total_timeout: self.total_timeout(),
            policy: Policy { retries: self.retries(), max_retry_after: self.max_retry_after() },
            completeness: match self.completeness() {
                name if name == "warn" => Completeness::Warn,
                name if name == "off" => Completeness::Off,
                _ => Completeness::Strict,
            },
            failure_policy: match self.failure_policy() {
                name if name == "collect" => FailurePolicy::Collect,
                _ => FailurePolicy::FailFast,
            },
            max_partition_bytes: self.max_partition_bytes(),
            max_buffered_bytes: self.max_buffered_bytes() as u64,
        }
    }
}
