// The types of the options: of a client, and of each kind of call.

import type { AbortSignal, HeadersLike, RequestInit, Response, URL } from "../host/platform.js";
import type { ColumnList } from "../table/column-name.js";
import type { FindingsTable } from "../table/table.js";
import type { PartitionChange, Progress } from "./progress.js";

/**
 * The options of a client. A call takes only the options that apply to it: see
 * {@link CountsOptions}, {@link PartitionOptions}, {@link FindingsOptions} and {@link StreamOptions}. The call's value
 * wins, except as noted.
 *
 * Options are copied when you pass them; getters and inherited members count, and `undefined` means absent. In a call,
 * `null` turns off the client's value of an option that has no default value, such as `totalTimeout: null`. A call
 * rejects with a `TypeError` if an option is unknown, does not apply to the call, or has the wrong type. It rejects
 * with a `RangeError` if a number is out of range. If a getter throws, the call rejects with that error.
 *
 * @example
 * const options: Options = {
 *   baseUrl: "https://service.example/cxi/",
 *   totalTimeout: 60_000,
 *   onProgress: ({ partitionsDone, partitions }) => console.log(`${partitionsDone} of ${partitions}`),
 * };
 */
export interface Options {
  /**
   * The URL of the service. It may have a path; a missing slash at its end is added. A relative URL is resolved against
   * the page when you pass it. Its scheme is http or https, and it must not have a query string, a fragment or
   * credentials. It has at most 8 192 characters.
   *
   * Warning: if a call's `baseUrl` points to another origin, the client's static `headers` are sent there too. Pass
   * separate `headers` to such a call, or pass the client a function that checks `url`.
   *
   * @default the page's base URL; a `TypeError` where there is no page, as in Node
   */
  baseUrl?: string | URL | null | undefined;
  /**
   * The headers of every request, or a function that returns them, called before every attempt. A header without a
   * value (`undefined` or `null`) is a `TypeError`.
   *
   * After a 401, the function is called once more with `status: 401`, for all refused requests of the call together.
   * Each of these requests is then repeated once. No other call sends the headers that the function returned for one.
   *
   * Static headers are sent with every request, to any origin. A function receives the request's `url`, so that it can
   * return a token only for the token's origin.
   *
   * If the service is on another origin than the page, a header that CORS does not safelist, such as `authorization`,
   * makes the browser send a preflight request for each path.
   *
   * @default none
   * @example
   * const options: Options = {
   *   headers: ({ url }) => ({ Authorization: sessionStorage.getItem(new URL(url).origin) ?? "" }),
   * };
   */
  headers?: HeadersLike | ((context: HeadersContext) => HeadersLike | Promise<HeadersLike>) | null | undefined;
  /**
   * Whether requests include cookies, as in `fetch`.
   *
   * @default "same-origin"
   */
  credentials?: "omit" | "same-origin" | "include" | undefined;
  /**
   * How requests use the browser's cache, as in `fetch`. A cached partition that does not match the current counts
   * would be wrong data without an error.
   *
   * @default "no-store"
   */
  cache?: "default" | "no-store" | "reload" | "no-cache" | "force-cache" | "only-if-cached" | undefined;
  /**
   * A function that replaces the global `fetch`. It is called with the URL and an init object, with `this` undefined.
   * The package reads these members of its response: `status`, `headers`, and `body` or `arrayBuffer()`.
   *
   * @default the global `fetch`
   */
  fetch?: ((href: string, init: RequestInit) => Promise<Response>) | null | undefined;
  /**
   * Where bodies are decoded:
   *
   * - `"auto"`: in a worker for large inspections, if a worker can be started; otherwise on the calling thread
   * - `true`: in a worker
   * - `false`: on the calling thread
   *
   * A worker that decodes also sends most requests for partitions. All clients of a page share one worker. It starts
   * with the first call that needs it, and ends after 30 seconds without a call. If it cannot be started, calls with
   * `true` reject with code `load`. `"auto"` falls back to the calling thread, and tries again after a minute at the
   * earliest. `"auto"` also decodes single partitions on the calling thread, and all bodies in your own worker and where
   * `Worker` does not exist, as in Node. `init` of `inspection-findings/manual` takes a worker of your own.
   *
   * @default "auto"
   */
  worker?: boolean | "auto" | undefined;
  /**
   * Aborts the call: its promise rejects with `signal.reason`, and all pending work is cancelled.
   *
   * @default none
   */
  signal?: AbortSignal | null | undefined;
  /**
   * The maximum number of requests in flight, 1 to 1 000. The client's value limits all its calls together; a call's
   * value can only lower that call's share. Over HTTP/1.1, a browser sends six at a time. The others wait, and
   * `timeout` includes that wait.
   *
   * @default 8
   */
  concurrency?: number | undefined;
  /**
   * The limit of one attempt in milliseconds, 1 to 2 147 483 647. An attempt includes the `headers` function, the
   * response and its whole body.
   *
   * @default 30000
   */
  timeout?: number | undefined;
  /**
   * The limit of the whole call in milliseconds, 1 to 2 147 483 647.
   *
   * @default none
   */
  totalTimeout?: number | null | undefined;
  /**
   * How often to retry each request after its first attempt, 0 to 1 000. Requests without a response, broken
   * connections, bodies that are cut off, timeouts of an attempt, and the statuses 408, 429, 500, 502, 503, 504, 520 to
   * 524, and 403 with a `Retry-After` are retried. The delay before a retry is random. Its upper limit is 300 ms at
   * first, doubles each time, and is at most 20 s.
   *
   * @default 3
   */
  retries?: number | undefined;
  /**
   * The longest `Retry-After` to wait for, in milliseconds, 0 to 2 147 483 647. If the service asks for a longer wait,
   * or for one beyond `totalTimeout`, the call fails at once.
   *
   * @default 60000
   */
  maxRetryAfter?: number | undefined;
  /**
   * What happens if the number of findings received is not the total: the call rejects with code `incomplete`, or
   * ignores it.
   *
   * @default "strict"
   */
  completeness?: "strict" | "off" | undefined;
  /**
   * The longest body in bytes, 1 to 2 147 483 647. A longer body is rejected: at once if its length is known, otherwise
   * while it is read.
   *
   * @default 268435456 (256 MiB)
   */
  maxPartitionBytes?: number | undefined;
  /**
   * What happens if a partition fails: the call rejects at once, or it fetches all other partitions first and then
   * rejects with a `partial` error, which has `findings` or `table`, `failures` and `resume()`. `"collect"` is a
   * `TypeError` for a stream.
   *
   * @default "fail-fast"
   */
  failurePolicy?: "fail-fast" | "collect" | undefined;
  /**
   * The order of the partitions of a stream: by index, or each as soon as it is complete.
   *
   * @default "index"
   */
  order?: "index" | "completion" | undefined;
  /**
   * The maximum number of bytes in unread bodies and findings, 1 to 4 294 967 295. A partition is requested if the
   * largest partition so far would still fit, or if the reader waits for it. The client's value limits all its calls
   * together; a call's value can only lower that call's share.
   *
   * @default 67108864 (64 MiB)
   */
  maxBufferedBytes?: number | undefined;
  /**
   * Converts a counts response in another shape; called only if its `errors` are null or absent. Must be synchronous.
   * Return at least the requested kind.
   *
   * @default reads `SentimentPartitions`, `SentimentFindings`, `TopicPartitions` and `TopicFindings`
   */
  readCounts?: // biome-ignore lint/suspicious/noExplicitAny: the service decides its shape
    | ((response: any) => {
        sentiment?: { partitions: number; findings?: number | null | undefined } | null | undefined;
        topics?: { partitions: number; findings?: number | null | undefined } | null | undefined;
      })
    | null
    | undefined;
  /**
   * Called when the counts are known, and then after each partition. If it throws, or returns a promise that rejects,
   * the call rejects with that error.
   *
   * @default none
   */
  onProgress?: ((progress: Progress) => void) | null | undefined;
  /**
   * Called whenever the state of a partition, or of the counts, changes. If it throws, or returns a promise that
   * rejects, the call rejects with that error.
   *
   * @default none
   */
  onPartition?: ((change: PartitionChange) => void) | null | undefined;
}

