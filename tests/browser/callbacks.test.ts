/** Callbacks: what a call reports, and callbacks that throw, reject, end their call, or call the client again. */

import {
  type FindingsClient,
  getFindings,
  getPartition,
  type Options,
  type PartitionChange,
} from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { allFindings, findingsOf, upTo } from "./inspection.js";
import { gate, never, rejectionOf } from "./outcome.js";
import { withoutBackoff } from "./timers.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

/** The bytes of the body of a partition. */
const bytesEach = new TextEncoder().encode(JSON.stringify({ Findings: findingsOf(0), errors: null })).length;

describe("onProgress", () => {
  test("is called once at 0 and once after each partition, in that order", async () => {
    const { fetch } = new Wire({ partitions: 10 });
    const onProgress = vi.fn();
    await getFindings(1, "topics", { fetch, onProgress });
    const progress = ({ partitions = 10, done = 0, ...more }) => {
      const findings = 2 * partitions;
      return { partitionsDone: done, partitions, findingsDone: 2 * done, findings, bytes: done * bytesEach, ...more };
    };
    const expected = upTo(11).map((done) => progress({ done, retries: 0 }));
    expect(onProgress.mock.calls.flat()).toMatchObject(expected);
    expect(onProgress.mock.calls[0]).toEqual([expected[0]]);
  });

  test("counts getPartition as one partition", async () => {
    const onProgress = vi.fn();
    await getPartition(1, "topics", 2, { fetch: new Wire().fetch, onProgress });
    const calls = onProgress.mock.calls.map(([{ partitionsDone, partitions }]) => [partitionsDone, partitions]);
    expect(calls).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });
});

describe("onPartition", () => {
  beforeEach(withoutBackoff);

  function change({
    index = 0,
    state = "requested",
    attempt = 1,
    findings = 0,
    bytes = 0,
    ...why
  }: Partial<Record<keyof PartitionChange, unknown>>) {
    return { index, state, attempt, findings, bytes, ...why };
  }

  test("is called when the counts and a partition are requested and received", async () => {
    const { fetch } = new Wire({ partitions: 1 });
    const onPartition = vi.fn();
    await getFindings(1, "topics", { fetch, onPartition });
    expect(onPartition.mock.calls.flat()).toEqual([
      change({ index: null, state: "requested" }),
      change({ index: null, state: "received", bytes: expect.any(Number) }),
      change({ index: 0, state: "requested" }),
      change({ index: 0, state: "received", findings: 2, bytes: bytesEach }),
    ]);
  });

  test("is called for a failed partition with the last attempt and its error", async () => {
    const { fetch } = new Wire({ respond: () => refused(503) });
    const onPartition = vi.fn();
    const rejection = await rejectionOf(getPartition(1, "topics", 0, { fetch, onPartition, retries: 1 }));
    const url = expect.stringContaining("/Topics/0");
    const error = { name: "FindingsError", code: "http", status: 503, partitionIndex: 0, url };
    const errorAfter = (attempts: number) => expect.objectContaining({ ...error, attempts });
    expect(onPartition.mock.calls.flat()).toEqual([
      change({ state: "requested", attempt: 1 }),
      change({ state: "retrying", attempt: 2, delay: expect.any(Number), error: errorAfter(1) }),
      change({ state: "failed", attempt: 2, error: errorAfter(2) }),
    ]);
    expect(JSON.stringify(onPartition.mock.lastCall?.[0].error)).toBe(JSON.stringify(rejection));
  });

  test("gives the error without the findings that came with it, which only the error of the call has", async () => {
    const { fetch } = new Wire({ respond: () => responseOf({ Findings: findingsOf(0), errors: ["half"] }) });
    const onPartition = vi.fn();
    const { findings } = await rejectionOf(getPartition(1, "topics", 0, { fetch, onPartition }));
    expect(findings).toEqual(findingsOf(0));
    const error = onPartition.mock.lastCall?.[0].error;
    expect(error).toMatchObject({ code: "service", messages: ["half"] });
    expect(error).not.toHaveProperty("findings");
  });

  test("gives an error that quotes no header", async () => {
    const secret = "a-secret-of-24-characters";
    const fetch = () => Promise.reject(new TypeError(`cannot send ${secret}`));
    const onPartition = vi.fn();
    const headers = { Authorization: secret };
    await rejectionOf(getPartition(1, "topics", 0, { fetch, retries: 1, headers, onPartition }));
    const errors = onPartition.mock.calls.flatMap(([{ error }]) => (error ? [error, error.stack, error.message] : []));
    expect(errors).toHaveLength(6);
    expect(JSON.stringify(errors)).not.toContain(secret);
  });
});

const mine = Symbol("mine");
const throwMine = () => {
  throw mine;
};

/** the options with which a callback acts at a moment */
const moments: [string, (act: () => any) => Options][] = [
  moment("onProgress", "0", ({ partitionsDone }) => String(partitionsDone)),
  ...["the counts: requested", "a partition: requested", "a partition: retrying", "a partition: received"].map((told) =>
    moment("onPartition", told, ({ index, state }) => `${index === null ? "the counts" : "a partition"}: ${state}`),
  ),
  ...["Findings/1", "Topics/1"].map((path) => moment("headers", path, ({ url }) => url.match(/[A-Z][a-z]+.\d+$/)[0])),
  ["readCounts", (act) => ({ readCounts: () => act() ?? { topics: { partitions: 9 } } })],
];

