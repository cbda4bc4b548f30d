//! The options of a client or of a call.

use std::rc::Rc;

use js_sys::{Function, JsString, Object, TypeError};
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use web_sys::{RequestCache, RequestCredentials};

use super::abort::Signal;
use super::arguments::{integer, type_error};
use super::base_url;
use super::deserialize::{boolean, field_names, from_object, function, name, number, secret_name, value};
use super::headers::HeadersSource;
use super::workers::Place;
use crate::js_string::excerpt;
use crate::retrieve::settings::{Completeness, FailurePolicy, Settings};
use crate::scheduling::reorder_buffer::Order;
use crate::scheduling::retry::Policy;
use crate::spelling::nearest;

/// The longest time that timers count, 2^31 − 1 milliseconds.
const MAX_MILLISECONDS: f64 = 2_147_483_647.0;

/// The largest body that wasm memory holds in one piece, 2^31 − 1 bytes.
const MAX_BODY_BYTES: f64 = 2_147_483_647.0;

/// The most that wasm memory holds, 2^32 − 1 bytes.
const MAX_MEMORY_BYTES: f64 = 4_294_967_295.0;

/// The options as the caller gives them. Undefined means absent. The names of the fields are the names of the options.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct GivenOptions {
    #[serde(deserialize_with = "value")]
    base_url: Option<JsValue>,
    #[serde(deserialize_with = "value")]
    headers: Option<JsValue>,
    #[serde(deserialize_with = "secret_name")]
    credentials: Option<Credentials>,
    #[serde(deserialize_with = "name")]
    cache: Option<CacheMode>,
    #[serde(deserialize_with = "function")]
    fetch: Option<Function>,
    #[serde(deserialize_with = "value")]
    worker: Option<JsValue>,
    #[serde(deserialize_with = "value")]
    signal: Option<JsValue>,
    #[serde(deserialize_with = "number")]
    concurrency: Option<f64>,
    #[serde(deserialize_with = "number")]
    timeout: Option<f64>,
    #[serde(deserialize_with = "number")]
    total_timeout: Option<f64>,
    #[serde(deserialize_with = "number")]
    retries: Option<f64>,
    #[serde(deserialize_with = "number")]
    max_retry_after: Option<f64>,
    #[serde(deserialize_with = "name")]
    completeness: Option<Completeness>,
    #[serde(deserialize_with = "number")]
    max_partition_bytes: Option<f64>,
    #[serde(deserialize_with = "name")]
    failure_policy: Option<FailurePolicy>,
    #[serde(deserialize_with = "name")]
    order: Option<Order>,
    #[serde(deserialize_with = "number")]
    max_buffered_bytes: Option<f64>,
    #[serde(deserialize_with = "function")]
    read_counts: Option<Function>,
    #[serde(deserialize_with = "function")]
    on_progress: Option<Function>,
    #[serde(deserialize_with = "function")]
    on_partition: Option<Function>,
    #[serde(deserialize_with = "boolean")]
    measure: Option<bool>,
}

/// The values of `RequestCredentials`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Credentials {
    Omit,
    SameOrigin,
    Include,
}

/// The values of `RequestCache`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum CacheMode {
    Default,
    NoStore,
    Reload,
    NoCache,
    ForceCache,
    OnlyIfCached,
}

