/** The faults: which requests fail, and when responses arrive. */

import { setTimeout } from "node:timers/promises";
import { createFakeService, type FakeServiceOptions } from "inspection-findings/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ask, statusesOf, statusOf } from "./requests.ts";

const paths = Array.from({ length: 300 }, (_, index) => `Findings/2/Topics/${index}`);
const topics = { findings: 600, partitions: 300 };

describe("a share", () => {
  test.for<[fault: string, expected: RegExp]>([
    ["errorRate", /^50[0234]$/],
    ["reset", /^broken$/],
    ["malformed", /^malformed$/],
    ["stall", /^silent$/],
  ])("of %s fails that share of the requests, and only in its way", async ([fault, expected]) => {
    const outcomes = Object.values(await outcomesOf({ faults: { [fault]: 0.4 } })).flat();
    const failed = outcomes.filter((outcome) => outcome !== "200");
    expect(failed.length / outcomes.length).toBeCloseTo(0.4, 1);
    expect(failed.every((outcome) => expected.test(outcome))).toBe(true);
    expect(new Set(failed).size).toBe(fault === "errorRate" ? 4 : 1);
  });

  test("fails the same requests every time, whatever their order and duration", async () => {
    const faults = { errorRate: 0.2, reset: 0.1, malformed: 0.1 };
    const first = await outcomesOf({ faults });
    expect(await outcomesOf({ faults: { ...faults, jitter: 1 } }, paths.toReversed())).toEqual(first);
    expect(await outcomesOf({ faults, seed: 2 })).not.toEqual(first);
  });

  test("with once fails each URL at most once", async () => {
    const always = Object.values(await outcomesOf({ faults: { errorRate: 1, once: true } }));
    expect(always.every(([first, second]) => first !== "200" && second === "200")).toBe(true);
    const half = Object.values(await outcomesOf({ faults: { errorRate: 0.5, once: true } }));
    expect(half.some(([first, second]) => first === "200" && second !== "200")).toBe(true);
    expect(half.some(([first, second]) => first !== "200" && second !== "200")).toBe(false);
  });
});

describe("with fake timers", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });

  afterEach(() => {
    vi.useRealTimers();
  });

  test("a latency is over after one step", async () => {
    const responded = vi.fn();
    ask(createFakeService({ faults: { latency: 700 } }), "Findings/1").then(responded);
    await vi.advanceTimersByTimeAsync(699);
    expect(responded).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(responded).toHaveBeenCalledOnce();
    expect(vi.getTimerCount()).toBe(0);
  });

  test("the jitter adds at most its milliseconds to the latency", async () => {
    const service = createFakeService({ faults: { latency: 100, jitter: 50 }, topics });
    const responded = vi.fn();
    for (const path of paths) ask(service, path).then(responded);
    await vi.advanceTimersByTimeAsync(99);
    expect(responded).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(26);
    expect(responded.mock.calls.length / paths.length).toBeCloseTo(0.5, 1);
    await vi.advanceTimersByTimeAsync(25);
    expect(responded).toHaveBeenCalledTimes(paths.length);
  });

  test("a silent request never gets a response, and leaves no timer", async () => {
    const settled = vi.fn();
    ask(createFakeService({ faults: { stall: 1 } }), "Findings/1").finally(settled);
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(1e9);
    expect(settled).not.toHaveBeenCalled();
  });

  test("a rate limit refuses what exceeds it, and refills with time", async () => {
    const service = createFakeService({ faults: { rateLimit: 5 } });
    expect(await statusesOf(service, "Findings/1", 7)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect((await ask(service, "Findings/1")).headers.get("retry-after")).toBe("1");
    vi.advanceTimersByTime(1_000);
    expect(await statusesOf(service, "Findings/1", 6)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test("a rate limit outlives fake timers, whose clock starts again", async () => {
    const service = createFakeService({ faults: { rateLimit: 1 } });
    vi.advanceTimersByTime(1e12);
    expect(await statusesOf(service, "Findings/1", 2)).toEqual([200, 429]);
    vi.useRealTimers();
    vi.useFakeTimers();
    expect(await statusOf(service, "Findings/1")).toBe(429);
    vi.advanceTimersByTime(1_000);
    expect(await statusOf(service, "Findings/1")).toBe(200);
  });

  test("a bandwidth delays a body", async () => {
    const service = createFakeService({ sentiment: { findings: 10, partitions: 1 }, faults: { bandwidth: 1_000 } });
    const bytes = Buffer.byteLength(JSON.stringify({ Findings: service.findings("sentiment"), errors: null }));
    const response = await ask(service, "Findings/1/Sentiment/0");
    const received = vi.fn();
    response.arrayBuffer().then(({ byteLength }) => received(byteLength));
    await vi.advanceTimersByTimeAsync(bytes - 50);
    expect(received).not.toHaveBeenCalled();
    for (let step = 0; step < 7; step++) await vi.advanceTimersByTimeAsync(8);
    expect(received).toHaveBeenCalledExactlyOnceWith(bytes);
    expect(vi.getTimerCount()).toBe(0);
  });

  test.for([{ latency: 700 }, { bandwidth: 10 }])(
    "an abort ends %o with its reason, and leaves no timer",
    async (faults) => {
      const controller = new AbortController();
      const response = ask(createFakeService({ faults }), "Findings/1", { signal: controller.signal });
      const text = response.then((response) => response.text());
      await vi.advanceTimersByTimeAsync(200);
      expect(vi.getTimerCount()).toBe(1);
      controller.abort("enough");
      await expect(text).rejects.toBe("enough");
      expect(vi.getTimerCount()).toBe(0);
    },
  );
});

test("a slice is the size of each piece of a body", async () => {
  const service = createFakeService({ faults: { slice: 1_000 } });
  const response = await ask(service, "Findings/1/Topics/0");
  const pieces = await Array.fromAsync(response.body as ReadableStream<Uint8Array>);
  expect(pieces.length).toBeGreaterThan(10);
  expect(pieces.slice(0, -1).every(({ length }) => length === 1_000)).toBe(true);
  service.use({});
  const whole = Buffer.from(await (await ask(service, "Findings/1/Topics/0")).arrayBuffer());
  expect(Buffer.compare(Buffer.concat(pieces), whole)).toBe(0);
});

/** The outcomes of two requests for each path. */
async function outcomesOf(options: FakeServiceOptions, order = paths) {
  const service = createFakeService({ topics, ...options });
  const rounds: string[][] = [];
  for (let round = 0; round < 2; round++) {
    rounds.push(await Promise.all(order.map((path) => outcomeOf(ask(service, path)))));
  }
  return Object.fromEntries(order.map((path, index) => [path, rounds.map((round) => round[index])]));
}

/** The status of a response, or `malformed` if its body is no JSON; `broken` or `silent` if there is none. */
async function outcomeOf(request: Promise<Response>): Promise<string> {
  // Every response comes before: the timers of its jitter are shorter.
  const late = setTimeout(100, "silent");
  const response = await Promise.race([request.catch(() => "broken"), late]);
  if (typeof response === "string") return response;
  if (response.status !== 200) return String(response.status);
  return response.json().then(
    () => "200",
    () => "malformed",
  );
}