/** The moment at which an option is told this. */
function moment(
  option: "onProgress" | "onPartition" | "headers",
  told: string,
  tell: (given: any) => string,
): (typeof moments)[number] {
  return [`${option}, ${told}`, (act) => ({ [option]: (given: unknown) => (tell(given) === told && act()) || {} })];
}

const endings: [string, (call: { client: FindingsClient; controller: AbortController }) => unknown, unknown][] = [
  ["throws", throwMine, mine],
  ["rejects", () => Promise.reject(mine), mine],
  ["aborts its call", ({ controller }) => controller.abort(mine), mine],
  ["frees its client", ({ client }) => client.free(), expect.any(TypeError)],
];

// A promise that `readCounts` returns is one of counts.
const cases = moments.flatMap(([moment, optionsThat]) =>
  endings
    .filter(([ending]) => ending !== "rejects" || moment !== "readCounts")
    .map(([ending, end, reason]) => ({ moment, optionsThat, ending, end, reason })),
);

test.for(cases)(
  "a call ends, cancels its requests and sends no other, with a callback that $ending ($moment)",
  async ({ optionsThat, end, reason }) => {
    const wire = new Wire({
      partitions: 9,
      holds: ({ index }) => index > 1,
      respond: ({ index }) => (index === 1 ? refused(503) : undefined),
    });
    const [client, controller] = [clientOf(wire), new AbortController()];
    const options = { ...optionsThat(() => end({ client, controller })), signal: controller.signal };
    expect(await rejectionOf(client.getFindings(1, "topics", options))).toEqual(reason);
    expect(wire.open).toEqual([]);
    const { length } = wire.asked;
    await quiet();
    expect(wire.asked).toHaveLength(length);
  },
);

/** the calls that end with their last partition, and what they report of it last */
const lastOnes: [string, (client: FindingsClient, options: any) => Promise<unknown>, Record<string, RegExp>][] = [
  ["getFindings", (client, options) => client.getFindings(1, "topics", options), { onProgress: /"partitionsDone":1/ }],
  ["loadTable", (client, options) => client.loadTable(1, "topics", options), { onPartition: /"received"/ }],
  ["getPartition", (client, options) => client.getPartition(1, "topics", 0, options), { onPartition: /"received"/ }],
  [
    "streams",
    (client, options) => Array.fromAsync(client.streamPartitions(1, "topics", options)),
    { onProgress: /:1/ },
  ],
];

test.for(
  lastOnes.flatMap(([call, make, last]) =>
    endings.map(([ending, end, reason]) => ({ call, make, last, ending, end, reason })),
  ),
)("$call ends with its last callback that $ending", async ({ make, last, end, reason }) => {
  const [client, controller] = [clientOf(new Wire({ partitions: 1 })), new AbortController()];
  const act = () => end({ client, controller });
  const callbacks = Object.entries(last).map(([name, told]) => [
    name,
    (given: unknown) => (told.test(JSON.stringify(given)) ? act() : undefined),
  ]);
  const options = { ...Object.fromEntries(callbacks), signal: controller.signal };
  expect(await rejectionOf(make(client, options))).toEqual(reason);
});

test.for([
  ["an Error", new RangeError("mine")],
  ["text", "enough"],
  ["undefined", undefined],
])("a callback may throw %s", async ([, value]) => {
  const onProgress = () => {
    throw value;
  };
  expect(await rejectionOf(getFindings(1, "topics", { fetch: new Wire().fetch, onProgress }))).toBe(value);
});

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

describe("a callback that calls the client again gets its result:", () => {
  const callbacks: Record<string, (again: () => Promise<unknown>, fetch: any) => Options> = {
    onProgress: (again) => ({ onProgress: () => void again() }),
    onPartition: (again) => ({ onPartition: () => void again() }),
    readCounts: (again) => ({
      readCounts: () => {
        again();
        return { topics: { partitions: 1 } };
      },
    }),
    headers: (again) => ({ headers: () => again().then(() => ({})) }),
    fetch: (again, fetch) => ({ fetch: (href, init) => again().then(() => fetch(href, init)) }),
  };

  test.for(Object.entries(callbacks))("%s", async ([, optionsThat]) => {
    const wire = new Wire({ partitions: 1 });
    const client = clientOf(wire, { concurrency: 2 });
    const more: Promise<unknown>[] = [];
    const again = () => more[more.push(client.getPartition(2, "sentiment", 1)) - 1];
    expect(await client.getFindings(1, "topics", optionsThat(again, wire.fetch))).toEqual(allFindings(1));
    expect(more.length).toBeGreaterThan(0);
    expect(await Promise.all(more)).toEqual(more.map(() => findingsOf(1)));
  });

  test("a listener on the signal", async () => {
    const wire = new Wire({ holds: ({ inspectionKey }) => inspectionKey === "1" });
    const [client, controller] = [clientOf(wire), new AbortController()];
    const more = new Promise((resolve) => {
      controller.signal.addEventListener("abort", () => resolve(client.getFindings(2, "topics")));
    });
    const call = rejectionOf(client.getFindings(1, "topics", { signal: controller.signal }));
    await vi.waitUntil(() => wire.open.length === 1);
    controller.abort("again");
    expect(await call).toBe("again");
    expect(await more).toEqual(allFindings(3));
  });
});
