//! The options of a client or of a call, each checked, unknown ones refused.

use std::rc::Rc;

use js_sys::{Function, JsString, Object, Reflect, TypeError};
use wasm_bindgen::prelude::*;
use web_sys::{RequestCache, RequestCredentials};

use super::abort::Signal;
use super::arguments::{integer, secret_type_error, type_error};
use super::base_url;
use super::headers::HeadersSource;
use crate::js_string::{excerpt, word};
use crate::retrieve::settings::{Completeness, FailurePolicy, Settings};
use crate::scheduling::reorder_buffer::Order;
use crate::scheduling::retry::Policy;
use crate::spelling::nearest;

/// The longest time that timers can count, 2^31 − 1 milliseconds.
const LONGEST: f64 = 2_147_483_647.0;

/// The largest body that wasm memory can hold in one piece, 2^31 − 1 bytes.
const LARGEST: f64 = 2_147_483_647.0;

/// The most that wasm memory can hold, 2^32 − 1 bytes.
const MOST_BYTES: f64 = 4_294_967_295.0;

#[wasm_bindgen(typescript_custom_section)]
const OPTIONS: &str = r#"
/**
 * Options of a client, of a call, or of both; all are optional. The call's value wins, except as noted.
 *
 * Options are read once, like a WebIDL dictionary: inherited members and getters count. A call rejects with a `TypeError`
 * for an unknown own member, with a `TypeError` or `RangeError` for a wrong value, and with a value that a getter throws.
 *
 * @example
 * const options: Options = {
 *   baseUrl: "https://service.example/cxi/",
 *   signal: AbortSignal.timeout(60_000),
 *   onProgress: ({ partitionsDone, partitions }) => console.log(`${partitionsDone} of ${partitions}`),
 * };
 */