/** The options of a call for the counts: {@link Options} without the options for partitions. */
export interface CountsOptions
  extends Omit<
    Options,
    "concurrency" | "completeness" | "failurePolicy" | "order" | "maxBufferedBytes" | "onProgress" | "onPartition"
  > {}

/** The options of a call for one partition: {@link Options} without the options for the counts or for several partitions. */
export interface PartitionOptions
  extends Omit<
    Options,
    "concurrency" | "completeness" | "failurePolicy" | "order" | "maxBufferedBytes" | "readCounts"
  > {}

/** The options of a call for all findings: {@link Options} without `order`. */
export interface FindingsOptions extends Omit<Options, "order"> {}

/** The options of `loadTable` and `watchTable`: {@link FindingsOptions} and `from`. */
export interface TableOptions extends FindingsOptions {
  /**
   * A table with some or all partitions of the same inspection and kind: of `loadTable`, `watchTable`, a `partial`
   * error or {@link FindingsTable.fromBytes}. The call reads the counts. If they equal the table's counts, it requests
   * only the missing partitions, and none for a complete table. If they differ, it requests everything. The table stays
   * usable, and you can free it right after the call. A view, the table of a single partition, and a table of another
   * `baseUrl`, inspection, kind or list of `columns` are a `TypeError`.
   *
   * The snapshots of `watchTable` have its findings from the beginning, and keep them after a failure.
   *
   * Warning: the service has no versions. If an inspection is re-analysed and its totals stay the same, the call cannot
   * tell, and resolves with the earlier findings.
   *
   * @default none
   */
  from?: FindingsTable<unknown> | null | undefined;
}

/** The options of a stream: {@link Options}, whose `failurePolicy` can only be `"fail-fast"`. */
export interface StreamOptions extends Options {
  /** A stream delivers every partition before the failed one, so it cannot collect. */
  failurePolicy?: "fail-fast" | undefined;
}

/**
 * The options of a call, and `columns`, which narrow the type of its result. Options of a call that are declared without
 * them, such as {@link FindingsOptions}, leave it whole.
 */
export type WithColumns<SomeOptions, Finding, Names extends readonly string[]> = SomeOptions & {
  /**
   * The names of the columns that findings keep, as `table.columns` lists them. The name of an object stands for all
   * fields below it. Objects have only these fields, and tables have only these columns. All other fields are checked
   * and skipped: they take no memory. An empty list keeps only the number of findings. A name that no finding has is
   * not an error. `resume()` keeps the list of its call.
   *
   * @default all columns
   * @example
   * const findings = await getFindings(42, "topics", { columns: ["TopicGroup", "Topic.Text"] });
   */
  columns?: ColumnList<Finding, Names> | null | undefined;
};

/** The attempt for which a `headers` function returns headers. */
export interface HeadersContext {
  /** The number of the attempt, from 1. */
  attempt: number;
  /** The HTTP status of the previous attempt, if it had one; 401 if the headers have expired. */
  status: number | undefined;
  /**
   * The URL of the request. After a 401, the URL of one of the requests that wait for new headers; all of them go to
   * the same origin.
   */
  url: string;
}
