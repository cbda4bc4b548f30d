//! All that the crate calls in JavaScript, beside what the language itself has. `src/js/engine/host-functions.ts` has these functions and describes
//! them. None of them throws.

use js_sys::{Array, Function, Int32Array, JsString, Promise, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::*;
use web_sys::Headers;

#[wasm_bindgen(raw_module = "./engine/host-functions.js")]
extern "C" {
    pub(crate) fn date() -> f64;
    #[wasm_bindgen(js_name = parseDate)]
    pub(crate) fn parse_date(text: &str) -> f64;
    pub(crate) fn now() -> f64;
    pub(crate) fn random() -> f64;
    #[wasm_bindgen(js_name = yieldNow)]
    pub(crate) fn yield_now() -> Promise;

    pub(crate) type Timer;
    #[wasm_bindgen(js_name = startTimer)]
    pub(crate) fn start_timer(milliseconds: f64) -> Timer;
    #[wasm_bindgen(js_name = timerOver)]
    pub(crate) fn timer_over(timer: &Timer) -> Promise;
    #[wasm_bindgen(js_name = clearTimer)]
    pub(crate) fn clear_timer(timer: &Timer);

    /// Returns a listener.
    pub(crate) fn listen(target: &JsValue, event: &str, callback: &Function) -> Outcome;
    #[wasm_bindgen(js_name = endListening)]
    pub(crate) fn end_listening(listener: &JsValue);
    #[wasm_bindgen(js_name = promiseOf)]
    pub(crate) fn promise_of(value: &JsValue) -> Option<Promise>;

    #[wasm_bindgen(js_name = encodeText)]
    pub(crate) fn encode_text(text: &JsString, target: &mut [u8], counts: &mut [u32]) -> bool;

    #[wasm_bindgen(js_name = isOffline)]
    pub(crate) fn is_offline() -> bool;
    pub(crate) fn warn(message: &str);

    /// Returns the key of an inspection, given as a bigint or decimal digits; `None` if the page has replaced `BigInt`.
    #[wasm_bindgen(js_name = inspectionOf)]
    pub(crate) fn inspection_of(key: &JsValue) -> Option<i64>;
    /// Whether a member of an object has this value.
    #[wasm_bindgen(js_name = isMember)]
    pub(crate) fn is_member(object: &JsValue, name: &str, value: &str) -> bool;
    /// Writes the members of an object that are numbers or booleans. Their names are divided by spaces.
    #[wasm_bindgen(js_name = writeNumbers)]
    pub(crate) fn write_numbers(object: &JsValue, names: &str, numbers: &mut [f64]);

    /// A request and its response.
    pub(crate) type Exchange;
    #[wasm_bindgen(js_name = sendRequest)]
    pub(crate) fn send_request(send: &Function, href: &str, headers: &Headers) -> Exchange;
    #[wasm_bindgen(js_name = sendRequestInWorker)]
    pub(crate) fn send_request_in_worker(worker: &WorkerUse, href: &str, headers: &Headers) -> Option<Exchange>;
    #[wasm_bindgen(js_name = responseHead)]
    pub(crate) fn response_head(exchange: &Exchange) -> Promise;
    #[wasm_bindgen(js_name = exchangeFailure)]
    pub(crate) fn exchange_failure(exchange: &Exchange) -> u32;
    #[wasm_bindgen(js_name = isKept)]
    pub(crate) fn is_kept(exchange: &Exchange) -> bool;
    #[wasm_bindgen(js_name = arrivesByTurns)]
    pub(crate) fn arrives_by_turns(exchange: &Exchange) -> bool;
    #[wasm_bindgen(js_name = readPiece)]
    pub(crate) fn read_piece(exchange: &Exchange) -> Promise;
    #[wasm_bindgen(js_name = keptBody)]
    pub(crate) fn kept_body(exchange: &Exchange) -> Promise;
    #[wasm_bindgen(js_name = endExchange)]
    pub(crate) fn end_exchange(exchange: &Exchange);
    #[wasm_bindgen(js_name = copyPiece)]
    pub(crate) fn copy_piece(piece: &Uint8Array, target: &mut [u8]) -> Outcome;

    /// A body that a worker or the page keeps.
    pub(crate) type KeptBody;
    #[wasm_bindgen(js_name = bodyLength)]
    pub(crate) fn body_length(body: &KeptBody) -> f64;
    #[wasm_bindgen(js_name = bodyBytes)]
    pub(crate) fn body_bytes(body: &KeptBody) -> Promise;
    #[wasm_bindgen(js_name = dropBody)]
    pub(crate) fn drop_body(body: &KeptBody);

    /// The use of a worker by a call.
    #[derive(Clone)]
    pub(crate) type WorkerUse;
    /// Starts the worker of a source unless it is running.
    #[wasm_bindgen(js_name = useWorker)]
    pub(crate) fn use_worker(
        source: &JsValue,
        insists: bool,
        module: &JsValue,
        as_rows: bool,
        columns: Option<Uint8Array>,
        init: &JsValue,
        limit: f64,
    ) -> WorkerUse;
    #[wasm_bindgen(js_name = endWorkerUse)]
    pub(crate) fn end_worker_use(worker: &WorkerUse);

    /// A body that waits for a worker, or that a worker is decoding.
    pub(crate) type Decoding;
    #[wasm_bindgen(js_name = decodeKept)]
    pub(crate) fn decode_kept(worker: &WorkerUse, body: &KeptBody) -> Option<Decoding>;
    #[wasm_bindgen(js_name = decodeBytes)]
    pub(crate) fn decode_bytes(worker: &WorkerUse, bytes: &[u8]) -> Option<Decoding>;
    #[wasm_bindgen(js_name = decodingResult)]
    pub(crate) fn decoding_result(decoding: &Decoding) -> Promise;
    #[wasm_bindgen(js_name = cancelDecoding)]
    pub(crate) fn cancel_decoding(decoding: &Decoding);
    #[wasm_bindgen(js_name = decodedFindings)]
    pub(crate) fn decoded_findings(decoded: &JsValue) -> Option<Uint8Array>;
    #[wasm_bindgen(js_name = decodedBody)]
    pub(crate) fn decoded_body(decoded: &JsValue) -> Option<KeptBody>;

    #[wasm_bindgen(js_name = makeError)]
    pub(crate) fn make_error(code: &str, message: &str, details: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = makeRangeError)]
    pub(crate) fn make_range_error(message: &str) -> JsValue;
    #[wasm_bindgen(js_name = makeTypeError)]
    pub(crate) fn make_type_error(message: &str) -> JsValue;
    #[wasm_bindgen(js_name = reasonOf)]
    pub(crate) fn reason_of(cause: &JsValue) -> String;
    #[wasm_bindgen(js_name = networkAdvice)]
    pub(crate) fn network_advice(cause: &JsValue, url: &str) -> u32;
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
    pub(crate) fn make_table(
        columns: &JsValue,
        inspection_key: &JsValue,
        kind: &str,
        counts: &JsValue,
        is_complete: bool,
        base_url: Option<&str>,
    ) -> Outcome;
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
    /// The packed rows of a partition.
    pub(crate) type PackedRows;
    #[wasm_bindgen(js_name = openPackedRows)]
    pub(crate) fn open_packed_rows(bytes: &Uint8Array) -> PackedRows;
    #[wasm_bindgen(js_name = appendPackedRows)]
    pub(crate) fn append_packed_rows(rows: &PackedRows, findings: &Array, milliseconds: f64) -> Option<bool>;
    #[wasm_bindgen(js_name = rowsFailure)]
    pub(crate) fn rows_failure(rows: &PackedRows) -> JsValue;
    #[wasm_bindgen(js_name = joinFindings)]
    pub(crate) fn join_findings(lists: &Array) -> Outcome;
}

/// Returns the members of an object that are numbers or booleans, in the order of these names, between which are spaces. An absent one is NaN.
pub(crate) fn numbers_of<const COUNT: usize>(object: &JsValue, names: &str) -> [f64; COUNT] {
    let mut numbers = [f64::NAN; COUNT];
    write_numbers(object, names, &mut numbers);
    numbers
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
    /// Whether the function has returned, for one that returns nothing.
    ///
    /// # Errors
    ///
    /// What it has thrown.
    pub(crate) fn done(&self) -> Result<(), JsValue> {
        self.result().map(|_| ())
    }

    /// What the function has returned.
    ///
    /// # Errors
    ///
    /// What it has thrown.
    pub(crate) fn result(&self) -> Result<JsValue, JsValue> {
        if self.is_thrown() { Err(self.value()) } else { Ok(self.value()) }
    }
}

#[wasm_bindgen]
extern "C" {
    /// The head of a response.
    pub(crate) type ResponseHead;
    #[wasm_bindgen(method, getter, structural)]
    pub(crate) fn headers(this: &ResponseHead) -> Headers;
}
