/** The stack of an error: it begins where the caller called. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { expect, test } from "vitest";
import { failureOf, rejectionOf } from "./outcome.js";
import { refused, Wire } from "./wire.js";

const options = { fetch: async () => new Response(null, { status: 410 }) };

/** @type {Record<string, (client: any) => Promise<unknown>>} */
const calls = {
  "the function getPartitionCounts": () => getPartitionCounts(1, options),
  "the function getPartition": () => getPartition(1, "topics", 0, options),
  "the function getFindings": () => getFindings(1, "topics", options),
  getPartitionCounts: (client) => client.getPartitionCounts(1),
  getPartition: (client) => client.getPartition(1, "topics", 0),
  getFindings: (client) => client.getFindings(1, "topics"),
  loadTable: (client) => client.loadTable(1, "topics"),
  loadPartition: (client) => client.loadPartition(1, "topics", 0),
  streamPartitions: (client) => client.streamPartitions(1, "topics").next(),
  streamTables: (client) => client.streamTables(1, "topics").next(),
  "a wrong key": (client) => client.getFindings("x", "topics"),
  "a wrong kind": (client) => client.loadTable(1, "topic"),
  "a wrong index": (client) => client.getPartition(1, "topics", -1),
  "a wrong option": (client) => client.getPartitionCounts(1, { retries: "3" }),
  "an unknown option": (client) => client.getPartitionCounts(1, { retry: 3 }),
  "a wrong argument of a stream": (client) => client.streamPartitions("x", "topics").next(),
  "a wrong option of a function": () => getFindings(1, "topics", { baseUrl: "ftp://service.test" }),
};

test.for(Object.entries(calls))("of %s", async ([, call]) => {
  using client = new FindingsClient(options);
  function callerOfThePackage() {
    // Returned at once, WebKit would make it a tail call, which takes this function off the stack.
    const promise = call(client);
    return promise;
  }
  const error = await rejectionOf(callerOfThePackage());
  expect(error.name).toMatch(/^(Findings|Type|Range)Error$/);
  // WebKit leaves out a tail call.
  const [first, second] = framesOf(error);
  expect(first).toContain("call-stack.test.js");
  expect([first, second].join("\n")).toContain("callerOfThePackage");
});

test("of resume()", async () => {
  const { fetch } = new Wire({ respond: ({ index }) => (index === 1 ? refused(410) : undefined) });
  const failure = await failureOf(getFindings(1, "topics", { fetch, failurePolicy: "collect" }));
  async function callerOfResume() {
    await failure.resume?.();
  }
  const [first] = framesOf(await failureOf(callerOfResume()));
  expect(first).toContain("callerOfResume");
});

/** @type {[string, (act: () => never) => object][]} */
const throwing = [
  ["a getter", (act) => ({ headers: Object.defineProperty({}, "authorization", { get: act, enumerable: true }) })],
  ["a callback", (act) => ({ onProgress: act })],
];

test.for(throwing)("of an error that %s of the caller throws stays as it is", async ([, optionsThat]) => {
  const thrown = new TypeError("mine");
  const { stack } = thrown;
  const throws = optionsThat(() => {
    throw thrown;
  });
  expect(await rejectionOf(getFindings(1, "topics", { fetch: new Wire().fetch, ...throws }))).toBe(thrown);
  expect(thrown.stack).toBe(stack);
});

test("is neither enumerable nor lost where the host captures none", async () => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    const failure = await failureOf(getFindings(1, "topics", options));
    expect(framesOf(failure)).toEqual([]);
    expect(Object.keys(failure)).not.toContain("stack");
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
});

/**
 * What trackers, source-map-support and Jest assign to `Error.prepareStackTrace`, and how their stacks begin.
 * @type {[string, (error: any, frames: unknown[]) => unknown, (error: Error) => string][]}
 */
const preparations = [
  ["its name and message", ({ name, message }, frames) => [`${name}: ${message}`, ...frames].join("\n    at "), String],
  ["its text", (error, frames) => [`${error}`, ...frames].join("\n    at "), String],
  ["its message alone", ({ message }, frames) => [message, ...frames].join("\n"), ({ message }) => message],
];

test.for(preparations)("begins with %s, as Error.prepareStackTrace writes it", async ([, prepare, beginning]) => {
  const { prepareStackTrace } = /** @type {any} */ (Error);
  /** @type {any} */ (Error).prepareStackTrace = prepare;
  try {
    for (const call of [() => getFindings(1, "topics", options), () => getFindings(1, /** @type {any} */ ("topic"))]) {
      const error = await rejectionOf(call());
      const { stack = "" } = error;
      // Only V8 calls it.
      if (new Error("message").stack?.includes("message")) expect(stack.startsWith(`${beginning(error)}\n`)).toBe(true);
      expect(stack).toContain("call-stack.test.js");
    }
  } finally {
    /** @type {any} */ (Error).prepareStackTrace = prepareStackTrace;
  }
});

test("is the engine's where Error.prepareStackTrace throws or returns no text", async () => {
  const { prepareStackTrace } = /** @type {any} */ (Error);
  const preparations = [
    (/** @type {unknown} */ _, /** @type {unknown[]} */ frames) => frames,
    () => {
      throw new Error("no stack today");
    },
  ];
  try {
    for (const prepare of preparations) {
      /** @type {any} */ (Error).prepareStackTrace = prepare;
      expect(await failureOf(getFindings(1, "topics", options))).toMatchObject({ code: "http", status: 410 });
    }
  } finally {
    /** @type {any} */ (Error).prepareStackTrace = prepareStackTrace;
  }
});

/** The frames of an error's stack. In some engines a stack begins with the error itself. */
function framesOf(/** @type {Error} */ { name, message, stack = "" }) {
  const lines = stack.split("\n").filter((line) => line !== "");
  if (new Error("message").stack?.startsWith("Error: message")) {
    expect(lines.shift()).toBe(`${name}: ${message}`);
  }
  return lines;
}
