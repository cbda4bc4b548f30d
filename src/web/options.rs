//! The options of a call. JavaScript has copied and checked them, merged them with those of the client, and added the defaults.

use js_sys::{Function, JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

use super::abort::Signal;
use crate::host_functions::write_numbers;
use call::retrieve::settings::{Completeness, FailurePolicy, Settings};
use call::scheduling::reorder_buffer::Order;
use call::scheduling::retry::Policy;
use chunk::form::{Form, form_of};

#[wasm_bindgen]
extern "C" {
    /// The options of a call with all defaults: the interface `Settings` of `src/js/engine/engine.ts`, which describes its members. Each is read
    /// once.
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
}

/// The settings of a call that are numbers.
pub(super) struct Numbers {
    /// The settings that the calls of all hosts have.
    pub(super) settings: Settings,
    /// When the call began, on the host's clock.
    pub(super) begun: f64,
    /// The form of its findings.
    pub(super) form: Form,
    /// The order of a stream.
    pub(super) order: Order,
}

impl Options {
    /// Reads the settings that are numbers, with one call.
    pub(super) fn numbers(&self) -> Numbers {
        let mut numbers = [0.0; 13];
        write_numbers(self, &mut numbers);
        // As `writeNumbers` of `src/js/engine/host.ts` writes them.
        let [
            begun,
            concurrency,
            timeout,
            total_timeout,
            retries,
            max_retry_after,
            max_partition_bytes,
            max_buffered_bytes,
            completeness,
            collects,
            as_table,
            by_completion,
            appends,
        ] = numbers;
        let settings = Settings {
            concurrency: concurrency as usize,
            timeout,
            total_timeout: (!total_timeout.is_nan()).then_some(total_timeout),
            policy: Policy { retries: retries as u32, max_retry_after },
            completeness: match completeness as u32 {
                1 => Completeness::Warn,
                2 => Completeness::Off,
                _ => Completeness::Strict,
            },
            failure_policy: if collects == 0.0 { FailurePolicy::FailFast } else { FailurePolicy::Collect },
            max_partition_bytes: max_partition_bytes as usize,
            max_buffered_bytes: max_buffered_bytes as u64,
            appends: appends != 0.0,
        };
        Numbers {
            settings,
            begun,
            form: form_of(as_table != 0.0),
            order: if by_completion == 0.0 { Order::Index } else { Order::Completion },
        }
    }
}