export interface Options {
  /**
   * The address of the service. It may have a path; a missing slash at its end is added. A relative address is resolved
   * against the page. A `TypeError` for a query, a fragment, credentials, or a scheme other than http and https.
   *
   * If the `baseUrl` of a call leads to another origin, the client's `headers` are sent there too. Give such a call its own
   * headers, or the client a function that checks `url`.
   *
   * @default the page's base URL; a `TypeError` where there is no page, as in Node
   */
  baseUrl?: string | URL;
  /**
   * The headers of every request, or a function that returns them, called before every attempt.
   *
   * After a 401 the function is called once more with that status, for all pending requests to that origin together, and
   * each of these requests is repeated once. Headers returned after a 401 are never sent to another origin.
   *
   * Fixed headers are sent with every request, whatever its origin. A function receives the address of the request as
   * `url`, so that it can return a token only for the token's own origin.
   *
   * If the service has another origin than the page, a header that CORS does not safelist, such as `authorization`, makes
   * the browser send a preflight request for each path.
   *
   * @default none
   * @example
   * const options: Options = {
   *   headers: ({ url }) => ({ Authorization: sessionStorage.getItem(new URL(url).origin) ?? "" }),
   * };
   */
  headers?: HeadersInit | ((circumstances: Circumstances) => HeadersInit | Promise<HeadersInit>);
  /**
   * Whether requests include cookies, as in `fetch`.
   *
   * @default "same-origin"
   */
  credentials?: RequestCredentials;
  /**
   * How requests use the browser's cache, as in `fetch`. A cached partition that does not match the current counts would be
   * wrong data without an error.
   *
   * @default "no-store"
   */
  cache?: RequestCache;
  /**
   * A function in place of the global `fetch`, called with the address and an init object, with `this` undefined. The
   * package reads these members of its response: `status`, `headers`, and `body` or `arrayBuffer()`.
   *
   * @default the global `fetch`
   */
  fetch?: (href: string, init: RequestInit) => Promise<Response>;
  /**
   * Aborts the call: its promise rejects with `signal.reason`, and all pending work is cancelled.
   *
   * @default none
   */
  signal?: AbortSignal | null;
  /**
   * The most requests in flight, 1 to 1 000. The client's value limits all its calls together; a call's value can only
   * lower that call's share.
   *
   * @default 6
   */
  concurrency?: number;
  /**
   * The limit of one attempt in milliseconds, 1 to 2 147 483 647. An attempt includes the `headers` function, the response
   * and its whole body.
   *
   * @default 30000
   */
  timeout?: number;
  /**
   * The limit of the whole call in milliseconds, 1 to 2 147 483 647.
   *
   * @default none
   */
  totalTimeout?: number;
  /**
   * Retries per request after its first attempt, 0 to 1 000. Retried are broken connections, timeouts, and the statuses
   * 408, 429, 500, 502, 503 and 504. The wait before a retry is random: up to 300 ms at first, up to twice as long each
   * time, and at most 20 s.
   *
   * @default 3
   */
  retries?: number;
  /**
   * The longest `Retry-After` to wait for in milliseconds, 0 to 2 147 483 647. A longer one, or one beyond `totalTimeout`,
   * fails at once.
   *
   * @default 60000
   */
  maxRetryAfter?: number;
  /**
   * What happens if the number of findings received is not the total: the call rejects with code `incomplete`, logs a
   * warning, or ignores it.
   *
   * @default "strict"
   */
  completeness?: "strict" | "warn" | "off";
  /**
   * The longest body in bytes, 1 to 2 147 483 647. A longer one is rejected while it is read.
   *
   * @default 268435456 (256 MiB)
   */
  maxPartitionBytes?: number;
  /**
   * What happens if a partition fails: the call rejects at once, or it fetches all other partitions first and then rejects
   * with code `partial` and the members `findings` or `table`, `failures` and `resume` of the error. `"collect"` is a
   * `TypeError` for a stream.
   *
   * @default "fail-fast"
   */
  failurePolicy?: "fail-fast" | "collect";
  /**
   * The order of the partitions of a stream: by index, or each when it is complete.
   *
   * @default "index"
   */
  order?: "index" | "completion";
  /**
   * The most bytes of unread bodies and findings, 1 to 4 294 967 295. A partition is requested if the largest partition so
   * far would still fit, or if the reader waits for it. The client's value limits all its calls together; a call's value
   * can only lower that call's share.
   *
   * @default 67108864 (64 MiB)
   */
  maxBufferedBytes?: number;
  /**
   * Converts a counts response of another form, after its `errors` have been found null or absent. Must be synchronous.
   * Only the requested kind is needed.
   *
   * @default reads `SentimentPartitions`, `SentimentFindings`, `TopicPartitions` and `TopicFindings`
   */
  readCounts?: (answer: any) => {
    sentiment?: { partitions: number; findings?: number | null };
    topics?: { partitions: number; findings?: number | null };
  };
  /**
   * Called with the progress of a call for findings: once at 0, then once after each partition. A value that it throws, or
   * that a promise it returns rejects with, ends the call.
   *
   * @default none
   */
  onProgress?: (progress: Progress) => void;
  /**
   * Called with each change of the state of a partition. A value that it throws, or that a promise it returns rejects
   * with, ends the call.
   *
   * @default none
   */
  onPartition?: (change: PartitionChange) => void;
  /**
   * Whether each attempt and each partition is recorded as a `performance.measure`, which developer tools show on a
   * separate track. The host keeps the measures until `performance.clearMeasures` is called.
   *
   * @default false
   */
  measure?: boolean;
}

/** The attempt for which a `headers` function returns headers. */
export interface Circumstances {
  /** The number of the attempt, from 1. */
  attempt: number;
  /** The HTTP status of the previous attempt, if it had one; 401 if the headers have expired. */
  status: number | undefined;
  /**
   * The address of the request. After a 401, the address of one of the requests that wait for new headers, all of which go
   * to the same origin.
   */
  url: string;
}
"#;

const NAMES: [&str; 20] = [
    "baseUrl",
    "headers",
    "credentials",
    "cache",
    "fetch",
    "signal",
    "concurrency",
    "timeout",
    "totalTimeout",
    "retries",
    "maxRetryAfter",
    "completeness",
    "maxPartitionBytes",
    "failurePolicy",
    "order",
    "maxBufferedBytes",
    "readCounts",
    "onProgress",
    "onPartition",
    "measure",
];

