/** Callbacks: what a call reports, and callbacks that reject, or call the client again. tests/unit/border/sweep.test.ts has those that throw, or end their call. */

import { getFindings, getPartition, type Options } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { allFindings, findingsOf } from "./inspection.js";
import { gate, never, rejectionOf } from "./outcome.js";
import { withoutBackoff } from "./timers.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

/** The bytes of the body of a partition. */
const bytesEach = new TextEncoder().encode(JSON.stringify({ Findings: findingsOf(0), errors: null })).length;

test("onProgress is called once at 0 and once after each partition, also of getPartition", async () => {
  const onProgress = vi.fn();
  const options = { fetch: new Wire({ partitions: 2 }).fetch, onProgress };
  await getFindings(1, "topics", options);
  const progress = (done: number, partitions: number, findings: number | null) => {
    return { partitionsDone: done, partitions, findingsDone: 2 * done, findings, bytes: done * bytesEach, retries: 0 };
  };
  expect(onProgress.mock.calls).toEqual([0, 1, 2].map((done) => [progress(done, 2, 4)]));
  onProgress.mockClear();
  await getPartition(1, "topics", 1, options);
  expect(onProgress.mock.calls).toEqual([0, 1].map((done) => [progress(done, 1, null)]));
});

const requested = { index: 0, state: "requested", attempt: 1, findings: 0, bytes: 0 };

test("onPartition is called when the counts and a partition are requested and received", async () => {
  const onPartition = vi.fn();
  await getFindings(1, "topics", { fetch: new Wire({ partitions: 1 }).fetch, onPartition });
  expect(onPartition.mock.calls.flat()).toEqual([
    { ...requested, index: null },
    { ...requested, index: null, state: "received", bytes: expect.any(Number) },
    requested,
    { ...requested, state: "received", findings: 2, bytes: bytesEach },
  ]);
});

const retried = { ...requested, state: "retrying", attempt: 2, delay: expect.any(Number) };

test.for<[string, () => unknown, changes: object[], error: object]>([
  ["a refusal", () => refused(503), [retried, { ...requested, state: "failed", attempt: 2 }], { code: "http" }],
  [
    "errors beside findings",
    () => responseOf({ Findings: findingsOf(0), errors: ["half"] }),
    [{ ...requested, state: "failed" }],
    { code: "service", findings: findingsOf(0) },
  ],
])("onPartition gets the error of each attempt without its findings: %s", async ([, respond, changes, error]) => {
  withoutBackoff();
  const onPartition = vi.fn();
  const rejection = await rejectionOf(
    getPartition(1, "topics", 0, { fetch: new Wire({ respond }).fetch, onPartition, retries: 1 }),
  );
  expect(rejection).toMatchObject(error);
  const [first, ...others] = onPartition.mock.calls.flat();
  expect(first).toEqual(requested);
  const withErrors = changes.map((change, index) => {
    const { code, url } = rejection;
    const ofAttempt = { name: "FindingsError", code, url, partitionIndex: 0, attempts: index + 1 };
    return { ...change, error: expect.objectContaining(ofAttempt) };
  });
  expect(others).toEqual(withErrors);
  for (const { error } of others) expect(error).not.toHaveProperty("findings");
  expect(JSON.stringify(others.at(-1).error)).toBe(JSON.stringify(rejection));
});

const mine = Symbol("mine");
test.for([
  ["headers", /Topics.1"/, 9],
  ["onProgress", /"partitionsDone":0/, 9],
  ["onPartition", /"index":\d,"state":"requested"/, 9],
  // The last one of its call.
  ["onProgress", /"partitionsDone":1/, 1],
  ["onPartition", /"index":0,"state":"received"/, 1],
] as const)(
  "a call ends with what a promise of %s rejects with, and cancels its requests: %s, %i partitions",
  async ([name, told, partitions]) => {
    const wire = new Wire({ partitions, holds: ({ index }) => index > 1 });
    const callback = (given: unknown) => (told.test(JSON.stringify(given)) ? Promise.reject(mine) : {});
    expect(await rejectionOf(getFindings(1, "topics", { fetch: wire.fetch, [name]: callback }))).toBe(mine);
    expect(wire.open).toEqual([]);
  },
);

test("a promise of onProgress or onPartition is not awaited, and has no effect once its call has ended", async () => {
  const { fetch } = new Wire();
  const late = gate();
  const options = { fetch, onProgress: () => late.promise as any, onPartition: never as any };
  expect(await getFindings(1, "topics", options)).toEqual(allFindings(3));
  late.reject(mine);
  await quiet();
});

test.each([
  ["onProgress", 2],
  ["onPartition", 4],
  ["headers", 2],
  ["readCounts", 1],
])("%s is called with `this` undefined and one plain object that nothing else uses", async (name, times) => {
  const { fetch } = new Wire({ partitions: 1 });
  const calls: unknown[] = [];
  const callback = function (this: unknown, ...args: any[]) {
    calls.push([this, args.length, Object.getPrototypeOf(args[0])]);
    for (const member of Object.keys(args[0])) args[0][member] = 99;
    Object.freeze(args[0]);
    return name === "readCounts" ? { topics: { partitions: 1 } } : {};
  };
  expect(await getFindings(1, "topics", { fetch, [name]: callback })).toEqual(allFindings(1));
  expect(calls).toEqual(Array(times).fill([undefined, 1, Object.prototype]));
});

/** The options with which a callback calls the client again. */
const callers: Record<string, (again: () => Promise<unknown>, wire: Wire) => Options> = {
  onProgress: (again) => ({ onProgress: () => void again() }),
  onPartition: (again) => ({ onPartition: () => void again() }),
  readCounts: (again) => ({ readCounts: () => [{ topics: { partitions: 1 } }, again()][0] as any }),
  headers: (again) => ({ headers: () => again().then(() => ({})) }),
  fetch: (again, { fetch }) => ({ fetch: (href, init) => again().then(() => fetch(href, init)) }),
};

test.for(Object.entries(callers))("%s may call the client again, and gets its result", async ([, optionsThat]) => {
  const wire = new Wire({ partitions: 1 });
  const client = clientOf(wire, { concurrency: 2 });
  const more: Promise<unknown>[] = [];
  const again = () => more[more.push(client.getPartition(2, "sentiment", 1)) - 1] as Promise<unknown>;
  expect(await client.getFindings(1, "topics", optionsThat(again, wire))).toEqual(allFindings(1));
  expect(more.length).toBeGreaterThan(0);
  expect(await Promise.all(more)).toEqual(more.map(() => findingsOf(1)));
});
