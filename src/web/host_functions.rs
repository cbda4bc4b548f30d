//! All that the crate calls in JavaScript, beside what the language itself has. `src/js/engine/host-functions.ts` has these functions and describes
//! them. None of them throws.

use js_sys::{Function, Int32Array, JsString, Promise, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use web_sys::Headers;

use super::begun::Begun;

#[wasm_bindgen(raw_module = "./engine/host-functions.js")]
extern "C" {
    pub(crate) fn date() -> f64;
    #[wasm_bindgen(js_name = parseDate)]
    pub(crate) fn parse_date(text: &str) -> f64;
    pub(crate) fn random() -> f64;
    pub(crate) fn pause() -> Option<Promise>;
    #[wasm_bindgen(js_name = promiseOf)]
    pub(crate) fn promise_of(value: &JsValue) -> Option<Promise>;

    #[wasm_bindgen(js_name = encodeText)]
    pub(crate) fn encode_text(text: &JsString, target: &mut [u8], counts: &mut [u32]) -> bool;

    #[wasm_bindgen(js_name = isOffline)]
    pub(crate) fn is_offline() -> bool;

    /// Writes the key of an inspection, given as a bigint or decimal digits: the low word, then the high one. Returns false if the page has
    /// replaced `BigInt`.
    #[wasm_bindgen(js_name = writeInspection)]
    pub(crate) fn write_inspection(key: &JsValue, words: &mut [u32]) -> bool;
    /// Writes the members of an object that are numbers or booleans, or whether they are a word: `name` or `name=word`, divided by spaces.
    /// Returns false if one is absent, or neither.
    #[wasm_bindgen(js_name = writeNumbers)]
    pub(crate) fn write_numbers(object: &JsValue, names: &str, numbers: &mut [f64]) -> bool;

    /// Performs the calls of a client: the class of `src/js/engine/performer.ts`.
    #[wasm_bindgen(typescript_type = "Performer")]
    pub type Performer;
    /// Takes note of a call that begins; `None` only if the page has replaced what that needs.
    #[wasm_bindgen(js_name = enterCall)]
    pub(crate) fn enter_call(performer: &Performer, call: u32, settings: &JsValue, lists: &JsValue) -> Option<Begun>;
    #[wasm_bindgen(js_name = endCall)]
    pub(crate) fn end_call(performer: &Performer, call: u32, value: &JsValue, is_error: bool);
    #[wasm_bindgen(js_name = failCall)]
    pub(crate) fn fail_call(performer: &Performer, call: u32);
    #[wasm_bindgen(js_name = forgetCall)]
    pub(crate) fn forget_call(performer: &Performer, call: u32);
    #[wasm_bindgen(js_name = abortCall)]
    pub(crate) fn abort_call(performer: &Performer, call: u32, reason: &JsValue);
    #[wasm_bindgen(js_name = readerOf)]
    pub(crate) fn reader_of(performer: &Performer, call: u32, begun: &Begun) -> Option<JsValue>;
    #[wasm_bindgen(js_name = askHeaders)]
    pub(crate) fn ask_headers(performer: &Performer, call: u32, op: u32, url: &str, attempt: u32, status: Option<u16>);
    #[wasm_bindgen(js_name = sendRequest)]
    pub(crate) fn send_request(
        performer: &Performer,
        call: u32,
        op: u32,
        url: &str,
        headers: &JsValue,
        may_be_worker: bool,
    );
    pub(crate) fn cancel(performer: &Performer, op: u32);
    #[wasm_bindgen(js_name = useWorker)]
    pub(crate) fn use_worker(performer: &Performer, call: u32);
    #[wasm_bindgen(js_name = bodyLength)]
    pub(crate) fn body_length(performer: &Performer, op: u32) -> f64;
    #[wasm_bindgen(js_name = copyBody)]
    pub(crate) fn copy_body(performer: &Performer, op: u32, target: &mut [u8]) -> bool;
    pub(crate) fn delegate(performer: &Performer, call: u32, op: u32);
    pub(crate) fn decode(performer: &Performer, op: u32);
    #[wasm_bindgen(js_name = readCounts)]
    pub(crate) fn read_counts(performer: &Performer, call: u32) -> Option<Function>;
    #[wasm_bindgen(js_name = fixedHeaders)]
    pub(crate) fn fixed_headers(performer: &Performer, call: u32) -> JsValue;
    #[wasm_bindgen(js_name = adviceOf)]
    pub(crate) fn advice_of(performer: &Performer, op: u32, cause: &JsValue) -> u32;
    #[wasm_bindgen(js_name = reportProgress)]
    pub(crate) fn report_progress(performer: &Performer, call: u32, progress: &JsValue);
    #[wasm_bindgen(js_name = reportPartition)]
    pub(crate) fn report_partition(performer: &Performer, call: u32, change: &JsValue, error: &JsValue);
    pub(crate) fn deliver(performer: &Performer, call: u32, op: u32, index: f64, table: &JsValue);
    #[wasm_bindgen(js_name = wakeAt)]
    pub(crate) fn wake_at(performer: &Performer, time: f64) -> bool;
    pub(crate) fn leave(performer: &Performer);

    #[wasm_bindgen(js_name = makeError)]
    pub(crate) fn make_error(code: &str, message: &str, details: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = makeRangeError)]
    pub(crate) fn make_range_error(message: &str) -> JsValue;
    #[wasm_bindgen(js_name = makeTypeError)]
    pub(crate) fn make_type_error(message: &str) -> JsValue;
    #[wasm_bindgen(js_name = reasonOf)]
    pub(crate) fn reason_of(cause: &JsValue) -> String;
    #[wasm_bindgen(js_name = flawOfCredentials)]
    pub(crate) fn flaw_of_credentials(headers: &Headers) -> u32;

    pub(crate) type Redaction;
    #[wasm_bindgen(js_name = makeRedaction)]
    pub(crate) fn make_redaction(headers: &[JsValue], replacement: &str) -> Option<Redaction>;
    #[wasm_bindgen(js_name = quotesHeader)]
    pub(crate) fn quotes_header(redaction: &Redaction, text: &JsString) -> bool;
    #[wasm_bindgen(js_name = redactedCause)]
    pub(crate) fn redacted_cause(redaction: &Redaction, cause: &JsValue) -> JsValue;

    /// Creates a `FindingsTable` with these columns and their origin.
    #[wasm_bindgen(js_name = makeTable)]
    pub(crate) fn make_table(columns: &JsValue, origin: &JsValue) -> Outcome;
    #[wasm_bindgen(js_name = makeTableAbout)]
    pub(crate) fn make_table_about(columns: &JsValue, about: &JsString) -> JsValue;

    /// Copies groups, with all that is known of them; `None` without memory.
    #[wasm_bindgen(js_name = makeGroups)]
    pub(crate) fn make_groups(
        grouping: u32,
        keys: &[u32],
        counts: &[u32],
        numbers: &[u32],
        statistics: &[f64],
        distinct: &[u32],
    ) -> Option<JsValue>;

    #[wasm_bindgen(js_name = copyList)]
    pub(crate) fn copy_bytes(bytes: &[u8]) -> Option<Uint8Array>;
    #[wasm_bindgen(js_name = copyList)]
    pub(crate) fn copy_words(words: &[u32]) -> Option<Uint32Array>;
    #[wasm_bindgen(js_name = copyList)]
    pub(crate) fn copy_integers(integers: &[i32]) -> Option<Int32Array>;
    #[wasm_bindgen(js_name = joinFindings)]
    pub(crate) fn join_findings(lists: &JsValue) -> Outcome;
}

#[wasm_bindgen]
extern "C" {
    /// What a function has returned or thrown.
    pub(crate) type Outcome;
    #[wasm_bindgen(method, getter, structural, js_name = isThrown)]
    fn is_thrown(this: &Outcome) -> bool;
    #[wasm_bindgen(method, getter, structural)]
    fn value(this: &Outcome) -> JsValue;
}

impl Outcome {
    /// What the function has returned.
    ///
    /// # Errors
    ///
    /// What it has thrown.
    pub(crate) fn result(&self) -> Result<JsValue, JsValue> {
        if self.is_thrown() { Err(self.value()) } else { Ok(self.value()) }
    }
}
