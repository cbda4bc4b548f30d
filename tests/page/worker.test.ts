/** Decoding in a worker: the option `worker`, the life of the worker, and workers of callers that misbehave. */

import type { FindingsOptions, Options, Progress } from "inspection-findings";
import { FindingsClient, getFindings } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { freeAfterTest } from "./clients.js";
import { allFindings, countsOf } from "./inspection.js";
import { failureOf, gate, outcomeOf, rejectionOf } from "./outcome.js";
import { importWithWorker, type OwnWorker, watchDecoding } from "./own-worker.js";
import { importInRealm } from "./realm.js";
import { asked, serve } from "./service.js";
import { fetchOf, likelyFinding } from "./tables.js";
import { quiet, Wire } from "./wire.js";

/** The workers that this test has started. */
const workers = [] as Worker[];

/** The workers that are not terminated. */
const running = () => workers.filter((worker) => !terminated.has(worker));
const terminated = new WeakSet();

class WatchedWorker extends Worker {
  constructor(...parameters: [string | URL, WorkerOptions?]) {
    super(...parameters);
    workers.push(this);
  }

  override terminate() {
    terminated.add(this);
    super.terminate();
  }
}

beforeEach(() => {
  workers.length = 0;
  vi.stubGlobal("Worker", WatchedWorker);
});

/** A client of another copy of the package, all of whose calls use this worker. */
async function clientWith(worker: OwnWorker, options: Options = {}) {
  const { FindingsClient } = await importWithWorker(worker);
  return freeAfterTest(new FindingsClient({ worker: true, ...options }));
}

const workerUrl = new URL("/package/worker.js", location.href);
const makeWorker = () => new Worker(workerUrl, { type: "module" });

/** The new address of a script: by default of one that runs the package's worker after something else. */
function scriptWith(more = "", script = `${more}; import "${workerUrl}";`) {
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

/** A worker of a caller's own making. */
const workerWith = (members: Partial<Worker>) =>
  Object.assign(new EventTarget(), { postMessage() {}, terminate() {}, ...members }) as Worker;

/** A function for the option `onProgress`, and how many partitions are decoded by what it was told. */
function noting() {
  const onProgress = vi.fn<(progress: Progress) => void>();
  return { onProgress, decoded: () => onProgress.mock.lastCall?.[0].partitionsDone ?? 0 };
}

/** Lets only the clock of the test end idle workers. */
const fakeIntervals = () => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });

/** Counts of four partitions that promise enough work for a worker by default. */
const enough = { partitions: 4, counts: { ...countsOf(4), TopicFindings: null } };

/** A fetch whose responses are never blobs. */
const byBytes = async (href: string, init: RequestInit) => {
  const { status, headers, body } = await fetch(href, init);
  return { status, headers, body } as unknown as Response;
};

test("one worker of all clients decodes what the page would, all or some columns, of requests and responses of the page", async () => {
  serve({ partitions: 5 });
  const some = allFindings(5).map(({ Number: number }) => ({ Number: number }));
  for (const fetch of [undefined, byBytes, (href: string, init: RequestInit) => globalThis.fetch(href, init)]) {
    const spied = vi.spyOn(globalThis, "fetch");
    const inWorkers = watchDecoding();
    using client = new FindingsClient({ worker: true, fetch });
    const all = client.getFindings(42, "sentiment");
    expect(await client.getFindings(42, "sentiment", { columns: ["Number"] })).toEqual(some);
    expect(await all).toEqual(allFindings(5));
    expect(inWorkers()).toBe(10);
    expect(spied.mock.calls.filter(([href]) => String(href).includes("Findings"))).toHaveLength(12);
    spied.mockRestore();
    using table = await client.loadTable(42, "sentiment");
    expect(table.toArray()).toEqual(allFindings(5));
    const read = await Array.fromAsync(client.streamPartitions(42, "topics"));
    expect(read.flatMap(({ findings }) => findings)).toEqual(allFindings(5));
    expect(inWorkers()).toBe(20);
  }
  await getFindings(1, "topics", { worker: true });
  expect(running()).toEqual(workers);
  expect(workers).toHaveLength(1);
});

test("a call uses a worker by default if its counts promise enough work, and none with worker: false", async () => {
  serve(enough);
  const inWorkers = watchDecoding();
  const client = freeAfterTest(new FindingsClient());
  await client.getPartitionCounts(1);
  await client.getPartition(1, "topics", 0);
  await client.getFindings(1, "sentiment");
  await client.getFindings(1, "topics", { worker: false });
  expect([inWorkers(), workers]).toEqual([0, []]);
  // On a busy machine the first calls may end before the worker is ready.
  await vi.waitUntil(async () => {
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
    return inWorkers() > 0;
  });
});

