/**
 * Faults in the TypeScript: what stands in a file of `src/js`, what replaces it, and the browser tests that have to notice it: their file and, after a
 * colon, words of their names.
 * @type {Record<string, [before: string, after: string, tests: string][]>}
 */
const faults = {
  "client/functions.ts": [
    ['code === "partial")) calls.free();', 'code === "partial")) return;', "memory: that finalises nothing"],
  ],
  "client/calls.ts": [
    [" && clientInstance === instance", "", "stopped: the next call"],
    ["if (this.#ends.length > 1) return;", "", "extend: but no call of its client"],
    ["...(extended === undefined ? [] : extended.#ends), ", "", "extend: of the client ends all"],
  ],
  "client/call.ts": [
    ['CheckedOptions.of(options, "resume")', "CheckedOptions.of({})", "arguments: wrong options of resume"],
  ],
  "client/race.ts": [
    ["if (aborted) throw aborted.reason;", "", "loading: a call with an aborted signal neither waits"],
    ["for (const end of after) nowOrSoon(end);", "", "abort: leaves no listener and no timer"],
  ],
  "client/stream.ts": [
    ["highWaterMark: 0", "highWaterMark: 1", "streams: reads no further ahead than the stream itself"],
  ],
  "client/options/settings.ts": [
    [
      "concurrency: Math.min(concurrency, call.concurrency)",
      "concurrency: call.concurrency",
      "streams: reads ahead by the lower one",
    ],
    ["headers: new Headers(headers)", "headers", "headers: stay unchanged when the fetch option changes"],
  ],
  "client/options/checked-options.ts": [
    ["throw renewed(this.failure.thrown);", "throw this.failure.thrown;", "arguments: rejects with its own error"],
    [
      "if (!names.includes(name)) throw misplaced(name, kind);",
      "",
      "kept-tables: other calls and clients refuse a table",
    ],
  ],
  "client/options/headers.ts": [
    ["if (DOUBLED_PREFIX.test(value)) {", 'if (value === "") {', "headers: a token whose prefix is doubled"],
    ['if (!headers.has("accept")) ', "", "headers: an object with an accept header"],
  ],
  "client/options/base-url.ts": [
    ['if (url.hash !== "") throw', 'if (url.port === "1") throw', "arguments: a message says what an argument must be"],
  ],
  "client/options/earlier-table.ts": [[" || origin.kind !== kind", "", "kept-tables: another kind"]],
  "engine/fetch-exchange.ts": [
    ["this.#isOfNetwork ? bytes : bytes.slice()", "bytes", "fetch: pieces that a script fills into one buffer"],
  ],
  "engine/performer.ts": [
    ["const time = now() + this.#lead;", "const time = now();", "host: has clocks and random numbers that throw"],
  ],
  "engine/running-call.ts": [
    ["this.owner.readers?.register(reader, this, this);", "void 0;", "streams: an unreachable stream is ended"],
    ["void yieldNow().then(() => nowOrSoon(end))", "nowOrSoon(end)", "callbacks"],
  ],
  "engine/work.ts": [["this.#body = decoded.body;", "", "worker: costs a body that was transferred to it one retry"]],
  "error/call-stack.ts": [
    [
      " && ownErrors.has(reason)) || errorsOfCaller.has(reason)) return",
      ")) return",
      "call-stack: stays as it is: a getter",
    ],
  ],
  "error/error-class.ts": [
    ['for (const name of ["findings", "table", "failures", "resume"])', 'for (const name of ["findings"])', "failures"],
  ],
  "error/user-message.ts": [["status === 403", "status === 401", "failures: about a missing permission says"]],
  "host/tag.ts": [["prototype, Symbol.toStringTag", "{}, Symbol.toStringTag", "host: work in reactive state of Vue"]],
  "host/redaction.ts": [["const MIN_LENGTH = 4;", "const MIN_LENGTH = 5;", "redaction"]],
  "keep/findings-store.ts": [["if (clearings !== begun || ", "if (", "store: whose options sign the user out"]],
  "live/live-state.ts": [
    ['fail: ["partial", "show", "tell"]', 'fail: ["failed", "show", "tell"]', "live: does at fail"],
  ],
  "client/live-table.ts": [["done.catch(() => {});", "", "live"]],
  "live/snapshot-iterator.ts": [
    ["hasLeft = true;\n    wake();", "hasLeft = true;", "live: may be left while the next snapshot is awaited"],
  ],
  "module/module.ts": [
    [
      '["TypeError", "LinkError"].includes(cause.name)',
      '["TypeError"].includes("")',
      "loading: the file is another module",
    ],
  ],
  "table/column-list.ts": [["[...new Set<string>(value)].sort()", "[...new Set<string>(value)]", "columns"]],
  "table/queries/conditions.ts": [
    ["if (!(kinds & SCALAR_KINDS)) return", "if (kinds & SCALAR_KINDS) return", "queries"],
  ],
  "table/rows/groups.ts": [
    ["if (count > MAX_KEPT)", "if (count < 0)", "live: are made again after many others"],
    [
      "!key.some(isObject)) known.set(number, group);",
      "key.some(isObject)) known.set(number, group);",
      "live: keep the objects of what has not changed",
    ],
  ],
  "table/table.ts": [
    [
      "tableOf(columns, ofView(this.#data.origin)",
      "tableOf(columns, this.#data.origin ?? ofView(this.#data.origin)",
      "kept-tables: a view of the first snapshot",
    ],
  ],
  "worker/health.ts": [
    ["const START_CHECKS = 3;", "const START_CHECKS = 30;", "worker-health: has to be ready within three checks"],
    ["const IDLE_CHECKS = 6;", "const IDLE_CHECKS = 60;", "worker: and another starts unnoticed"],
    ['to("stuck"', 'to("ended"', "worker: never returns a body ends"],
  ],
  "view/view-state.ts": [
    ['deny: ["loading", "forget", "tell"]', 'deny: ["loading", "tell"]', "view-state: shows what the guides say"],
  ],
  "worker/pool.ts": [
    ["const PATIENCE = 1_000;", "const PATIENCE = 60_000;", "worker: wait a second for a worker that starts"],
    ["if (failure !== undefined) failedAt = now();", "", "worker: tries again after a minute"],
  ],
};

/** The faults, each with its file. */
export const mutants = Object.entries(faults).flatMap(([file, changes]) =>
  changes.map(([before, after, tests]) => ({ file, before, after, tests })),
);
