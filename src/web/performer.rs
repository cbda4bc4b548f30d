//! What performs calls in JavaScript: the classes of `src/js/core/engine/{performer,running-call,running-attempt}.ts`, which describe these methods.

use js_sys::{JsString, Promise, Uint8Array};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The options of a call with all defaults, and values derived from them: the type `Settings` of `src/js/core/client/options/settings.ts`.
    #[wasm_bindgen(typescript_type = "Settings")]
    pub type Settings;

    /// Performs the calls of a client.
    #[wasm_bindgen(typescript_type = "Performer")]
    pub type Performer;
    #[wasm_bindgen(method, js_name = callOf)]
    pub(super) fn call_of(this: &Performer, settings: &Settings, lists: &JsValue) -> RunningCall;
    #[wasm_bindgen(method)]
    pub(super) fn beginning(this: &Performer, settings: &Settings) -> Beginning;
    #[wasm_bindgen(method, js_name = wakeAt)]
    pub(super) fn wake_at(this: &Performer, time: f64);
    #[wasm_bindgen(method)]
    pub(super) fn leave(this: &Performer);

    /// What is known of a call that begins.
    pub(super) type Beginning;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn inspection(this: &Beginning) -> i64;
    #[wasm_bindgen(method, getter, structural, js_name = baseUrl)]
    pub(super) fn base_url(this: &Beginning) -> JsString;
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn columns(this: &Beginning) -> Option<Uint8Array>;

    /// Performs a call.
    #[derive(Clone)]
    pub(crate) type RunningCall;
    #[wasm_bindgen(method)]
    pub(super) fn begun(this: &RunningCall, id: u32);
    #[wasm_bindgen(method, getter, structural)]
    pub(super) fn promise(this: &RunningCall) -> Promise;
    #[wasm_bindgen(method)]
    pub(super) fn reader(this: &RunningCall) -> JsValue;
    #[wasm_bindgen(method)]
    pub(super) fn end(this: &RunningCall, value: &JsValue, is_error: bool);
    #[wasm_bindgen(method)]
    pub(super) fn abort(this: &RunningCall, reason: &JsValue);
    #[wasm_bindgen(method)]
    pub(super) fn lack(this: &RunningCall, index: f64, error: &JsValue);
    #[wasm_bindgen(method, getter)]
    pub(super) fn failures(this: &RunningCall) -> JsValue;
    #[wasm_bindgen(method, getter, js_name = firstFailure)]
    pub(super) fn first_failure(this: &RunningCall) -> Option<String>;
    #[wasm_bindgen(method, js_name = askHeaders)]
    pub(super) fn ask_headers(this: &RunningCall, op: u32, url: &str, attempt: u32, status: Option<u16>);
    #[wasm_bindgen(method)]
    pub(super) fn send(
        this: &RunningCall,
        op: u32,
        url: &str,
        headers: &JsValue,
        may_be_worker: bool,
    ) -> RunningAttempt;
    #[wasm_bindgen(method, js_name = useWorker)]
    pub(super) fn use_worker(this: &RunningCall);
    #[wasm_bindgen(method, js_name = mapCounts)]
    pub(super) fn map_counts(this: &RunningCall, op: u32, response: &str);
    #[wasm_bindgen(method, getter, js_name = fixedHeaders)]
    pub(super) fn fixed_headers(this: &RunningCall) -> Option<JsValue>;
    #[wasm_bindgen(method, js_name = reportProgress)]
    pub(super) fn report_progress(this: &RunningCall, progress: &JsValue);
    #[wasm_bindgen(method, js_name = reportPartition)]
    pub(super) fn report_partition(this: &RunningCall, change: &JsValue, error: &JsValue);
    #[wasm_bindgen(method)]
    pub(super) fn deliver(this: &RunningCall, attempt: &RunningAttempt, index: f64, table: &JsValue);

    /// Performs an attempt.
    pub(crate) type RunningAttempt;
    #[wasm_bindgen(method)]
    pub(super) fn end(this: &RunningAttempt);
    #[wasm_bindgen(method)]
    pub(super) fn delegate(this: &RunningAttempt);
    #[wasm_bindgen(method)]
    pub(super) fn decode(this: &RunningAttempt);
    #[wasm_bindgen(method, js_name = copyTo)]
    pub(super) fn copy_to(this: &RunningAttempt, target: &mut [u8]);
}
