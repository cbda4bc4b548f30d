/** The stack of an error: it begins where the caller called. */

import { FindingsClient, FindingsError, FindingsTable, getFindings, type Options } from "inspection-findings";
import { expect, onTestFinished, test } from "vitest";
import { type Call, calls, callsOfClient } from "./calls.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { refused, Wire } from "./wire.js";

const options = { fetch: async () => new Response(null, { status: 410 }) };

/** The arguments of a call that fails. */
const failing: Record<string, [key: unknown, kind: string, index: number, options?: unknown]> = {
  "the service refuses": [1, "topics", 0, options],
  "has a wrong key": ["x", "topics", 0],
  "has a wrong option": [1, "topics", 0, { retries: "3" }],
};

const cases = Object.entries(calls).flatMap(([name, call]) =>
  Object.entries(failing).map(([how, parameters]) => ({ name, call, how, parameters })),
);

test.for(cases)("of $name that $how", async ({ call, parameters }) => {
  using client = new FindingsClient();
  function callerOfThePackage() {
    const promise = call(client, ...parameters);
    // Returned at once, WebKit would make it a tail call, which takes this function off the stack.
    return promise as Promise<unknown>;
  }
  const error = await rejectionOf(callerOfThePackage());
  expect(error.name).toMatch(/^(Findings|Type|Range)Error$/);
  const [first, ...others] = framesOf(error);
  // WebKit leaves out tail calls.
  expect(first).toMatch(/calls\.js|call-stack\.test\.ts/);
  expect([first, ...others.slice(0, 2)].join("\n")).toContain("callerOfThePackage");
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

/** Errors that the caller's code may throw, also some that the package has made. */
const errorsOfCaller: Record<string, () => Promise<any>> = {
  "the FindingsError of another call": () => failureOf(getFindings(1, "topics", options)),
  "the error of a query": async () => {
    using table = await FindingsTable.from([{ a: 1 }]);
    return (await outcomeOf(Promise.try(() => table.countBy(7 as any)))).reason;
  },
};

const throwing = (error: unknown) => () => {
  throw error;
};

/** Where the caller's code can throw it. */
const placesOfCaller: Record<string, (error: any) => Options> = {
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

const thrown = Object.entries(errorsOfCaller).flatMap(([name, make]) =>
  Object.entries(placesOfCaller).map(([place, optionsThat]) => ({ name, make, place, optionsThat })),
);

test.for(thrown)("of $name that the caller throws stays as it is: $place", async ({ make, optionsThat }) => {
  const error = await make();
  const { stack } = error;
  const given = Object.assign(optionsThat(error), { fetch: new Wire().fetch });
  using client = new FindingsClient();
  using own = new FindingsClient(given);
  for (const name of ["getFindings", "loadTable", "streamPartitions"]) {
    const call = callsOfClient[name] as Call;
    expect(await rejectionOf(call(client, 1, "topics", 0, given))).toBe(error);
    expect(await rejectionOf(call(own, 1, "topics", 0))).toBe(error);
  }
  expect(error.stack).toBe(stack);
});

test("of an error that an iterator of the caller throws stays as it is", async () => {
  const error = new FindingsError("network", "mine", { attempts: 1 });
  const { stack } = error;
  expect(await rejectionOf(FindingsTable.from({ [Symbol.iterator]: throwing(error) } as any))).toBe(error);
  expect(error.stack).toBe(stack);
});

test.for<[string, prepare: (error: any, frames: unknown[]) => unknown, (error: Error) => string | undefined]>([
  ["by trackers, with name and message", (error, frames) => [`${error}`, ...frames].join("\n    at "), String],
  ["with the message alone", ({ message }, frames) => [message, ...frames].join("\n"), ({ message }) => message],
  ["as a list of frames", (_, frames) => frames, () => undefined],
])("that Error.prepareStackTrace writes %s is the error's", async ([, prepare, beginning]) => {
  const { prepareStackTrace } = Error as any;
  onTestFinished(() => void Object.assign(Error, { prepareStackTrace }));
  Object.assign(Error, { prepareStackTrace: prepare });
  const error = await failureOf(getFindings(1, "topics", options));
  const text = beginning(error);
  // Only V8 calls it.
  const isCalled = text !== undefined && new Error("message").stack?.includes("message");
  if (isCalled) expect(error.stack?.startsWith(`${text}\n`)).toBe(true);
  expect(error).toMatchObject({ code: "http", status: 410 });
});

/** The frames of an error's stack. In some engines a stack begins with the error itself. */
function framesOf({ name, message, stack = "" }: Error) {
  const lines = stack.split("\n").filter((line) => line !== "");
  if (new Error("message").stack?.startsWith("Error: message")) expect(lines.shift()).toBe(`${name}: ${message}`);
  return lines;
}
