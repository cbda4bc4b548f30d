//! The options of a client or of a call, each checked, unknown ones refused.

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

/// The options as they are given, each absent where it is undefined. The names of its fields are the names of the options.
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
/**
 * Options of a client, of a call, or of both: those of the call win, except as noted. All are optional.
 *
 * They are read once, when they are given, whether or not they are inherited. An unknown property of the object's own is a
 * `TypeError`; what a getter throws rejects the call.
 */
export interface Options {
  /**
   * Where the service is; may have a path, and a missing slash at its end is added. A relative one is seen from the
   * page. A `TypeError` for a query, a fragment, credentials in it, or another scheme than http and https.
   *
   * The `headers` of a client go wherever the `baseUrl` of a call leads, to another origin too: give such a call headers of
   * its own, or the client a function that looks at `url`.
   *
   * @default the page's own base URL; a `TypeError` where there is no page, as in Node
   */
  baseUrl?: string | URL;
  /**
   * Headers of every request, or a function that is asked for them before every attempt. After a 401 the function is
   * asked once more with that status, once for all requests under way to that origin, and each of them is repeated once.
   *
   * Fixed headers go with every request, whatever its origin. A function is told by `url` where its headers go, so that it
   * can give a token to the origin only that the token is for. What it gives after a 401 serves all requests under way to the
   * same origin, and never goes to another one.
   *
   * Any header beyond the ordinary ones, such as `authorization`, makes a browser ask a service of another origin for
   * permission (a CORS preflight) once per path.
   *
   * @default none
   */
  headers?: HeadersInit | ((circumstances: Circumstances) => HeadersInit | Promise<HeadersInit>);
  /**
   * Whether cookies go along, as in `fetch`.
   *
   * @default "same-origin"
   */
  credentials?: RequestCredentials;
  /**
   * Whether an answer may come from the browser's cache, as in `fetch`. A stale partition under fresh counts would be
   * silently wrong data.
   *
   * @default "no-store"
   */
  cache?: RequestCache;
  /**
   * A function to use instead of the global `fetch`; called with the address and an init object, `this` undefined.
   * What it gives is read by its shape: `status`, `headers`, and `body` or `arrayBuffer()`.
   *
   * @default the global one
   */
  fetch?: (href: string, init: RequestInit) => Promise<Response>;
  /**
   * Ends the call when it is aborted: the promise is rejected with `signal.reason`, and nothing goes on.
   *
   * @default none
   */
  signal?: AbortSignal | null;
  /**
   * Requests in flight at the same time, 1 to 1 000. The client's value caps all its calls together; a call's value can
   * only lower the share of that call.
   *
   * @default 6
   */
  concurrency?: number;
  /**
   * Milliseconds for one attempt, 1 to 2 147 483 647: the `headers` function, the response and its whole body.
   *
   * @default 30000
   */
  timeout?: number;
  /**
   * Milliseconds for the whole call, 1 to 2 147 483 647.
   *
   * @default none
   */
  totalTimeout?: number;
  /**
   * Retries per request after its first attempt, 0 to 1 000: after a broken connection, a timeout, and the statuses
   * 408, 429, 500, 502, 503 and 504. The wait before each is random, up to 300 ms at first and twice as much each time,
   * at most 20 s.
   *
   * @default 3
   */
  retries?: number;
  /**
   * The longest `Retry-After` that is waited for, in milliseconds, 0 to 2 147 483 647. A longer one, or one past
   * `totalTimeout`, fails at once.
   *
   * @default 60000
   */
  maxRetryAfter?: number;
  /**
   * What to do when the number of findings received is not the total that the service gave: fail, log a warning, or
   * nothing.
   *
   * @default "strict"
   */
  completeness?: "strict" | "warn" | "off";
  /**
   * The longest body that is taken, in bytes, 1 to 2 147 483 647; a longer one is refused while it is being read.
   *
   * @default 268435456 (256 MiB)
   */
  maxPartitionBytes?: number;
  /**
   * What to do when a partition cannot be had: reject at once, or get all the others first and reject with everything that was
   * got, what failed, and a way to go on (`findings` or `table`, `failures` and `resume` of the error). A stream takes only the
   * former.
   *
   * @default "fail-fast"
   */
  failurePolicy?: "fail-fast" | "collect";
  /**
   * The order of the partitions of a stream: that of their indexes, or as they come.
   *
   * @default "index"
   */
  order?: "index" | "completion";
  /**
   * Bytes of bodies and findings that nobody has read yet, 1 to 4 294 967 295. A partition is asked for when there is room for one
   * as large as the largest seen so far, or when its reader waits for it. The client's value caps all its calls together; a
   * call's value can only lower the share of that call.
   *
   * @default 67108864 (64 MiB)
   */
  maxBufferedBytes?: number;
  /**
   * Maps a counts answer of another form, once its `errors` are found to be null or absent. Must be synchronous; only
   * the kind that is asked for is needed.
   *
   * @default reads `SentimentPartitions`, `SentimentFindings`, `TopicPartitions` and `TopicFindings`
   */
  readCounts?: (answer: any) => {
    sentiment?: { partitions: number; findings?: number | null };
    topics?: { partitions: number; findings?: number | null };
  };
  /**
   * Is told how far a call for findings has come: once at 0, and once after each partition. What it throws, or what a
   * promise that it gives is rejected with, ends the call.
   *
   * @default none
   */
  onProgress?: (progress: Progress) => void;
  /**
   * Is told what becomes of each partition. What it throws, or what a promise that it gives is rejected with, ends the call.
   *
   * @default none
   */
  onPartition?: (change: PartitionChange) => void;
  /**
   * Whether each attempt and each partition becomes a `performance.measure`, which developer tools show on a track of its own. The
   * host keeps them until `performance.clearMeasures` is called.
   *
   * @default false
   */
  measure?: boolean;
}

