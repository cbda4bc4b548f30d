//! All that the crate calls in JavaScript, beside what the language itself has. `src/js/core/engine/host-functions.ts` has these functions and describes
//! them. One that does not return a `Result` does not throw.

use js_sys::{Int32Array, JsString, Promise, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use web_sys::Headers;

use super::numbers::{ConnectionAdvice, CredentialsFlaw};

#[wasm_bindgen(raw_module = "./core/engine/host-functions.js")]
extern "C" {
    pub(crate) fn pause() -> Option<Promise>;
    #[wasm_bindgen(js_name = promiseOf)]
    pub(crate) fn promise_of(value: &JsValue) -> Option<Promise>;

    #[wasm_bindgen(js_name = encodeText)]
    pub(crate) fn encode_text(text: &JsString, target: &mut [u8], counts: &mut [u32]);

    #[wasm_bindgen(js_name = isOffline)]
    pub(crate) fn is_offline() -> bool;

    /// Writes the members of an object that are numbers or booleans, or whether they are a word: `name` or `name=word`, divided by spaces.
    #[wasm_bindgen(js_name = writeNumbers)]
    pub(crate) fn write_numbers(object: &JsValue, names: &str, numbers: &mut [f64]);

    #[wasm_bindgen(js_name = makeError)]
    pub(crate) fn make_error(code: &str, message: &str, details: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = makeRangeError)]
    pub(crate) fn make_range_error(message: &str) -> JsValue;
    #[wasm_bindgen(js_name = makeTypeError)]
    pub(crate) fn make_type_error(message: &str) -> JsValue;
    #[wasm_bindgen(js_name = reasonOf)]
    pub(crate) fn reason_of(cause: &JsValue) -> String;
    #[wasm_bindgen(js_name = adviceOf)]
    pub(crate) fn advice_of(cause: &JsValue, base_url: &str) -> ConnectionAdvice;
    #[wasm_bindgen(js_name = flawOfCredentials)]
    pub(crate) fn flaw_of_credentials(headers: &Headers) -> CredentialsFlaw;
    #[wasm_bindgen(js_name = makeRedaction)]
    pub(crate) fn make_redaction(headers: &[JsValue], replacement: &str) -> Redaction;

    /// Creates a `FindingsTable` with these columns and their origin.
    #[wasm_bindgen(js_name = makeTable)]
    pub(crate) fn make_table(columns: &JsValue, origin: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = makeTableAbout, catch)]
    pub(crate) fn make_table_about(columns: &JsValue, about: &JsString) -> Result<JsValue, JsValue>;

    /// Copies groups, with all that is known of them.
    #[wasm_bindgen(js_name = makeGroups, catch)]
    pub(crate) fn make_groups(
        grouping: u32,
        keys: &[u32],
        counts: &[u32],
        numbers: &[u32],
        statistics: &[f64],
        distinct: &[u32],
    ) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(js_name = copyList, catch)]
    pub(crate) fn copy_bytes(bytes: &[u8]) -> Result<Uint8Array, JsValue>;
    #[wasm_bindgen(js_name = copyList, catch)]
    pub(crate) fn copy_words(words: &[u32]) -> Result<Uint32Array, JsValue>;
    #[wasm_bindgen(js_name = copyList, catch)]
    pub(crate) fn copy_integers(integers: &[i32]) -> Result<Int32Array, JsValue>;
    #[wasm_bindgen(js_name = joinFindings, catch)]
    pub(crate) fn join_findings(lists: &JsValue) -> Result<JsValue, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    pub(crate) type Redaction;
    #[wasm_bindgen(method)]
    pub(crate) fn quotes(this: &Redaction, text: &str) -> bool;
    #[wasm_bindgen(method)]
    pub(crate) fn cause(this: &Redaction, cause: &JsValue) -> JsValue;
}
