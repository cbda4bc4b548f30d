/** Turns: however much there is to do, others get the thread every few milliseconds. */

import { FindingsClient } from "inspection-findings";
import { expect, test } from "vitest";
import { pause, rejectionOf } from "./outcome.js";
import { answering, bodyOf, likelyFinding } from "./tables.js";

/** No task may take longer, in milliseconds: far more than is promised, because other work may share the machine; far
 * less than the work takes that would be one task without turns. */
const LONG = 200;

/** A machine that stands still for longer shows it only now and then; a task that is too long shows it every time. */
const timed = { retry: 2 };

const encoder = new TextEncoder();
const each = 2000;

/** 100 000 findings in 50 partitions. */
const partitions = Array.from({ length: 50 }, (_, partition) =>
  encoder.encode(bodyOf(Array.from({ length: each }, (_, number) => likelyFinding((partition % 5) * each + number)))),
);

/**
 * The longest times that a message and a timer had to wait, and the longest task, while something is done.
 * @param {() => Promise<unknown>} work
 */
async function waitsDuring(work) {
  /** @type {number[]} */
  const tasks = [];
  // What was made for the work is no part of it, nor is the task that it was made in.
  await pause(20);
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)));
  observer.observe({ type: "longtask" });
  await pause(0);
  const [message, timer] = [
    { last: performance.now(), longest: 0 },
    { last: performance.now(), longest: 0 },
  ];
  const beat = (/** @type {typeof message} */ heart) => {
    const now = performance.now();
    heart.longest = Math.max(heart.longest, now - heart.last);
    heart.last = now;
  };
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => beat(message);
  const interval = setInterval(() => {
    beat(timer);
    port2.postMessage(undefined);
  }, 4);
  const result = await work();
  beat(message);
  beat(timer);
  clearInterval(interval);
  port1.close();
  await pause(0);
  observer.disconnect();
  return { result, longest: { message: message.longest, timer: timer.longest, task: Math.max(0, ...tasks) } };
}

/** @param {{ message: number, timer: number, task: number }} longest */
function expectShort(longest) {
  expect(Math.max(...Object.values(longest)), JSON.stringify(longest)).toBeLessThan(LONG);
}

/**
 * @param {import("./tables.js").Partition[]} partitions
 * @param {"getFindings" | "loadTable"} method
 */
async function waitsOf(partitions, method) {
  using client = new FindingsClient({ fetch: answering(partitions) });
  await client.getPartitionCounts(1);
  const { result, longest } = await waitsDuring(() => client[method](1, "topics"));
  const { length } = /** @type {any} */ (result);
  if (method === "loadTable") {
    /** @type {any} */ (result).free();
  }
  return { length, longest };
}

test.for(/** @type {const} */ (["getFindings", "loadTable"]))(
  "%s of 100 000 findings leaves the thread to others",
  timed,
  async (method) => {
    const { length, longest } = await waitsOf(partitions, method);
    expect(length).toBe(100_000);
    expectShort(longest);
  },
);

test.for(/** @type {const} */ (["getFindings", "loadTable"]))(
  "%s of one body of 40 MB leaves the thread to others",
  timed,
  async (method) => {
    const findings = Array.from({ length: 80_000 }, (_, number) => likelyFinding(number));
    const body = encoder.encode(bodyOf(findings).replace("[", `[${" ".repeat(8_000_000)}`));
    expect(body.length).toBeGreaterThan(40_000_000);
    const { length, longest } = await waitsOf([body], method);
    expect(length).toBe(80_000);
    expectShort(longest);
  },
);

/** @type {Record<string, (number: number) => object>} */
const unusual = {
  "whose fields are ever new": (number) => ({ [`field ${number}`]: number, [`other ${number % 5000}`]: { a: 1 } }),
  "with many shapes": (number) =>
    Object.fromEntries(
      Array.from({ length: 14 }, (_, bit) => [`k${bit}`, bit]).filter((_, bit) => number & (1 << bit)),
    ),
  "that are small at first and then large": (number) =>
    number < 20_000 ? { a: 1 } : { a: Array.from({ length: 1000 }, (_, place) => ({ place })) },
  "that are alike at first and then all different": (number) =>
    number < 14_000 ? { a: 1 } : { [`k${number % 2000}`]: 1, b: { [`l${number % 1999}`]: 2 }, c: "x" },
};

test.for(
  Object.entries(unusual).flatMap(([name, make]) =>
    /** @type {const} */ (["getFindings", "loadTable"]).map((method) => ({ name, make, method })),
  ),
)("$method of findings $name leaves the thread to others", timed, async ({ make, method, name }) => {
  const count = name.includes("large") ? 21_000 : 16_384;
  const partition = encoder.encode(bodyOf(Array.from({ length: count }, (_, number) => make(number))));
  const { length, longest } = await waitsOf([partition, partition], method);
  expect(length).toBe(2 * count);
  expectShort(longest);
});

test.for([5, 20, 60])("an abort after %i ms of decoding and building is the outcome at once", async (delay) => {
  using client = new FindingsClient({ fetch: answering([...partitions, ...partitions]) });
  await client.getPartitionCounts(1);
  for (const method of /** @type {const} */ (["getFindings", "loadTable"])) {
    const controller = new AbortController();
    const begun = performance.now();
    let aborted = 0;
    setTimeout(() => {
      aborted = performance.now();
      controller.abort("enough");
    }, delay);
    expect(await rejectionOf(client[method](1, "topics", { signal: controller.signal }))).toBe("enough");
    expect(aborted - begun).toBeLessThan(delay + LONG);
    expect(performance.now() - aborted).toBeLessThan(LONG);
  }
});

test("an abort while findings are built is the outcome at once, and the next call is right", async () => {
  using client = new FindingsClient({ fetch: answering(partitions) });
  const controller = new AbortController();
  let aborted = 0;
  const onProgress = (/** @type {any} */ { partitionsDone }) => {
    if (partitionsDone === 50) {
      setTimeout(() => {
        aborted = performance.now();
        controller.abort("enough");
      }, 5);
    }
  };
  const call = client.getFindings(1, "topics", { signal: controller.signal, onProgress });
  expect(await rejectionOf(call)).toBe("enough");
  expect(performance.now() - aborted).toBeLessThan(LONG);
  expect(await client.getFindings(1, "topics")).toHaveLength(100_000);
});
