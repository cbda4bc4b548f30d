/**
 * Time slices: however much work a call has, other tasks run every few milliseconds. The package decides by the clock, so these
 * tests fake it: each reading of the clock ends a time slice, whatever the speed of the machine. The page decodes, because a worker
 * decodes beside other tasks, as fast as the machine lets it.
 */

import { FindingsClient, type Options, type Progress } from "inspection-findings";
import { beforeEach, expect, test, vi } from "vitest";
import { shareOf } from "../counts.js";
import { freeAfterTest } from "./clients.js";
import { usualConcurrency } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { importWithWorker } from "./own-worker.js";
import { bodyOf, fetchOf, likelyFinding, likelyFindings } from "./tables.js";

/** The time between two readings of the clock, in milliseconds: longer than a time slice, so that each reading ends one. */
const between = 9;

/** The most bytes decoded, and the most findings built, before the first reading in a time slice. */
const mostBytes = 128 * 1024;
const mostRows = 64;

/**
 * The most readings in a time slice: each request reads the clock for the slice, and for its times and waits, together seven times. Fifty partitions
 * in one slice would have several times as many.
 */
const mostReadings = 8 * usualConcurrency;

const methods = ["getFindings", "loadTable"] as const;
const encoder = new TextEncoder();

/** The share of the findings that a tier takes: a quarter has hundreds of time slices. */
const share = Math.max(0.25, shareOf(1));
const each = 2000 * share;

const partitions = Array.from({ length: 50 }, (_, partition) =>
  encoder.encode(bodyOf(likelyFindings(each, (partition % 5) * each))),
);
const total = partitions.length * each;

/** The fake time. It never decreases, because the module remembers the start of its time slice. */
let clock = performance.now();

/** At each reading of the clock, the number of time slices of other tasks so far. */
let readings: number[] = [];

/** The number of time slices of other tasks so far. */
let slices = 0;

/** The work of other tasks in a time slice */
let inSlice: (slice: number) => void = () => {};

const { port1: mine, port2: others } = new MessageChannel();
mine.onmessage = () => {
  slices += 1;
  inSlice(slices);
  others.postMessage(undefined);
};
others.postMessage(undefined);

/** Lets this many milliseconds pass at each reading of the clock. */
function pass(milliseconds: number) {
  vi.spyOn(performance, "now").mockImplementation(() => {
    readings.push(slices);
    clock += milliseconds;
    return clock;
  });
}

beforeEach(() => {
  pass(between);
  inSlice = () => {};
});

/** A client whose page decodes, and which knows the counts. */
async function clientOf(fetch: NonNullable<Options["fetch"]>) {
  const client = freeAfterTest(new FindingsClient({ fetch, worker: false }));
  await client.getPartitionCounts(1);
  return client;
}

/** A body of 40 MB, of which a tier takes its share. A fifth of it is white space. */
function largeBody() {
  const body = encoder.encode(bodyOf(likelyFindings(80_000 * share)).replace("[", `[${" ".repeat(8_000_000 * share)}`));
  expect(body.length).toBeGreaterThan(40_000_000 * share);
  return body;
}

const inspections: Record<string, () => { count: number; bodies: Uint8Array<ArrayBuffer>[] }> = {
  "many partitions": () => ({ count: total, bodies: partitions }),
  "one large body": () => ({ count: 80_000 * share, bodies: [largeBody()] }),
  "findings that are small at first and then large": () => {
    const large = Array.from({ length: 1000 }, (_, place) => ({ place }));
    const findings = Array.from({ length: 21_000 }, (_, number) => ({ a: number < 20_000 ? 1 : large }));
    return { count: findings.length, bodies: [encoder.encode(bodyOf(findings))] };
  },
};

const cases = Object.entries(inspections).flatMap(([name, make]) => methods.map((method) => ({ method, name, make })));

test.for(cases)("$method of $name yields to other tasks, by one channel of the page", async ({ method, make }) => {
  const { count, bodies } = make();
  const client = await clientOf(fetchOf(bodies));
  // The first call opens the channel.
  await client.getFindings(1, "topics", { fetch: fetchOf(partitions.slice(0, 2)) });
  const channel = vi.spyOn(globalThis, "MessageChannel");
  readings = [];
  const { length } = freed(await client[method](1, "topics"));
  readings.push(slices);
  expect(length).toBe(count);
  const bytes = bodies.reduce((sum, body) => sum + body.length, 0);
  const rows = method === "getFindings" ? count : 0;
  expect(slices - readings[0]).toBeGreaterThanOrEqual(bytes / mostBytes + rows / mostRows);
  const perSlice = Map.groupBy(readings, (reading) => reading);
  expect(Math.max(...[...perSlice.values()].map(({ length }) => length))).toBeLessThanOrEqual(mostReadings);
  expect(channel).not.toHaveBeenCalled();
});

test.for(methods)("%s of an inspection that takes less than a time slice waits for no other task", async (method) => {
  const client = await clientOf(fetchOf([encoder.encode(bodyOf([likelyFinding(0)]))]));
  pass(0);
  // The slice of the request for the counts ends.
  const before = slices;
  await vi.waitUntil(() => slices > before + 2);
  const post = vi.spyOn(MessagePort.prototype, "postMessage").mockReturnValue();
  expect(freed(await client[method](1, "topics", { retries: 0 }))).toHaveLength(1);
  const ports = post.mock.contexts as MessagePort[];
  post.mockRestore();
  for (const port of ports) port.postMessage(undefined);
});

test("getFindings yields between short partitions, of which a worker returns several at once", async () => {
  const bodies = Array.from({ length: 3 }, (_, partition) => encoder.encode(bodyOf([likelyFinding(partition)])));
  const worker = new Worker(new URL("/package/worker.js", location.href), { type: "module" });
  const returned: unknown[] = [];
  let before = Number.NaN;
  // Heard before the package hears it.
  worker.addEventListener("message", (event) => {
    if (event.data.kind !== "decoded" || returned.length === bodies.length) return;
    event.stopImmediatePropagation();
    if (returned.push(event.data) < bodies.length) return;
    before = slices;
    for (const data of returned) worker.dispatchEvent(new MessageEvent("message", { data }));
  });
  const { FindingsClient } = await importWithWorker(() => worker);
  using client = new FindingsClient({ fetch: fetchOf(bodies), worker: true });
  // The rows of a partition take a few readings, which are less than a time slice.
  pass(2.5);
  expect(await client.getFindings(1, "topics")).toHaveLength(bodies.length);
  expect(slices).toBeGreaterThan(before);
  worker.terminate();
});

test.for([
  ["getFindings", 0],
  ["loadTable", 0],
  ["getFindings", 25],
] as const)(
  "an abort in another task, while %s has %i partitions, is the outcome before the next time slice, and the next call is right",
  async ([method, partitionsDone]) => {
    const client = await clientOf(fetchOf(partitions));
    const controller = new AbortController();
    let last = Number.POSITIVE_INFINITY;
    inSlice = (slice) => void (slice === last && controller.abort("enough"));
    const onProgress = (progress: Progress) => {
      if (progress.partitionsDone === partitionsDone) last = slices + 15;
    };
    expect(await rejectionOf(client[method](1, "topics", { signal: controller.signal, onProgress }))).toBe("enough");
    expect(slices).toBe(last);
    expect(await client.getFindings(1, "topics")).toHaveLength(total);
  },
);

/** The result, which is freed if it is a table. */
function freed<Result extends object>(result: Result) {
  return "free" in result ? freeAfterTest(result as Result & { free(): void }) : result;
}