#[wasm_bindgen(typescript_custom_section)]
const OPTIONS: &str = r#"
import type { HeadersLike } from "./platform.js";

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
  baseUrl?: string | URL | undefined;
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
  headers?: HeadersLike | ((circumstances: Circumstances) => HeadersLike | Promise<HeadersLike>) | undefined;
  /**
   * Whether requests include cookies, as in `fetch`.
   *
   * @default "same-origin"
   */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /**
   * How requests use the browser's cache, as in `fetch`. A cached partition that does not match the current counts would be
   * wrong data without an error.
   *
   * @default "no-store"
   */
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache" | "only-if-cached" | undefined;
  /**
   * A function in place of the global `fetch`, called with the address and an init object, with `this` undefined. The
   * package reads these members of its response: `status`, `headers`, and `body` or `arrayBuffer()`.
   *
   * @default the global `fetch`
   */
  fetch?: ((href: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Where requests are sent, read and decoded:
   *
   * - `false`: in the page
   * - `true`: in a worker, so that the page stays free for its own work
   * - `"auto"`: in a worker where one can be had, otherwise in the page, with a warning on the console
   * - a string or `URL`: in a worker whose script, the package's `worker.js`, is at that address
   * - a function: in the worker that it returns, which runs that script
   *
   * All clients of a page share one worker for each script. It starts with the first call that needs it, and ends with the last client
   * or after 30 seconds without a request. It sends requests by its own `fetch`, so that a global `fetch` that the page has replaced
   * does not apply; the option `fetch` together with a worker is a `TypeError`, and with `"auto"` means the page. If no worker can be
   * started, a call rejects with code `load`.
   *
   * @default false
   */
  worker?: boolean | "auto" | (string & {}) | URL | (() => Worker) | undefined;
  /**
   * Aborts the call: its promise rejects with `signal.reason`, and all pending work is cancelled.
   *
   * @default none
   */
  signal?: AbortSignal | null | undefined;
  /**
   * The most requests in flight, 1 to 1 000. The client's value limits all its calls together; a call's value can only
   * lower that call's share. Over HTTP/1.1 a browser sends six at a time; the others wait, and `timeout` includes that wait.
   *
   * @default 8
   */
  concurrency?: number | undefined;
  /**
   * The limit of one attempt in milliseconds, 1 to 2 147 483 647. An attempt includes the `headers` function, the response
   * and its whole body.
   *
   * @default 30000
   */
  timeout?: number | undefined;
  /**
   * The limit of the whole call in milliseconds, 1 to 2 147 483 647.
   *
   * @default none
   */
  totalTimeout?: number | undefined;
  /**
   * Retries per request after its first attempt, 0 to 1 000. Retried are broken connections, timeouts, and the statuses
   * 408, 429, 500, 502, 503 and 504. The wait before a retry is random: up to 300 ms at first, up to twice as long each
   * time, and at most 20 s.
   *
   * @default 3
   */
  retries?: number | undefined;
  /**
   * The longest `Retry-After` to wait for in milliseconds, 0 to 2 147 483 647. A longer one, or one beyond `totalTimeout`,
   * fails at once.
   *
   * @default 60000
   */
  maxRetryAfter?: number | undefined;
  /**
   * What happens if the number of findings received is not the total: the call rejects with code `incomplete`, logs a
   * warning, or ignores it.
   *
   * @default "strict"
   */
  completeness?: "strict" | "warn" | "off" | undefined;
  /**
   * The longest body in bytes, 1 to 2 147 483 647. A longer one is rejected while it is read.
   *
   * @default 268435456 (256 MiB)
   */
  maxPartitionBytes?: number | undefined;
  /**
   * What happens if a partition fails: the call rejects at once, or it fetches all other partitions first and then rejects
   * with code `partial` and the members `findings` or `table`, `failures` and `resume` of the error. `"collect"` is a
   * `TypeError` for a stream.
   *
   * @default "fail-fast"
   */
  failurePolicy?: "fail-fast" | "collect" | undefined;
  /**
   * The order of the partitions of a stream: by index, or each when it is complete.
   *
   * @default "index"
   */
  order?: "index" | "completion" | undefined;
  /**
   * The most bytes of unread bodies and findings, 1 to 4 294 967 295. A partition is requested if the largest partition so
   * far would still fit, or if the reader waits for it. The client's value limits all its calls together; a call's value
   * can only lower that call's share.
   *
   * @default 67108864 (64 MiB)
   */
  maxBufferedBytes?: number | undefined;
  /**
   * Converts a counts response of another form, after its `errors` have been found null or absent. Must be synchronous.
   * Only the requested kind is needed.
   *
   * @default reads `SentimentPartitions`, `SentimentFindings`, `TopicPartitions` and `TopicFindings`
   */
  readCounts?:
    | ((answer: any) => {
        sentiment?: { partitions: number; findings?: number | null | undefined } | null | undefined;
        topics?: { partitions: number; findings?: number | null | undefined } | null | undefined;
      })
    | undefined;
  /**
   * Called with the progress of a call for findings: once at 0, then once after each partition. A value that it throws, or
   * that a promise it returns rejects with, ends the call.
   *
   * @default none
   */
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * Called with each change of the state of a partition. A value that it throws, or that a promise it returns rejects
   * with, ends the call.
   *
   * @default none
   */
  onPartition?: ((change: PartitionChange) => void) | undefined;
  /**
   * Whether each attempt and each partition is recorded as a `performance.measure`, which developer tools show on a
   * separate track. The host keeps the measures until `performance.clearMeasures` is called.
   *
   * @default false
   */
  measure?: boolean | undefined;
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

/// The checked options of a client or of one of its calls, with defaults for the absent ones.
#[derive(Clone)]
pub(super) struct Options {
    /// The base URL, which ends with a slash; the page's own if absent.
    pub(super) base_url: Option<JsString>,
    /// The source of headers.
    pub(super) headers: Option<Rc<HeadersSource>>,
    /// The credentials mode of requests.
    pub(super) credentials: RequestCredentials,
    /// The cache mode of requests.
    pub(super) cache: RequestCache,
    /// Replaces the global `fetch`.
    pub(super) fetch: Option<Function>,
    /// Where requests are sent, read and decoded.
    pub(super) place: Place,
    /// Ends the call when it is aborted.
    pub(super) signal: Option<Signal>,
    /// Maps another counts response.
    pub(super) read_counts: Option<Function>,
    /// Receives the progress of a call.
    pub(super) on_progress: Option<Function>,
    /// Receives the changes of each partition.
    pub(super) on_partition: Option<Function>,
    /// Whether attempts and partitions become performance measures.
    pub(super) measure: bool,
    /// The order of a stream.
    pub(super) order: Order,
    /// The options that the retrieval obeys.
    pub(super) settings: Settings,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            base_url: None,
            headers: None,
            credentials: RequestCredentials::SameOrigin,
            cache: RequestCache::NoStore,
            fetch: None,
            place: Place::Page,
            signal: None,
            read_counts: None,
            on_progress: None,
            on_partition: None,
            measure: false,
            order: Order::Index,
            settings: Settings {
                concurrency: 8,
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
    /// The names of the options.
    pub(super) fn names() -> &'static [&'static str] {
        field_names::<GivenOptions>()
    }

    /// Checks the options of a client.
    pub(super) fn of_client(given: &JsValue) -> Result<Self, JsValue> {
        let mut options = Options::default();
        options.take(given)?;
        Ok(options)
    }

    /// Checks the options of a call and merges them into those of its client. They win, but can only lower `concurrency` and
    /// `maxBufferedBytes`.
    pub(super) fn of_call(&self, given: &JsValue) -> Result<Self, JsValue> {
        let mut options = self.clone();
        options.take(given)?;
        let (all, own) = (&self.settings, &mut options.settings);
        own.concurrency = own.concurrency.min(all.concurrency);
        own.max_buffered_bytes = own.max_buffered_bytes.min(all.max_buffered_bytes);
        Ok(options)
    }

    /// Checks the given options and takes them over. Undefined means none.
    fn take(&mut self, given: &JsValue) -> Result<(), JsValue> {
        if given.is_undefined() { Ok(()) } else { self.take_given(given) }
    }

    // Not inlined: engines compile a function when it is first called, and a call without options does without this one, which is large.
    #[inline(never)]
    fn take_given(&mut self, given: &JsValue) -> Result<(), JsValue> {
        if !given.is_object() {
            return Err(type_error("options", "an object", given));
        }
        refuse_unknown(given)?;
        let given: GivenOptions = from_object(given)?;
        self.take_request(&given)?;
        self.take_settings(&given)?;
        self.order = given.order.unwrap_or(self.order);
        self.measure = given.measure.unwrap_or(self.measure);
        self.read_counts = given.read_counts.or(self.read_counts.take());
        self.on_progress = given.on_progress.or(self.on_progress.take());
        self.on_partition = given.on_partition.or(self.on_partition.take());
        Ok(())
    }

    /// Takes over the options of requests, and the signal.
    fn take_request(&mut self, given: &GivenOptions) -> Result<(), JsValue> {
        if let Some(base_url) = &given.base_url {
            self.base_url = Some(base_url::given(base_url)?);
        }
        if let Some(headers) = &given.headers {
            self.headers = Some(Rc::new(HeadersSource::new(headers)?));
        }
        if let Some(signal) = &given.signal {
            // Null removes the signal of the client.
            self.signal = if signal.is_null() { None } else { Some(Signal::from_shape(signal)?) };
        }
        self.credentials = given.credentials.map_or(self.credentials, RequestCredentials::from);
        self.cache = given.cache.map_or(self.cache, RequestCache::from);
        self.fetch = given.fetch.clone().or(self.fetch.take());
        if let Some(worker) = &given.worker {
            self.place = Place::given(worker)?;
        }
        self.check_place()
    }

    /// Checks that no worker is to call a function of the page.
    fn check_place(&mut self) -> Result<(), JsValue> {
        match (&self.place, &self.fetch) {
            (Place::Worker(_), Some(_)) => {
                let wrong = "fetch cannot be given together with worker: a worker sends requests by its own fetch";
                Err(TypeError::new(wrong).into())
            }
            (Place::Auto(_), Some(_)) => {
                self.place = Place::Page;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Takes over the options that the retrieval obeys.
    fn take_settings(&mut self, given: &GivenOptions) -> Result<(), JsValue> {
        let settings = &mut self.settings;
        if let Some(concurrency) = given.concurrency {
            settings.concurrency = integer("concurrency", concurrency, 1.0, 1000.0)? as usize;
        }
        if let Some(timeout) = given.timeout {
            settings.timeout = integer("timeout", timeout, 1.0, MAX_MILLISECONDS)?;
        }
        if let Some(total_timeout) = given.total_timeout {
            settings.total_timeout = Some(integer("totalTimeout", total_timeout, 1.0, MAX_MILLISECONDS)?);
        }
        if let Some(retries) = given.retries {
            settings.policy.retries = integer("retries", retries, 0.0, 1000.0)? as u32;
        }
        if let Some(max_retry_after) = given.max_retry_after {
            settings.policy.max_retry_after = integer("maxRetryAfter", max_retry_after, 0.0, MAX_MILLISECONDS)?;
        }
        if let Some(bytes) = given.max_partition_bytes {
            settings.max_partition_bytes = integer("maxPartitionBytes", bytes, 1.0, MAX_BODY_BYTES)? as usize;
        }
        if let Some(bytes) = given.max_buffered_bytes {
            settings.max_buffered_bytes = integer("maxBufferedBytes", bytes, 1.0, MAX_MEMORY_BYTES)? as u64;
        }
        settings.completeness = given.completeness.unwrap_or(settings.completeness);
        settings.failure_policy = given.failure_policy.unwrap_or(settings.failure_policy);
        Ok(())
    }
}

fn refuse_unknown(given: &JsValue) -> Result<(), JsValue> {
    let known = Options::names();
    let names = Object::keys(given.unchecked_ref::<Object>());
    for name in names.iter().filter_map(|name| name.dyn_into().ok()) {
        let name = excerpt(&name);
        if !known.contains(&name.as_str()) {
            return Err(unknown(&name, known));
        }
    }
    Ok(())
}

fn unknown(name: &str, known: &[&str]) -> JsValue {
    let nearest = nearest(name, &mut known.iter().copied());
    let hint = nearest.map(|nearest| format!("; the nearest known one is \"{nearest}\"")).unwrap_or_default();
    TypeError::new(&format!("unknown option \"{name}\"{hint}")).into()
}

impl From<Credentials> for RequestCredentials {
    fn from(credentials: Credentials) -> Self {
        match credentials {
            Credentials::Omit => RequestCredentials::Omit,
            Credentials::SameOrigin => RequestCredentials::SameOrigin,
            Credentials::Include => RequestCredentials::Include,
        }
    }
}

impl From<CacheMode> for RequestCache {
    fn from(mode: CacheMode) -> Self {
        match mode {
            CacheMode::Default => RequestCache::Default,
            CacheMode::NoStore => RequestCache::NoStore,
            CacheMode::Reload => RequestCache::Reload,
            CacheMode::NoCache => RequestCache::NoCache,
            CacheMode::ForceCache => RequestCache::ForceCache,
            CacheMode::OnlyIfCached => RequestCache::OnlyIfCached,
        }
    }
}
