// The types of the options: all of them for a client, and for each kind of call those that it has a use for.

import type { HeadersLike } from "./platform.js";
import type { PartitionChange, Progress } from "./progress.js";

/**
 * The options of a client, which uses them for all its calls. A call takes those that it has a use for: see
 * {@link CountsOptions}, {@link PartitionOptions}, {@link FindingsOptions} and {@link StreamOptions}. The call's value wins, except as
 * noted.
 *
 * Options are copied when you pass them; getters and inherited members count, and `undefined` means absent. A call rejects with a
 * `TypeError` for an unknown option, for one that it has no use for, and for a value of the wrong type, with a `RangeError` for a number
 * out of range, and with whatever a getter throws.
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
   * The URL of the service. It may have a path; a missing slash at its end is added. A relative URL is resolved against the page when
   * you pass it. It must not have a query string, a fragment or credentials, nor a scheme other than http and https.
   *
   * If the `baseUrl` of a call leads to another origin, the client's `headers` are sent there too. Pass such a call its own `headers`, or
   * the client a function that checks `url`.
   *
   * @default the page's base URL; a `TypeError` where there is no page, as in Node
   */
  baseUrl?: string | URL | undefined;
  /**
   * The headers of every request, or a function that returns them, called before every attempt. A header without a value
   * (`undefined` or `null`) is a `TypeError`.
   *
   * After a 401 the function is called once more with that status, for all pending requests to that origin together, and
   * each of these requests is repeated once. Headers returned after a 401 are never sent to another origin.
   *
   * Fixed headers are sent with every request, whatever its origin. A function receives the URL of the request as
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
  headers?: HeadersLike | ((context: HeadersContext) => HeadersLike | Promise<HeadersLike>) | undefined;
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
   * A function in place of the global `fetch`, called with the URL and an init object, with `this` undefined. The
   * package reads these members of its response: `status`, `headers`, and `body` or `arrayBuffer()`.
   *
   * @default the global `fetch`
   */
  fetch?: ((href: string, init: RequestInit) => Promise<Response>) | undefined;
  /**
   * Where bodies are decoded:
   *
   * - `"auto"`: in a worker for calls whose counts promise enough work, if one can be started, otherwise in the calling thread
   * - `true`: in a worker
   * - `false`: in the calling thread
   * - a string or `URL`: in a worker whose script, the package's `worker.js`, is at that URL
   * - a function: in the worker that it returns, which runs that script
   *
   * The calling thread sends the requests in any case. All clients of a page share one worker for each script. It starts with the first
   * call that needs it, and ends after 30 seconds without a call. If no worker can be started, `true`, a URL and a function make the call
   * reject with the code `load`. `"auto"` decodes in the calling thread then, and tries again after a minute at the earliest; it does so, too,
   * for a single partition, in your own worker, and where `Worker` does not exist, as in Node.
   *
   * @default "auto"
   */
  worker?: boolean | "auto" | (string & {}) | URL | (() => Worker) | undefined;
  /**
   * Aborts the call: its promise rejects with `signal.reason`, and all pending work is cancelled. `null` in a call means none, not even
   * the client's.
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
  readCounts?: // biome-ignore lint/suspicious/noExplicitAny: its form is the service's
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

/** The options of a call for the counts: {@link Options} without those that concern partitions. */
export interface CountsOptions
  extends Omit<
    Options,
    "concurrency" | "completeness" | "failurePolicy" | "order" | "maxBufferedBytes" | "onProgress" | "onPartition"
  > {}

/** The options of a call for one partition: {@link Options} without those that concern the counts or several partitions. */
export interface PartitionOptions
  extends Omit<
    Options,
    "concurrency" | "completeness" | "failurePolicy" | "order" | "maxBufferedBytes" | "readCounts"
  > {}

/** The options of a call for all findings, and of its `resume()`: {@link Options} without `order`. */
export interface FindingsOptions extends Omit<Options, "order"> {}

/** The options of a stream: {@link Options}, whose `failurePolicy` can only be `"fail-fast"`. */
export interface StreamOptions extends Options {
  /** A stream delivers every partition before the one that fails, so it cannot collect. */
  failurePolicy?: "fail-fast" | undefined;
}

/** The attempt for which a `headers` function returns headers. */
export interface HeadersContext {
  /** The number of the attempt, from 1. */
  attempt: number;
  /** The HTTP status of the previous attempt, if it had one; 401 if the headers have expired. */
  status: number | undefined;
  /**
   * The URL of the request. After a 401, the URL of one of the requests that wait for new headers, all of which go
   * to the same origin.
   */
  url: string;
}
