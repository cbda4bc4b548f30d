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
import { gate, never, pause, rejectionOf } from "./outcome.js";
import { serve } from "./service.js";
import { withoutBackoff } from "./timers.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

describe("onProgress", () => {
  /** The progress of a call for `partitions` partitions after `partitionsDone` of them. */
  const progressOf = (partitions = 0, partitionsDone = 0) =>
    expect.objectContaining({ partitionsDone, partitions, findingsDone: 2 * partitionsDone, retries: 0 });

  test("is called once at 0 and once after each partition, in that order", async () => {
    serve({ partitions: 10, respond: () => pause(Math.random() * 10).then(() => undefined) });
    const onProgress = vi.fn();
    await getFindings(1, "topics", { onProgress });
    expect(onProgress.mock.calls.flat()).toEqual(upTo(11).map((done) => progressOf(10, done)));
    const first = { partitionsDone: 0, partitions: 10, findingsDone: 0, findings: 20, bytes: 0, retries: 0 };
    expect(onProgress.mock.calls[0]).toEqual([first]);
  });

  test("counts getPartition as one partition", async () => {
    serve();
    const onProgress = vi.fn();
    await getPartition(1, "topics", 2, { onProgress });
    expect(onProgress.mock.calls.flat()).toEqual([progressOf(1, 0), progressOf(1, 1)]);
  });
});

/** The bytes of the body of a partition. */
const bytesEach = new TextEncoder().encode(JSON.stringify({ Findings: findingsOf(0), errors: null })).length;

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

  test("is called when a partition is requested and when it is received", async () => {
    const { fetch } = new Wire({ partitions: 2 });
    const onPartition = vi.fn();
    await getFindings(1, "topics", { fetch, onPartition, concurrency: 1 });
    expect(onPartition.mock.calls.flat()).toEqual([
      change({ index: null, state: "requested" }),
      change({ index: null, state: "received", bytes: expect.any(Number) }),
      change({ index: 0, state: "requested" }),
      change({ index: 0, state: "received", findings: 2, bytes: bytesEach }),
      change({ index: 1, state: "requested" }),
      change({ index: 1, state: "received", findings: 2, bytes: bytesEach }),
    ]);
  });

  test("is called for a failed partition with the last attempt and its error", async () => {
    const { fetch } = new Wire({ respond: () => refused(503) });
    const onPartition = vi.fn();
    await rejectionOf(getPartition(1, "topics", 0, { fetch, onPartition, retries: 1 }));
    const url = expect.stringContaining("/Topics/0");
    const error = { name: "FindingsError", code: "http", status: 503, partitionIndex: 0, url };
    const errorAfter = (attempts: number) => expect.objectContaining({ ...error, attempts });
    expect(onPartition.mock.calls.flat()).toEqual([
      change({ state: "requested", attempt: 1 }),
      change({ state: "retrying", attempt: 2, delay: expect.any(Number), error: errorAfter(1) }),
      change({ state: "failed", attempt: 2, error: errorAfter(2) }),
    ]);
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

  test("gives an error that tells the same as the rejection, and quotes no header either", async () => {
    const secret = "a-secret-of-24-characters";
    const fetch = () => Promise.reject(new TypeError(`cannot send ${secret}`));
    const onPartition = vi.fn();
    const options = { fetch, retries: 1, headers: { Authorization: secret }, onPartition };
    const rejection = await rejectionOf(getPartition(1, "topics", 0, options));
    const [none, first, last] = onPartition.mock.calls.map(([{ error }]) => error);
    expect(none).toBeUndefined();
    expect(first).toMatchObject({ code: "network", attempts: 1 });
    expect(JSON.stringify(last)).toBe(JSON.stringify(rejection));
    expect(JSON.stringify([first, last]) + first?.stack + last?.message).not.toContain(secret);
  });
});

const mine = Symbol("mine");
const throwMine = () => {
  throw mine;
};

const calls: [string, (client: FindingsClient, options: any) => Promise<unknown>][] = [
  ["getFindings", (client, options) => client.getFindings(1, "topics", options)],
  ["a stream", (client, options) => Array.fromAsync(client.streamPartitions(1, "topics", options))],
];

