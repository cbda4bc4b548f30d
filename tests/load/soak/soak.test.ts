/**
 * The soak: calls over every manner of the wire, ended at random, come to what they may, and leave no memory behind. What else a call may leave, such as
 * timers and listeners, is found by tests/unit/border/sweep.test.ts.
 */

import type { FindingsClient, StreamOptions } from "inspection-findings";
import { expect, inject, test, vi } from "vitest";
import { cdp } from "vitest/browser";
import { callsOfClient } from "../../page/calls.js";
import { collectGarbage } from "../../page/garbage.js";
import { startWatchedWorker, watchKept } from "../../page/kept.js";
import { addresses, type ManualPackage, openRealm, type RealmWindow } from "../../page/realm.js";
import { collect } from "../../page/wires";
import { Random } from "../../random.js";
import { allFindings } from "../../wire/inspection.ts";
import type { Manner } from "../../wire/server/manner.ts";
import { serve } from "../../wire/service.ts";

const { minutes, seed } = inject("soak" as never) as { minutes: number; seed: number };

const partitions = 8;
const mostBytes = 256 * 1024;

/** The calls of a round, eight at a time, after which nothing is left, and the rounds without a duration. */
const callsOfRound = 24;
const lanes = 8;
const leastRounds = 42;

/**
 * The tolerances, in bytes: of the JavaScript heap, for compiled code and caches, and of the memory of a module, in the page or in a worker. That
 * never shrinks, and it depends on chance when the most bodies are in it at the same time. What a single call leaves is found by
 * tests/page/memory.test.ts.
 */
const heapTolerance = 500_000;
const moduleTolerance = 1024 * 1024;

/** The manners of responses, each with the codes of the errors that it may cause. */
const manners: [Manner, ...string[]][] = [
  [{ encoding: "gzip", framing: "chunked", chunk: 200 }],
  [{ pace: { bytes: 2000, every: 1 } }],
  [{ status: 503 }, "http"],
  [{ status: 429, headers: { "retry-after": "0" } }, "http"],
  [{ status: 302 }, "http"],
  [{ status: 401 }, "unauthorized"],
  [{ body: '{"Findings":[{"a":1}],"errors":["The analysis has failed."]}' }, "service"],
  [{ body: '{"Findings":[{"a":"\u00ff"}]}', charset: "latin1" }, "decode"],
  [{ shorten: 9 }, "decode"],
  [{ padding: mostBytes }, "too-large"],
  [{ stop: { after: { head: 20 }, by: "stall" } }, "timeout"],
  [{ stop: { after: { body: 900 }, by: "reset" } }, "network"],
  [{ stop: { after: { body: 900 }, by: "stall" } }, "timeout"],
  [{ framing: "chunked", stop: { after: { body: -9 }, by: "close" } }, "network"],
];

/** A call for all findings; `getFindings` is the plain function, which makes a client for each call. */
type Operation = (
  client: FindingsClient,
  options: StreamOptions,
  getFindings: (options: StreamOptions) => Promise<unknown>,
) => Promise<unknown>;

const whole = Object.entries(callsOfClient)
  .filter(([name]) => ["getFindings", "loadTable", "watchTable", "streamPartitions", "streamTables"].includes(name))
  .map(([name, call]): [string, Operation] => [name, (client, options) => call(client, 1, "topics", 0, options)]);

const operations: Record<string, Operation> = {
  ...Object.fromEntries(whole),
  theFunction: (_, options, getFindings) => getFindings(options),
  async getPartition(client, { concurrency: _, ...options }) {
    const { topics } = await client.getPartitionCounts(1, { signal: options.signal });
    const indexes = Array.from({ length: topics.partitions }, (_, index) => index);
    return (await Promise.all(indexes.map((index) => client.getPartition(1, "topics", index, options)))).flat();
  },
  async loadTableAndLoseItsView(client, options) {
    const view = (await client.loadTable(1, "topics", options)).filter({});
    view.sortBy("Comment", "desc").free();
    return [...view];
  },
  async watchTableAndLoseIt(client, options) {
    const live = client.watchTable(1, "topics", options);
    const snapshots = new Set([live.getSnapshot()]);
    live.subscribe(() => {
      snapshots.add(live.getSnapshot());
      live.getSnapshot().table.countBy("Comment");
    });
    return (await live.done).toArray();
  },
  async watchTableAndResumeIt(client, options) {
    using live = client.watchTable(1, "topics", { ...options, ...collect });
    return await resumed(
      async () => (await live.done).toArray(),
      () => async () => {
        live.resume();
        return (await live.done).toArray();
      },
    );
  },
  async leaveStream(client, options) {
    for await (const { index } of client.streamPartitions(1, "topics", options)) if (index > 0) break;
    return client.getFindings(1, "topics", options);
  },
  resume: (client, options) =>
    resumed(
      () => client.getFindings(1, "topics", { ...options, ...collect }),
      (error) => error.resume,
    ),
};