/** What a `headers` function is told about the attempt that it gives headers for. */
export interface Circumstances {
  /** The number of the attempt, from 1. */
  attempt: number;
  /** The HTTP status of the attempt before; 401 when the headers have expired. */
  status: number | undefined;
  /**
   * Where the headers go: the address of the request. After a 401, that of one of the requests that wait for new headers, all of
   * which go to its origin.
   */
  url: string;
}
"#;

/// The options of a client or of one of its calls, with the defaults for what was not given.
#[derive(Clone)]
pub(super) struct Options {
    /// Ends with a slash; the page's own where there is none.
    pub(super) base_url: Option<JsString>,
    /// Where headers come from.
    pub(super) headers: Option<Rc<HeadersSource>>,
    /// As in `fetch`.
    pub(super) credentials: RequestCredentials,
    /// As in `fetch`.
    pub(super) cache: RequestCache,
    /// Instead of the global one.
    pub(super) fetch: Option<Function>,
    /// Aborts.
    pub(super) signal: Option<Signal>,
    /// Maps the counts answer.
    pub(super) read_counts: Option<Function>,
    /// Is told how far a call has come.
    pub(super) on_progress: Option<Function>,
    /// Is told what became of each partition.
    pub(super) on_partition: Option<Function>,
    /// Whether attempts and partitions are measured.
    pub(super) measure: bool,
    /// The order of a stream.
    pub(super) order: Order,
    /// What the retrieval has to know.
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
    /// The names of the options.
    pub(super) fn names() -> &'static [&'static str] {
        field_names::<GivenOptions>()
    }

    /// The options of a client.
    pub(super) fn of_client(given: &JsValue) -> Result<Self, JsValue> {
        let mut options = Options::default();
        options.take(given)?;
        Ok(options)
    }

    /// The options of a call of the client with these, which win, but can only lower `concurrency` and `maxBufferedBytes`.
    pub(super) fn of_call(&self, given: &JsValue) -> Result<Self, JsValue> {
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

    /// Takes what requests are made of, and what ends them.
    fn take_request(&mut self, given: &GivenOptions) -> Result<(), JsValue> {
        if let Some(base_url) = &given.base_url {
            self.base_url = Some(base_url::given(base_url)?);
        }
        if let Some(headers) = &given.headers {
            self.headers = Some(Rc::new(HeadersSource::new(headers)?));
        }
        if let Some(signal) = &given.signal {
            // Null is no signal, instead of one that was given before.
            self.signal = if signal.is_null() { None } else { Some(Signal::from_shape(signal)?) };
        }
        self.credentials = given.credentials.map_or(self.credentials, RequestCredentials::from);
        self.cache = given.cache.map_or(self.cache, RequestCache::from);
        self.fetch = given.fetch.clone().or(self.fetch.take());
        Ok(())
    }

    /// Takes what the retrieval obeys.
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