/** the options with which a callback acts at a moment */
const moments: [string, (act: () => any) => Options][] = [
  ...["0", "1"].map((done) => moment("onProgress", done, ({ partitionsDone }) => String(partitionsDone))),
  ...[
    ...["the counts: requested", "the counts: received", "a partition: requested", "a partition: retrying"],
    ...["a partition: received", "a partition: failed"],
  ].map((told) =>
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

// A call that has failed can only be ended by what is thrown. A promise that `readCounts` returns is one of counts.
const cases = calls.flatMap(([call, make], place) =>
  moments.slice(...(place === 0 ? [] : [1, 3])).flatMap(([moment, optionsThat]) =>
    endings
      .filter(([ending]) => ending === "throws" || !moment.endsWith(": failed"))
      .filter(([ending]) => ending !== "rejects" || moment !== "readCounts")
      .map(([ending, end, reason]) => ({ call, make, moment, optionsThat, ending, end, reason })),
  ),
);

test.for(cases)(
  "$call ends, cancels its requests and sends no other, with a callback that $ending ($moment)",
  async ({ make, optionsThat, end, reason }) => {
    const wire = new Wire({
      partitions: 9,
      holds: ({ index }) => index > 1,
      respond: ({ index }) => (index === 1 ? refused(503) : undefined),
    });
    const [client, controller] = [clientOf(wire), new AbortController()];
    const options = { ...optionsThat(() => end({ client, controller })), signal: controller.signal };
    expect(await rejectionOf(make(client, options))).toEqual(reason);
    expect(wire.open).toEqual([]);
    const { length } = wire.asked;
    await quiet();
    expect(wire.asked).toHaveLength(length);
  },
);

/** the options whose last callback acts */
const lastMoments: Record<string, (act: () => unknown) => Options> = {
  onProgress: (act) => ({ onProgress: ({ partitionsDone }) => (partitionsDone === 1 && act()) as any }),
  onPartition: (act) => ({
    onPartition: ({ index, state }) => (index === 0 && state === "received" && act()) as any,
  }),
};

const methods: ("getFindings" | "loadTable" | "getPartition" | "loadPartition")[] = [
  "getFindings",
  "loadTable",
  "getPartition",
  "loadPartition",
];

test.for(
  methods.flatMap((method) =>
    Object.entries(lastMoments).flatMap(([option, optionsThat]) =>
      endings.map(([ending, end, reason]) => ({ method, option, optionsThat, ending, end, reason })),
    ),
  ),
)("$method ends with its last $option that $ending", async ({ method, optionsThat, end, reason }) => {
  const [client, controller] = [clientOf(new Wire({ partitions: 1 })), new AbortController()];
  const options = { ...optionsThat(() => end({ client, controller })), signal: controller.signal };
  const call = method.endsWith("Partition")
    ? client[method as "getPartition"](1, "topics", 0, options)
    : client[method as "getFindings"](1, "topics", options);
  expect(await rejectionOf(call)).toEqual(reason);
});

test("onPartition reports no request after an abort", async () => {
  const controller = new AbortController();
  const onPartition = vi.fn(() => controller.abort());
  const { fetch } = new Wire({ partitions: 3 });
  await rejectionOf(getPartition(1, "topics", 0, { fetch, signal: controller.signal, onPartition }));
  expect(onPartition).toHaveBeenCalledTimes(1);
  const later = new AbortController();
  const reported = vi.fn(({ index }) => index === 0 && later.abort());
  await rejectionOf(getFindings(1, "topics", { fetch, signal: later.signal, onPartition: reported }));
  expect(reported.mock.calls.map(([{ index }]) => index)).toEqual([null, null, 0]);
});

test.for([
  ["an Error", new RangeError("mine")],
  ["text", "enough"],
  ["undefined", undefined],
  ["null", null],
  ["an object", { enough: true }],
])("a callback may throw %s", async ([, value]) => {
  const { fetch } = new Wire();
  const onProgress = () => {
    throw value;
  };
  expect(await rejectionOf(getFindings(1, "topics", { fetch, onProgress }))).toBe(value);
});

test("a call ends with the first of its callbacks' promises that rejects", async () => {
  const rejectsWith = (reason: string) => () => Promise.reject(reason) as any;
  const { fetch } = new Wire({ holds: () => true });
  const options = { fetch, onProgress: rejectsWith("the first"), onPartition: rejectsWith("the second") };
  expect(await rejectionOf(getPartition(1, "topics", 0, options))).toBe("the first");
});

test("a promise of a callback that rejects after the end has no effect", async () => {
  const { fetch } = new Wire();
  const late = gate();
  expect(await getFindings(1, "topics", { fetch, onProgress: () => late.promise as any })).toEqual(allFindings(3));
  late.reject(mine);
  await quiet();
});

test.for(["onProgress", "onPartition"])("a promise of %s is not awaited", async (name) => {
  const { fetch } = new Wire();
  expect(await getFindings(1, "topics", { fetch, [name]: never })).toEqual(allFindings(3));
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
