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