describe("a worker ends thirty seconds after its last call", () => {
  beforeEach(fakeIntervals);

  test("and another starts unnoticed", async () => {
    serve();
    const idle = await clientWith(scriptWith());
    expect(await idle.getFindings(1, "topics")).toEqual(allFindings(3));
    await vi.advanceTimersByTimeAsync(24_000);
    expect(running()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(running()).toHaveLength(0);
    expect(await idle.getFindings(1, "topics")).toEqual(allFindings(3));
    expect(workers).toHaveLength(2);
  });

  test("but not while a call waits, or others follow each other by 3.5 seconds", async () => {
    const held = gate();
    serve({ respond: ({ index }) => (index === 2 ? held.promise.then(() => undefined) : undefined) });
    const { decoded, onProgress } = noting();
    const { getFindings } = await importWithWorker(scriptWith());
    const call = getFindings(1, "topics", { worker: true, onProgress });
    await vi.waitUntil(() => decoded() === 2);
    await vi.advanceTimersByTimeAsync(40_000);
    held.resolve(undefined);
    expect(await call).toEqual(allFindings(3));
    for (let number = 0; number < 20; number++) {
      await vi.advanceTimersByTimeAsync(3_500);
      await getFindings(1, "topics", { worker: true });
    }
    expect(running()).toEqual(workers);
    expect(workers).toHaveLength(1);
  });
});

describe("preload()", () => {
  test("of a client starts its worker, which gets the compiled module, so that nothing is loaded twice", async () => {
    serve();
    const early = await clientWith(scriptWith());
    performance.clearResourceTimings();
    for (const _ of [1, 2]) expect(await early.preload()).toBeUndefined();
    expect(workers).toHaveLength(1);
    await early.getFindings(1, "topics");
    expect(workers).toHaveLength(1);
    const names = performance.getEntriesByType("resource").map(({ name }) => name);
    expect(names.filter((name) => name.endsWith(".wasm"))).toEqual([]);
  });

  test("of a client that does not insist on a worker, and of the package, starts none", async () => {
    const { FindingsClient } = await importWithWorker(scriptWith());
    for (const options of [undefined, {}, { worker: false }]) await new FindingsClient(options).preload();
    new FindingsClient({ worker: true });
    expect(workers).toEqual([]);
  });
});

describe("the worker of init()", () => {
  test.for<[string, Options["worker"], () => OwnWorker]>([
    ["the script at a URL", true, () => workerUrl],
    ["the script at an address", true, () => workerUrl.href],
    ["what a function makes", true, () => makeWorker],
    ["what a function makes, by default", "auto", () => makeWorker],
    [
      "what a function returns where the environment has no workers",
      true,
      () => {
        const worker = makeWorker();
        vi.stubGlobal("Worker", undefined);
        return () => worker;
      },
    ],
  ])("is %s, once for all calls", async ([, worker, make]) => {
    serve(enough);
    const own = await clientWith(make(), { worker });
    for (const _ of [1, 2]) expect(await own.getFindings(1, "topics")).toEqual(allFindings(4));
    expect(workers).toHaveLength(1);
  });

  test("is refused unless it is a URL or a function", async () => {
    for (const worker of [5, "", {}, null]) {
      const reason = await rejectionOf(importWithWorker(worker as any));
      expect(reason).toBeInstanceOf(TypeError);
      expect(reason.message).toMatch(/^worker must be a URL, or a function that returns a Worker; got /);
    }
  });
});

describe("without a worker", () => {
  const throws = () => {
    throw new Error("not today");
  };

  /** An error that says what to do, whose cause has this message. */
  const because = (message: unknown) => ({
    message: expect.stringMatching(/worker\.js is served .* worker-src/),
    cause: expect.objectContaining({ message }),
  });

  /** Workers that fail, each with the error. */
  const failing: [string, () => any, object][] = [
    ["a script that is not there", () => "/no/such/worker.js", because(expect.any(String))],
    [
      "a function that returns a promise",
      () => async () => new Worker("data:,"),
      because("the function must return a Worker, not a promise or another value"),
    ],
    ["a function that throws", () => throws, because("not today")],
    [
      "a worker that takes no messages, and cannot be terminated",
      () => () => workerWith({ postMessage: throws, terminate: throws }),
      because("it does not take messages: not today"),
    ],
    [
      "a worker that fails",
      () => () => {
        const worker = workerWith({});
        queueMicrotask(() => worker.dispatchEvent(new ErrorEvent("error", { message: "dead" })));
        return worker;
      },
      because("dead"),
    ],
    [
      "an environment without workers",
      () => void vi.stubGlobal("Worker", undefined),
      { message: "this environment has no web workers (Node has none): leave out the option worker" },
    ],
  ];

  test.for(failing)(
    "a call that insists on %s is a load error, preload() leaves that to the calls, and tables stay usable",
    async ([, make, error]) => {
      serve();
      const own = await clientWith(make());
      expect(await own.preload()).toBeUndefined();
      using table = await own.loadTable(1, "topics", { worker: false });
      expect(await own.getPartitionCounts(1)).toMatchObject({ topics: { partitions: 3 } });
      const failure = await rejectionOf(own.getFindings(7, "topics"));
      expect(failure).toMatchObject({ code: "load", inspectionKey: 7, ...error });
      expect(table.toArray()).toEqual(allFindings(3));
    },
  );

  test("a call decodes in the page by default, says nothing, and tries again after a minute", async () => {
    const { window, package: other } = await importInRealm();
    const make = vi.fn(function refuse() {
      throw new Error("refused");
    });
    window.Worker = make as any;
    const { fetch } = new Wire(enough);
    for (const minutes of [0, 0.9, 1.1]) {
      vi.spyOn(window.performance, "now").mockReturnValue(3_600_000 + minutes * 60_000);
      expect(await other.getFindings(1, "topics", { fetch, baseUrl: location.origin })).toEqual(allFindings(4));
      expect(make).toHaveBeenCalledTimes(minutes > 1 ? 2 : 1);
    }
  });

  test("the bodies of a call by default wait a second for a worker that starts, those of later calls do not, and those that insist do", async () => {
    const { window, package: other } = await importInRealm();
    window.Worker = function neverResponds() {
      return new Worker(scriptWith("", ""));
    } as any;
    const timers = [] as [act: () => void, milliseconds: number][];
    window.setTimeout = ((act: () => void, milliseconds: number = 0) => timers.push([act, milliseconds])) as any;
    window.setInterval = (() => 0) as any;
    const wire = new Wire(enough);
    const { decoded, onProgress } = noting();
    const pass = async (least: number, most: number) => {
      for (const [act, milliseconds] of timers) if (milliseconds >= least && milliseconds <= most) act();
      for (let turn = 0; turn < 10; turn++) await quiet();
    };
    /** Begins a call, and passes less than a second after its responses. */
    const begin = async (requests: number, more?: FindingsOptions) => {
      const options = { fetch: wire.fetch, baseUrl: location.origin, onProgress, ...more };
      const call = other.getFindings(1, "topics", options);
      while (wire.requested.length < requests) await quiet();
      await pass(0, 999);
      return { call };
    };
    const first = await begin(4);
    expect([workers.length, decoded()]).toEqual([1, 0]);
    await pass(1_000, 1_000);
    expect(decoded()).toBe(4);
    expect(await first.call).toEqual(allFindings(4));
    const later = await begin(8);
    expect(decoded()).toBe(4);
    expect(await later.call).toEqual(allFindings(4));
    const controller = new AbortController();
    const insisting = await begin(12, { worker: true, signal: controller.signal });
    expect(decoded()).toBe(0);
    controller.abort("enough");
    expect(await rejectionOf(insisting.call)).toBe("enough");
  });
});

test("a worker that ends costs a body that was transferred to it one retry", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  serve({ partitions: 6 });
  const dying = scriptWith(`addEventListener("message", (event) => {
    if (event.data.kind !== "decode") return;
    event.stopImmediatePropagation();
    throw new Error("dead");
  })`);
  // However often another worker ends.
  const own = await clientWith(dying, { fetch: byBytes });
  expect(await own.getFindings(1, "topics", { retries: 1 })).toEqual(allFindings(6));
  expect(asked.length).toBeGreaterThan(7);
  // It may have ended for another reason than memory.
  const message = expect.stringMatching(/: the worker that was decoding the body has ended; if memory is short, /);
  expect(await failureOf(own.getFindings(1, "topics", { retries: 0 }))).toMatchObject({ code: "memory", message });
});

