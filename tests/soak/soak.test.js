/** The soak: calls over every manner of the wire, ended at random, come to what they may, and leave nothing behind. */

import { expect, inject, test, vi } from "vitest";
import { cdp } from "vitest/browser";
import { collectGarbage } from "../browser/garbage.js";
import { countListeners } from "../browser/listeners.js";
import { addresses, openRealm } from "../browser/realm.js";
import { Random } from "../random.js";
import { allFindings } from "../wire/inspection.js";
import { serve } from "../wire/service.js";

/** @typedef {import("inspection-findings").FindingsClient} FindingsClient */
/** @typedef {import("inspection-findings").StreamOptions} StreamOptions */
/** @typedef {import("../wire/server/manner.js").Manner} Manner */
/** @typedef {import("../browser/realm.js").RealmWindow} RealmWindow */

const { minutes, seed } = /** @type {{ minutes: number, seed: number }} */ (inject(/** @type {never} */ ("soak")));

const partitions = 8;

/** The calls of a round, eight at a time, after which nothing is left, and the rounds without a duration. */
const callsOfRound = 24;
const lanes = 8;
const leastRounds = 21;

/** The tolerances, in bytes: of the JavaScript heap, for compiled code and caches, and of a worker's memory, for its largest bodies. */
const heapTolerance = 500_000;
const workerTolerance = 1024 * 1024;

/** The manners of responses, each with the codes of the errors that it may cause. @type {[Manner, ...string[]][]} */
const manners = [
  [{ encoding: "gzip", framing: "chunked", chunk: 200 }],
  [{ encoding: "br", framing: "close" }],
  [{ pace: { bytes: 2000, every: 1 } }],
  [{ padding: 5000 }],
  [{ status: 503 }, "http"],
  [{ status: 429, headers: { "retry-after": "0" } }, "http"],
  [{ status: 404 }, "http"],
  [{ status: 302 }, "http"],
  [{ status: 401 }, "unauthorized"],
  [{ body: '{"Findings":[{"a":1}],"errors":["The analysis has failed."]}' }, "service"],
  [{ body: '{"errors":null}' }, "decode"],
  [{ body: '{"Findings":[{"a":"\u00ff"}]}', charset: "latin1" }, "decode"],
  [{ shorten: 9 }, "decode"],
  [{ lie: 5, stop: { after: "end", by: "close" } }, "network"],
  [{ stop: { after: { head: 20 }, by: "close" } }, "network"],
  [{ stop: { after: { head: 20 }, by: "stall" } }, "timeout"],
  [{ stop: { after: { body: 900 }, by: "reset" } }, "network"],
  [{ stop: { after: { body: 900 }, by: "stall" } }, "timeout"],
  [{ framing: "chunked", stop: { after: { body: -9 }, by: "close" } }, "network"],
];

/** The calls for all findings. @type {Record<string, (client: FindingsClient, options: StreamOptions) => Promise<unknown>>} */
const operations = {
  getFindings: (client, options) => client.getFindings(1, "topics", options),
  async loadTable(client, options) {
    using table = await client.loadTable(1, "topics", options);
    using view = table.filter({});
    view.sortBy("Comment", "desc").free();
    return view.toArray();
  },
  loadTableAndLoseIt: async (client, options) => [...(await client.loadTable(1, "topics", options))],
  async watchTable(client, options) {
    using live = client.watchTable(1, "topics", options);
    live.subscribe(() => void live.getSnapshot().table.countBy("Comment"));
    return (await live.done).toArray();
  },
  async watchTableAndLoseIt(client, options) {
    const live = client.watchTable(1, "topics", options);
    const snapshots = new Set([live.getSnapshot()]);
    live.subscribe(() => snapshots.add(live.getSnapshot()));
    return (await live.done).toArray();
  },
  async streamPartitions(client, options) {
    const all = await Array.fromAsync(client.streamPartitions(1, "topics", options));
    return all.flatMap(({ findings }) => findings);
  },
  async leaveStream(client, options) {
    for await (const { index } of client.streamPartitions(1, "topics", options)) if (index > 0) break;
    return client.getFindings(1, "topics", options);
  },
  async resume(client, options) {
    let call = () => client.getFindings(1, "topics", { ...options, failurePolicy: "collect" });
    for (let run = 0; ; run++) {
      try {
        return await call();
      } catch (/** @type {any} */ error) {
        if (error.code !== "partial" || run === 2) throw error;
        call = error.resume;
      }
    }
  },
};

/** The ways in which a call ends, each with what it then rejects with. @type {Record<string, unknown>} */
const endings = {
  "left alone": undefined,
  aborted: "enough",
  freed: expect.objectContaining({ name: "TypeError", message: "this FindingsClient has been freed" }),
  thrown: "thrown",
};

