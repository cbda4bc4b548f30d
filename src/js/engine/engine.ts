// All that TypeScript calls of Rust, with the types that Rust states. `host.ts` has all that Rust calls.

export type {
  Client,
  Columns,
  EarlierTable,
  InitOutput as Exports,
  LiveSource,
  ResumeState,
} from "../inspection_findings.js";
export { makeGlue } from "./instance_glue.js";

/** The groups of some findings, the largest first. */
export interface Groups {
  /** The number of the grouping; 0 if it has no later results. */
  readonly grouping: number;
  /** The cells of the keys, group after group. */
  readonly keys: Uint32Array;
  /** The number of findings of each group. */
  readonly counts: Uint32Array;
  /** The number of each group in all results of the grouping; none if there are no later ones. */
  readonly numbers: Uint32Array;
  /** For each group the number of numbers, their sum, minimum and maximum; none without a summary. */
  readonly statistics: Float64Array;
  /** For each group the number of distinct values; none without a column that was asked for. */
  readonly distinct: Uint32Array;
}

/** The settings of a call, as Rust reads them (`src/web/options.rs`): its options with all defaults, and values derived from them. */
export interface Settings {
  /** The base URL, which ends with a slash. */
  readonly baseUrl: string;
  /** The headers of each request, or a function that resolves with those of an attempt. */
  readonly headers: Headers | ((context: never) => Promise<Headers>);
  /** The headers of the first attempt, if their function was asked before the module was ready. */
  readonly askedHeaders: Promise<Headers> | undefined;
  /** Sends a request with these headers; the signal cancels it. Returns the result of `fetch`. */
  readonly send: (href: string, headers: Headers, signal: AbortSignal) => unknown;
  /** Where bodies are decoded. */
  readonly worker: boolean | string | (() => Worker);
  /** How a worker sends requests; undefined if the page's own `fetch` has to see them. */
  readonly inWorker: { readonly credentials: RequestCredentials; readonly cache: RequestCache } | undefined;
  /** The names of the columns to keep, each followed by the byte `0xFF`; undefined for all. */
  readonly columns?: Uint8Array | undefined;
  /** Ends the call when it is aborted. */
  readonly signal: AbortSignal | undefined;
  /** Maps another counts response. */
  readonly readCounts?: ((response: never) => unknown) | undefined;
  /** Receives the progress of the call. */
  readonly onProgress?: ((progress: never) => unknown) | undefined;
  /** Receives the changes of each partition. */
  readonly onPartition?: ((change: never) => unknown) | undefined;
  /** When the call began, by the clock of `performance`. */
  readonly begun: number;
  /** Whether its findings become tables, not plain objects. */
  readonly asTable: boolean;
  /** The order of a stream. */
  readonly order: "index" | "completion";
  /** How the inspection grows, for a call with an earlier table. */
  readonly growth: "reload" | "append";
  readonly concurrency: number;
  readonly timeout: number;
  readonly totalTimeout?: number | undefined;
  readonly retries: number;
  readonly maxRetryAfter: number;
  readonly completeness: "strict" | "warn" | "off";
  readonly failurePolicy: "fail-fast" | "collect";
  readonly maxPartitionBytes: number;
  readonly maxBufferedBytes: number;
}
