//! All that the crate calls in JavaScript, beside what the language itself has. `src/js/engine/host-functions.ts` has these functions and describes
//! them. None of them throws.

use js_sys::{Int32Array, JsString, Promise, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use web_sys::Headers;

use super::numbers::CredentialsFlaw;
use super::performer::{RunningCall, Work};

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

    #[wasm_bindgen(js_name = abortCall)]
    pub(crate) fn abort_call(call: &RunningCall, reason: &JsValue);
    #[wasm_bindgen(js_name = loseWork)]
    pub(crate) fn lose_work(work: &Work, reason: &JsValue);

    #[wasm_bindgen(js_name = makeError)]
    pub(crate) fn make_error(code: &str, message: &str, details: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = makeRangeError)]
    pub(crate) fn make_range_error(message: &str) -> JsValue;
    #[wasm_bindgen(js_name = makeTypeError)]
    pub(crate) fn make_type_error(message: &str) -> JsValue;
    #[wasm_bindgen(js_name = reasonOf)]
    pub(crate) fn reason_of(cause: &JsValue) -> String;
    #[wasm_bindgen(js_name = flawOfCredentials)]
    pub(crate) fn flaw_of_credentials(headers: &Headers) -> CredentialsFlaw;

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
