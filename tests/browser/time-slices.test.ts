/**
 * Time slices: however much work a call has, other tasks run every few milliseconds. The package decides by the clock, so these
 * tests fake it: each reading of the clock ends a time slice, whatever the speed of the machine. The page decodes, because a worker
 * decodes beside other tasks, as fast as the machine lets it.
 */

import { FindingsClient, type Progress } from "inspection-findings";
import { beforeEach, expect, test, vi } from "vitest";
import { shareOf } from "../counts.js";
import { usualConcurrency } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { importWithWorker } from "./own-worker.js";
import { bodyOf, fetchOf, likelyFinding, likelyFindings, type Partition } from "./tables.js";

type Method = "getFindings" | "loadTable";
type Partitions = Partition[];
/** The time between two readings of the clock, in milliseconds: longer than a time slice, so that each reading ends one. */
const between = 9;

/** The most bytes decoded before the first reading in a time slice. */
const mostBytes = 128 * 1024;

/** The most findings built before the first reading in a time slice. */
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

/** The findings of a partition. */
const each = 2000 * share;

const partitions = Array.from({ length: 50 }, (_, partition) =>
  encoder.encode(bodyOf(likelyFindings(each, (partition % 5) * each))),
);

/** The findings of all partitions. */
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

beforeEach(() => {
  vi.spyOn(performance, "now").mockImplementation(() => {
    readings.push(slices);
    clock += between;
    return clock;
  });
  inSlice = () => {};
});

/** Records a call between the counts and its end: the readings of the clock, and the number of findings. */
async function readingsOf(partitions: Partitions, method: Method) {
  using client = new FindingsClient({ fetch: fetchOf(partitions), worker: false });
  await client.getPartitionCounts(1);
  readings = [];
  const result = await client[method](1, "topics");
  readings.push(slices);
  const { length } = result;
  if (!Array.isArray(result)) result.free();
  return { length, readings };
}

/** Expects time slices of other tasks after every small part of the work. */
function expectTimeSlices(readings: number[], { bytes, rows }: { bytes: number; rows: number }) {
  const had = readings[readings.length - 1] - readings[0];
  expect(had).toBeGreaterThanOrEqual(bytes / mostBytes + rows / mostRows);
  const perSlice = Map.groupBy(readings, (reading) => reading);
  expect(Math.max(...[...perSlice.values()].map(({ length }) => length))).toBeLessThanOrEqual(mostReadings);
}

/** A body of 40 MB, of which a tier takes its share. A fifth of it is white space. */
function largeBody() {
  const body = encoder.encode(bodyOf(likelyFindings(80_000 * share)).replace("[", `[${" ".repeat(8_000_000 * share)}`));
  expect(body.length).toBeGreaterThan(40_000_000 * share);
  return body;
}

const inspections: Record<string, () => { count: number; bodies: Partitions }> = {
  "many partitions": () => ({ count: total, bodies: partitions }),
  "one large body": () => ({ count: 80_000 * share, bodies: [largeBody()] }),
  "findings that are small at first and then large": () => {
    const large = Array.from({ length: 1000 }, (_, place) => ({ place }));
    const findings = Array.from({ length: 21_000 }, (_, number) => ({ a: number < 20_000 ? 1 : large }));
    return { count: findings.length, bodies: [encoder.encode(bodyOf(findings))] };
  },
};

const cases = Object.entries(inspections).flatMap(([name, make]) => methods.map((method) => ({ method, name, make })));

test.for(cases)("$method of $name yields to other tasks", async ({ method, make }) => {
  const { count, bodies } = make();
  const { length, readings } = await readingsOf(bodies, method);
  expect(length).toBe(count);
  const bytes = bodies.reduce((sum, body) => sum + (body as Uint8Array).length, 0);
  expectTimeSlices(readings, { bytes, rows: method === "getFindings" ? count : 0 });
});

test.for(methods)("%s of a small inspection yields to nobody after it has waited for its responses", async (method) => {
  const respond = fetchOf([encoder.encode(bodyOf([likelyFinding(0)]))]);
  const wait = 1000;
  const fetch = (...request: Parameters<typeof respond>) => {
    clock += wait;
    return respond(...request);
  };
  using client = new FindingsClient({ fetch, worker: false });
  await client.getPartitionCounts(1);
  vi.mocked(performance.now).mockImplementation(() => clock);
  const post = vi.spyOn(MessagePort.prototype, "postMessage");
  expect(await client[method](1, "topics")).toHaveLength(1);
  expect(post.mock.contexts.filter((port) => port !== others)).toEqual([]);
});

test("getFindings yields between short partitions, of which a worker returns several at once", async () => {
  const bodies = Array.from({ length: 3 }, (_, partition) => encoder.encode(bodyOf([likelyFinding(partition)])));
  const worker = new Worker(new URL("/package/worker.js", location.href), { type: "module" });
  const returned: unknown[] = [];
  let before = Number.NaN;
  const caller = Object.assign(new EventTarget(), {
    postMessage: worker.postMessage.bind(worker),
    terminate: worker.terminate.bind(worker),
  });
  const pass = (data: unknown) => caller.dispatchEvent(new MessageEvent("message", { data }));
  worker.addEventListener("message", ({ data }) => {
    if (data.kind !== "decoded") pass(data);
    else if (returned.push(data) === bodies.length) {
      before = slices;
      returned.forEach(pass);
    }
  });
  const { FindingsClient } = await importWithWorker(() => caller as Worker);
  using client = new FindingsClient({ fetch: fetchOf(bodies), worker: true });
  // The rows of a partition take a few readings, which are less than a time slice.
  vi.mocked(performance.now).mockImplementation(() => {
    clock += 1.5;
    return clock;
  });
  expect(await client.getFindings(1, "topics")).toHaveLength(bodies.length);
  expect(slices).toBeGreaterThan(before);
  worker.terminate();
});

test("the time slices of a page share one channel", async () => {
  const some = partitions.slice(0, 2);
  await readingsOf(some, "getFindings");
  const channel = vi.spyOn(globalThis, "MessageChannel");
  const { readings } = await readingsOf(some, "getFindings");
  expect(readings[readings.length - 1] - readings[0]).toBeGreaterThan(10);
  expect(channel).not.toHaveBeenCalled();
});

/** Aborts in a time slice of another task. */
function abortIn(last: number) {
  const controller = new AbortController();
  inSlice = (slice) => {
    if (slice === last) controller.abort("enough");
  };
  return controller.signal;
}

test.for(methods)(
  "an abort in another task, after some time slices of %s, is the outcome before the next one",
  async (method) => {
    using client = new FindingsClient({ fetch: fetchOf(partitions), worker: false });
    await client.getPartitionCounts(1);
    const last = slices + 20;
    expect(await rejectionOf(client[method](1, "topics", { signal: abortIn(last) }))).toBe("enough");
    expect(slices).toBe(last);
  },
);

test("an abort while findings are built is the outcome before the next time slice, and the next call is right", async () => {
  using client = new FindingsClient({ fetch: fetchOf(partitions), worker: false });
  const controller = new AbortController();
  let last = Number.POSITIVE_INFINITY;
  const onProgress = ({ partitionsDone }: Progress) => {
    if (partitionsDone !== 25) return;
    last = slices + 10;
    abortIn(last).addEventListener("abort", () => controller.abort("enough"));
  };
  expect(await rejectionOf(client.getFindings(1, "topics", { signal: controller.signal, onProgress }))).toBe("enough");
  expect(slices).toBe(last);
  expect(await client.getFindings(1, "topics")).toHaveLength(total);
});