/** The findings of a call that is resumed up to two times. */
async function resumed(call: () => Promise<unknown>, resume: (error: any) => () => Promise<unknown>) {
  for (let run = 0, next = call; ; run++) {
    try {
      return await next();
    } catch (error: any) {
      if (error.code !== "partial" || run === 2) throw error;
      next = resume(error);
    }
  }
}

/** The ways in which a call ends, each with what it then rejects with. */
const endings: Record<string, unknown> = {
  "left alone": undefined,
  aborted: "enough",
  freed: expect.objectContaining({
    name: "TypeError",
    message: "this FindingsClient has been freed: create another one",
  }),
  thrown: "thrown",
};

/** The intervals of a window that are left. No mocks, which would keep what they are called with. */
function watchIntervals(window: any) {
  const left = new Set<number>();
  const { setInterval: set, clearInterval: clear } = window;
  window.setInterval = (act: () => void, milliseconds: number) => [...left.add(set(act, milliseconds))].at(-1);
  window.clearInterval = (interval: number) => {
    left.delete(interval);
    clear(interval);
  };
  return left;
}

/** Watches the objects of the module in a window, which are registered, so that the garbage collection frees them. */
function watchObjects(window: RealmWindow) {
  const Registry = window.FinalizationRegistry;
  const seen = { objects: 0, left: 0 };
  window.FinalizationRegistry = class extends Registry<any> {
    constructor(collect: (held: any) => void) {
      super((held) => {
        seen.left -= 1;
        collect(held);
      });
    }
    override register(...parameters: [any, any, any]) {
      seen.objects += 1;
      seen.left += 1;
      super.register(...parameters);
    }
    override unregister(token: any) {
      const was = super.unregister(token);
      seen.left -= Number(was);
      return was;
    }
  } as any;
  return seen;
}

/** A window with the package, whose intervals, objects of the module, kept entries, memory and workers are watched. */
async function watchedPackage(hasWorker: boolean) {
  const window = await openRealm();
  const { setTimeout } = window;
  const workers: ReturnType<typeof startWatchedWorker>[] = [];
  const watched = { intervals: watchIntervals(window), seen: watchObjects(window), kept: watchKept(window) };
  const { FindingsClient, getFindings, init } = (await window.load(addresses.manual)) as ManualPackage;
  await init({ module: addresses.wasm, worker: () => workers[workers.push(startWorker(window)) - 1].worker });
  return {
    ...watched,
    workers,
    pause: (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    clientOf: (options: StreamOptions) => new FindingsClient({ worker: hasWorker, ...options }),
    getFindings: (options: StreamOptions) => getFindings(1, "topics", { worker: hasWorker, ...options }),
  };
}

/** The package's worker, which dies when it is told. */
function startWorker(window: RealmWindow) {
  const started = startWatchedWorker(
    window,
    `addEventListener("message", ({ data: { kind } }) => {
      if (kind === "die") throw new Error("the worker dies");
    })`,
  );
  // The error that it dies of is no error of the page.
  started.worker.addEventListener("error", (event) => event.preventDefault());
  return started;
}

function median(numbers: number[]) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}