const late = { code: "load", cause: expect.objectContaining({ message: "it did not respond in time" }) };

/** The workers of a caller: the answer of each to a message, the number of its pings, the number of workers that end, and the error of the call. */
test.for<[string, answer: (kind: string, pings: number) => string | undefined, number, number, error?: object]>([
  ["is never ready ends", () => undefined, 0, 1, late],
  ["answers no ping ends after three, as the next one does", (kind) => (kind === "ping" ? undefined : "ready"), 6, 2],
  ["answers pings, and returns no body, ends after a minute", (kind) => (kind === "ping" ? "pong" : "ready"), 12, 1],
  [
    "returns a body each minute does not end",
    (kind, pings) => (kind !== "ping" ? "ready" : pings % 12 === 0 ? "decoded" : "pong"),
    60,
    0,
  ],
])("a caller's worker that %s, and the page decodes if it can", async ([, answer, pings, ends, error]) => {
  fakeIntervals();
  const [terminate, bodies] = [vi.fn(), [] as number[]];
  let asks = 0;
  const make = vi.fn(() => {
    const postMessage = ({ kind, id }: any) => {
      if (kind === "decode") bodies.push(id);
      if (kind === "ping") asks++;
      const data = { kind: answer(kind, asks), id: bodies[asks / 12 - 1] };
      if (data.kind) queueMicrotask(() => worker.dispatchEvent(new MessageEvent("message", { data })));
    };
    const worker = workerWith({ postMessage, terminate });
    return worker;
  });
  // Bodies that arrive after the end of a worker that is stuck start no other one.
  const partitions = Array.from({ length: 5 }, (_, number) => [likelyFinding(number)]);
  const own = await clientWith(make, { fetch: fetchOf(partitions), concurrency: 3 });
  const done = vi.fn();
  const call = outcomeOf(own.getFindings(1, "topics").finally(done));
  await vi.waitUntil(async () => {
    await vi.advanceTimersByTimeAsync(5_000);
    return done.mock.calls.length > 0;
  });
  expect(await call).toEqual(error ? { reason: expect.objectContaining(error) } : { value: partitions.flat() });
  expect([asks, terminate.mock.calls.length, make.mock.calls.length]).toEqual([pings, ends, Math.max(ends, 1)]);
});