/// The options of a client or of one of its calls, with the defaults for what was not given.
#[derive(Clone)]
pub struct Options {
    /// Ends with a slash; the page's own where there is none.
    pub base_url: Option<JsString>,
    /// Where headers come from.
    pub headers: Option<Rc<HeadersSource>>,
    /// As in `fetch`.
    pub credentials: RequestCredentials,
    /// As in `fetch`.
    pub cache: RequestCache,
    /// Instead of the global one.
    pub fetch: Option<Function>,
    /// Aborts.
    pub signal: Option<Signal>,
    /// Maps the counts answer.
    pub read_counts: Option<Function>,
    /// Is told how far a call has come.
    pub on_progress: Option<Function>,
    /// Is told what became of each partition.
    pub on_partition: Option<Function>,
    /// Whether attempts and partitions are measured.
    pub measure: bool,
    /// The order of a stream.
    pub order: Order,
    /// What the retrieval has to know.
    pub settings: Settings,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            base_url: None,
            headers: None,
            credentials: RequestCredentials::SameOrigin,
            cache: RequestCache::NoStore,
            fetch: None,
            signal: None,
            read_counts: None,
            on_progress: None,
            on_partition: None,
            measure: false,
            order: Order::Index,
            settings: Settings {
                concurrency: 6,
                timeout: 30_000.0,
                total_timeout: None,
                policy: Policy { retries: 3, max_retry_after: 60_000.0 },
                completeness: Completeness::Strict,
                failure_policy: FailurePolicy::FailFast,
                max_partition_bytes: 256 * 1024 * 1024,
                max_buffered_bytes: 64 * 1024 * 1024,
            },
        }
    }
}

impl Options {
    /// The options of a client.
    pub fn of_client(given: &JsValue) -> Result<Self, JsValue> {
        let mut options = Options::default();
        options.take(given)?;
        Ok(options)
    }

    /// The options of a call of the client with these, which win, but can only lower `concurrency` and `maxBufferedBytes`.
    pub fn of_call(&self, given: &JsValue) -> Result<Self, JsValue> {
        let mut options = self.clone();
        options.take(given)?;
        let (all, own) = (&self.settings, &mut options.settings);
        own.concurrency = own.concurrency.min(all.concurrency);
        own.max_buffered_bytes = own.max_buffered_bytes.min(all.max_buffered_bytes);
        Ok(options)
    }

