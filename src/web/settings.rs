//! The settings of a call. JavaScript has copied and checked its options, merged them with those of the client, and added the defaults.

use js_sys::{Function, JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

use super::abort::Signal;
use crate::host_functions::{is_member, numbers_of};
use call::retrieve::settings::{self, Completeness, FailurePolicy};
use call::scheduling::reorder_buffer::Order;
use call::scheduling::retry::Policy;
use chunk::form::{Form, form_of};

#[wasm_bindgen]
extern "C" {
    /// The options of a call with all defaults, and values derived from them: the type `Settings` of `src/js/client/options/settings.ts`.
    #[wasm_bindgen(typescript_type = "Settings")]
    pub type Settings;
    #[wasm_bindgen(method, getter, structural, js_name = baseUrl)]
    pub(super) fn base_url(this: &Settings) -> JsString;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn headers(this: &Settings) -> JsValue;
    #[wasm_bindgen(method, getter, structural, js_name = askedHeaders)]
    pub(super) fn asked_headers(this: &Settings) -> Option<Promise>;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn send(this: &Settings) -> Function;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn worker(this: &Settings) -> JsValue;
    #[wasm_bindgen(method, getter, structural, js_name = inWorker)]
    pub(super) fn in_worker(this: &Settings) -> JsValue;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn columns(this: &Settings) -> Option<Uint8Array>;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn signal(this: &Settings) -> Option<Signal>;
    #[wasm_bindgen(method, getter, structural, js_name = readCounts)]
    pub(super) fn read_counts(this: &Settings) -> Option<Function>;
    #[wasm_bindgen(method, getter, structural, js_name = onProgress)]
    pub(super) fn on_progress(this: &Settings) -> Option<Function>;
    #[wasm_bindgen(method, getter, structural, js_name = onPartition)]
    pub(super) fn on_partition(this: &Settings) -> Option<Function>;
}

/// The settings of a call that are numbers or words.
pub(super) struct Limits {
    /// The settings that the calls of all hosts have.
    pub(super) portable: settings::Settings,
    /// When the call began, on the host's clock.
    pub(super) begun: f64,
    /// The form of its findings.
    pub(super) form: Form,
    /// The order of a stream.
    pub(super) order: Order,
}

impl Settings {
    /// Reads the numbers and words.
    pub(super) fn limits(&self) -> Limits {
        let names =
            "begun asTable concurrency timeout totalTimeout retries maxRetryAfter maxPartitionBytes maxBufferedBytes";
        let [
            begun,
            as_table,
            concurrency,
            timeout,
            total_timeout,
            retries,
            max_retry_after,
            max_partition_bytes,
            max_buffered_bytes,
        ] = numbers_of(self, names);
        let portable = settings::Settings {
            concurrency: concurrency as usize,
            timeout,
            total_timeout: (!total_timeout.is_nan()).then_some(total_timeout),
            policy: Policy { retries: retries as u32, max_retry_after },
            completeness: if is_member(self, "completeness", "warn") {
                Completeness::Warn
            } else if is_member(self, "completeness", "off") {
                Completeness::Off
            } else {
                Completeness::Strict
            },
            failure_policy: if is_member(self, "failurePolicy", "collect") {
                FailurePolicy::Collect
            } else {
                FailurePolicy::FailFast
            },
            max_partition_bytes: max_partition_bytes as usize,
            max_buffered_bytes: max_buffered_bytes as u64,
            appends: is_member(self, "growth", "append"),
        };
        let order = if is_member(self, "order", "completion") { Order::Completion } else { Order::Index };
        Limits { portable, begun, form: form_of(as_table != 0.0), order }
    }
}
