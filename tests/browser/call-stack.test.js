/** The stack of an error: it begins where the caller called. */

import {
  FindingsClient,
  FindingsError,
  FindingsTable,
  getFindings,
  getPartition,
  getPartitionCounts,
} from "inspection-findings";
import { expect, test } from "vitest";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
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
  "a wrong option": (client) => client.getPartitionCounts(1, { retries: "3" }),
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

/** Errors that the caller's code may throw, also some that the package has made. @type {Record<string, () => Promise<any>>} */
const errorsOfCaller = {
  "a TypeError": async () => new TypeError("mine"),
  "a FindingsError of its own": async () => new FindingsError("network", "mine", { attempts: 1 }),
  "the FindingsError of another call": () => failureOf(getFindings(1, "topics", options)),
  "the error of a query": async () => {
    const { fetch } = new Wire();
    using client = new FindingsClient({ fetch });
    using table = await client.loadTable(1, "topics");
    return outcomeOf(Promise.try(() => table.countBy(/** @type {any} */ (7)))).then(({ reason }) => reason);
  },
};

/** Where the caller's code can throw it. @type {Record<string, (error: any) => import("inspection-findings").Options>} */
const placesOfCaller = {
  headers: (error) => ({ headers: throwing(error) }),
  "the promise of headers": (error) => ({ headers: () => Promise.reject(error) }),
  readCounts: (error) => ({ readCounts: throwing(error) }),
  onProgress: (error) => ({ onProgress: throwing(error) }),
  "the promise of onPartition": (error) => ({ onPartition: () => Promise.reject(error) }),
  "the reason of its signal": (error) => ({ signal: AbortSignal.abort(error) }),
  "the reason of its signal, later": (error) => {
    const controller = new AbortController();
    return { signal: controller.signal, onProgress: () => controller.abort(error) };
  },
};

const throwing = (/** @type {unknown} */ error) => () => {
  throw error;
};

test.for(Object.keys(errorsOfCaller).flatMap((name) => Object.keys(placesOfCaller).map((place) => [name, place])))(
  "of %s that the caller throws stays as it is: %s",
  async ([name = "", place = ""]) => {
    const error = await errorsOfCaller[name]?.();
    const { stack } = error;
    const { fetch } = new Wire();
    const thrown = () => /** @type {any} */ ({ fetch, ...placesOfCaller[place]?.(error) });
    using client = new FindingsClient({ fetch });
    expect(await rejectionOf(getFindings(1, "topics", thrown()))).toBe(error);
    expect(await rejectionOf(client.loadTable(1, "topics", thrown()))).toBe(error);
    expect(await rejectionOf(client.streamPartitions(1, "topics", thrown()).next())).toBe(error);
    expect(error.stack).toBe(stack);
  },
);

test("of an error that an iterator of the caller throws stays as it is", async () => {
  const error = new FindingsError("network", "mine", { attempts: 1 });
  const { stack } = error;
  const findings = { [Symbol.iterator]: throwing(error) };
  expect(await rejectionOf(FindingsTable.from(/** @type {any} */ (findings)))).toBe(error);
  expect(error.stack).toBe(stack);
});

/** @type {[string, (error: any, frames: unknown[]) => unknown, (error: Error) => string | undefined][]} */
const preparations = [
  ["by trackers, with name and message", (error, frames) => [`${error}`, ...frames].join("\n    at "), String],
  ["with the message alone", ({ message }, frames) => [message, ...frames].join("\n"), ({ message }) => message],
  ["as a list of frames", (_, frames) => frames, () => undefined],
];

test.for(preparations)("that Error.prepareStackTrace writes %s is the error's", async ([, prepare, beginning]) => {
  const { prepareStackTrace } = /** @type {any} */ (Error);
  /** @type {any} */ (Error).prepareStackTrace = prepare;
  try {
    const error = await failureOf(getFindings(1, "topics", options));
    const text = beginning(error);
    // Only V8 calls it.
    const isCalled = text !== undefined && new Error("message").stack?.includes("message");
    if (isCalled) expect(error.stack?.startsWith(`${text}\n`)).toBe(true);
    expect(error).toMatchObject({ code: "http", status: 410 });
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