/** A window with the package, whose timers, memories, listeners and workers are watched. @param {boolean} hasWorker */
async function watchedPackage(hasWorker) {
  const window = await openRealm();
  const { setTimeout, clearTimeout } = window;
  // No mock, which would keep what it is called with.
  const timers = new Set();
  window.setTimeout = /** @type {any} */ (
    (/** @type {() => void} */ act, /** @type {number} */ milliseconds) => {
      const timer = setTimeout(() => {
        timers.delete(timer);
        act();
      }, milliseconds);
      timers.add(timer);
      return timer;
    }
  );
  window.clearTimeout = (timer) => {
    timers.delete(timer);
    clearTimeout(timer);
  };
  /** @type {WebAssembly.Memory[]} */
  const memories = [];
  const { instantiate } = window.WebAssembly;
  window.WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any} */ module, /** @type {any} */ imports) => {
      const instance = /** @type {any} */ (await instantiate(module, imports));
      memories.push(instance.exports.memory);
      return instance;
    }
  );
  /** @type {Worker[]} */
  const workers = [];
  const worker = hasWorker && (() => workers[workers.push(startWorker(window)) - 1]);
  const { FindingsClient } = /** @type {import("../browser/realm.js").Package} */ (await window.load(addresses.entry));
  return {
    timers,
    workers,
    memory: () => memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0),
    pause: (/** @type {number} */ milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    clientOf: (/** @type {StreamOptions} */ options) => new FindingsClient({ worker, ...options }),
  };
}

/** The package's worker, which reports its memory, and dies, when it is told to. @param {RealmWindow} window */
function startWorker(window) {
  const watch = `
    const { instantiate } = WebAssembly;
    let instance;
    WebAssembly.instantiate = async (...given) => (instance = await instantiate(...given));
    addEventListener("message", ({ data }) => {
      if (data === "die") throw new Error("the worker dies");
      if (data === "memory") postMessage({ memory: instance?.exports.memory.buffer.byteLength ?? 0 });
    });`;
  const script = `import "data:text/javascript,${encodeURIComponent(watch)}"; import "${addresses.worker}";`;
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const worker = new /** @type {any} */ (window).Worker(url, { type: "module" });
  // The error that it dies of is no error of the page.
  worker.addEventListener("error", (/** @type {Event} */ event) => event.preventDefault());
  return worker;
}

/** The memory of a worker. @param {Worker} worker @returns {Promise<number>} */
function memoryOf(worker) {
  return new Promise((resolve) => {
    worker.addEventListener("message", ({ data }) => data?.memory !== undefined && resolve(data.memory));
    worker.postMessage("memory");
  });
}

/** @param {number[]} numbers */
function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1];
}

test.for([false, true])(`calls leave nothing behind, with worker: %s (SEED=${seed})`, async (hasWorker) => {
  const { timers, workers, memory, pause, clientOf } = await watchedPackage(hasWorker);
  const correct = JSON.stringify(allFindings(partitions));
  const lasting = new AbortController();
  const listeners = countListeners(lasting.signal);
  /** @type {Record<string, number>} */
  const outcomes = {};
  /** @type {{ heap: number, memory: number, ofWorker: number }[]} */
  const looks = [];
  const ends = Date.now() + minutes * 60_000;
  const session = /** @type {any} */ (cdp());

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
    const settings = { baseUrl: service.baseUrl, signal: lasting.signal, timeout: 400, retries: random.integer(0, 2) };
    const client = clientOf(settings);
    const isDeadly = hasWorker && round % 5 === 1;
    // A busy machine may exceed any timeout. A body that is lost with its worker fails as one for which there is no memory.
    const codes = [
      "partial",
      "timeout",
      ...rules.flatMap(({ codes }) => codes),
      ...(isDeadly ? ["memory", "network"] : []),
    ];

    const call = async (/** @type {Random} */ random) => {
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
      const outcome = await operation(own, { ...signal, ...callback, concurrency: random.integer(1, 8) }).then(
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
    if (isDeadly) workers.at(-1)?.postMessage("die");
    await Promise.all(Array.from({ length: lanes }, lane));
    client.free();

    await vi.waitUntil(() => timers.size === 0);
    expect(listeners.left).toBe(0);
    await service.settled();
    await service.close();
    await collectGarbage();
    const { usedSize: heap } = await session.send("Runtime.getHeapUsage");
    // The last worker may be dead, and its successor starts with the next call.
    const ofWorker = hasWorker && !isDeadly ? await memoryOf(workers[workers.length - 1]) : 0;
    looks.push({ heap, memory: memory(), ofWorker });
  }

  const half = looks.length >> 1;
  const quarter = looks.length >> 2;
  const heaps = looks.map(({ heap }) => heap);
  expect(outcomes.correct, JSON.stringify(outcomes)).toBeGreaterThan((looks.length * callsOfRound) / 4);
  expect(listeners.added).toBeGreaterThan(0);
  // By then all code is compiled, and later growth is a leak.
  expect(median(heaps.slice(-quarter)) - median(heaps.slice(quarter, half))).toBeLessThan(heapTolerance);
  expect(looks[looks.length - 1].memory).toBe(looks[half].memory);
  if (hasWorker) {
    const sizes = looks.map(({ ofWorker }) => ofWorker).filter((size) => size > 0);
    expect(Math.max(...sizes)).toBeLessThan(sizes[0] + workerTolerance);
    expect(workers.length).toBeGreaterThan(1);
  }
});
