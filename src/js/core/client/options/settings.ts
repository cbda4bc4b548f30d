// The settings of a call: its options with all defaults, and what follows from them.

import { refusal } from "../../argument/refusal.js";
import type { CallerContext } from "../../host/caller-context.js";
import type { Signals } from "../../host/signal.js";
import { pageBaseUrl } from "./base-url.js";
import { readHeaders } from "./headers.js";
import { type CallKind, merged, type OptionValues } from "./option-table.js";

/** The options of a call with all defaults, and values derived from them. */
export type CallSettings = ReturnType<typeof settingsOf>;

/** The settings of a call that begins, of which Rust reads some by their names (`src/web/settings.rs`). */
export interface Settings extends CallSettings {
  readonly inspection: bigint;
  /** Runs the functions of the caller. */
  readonly context: CallerContext;
  /** When the call began, by the clock of `performance`. */
  readonly begun: number;
  /** Whether its findings become tables, not plain objects. */
  readonly asTable: boolean;
  /** The signals that end it: the caller's, and those of its clients and its live table. */
  readonly signals: Signals;
}

/**
 * Returns the settings of a call. Its options override the client's options, but can only lower the client's limits. Rust keeps
 * `maxBufferedBytes` within the client's.
 */
export function settingsOf(kind: CallKind, ofClient: OptionValues, ofCall: OptionValues) {
  const { concurrency } = merged(ofClient);
  const call = merged(ofClient, ofCall);
  if (kind === "stream" && call.failurePolicy === "collect") {
    throw refusal(
      'failurePolicy must be "fail-fast" for a stream, which delivers every partition before one that fails',
    );
  }
  const baseUrl = call.baseUrl ?? pageBaseUrl();
  const { fetch = withSignalOfPage(globalFetch()), credentials, cache } = call;
  return {
    ...call,
    baseUrl,
    headers: call.headers ?? readHeaders({}),
    /** The headers of the first attempt, if their function has been asked before the module was ready. */
    askedHeaders: undefined as Promise<Headers> | undefined,
    /** Sends a request with these headers; the signal cancels it. Returns the result of `fetch`. */
    send: (href: string, headers: Headers, signal: AbortSignal): unknown =>
      fetch(href, {
        method: "GET",
        // A copy, because the caller's fetch may change its argument.
        headers: new Headers(headers),
        // The defaults of `fetch` are left out, because some hosts throw at options that they do not know.
        ...(credentials !== "same-origin" && { credentials }),
        ...(cache !== "default" && { cache }),
        // A followed redirect could carry credentials to another origin.
        redirect: "manual",
        signal,
      }),
    /** How a worker sends requests; undefined if the page's own `fetch` has to see them. */
    inWorker: call.fetch === undefined && isOfEngine(globalFetch()) ? { credentials, cache } : undefined,
    // Only a page has a main thread that a worker can keep free.
    worker: call.worker === "auto" && typeof document !== "object" ? false : call.worker,
    concurrency: Math.min(concurrency, call.concurrency),
  };
}

/**
 * Wraps the global `fetch`. jsdom replaces `AbortController`, and Node's `fetch` refuses the signals of the replacement:
 * then the request is sent without its signal.
 */
function withSignalOfPage(send: typeof fetch) {
  return async (href: string, init: RequestInit): Promise<Response> => {
    try {
      return await send(href, init);
    } catch (reason) {
      if (isTaken(init.signal)) throw reason;
      return send(href, { ...init, signal: null });
    }
  };
}

/** Whether requests of the host take a signal. */
function isTaken(signal: AbortSignal | null | undefined): boolean {
  if (typeof Request !== "function") return true;
  try {
    new Request("https://host.invalid/", { signal: null });
  } catch {
    return true;
  }
  try {
    new Request("https://host.invalid/", { signal: signal ?? null });
    return true;
  } catch {
    return false;
  }
}

/** Whether a `fetch` is the engine's own: what replaces it, such as a tracing library, has to see every request. */
function isOfEngine(send: typeof fetch): boolean {
  return /^functionfetch\(\)\{\[nativecode\]\}$/.test(Function.prototype.toString.call(send).replace(/\s/g, ""));
}

function globalFetch(): typeof fetch {
  if (typeof fetch === "function") return fetch;
  throw refusal("fetch is required, because this environment has none");
}