test.for([false, true])(`calls leave nothing behind, with worker: %s (SEED=${seed})`, async (hasWorker) => {
  const { intervals, seen, kept, workers, pause, clientOf, getFindings } = await watchedPackage(hasWorker);
  const correct = JSON.stringify(allFindings(partitions));
  const { signal: lasting } = new AbortController();
  const outcomes: Record<string, number> = {};
  const looks: { heap: number; memory: number; ofWorker: number }[] = [];
  let deaths = 0;
  const ends = Date.now() + minutes * 60_000;
  const session = cdp() as any;

  for (let round = 0; round < leastRounds || Date.now() < ends; round++) {
    const random = new Random("round", seed, round);
    const faulty = random.someOf(
      Array.from({ length: partitions }, (_, index) => index),
      random.oneOf([0, 1, 4]),
    );
    const rules = faulty.map((index) => {
      const [manner, ...codes] = random.oneOf(manners);
      return { index, times: random.oneOf([1, undefined]), manner, codes };
    });
    const service = await serve({ partitions, rules });
    const limits = { timeout: 400, maxPartitionBytes: mostBytes, retries: random.integer(0, 2) };
    const settings = { baseUrl: service.baseUrl, signal: lasting, ...limits };
    const client = clientOf(settings);
    const isDeadly = hasWorker && round % 5 === 1;
    // A busy machine may exceed any timeout. A body that is lost with its worker fails as one for which there is no memory.
    const codes = [
      "partial",
      "timeout",
      ...rules.flatMap(({ codes }) => codes),
      ...(isDeadly ? ["memory", "network"] : []),
    ];

    const call = async (random: Random) => {
      const [name, operation] = random.oneOf(Object.entries(operations));
      const [ending, reason] = random.chance(0.5) ? ["left alone"] : random.oneOf(Object.entries(endings));
      const moment = random.integer(0, 60);
      const own = ending === "freed" ? clientOf(settings) : client;
      const controller = new AbortController();
      if (ending === "freed") pause(moment).then(() => own.free());
      if (ending === "aborted") pause(moment).then(() => controller.abort(reason));
      const thrown = () => {
        throw reason;
      };
      const signal = ending === "aborted" ? { signal: controller.signal } : {};
      const callback = ending === "thrown" ? { onProgress: thrown } : {};
      const options = { ...signal, ...callback, concurrency: random.integer(1, 8) };
      const plain = (given: StreamOptions) => getFindings({ ...settings, ...given });
      const outcome = await operation(own, options, plain).then(
        (findings) => (JSON.stringify(findings) === correct ? "correct" : `wrong findings by ${name}`),
        (error) => error?.code ?? error,
      );
      if (outcome !== "correct" && !codes.includes(outcome)) expect(outcome, `${name}, ${ending}`).toEqual(reason);
      const word = typeof outcome === "string" ? outcome : ending;
      outcomes[word] = (outcomes[word] ?? 0) + 1;
    };
    const calls = Array.from({ length: callsOfRound }, (_, place) => new Random("call", seed, round, place));
    const lane = async () => {
      for (let next = calls.pop(); next !== undefined; next = calls.pop()) await call(next);
    };
    if (isDeadly) {
      workers.at(-1)?.worker.postMessage({ kind: "die" });
      deaths += 1;
    }
    await Promise.all(Array.from({ length: lanes }, lane));
    client.free();

    await service.settled();
    await service.close();
    // What the calls have lost is freed by finalisers, some of which run between the collections. With a worker, one object lasts.
    await vi.waitUntil(async () => {
      await collectGarbage();
      return seen.left === Number(hasWorker);
    });
    const { usedSize: heap } = await session.send("Runtime.getHeapUsage");
    expect([intervals.size, kept().entries]).toEqual([hasWorker ? 1 : 0, 0]);
    // The last worker may be dead, and its successor starts with the next call.
    const last = isDeadly ? undefined : workers.at(-1);
    const ofWorker = await last?.kept();
    if (ofWorker !== undefined) expect(ofWorker.entries).toBe(0);
    looks.push({ heap, memory: kept().memory, ofWorker: ofWorker?.memory ?? 0 });
  }

  const half = looks.length >> 1;
  const quarter = looks.length >> 2;
  const heaps = looks.map(({ heap }) => heap);
  expect(outcomes.correct, JSON.stringify(outcomes)).toBeGreaterThan((looks.length * callsOfRound) / 4);
  // Otherwise, nothing was watched.
  for (const watched of [seen.objects, kept().memory]) expect(watched).toBeGreaterThan(0);
  // By then all code is compiled, and later growth is a leak.
  expect(median(heaps.slice(-quarter)) - median(heaps.slice(quarter, half))).toBeLessThan(heapTolerance);
  expect(looks[looks.length - 1].memory - looks[half].memory).toBeLessThan(moduleTolerance);
  if (hasWorker) {
    const sizes = looks.map(({ ofWorker }) => ofWorker).filter((size) => size > 0);
    expect(Math.max(...sizes)).toBeLessThan(sizes[0] + moduleTolerance);
    expect([deaths > 0, workers.length]).toEqual([true, deaths + 1]);
  }
});
