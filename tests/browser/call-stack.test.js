/** The stack of an error: it begins where the caller called. */

import { FindingsClient, FindingsError, FindingsTable, getFindings } from "inspection-findings";
import { expect, test } from "vitest";
import { calls, callsOfClient } from "./calls.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { refused, Wire } from "./wire.js";

const options = { fetch: async () => new Response(null, { status: 410 }) };

/** @type {Record<string, (call: import("./calls.js").Call, client: any) => Promise<unknown>>} */
const failing = {
  "the service refuses": (call, client) => call(client, 1, "topics", 0, options),
  "has a wrong key": (call, client) => call(client, "x", "topics", 0),
  "has a wrong option": (call, client) => call(client, 1, "topics", 0, { retries: "3" }),
};

test.for(Object.keys(calls).flatMap((name) => Object.keys(failing).map((how) => [name, how])))(
  "of %s that %s",
  async ([name = "", how = ""]) => {
    using client = new FindingsClient();
    const call = /** @type {import("./calls.js").Call} */ (calls[name]);
    function callerOfThePackage() {
      // Returned at once, WebKit would make it a tail call, which takes this function off the stack.
      const promise = failing[how]?.(call, client);
      return /** @type {Promise<unknown>} */ (promise);
    }
    const error = await rejectionOf(callerOfThePackage());
    expect(error.name).toMatch(/^(Findings|Type|Range)Error$/);
    const [first, ...others] = framesOf(error);
    // WebKit leaves out tail calls.
    expect(first).toMatch(/calls\.js|call-stack\.test\.js/);
    expect([first, ...others.slice(0, 2)].join("\n")).toContain("callerOfThePackage");
  },
);

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
  "the FindingsError of another call": () => failureOf(getFindings(1, "topics", options)),
  "the error of a query": async () => {
    using table = await FindingsTable.from([{ a: 1 }]);
    return (await outcomeOf(Promise.try(() => table.countBy(/** @type {any} */ (7))))).reason;
  },
};

const throwing = (/** @type {unknown} */ error) => () => {
  throw error;
};

/** Where the caller's code can throw it. @type {Record<string, (error: any) => import("inspection-findings").Options>} */
const placesOfCaller = {
  "a getter of its options": (error) =>
    Object.defineProperty({}, "retries", { get: throwing(error), enumerable: true }),
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

test.for(Object.keys(errorsOfCaller).flatMap((name) => Object.keys(placesOfCaller).map((place) => [name, place])))(
  "of %s that the caller throws stays as it is: %s",
  async ([name = "", place = ""]) => {
    const error = await errorsOfCaller[name]?.();
    const { stack } = error;
    const given = Object.assign(placesOfCaller[place]?.(error) ?? {}, { fetch: new Wire().fetch });
    using client = new FindingsClient();
    using own = new FindingsClient(given);
    for (const call of [callsOfClient.getFindings, callsOfClient.loadTable, callsOfClient.streamPartitions]) {
      expect(await rejectionOf(/** @type {any} */ (call)(client, 1, "topics", 0, given))).toBe(error);
      expect(await rejectionOf(/** @type {any} */ (call)(own, 1, "topics", 0))).toBe(error);
    }
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