    /// Checks and takes what was given; undefined means nothing.
    fn take(&mut self, given: &JsValue) -> Result<(), JsValue> {
        if given.is_undefined() {
            return Ok(());
        }
        if !given.is_object() {
            return Err(type_error("options", "an object", given));
        }
        refuse_unknown(given)?;
        for name in NAMES {
            let value = Reflect::get(given, &name.into())?;
            if !value.is_undefined() {
                self.set(name, &value)?;
            }
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: &JsValue) -> Result<(), JsValue> {
        let settings = &mut self.settings;
        let number = |least, most| integer(name, value, least, most);
        let function = || value.clone().dyn_into().map(Some).map_err(|_| type_error(name, "a function", value));
        match name {
            "baseUrl" => self.base_url = Some(base_url::given(value)?),
            "headers" => self.headers = Some(Rc::new(HeadersSource::new(value)?)),
            "credentials" => self.credentials = credentials(value)?,
            "cache" => self.cache = cache(value)?,
            "fetch" => self.fetch = function()?,
            "signal" => self.signal = signal(value)?,
            "concurrency" => settings.concurrency = number(1.0, 1000.0)? as usize,
            "timeout" => settings.timeout = number(1.0, LONGEST)?,
            "totalTimeout" => settings.total_timeout = Some(number(1.0, LONGEST)?),
            "retries" => settings.policy.retries = number(0.0, 1000.0)? as u32,
            "maxRetryAfter" => settings.policy.max_retry_after = number(0.0, LONGEST)?,
            "completeness" => settings.completeness = completeness(value)?,
            "maxPartitionBytes" => settings.max_partition_bytes = number(1.0, LARGEST)? as usize,
            "failurePolicy" => settings.failure_policy = failure_policy(value)?,
            "order" => self.order = order(value)?,
            "maxBufferedBytes" => settings.max_buffered_bytes = number(1.0, MOST_BYTES)? as u64,
            "readCounts" => self.read_counts = function()?,
            "onProgress" => self.on_progress = function()?,
            "onPartition" => self.on_partition = function()?,
            "measure" => self.measure = measure(value)?,
            _ => return Err(unknown(name)),
        }
        Ok(())
    }
}

fn refuse_unknown(given: &JsValue) -> Result<(), JsValue> {
    let names = Object::keys(given.unchecked_ref::<Object>());
    for name in names.iter().filter_map(|name| name.dyn_into().ok()) {
        let name = excerpt(&name);
        if !NAMES.contains(&name.as_str()) {
            return Err(unknown(&name));
        }
    }
    Ok(())
}

fn unknown(name: &str) -> JsValue {
    TypeError::new(&format!("unknown option \"{name}\"{}", suggestion(name))).into()
}

fn suggestion(name: &str) -> String {
    let nearest = nearest(name, &mut NAMES.into_iter());
    nearest.map(|nearest| format!("; the nearest known one is \"{nearest}\"")).unwrap_or_default()
}

/// Null is no signal, instead of one that was given before.
fn signal(value: &JsValue) -> Result<Option<Signal>, JsValue> {
    if value.is_null() { Ok(None) } else { Signal::from_shape(value).map(Some) }
}

fn credentials(value: &JsValue) -> Result<RequestCredentials, JsValue> {
    let words = [
        ("omit", RequestCredentials::Omit),
        ("same-origin", RequestCredentials::SameOrigin),
        ("include", RequestCredentials::Include),
    ];
    // Its name invites to give a token here.
    let expected = "\"omit\", \"same-origin\" or \"include\"";
    meaning("credentials", value, &words, expected).map_err(|_| secret_type_error("credentials", expected, value))
}

fn cache(value: &JsValue) -> Result<RequestCache, JsValue> {
    let words = [
        ("default", RequestCache::Default),
        ("no-store", RequestCache::NoStore),
        ("reload", RequestCache::Reload),
        ("no-cache", RequestCache::NoCache),
        ("force-cache", RequestCache::ForceCache),
        ("only-if-cached", RequestCache::OnlyIfCached),
    ];
    meaning("cache", value, &words, "a cache mode of fetch, such as \"no-store\" or \"default\"")
}

fn completeness(value: &JsValue) -> Result<Completeness, JsValue> {
    let words = [("strict", Completeness::Strict), ("warn", Completeness::Warn), ("off", Completeness::Off)];
    meaning("completeness", value, &words, "\"strict\", \"warn\" or \"off\"")
}

fn failure_policy(value: &JsValue) -> Result<FailurePolicy, JsValue> {
    let words = [("fail-fast", FailurePolicy::FailFast), ("collect", FailurePolicy::Collect)];
    meaning("failurePolicy", value, &words, "\"fail-fast\" or \"collect\"")
}

fn order(value: &JsValue) -> Result<Order, JsValue> {
    let words = [("index", Order::Index), ("completion", Order::Completion)];
    meaning("order", value, &words, "\"index\" or \"completion\"")
}

/// What the word means that was given for an option.
fn meaning<Meaning: Copy>(
    name: &str,
    value: &JsValue,
    words: &[(&str, Meaning)],
    expected: &str,
) -> Result<Meaning, JsValue> {
    let known = words.iter().find(|(word, _)| is_word(value, word));
    known.map(|(_, meaning)| *meaning).ok_or_else(|| type_error(name, expected, value))
}

fn is_word(value: &JsValue, known: &str) -> bool {
    word(value).is_some_and(|word| word == known)
}

fn measure(value: &JsValue) -> Result<bool, JsValue> {
    value.as_bool().ok_or_else(|| type_error("measure", "true or false", value))
}