test("a page whose global Worker is read-only has its worker", async () => {
  const { window, package: findings } = await importInRealm();
  Object.defineProperty(window, "Worker", { writable: false, configurable: false });
  serve();
  const inWorkers = watchDecoding(window);
  expect(await findings.getFindings(1, "topics", { baseUrl: location.origin, worker: true })).toEqual(allFindings(3));
  expect(inWorkers()).toBe(3);
});

test("a body whose packed findings a caller takes or damages is decoded by the page", async () => {
  const texts = [0, 1].map((index) => [
    { Text: `text ${index}`, More: { List: [index] } },
    { Text: "später", Number: 0.5 },
  ]);
  const respond = ({ index }: { index: number }) => (index < 0 ? undefined : Response.json({ Findings: texts[index] }));
  serve({ partitions: 2, respond });
  const changes = ["packed.subarray(0, -1)", "packed.subarray(0, 60)", "packed.fill(255)", "undefined"];
  // The list is no JSON any more.
  const forged = "packed.map((byte, at) => (byte === 0x5d && packed[at - 2] === 0x5b ? 0x5b : byte))";
  const changing = [...changes, forged].map((change) =>
    scriptWith(`
      const post = self.postMessage.bind(self);
      self.postMessage = (message, ...rest) => {
        const { kind, packed } = message;
        return kind === "decoded" ? post({ ...message, packed: ${change} }) : post(message, ...rest);
      }`),
  );
  const taking = () => {
    const worker = makeWorker();
    // Heard before the package hears it.
    worker.addEventListener("message", ({ data }) => {
      if (data.kind === "decoded") structuredClone(data.packed.buffer, { transfer: [data.packed.buffer] });
    });
    return worker;
  };
  for (const worker of [...changing, taking]) {
    const inWorkers = watchDecoding();
    const own = await clientWith(worker, { retries: 0 });
    expect(await own.getFindings(1, "topics")).toEqual(texts.flat());
    using table = await own.loadTable(1, "topics");
    expect(table.toArray()).toEqual(texts.flat());
    expect(inWorkers()).toBe(4);
  }
});

test("a call that was collected in a worker is resumed, in a worker or in the page", async () => {
  let isBroken = true;
  serve({ partitions: 5, respond: ({ index }) => (isBroken && index % 2 === 1 ? new Response("{") : undefined) });
  for (const worker of [true, false]) {
    isBroken = true;
    const options: FindingsOptions = { worker: true, failurePolicy: "collect" };
    const failure = (await failureOf(getFindings(1, "topics", options))) as any;
    expect(failure.code).toBe("partial");
    isBroken = false;
    const inWorkers = watchDecoding();
    expect(await failure.resume({ worker })).toEqual(allFindings(5));
    expect(inWorkers()).toBe(worker ? 2 : 0);
  }
});
