// The options of a client or of a call: copied and checked when the caller passes them.

import { renewed } from "../../error/call-stack.js";
import { described, listed, refusal, wrongType } from "../../error/refusal.js";
import { isObject } from "../../host/member.js";
import { hasPage, pageBaseUrl } from "./base-url.js";
import { readHeaders } from "./headers.js";
import {
  CALLS,
  type CallKind,
  type CheckedOptions,
  DEFAULTS,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
} from "./option-table.js";

/** The settings of a call that Rust reads: the options with all defaults, and values derived from them. */
export type Settings = ReturnType<typeof settingsOf>;

/** Options that the caller has passed. An error about them is kept, so that each call can reject with it. */
export class GivenOptions {
  readonly #get: () => CheckedOptions;

  private constructor(get: () => CheckedOptions) {
    this.#get = get;
  }

  /**
   * Copies options and checks them. Throws nothing.
   *
   * @param kind of the call; undefined for a client, which takes all options
   */
  static of(options: unknown, kind?: CallKind): GivenOptions {
    try {
      if (options instanceof GivenOptions) return options;
      const checked = options === undefined ? {} : copyOf(options, kind);
      return new GivenOptions(() => checked);
    } catch (thrown) {
      return new GivenOptions(() => {
        throw renewed(thrown);
      });
    }
  }

  /** Returns the checked options, or throws the error about them. */
  get(): CheckedOptions {
    return this.#get();
  }

  /** Returns these options, overridden by others. */
  with(more: GivenOptions): GivenOptions {
    return new GivenOptions(() => ({ ...this.get(), ...more.get() }));
  }
}

/** Returns the settings of a call. Its options override the client's options, but can only lower the client's limits. */
export function settingsOf(kind: CallKind, ofClient: CheckedOptions, ofCall: CheckedOptions) {
  const client = { ...DEFAULTS, ...ofClient };
  const call = { ...client, ...ofCall };
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
    hasPage: hasPage(),
    headers: call.headers ?? readHeaders({}),
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
    signal: call.signal ?? undefined,
    concurrency: Math.min(client.concurrency, call.concurrency),
    maxBufferedBytes: Math.min(client.maxBufferedBytes, call.maxBufferedBytes),
  };
}

/** Reads options as WebIDL reads a dictionary: each known member once, inherited or not. */
function copyOf(options: unknown, kind: CallKind | undefined): CheckedOptions {
  if (!isObject(options)) throw wrongType("options", "an object", options);
  const unknown = Object.keys(options).find((name) => !OPTION_NAMES.includes(name as OptionName));
  if (unknown !== undefined) throw unknownOption(unknown, kind);
  const checked: { [Name in OptionName]?: unknown } = {};
  for (const name of OPTION_NAMES) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined) continue;
    if (!applies(name, kind)) throw misplaced(name, kind);
    checked[name] = OPTIONS[name].read(value, name);
  }
  return checked as CheckedOptions;
}

/** Whether an option applies to a call; to a client, every option but `from` does. */
function applies(name: OptionName, kind: CallKind | undefined): boolean {
  return kind === undefined ? name !== "from" : OPTIONS[name].calls.includes(kind);
}

function misplaced(name: OptionName, kind: CallKind | undefined): TypeError {
  const uses = OPTIONS[name].calls.flatMap((kind) => CALLS[kind]);
  return refusal(
    `${name} does not apply to ${kind === undefined ? "a client" : "this call"}, only to ${listed(uses, "and")}`,
  );
}

function unknownOption(unknown: string, kind: CallKind | undefined): TypeError {
  const names = OPTION_NAMES.filter((name) => applies(name, kind));
  const beginning = (name: string) => name.slice(0, 4).toLowerCase();
  // Such as `retries` for `retry`, but not `maxRetryAfter` for `maxRetries`.
  const similar = names.find(
    (name) => beginning(name) === beginning(unknown) && Math.abs(name.length - unknown.length) <= 2,
  );
  const question = similar === undefined ? "" : ` (did you mean ${similar}?)`;
  return refusal(`unknown option ${described(unknown)}${question}; the options are ${names.join(", ")}`);
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
