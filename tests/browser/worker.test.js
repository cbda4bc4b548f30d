/** Attempts in a worker: the option `worker`, and the life of the worker. */

import { FindingsClient, getFindings, preload } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freeAfterTest } from "./clients.js";
import { testWith } from "./engine.js";
import { allFindings } from "./inspection.js";
import { failureOf, gate, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

/** The workers that this test has started. */
const workers = /** @type {Worker[]} */ ([]);

/** The workers that are not terminated. */
const running = () => workers.filter((worker) => !terminated.has(worker));
const terminated = new WeakSet();
const RealWorker = Worker;

beforeEach(() => {
  workers.length = 0;
  vi.stubGlobal(
    "Worker",
    class extends RealWorker {
      /** @param {[string | URL, WorkerOptions?]} parameters */
      constructor(...parameters) {
        super(...parameters);
        workers.push(this);
      }

      /** @override */
      terminate() {
        terminated.add(this);
        super.terminate();
      }
    },
  );
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const testBeside = testWith("the worker's script from Vite's development server");

/** @param {import("inspection-findings").Options} options */
function client(options) {
  const client = new FindingsClient(options);
  freeAfterTest(client);
  return client;
}

/**
 * The address of a script that runs the package's worker and something else.
 * @param {string} more
 */
function scriptWith(more) {
  const script = `${more}; import ${JSON.stringify(new URL("/package/worker.js", location.href).href)};`;
  return URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
}

testBeside("a worker gets the findings that the page would get, without the page's fetch", async () => {
  serve({ partitions: 5 });
  await preload();
  vi.stubGlobal("fetch", () => Promise.reject(new Error("the page must not fetch")));
  const inWorker = client({ worker: true });
  expect(await inWorker.getFindings(42, "sentiment")).toEqual(allFindings(5));
  const table = await inWorker.loadTable(42, "sentiment");
  freeAfterTest(table);
  expect(table.toArray()).toEqual(allFindings(5));
  expect(await inWorker.getPartitionCounts(42)).toMatchObject({ topics: { partitions: 5 } });
  const read = [];
  for await (const { findings } of inWorker.streamPartitions(42, "topics")) read.push(findings);
  expect(read.flat()).toEqual(allFindings(5));
  expect(workers).toHaveLength(1);
});

testBeside("one worker serves all clients, and ends with the last of them", async () => {
  serve();
  const clients = [client({ worker: true }), client({ worker: "auto" }), client({ worker: true })];
  await Promise.all(clients.map((client) => client.getFindings(1, "topics")));
  expect(workers).toHaveLength(1);
  clients[0]?.free();
  clients[1]?.free();
  await clients[2]?.getFindings(1, "topics");
  expect(running()).toHaveLength(1);
  clients[2]?.free();
  await vi.waitFor(() => expect(running()).toHaveLength(0));
});

test("a worker stays for the next call of a plain function", async () => {
  serve();
  const worker = scriptWith("   ");
  await getFindings(1, "topics", { worker });
  await getFindings(1, "topics", { worker });
  expect(workers).toHaveLength(1);
  expect(running()).toHaveLength(1);
});

test("a worker ends after thirty seconds without an attempt, and another starts unnoticed", async () => {
  serve();
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout"] });
  const idle = client({ worker: scriptWith("") });
  const first = idle.getFindings(1, "topics");
  expect(await first).toEqual(allFindings(3));
  await vi.advanceTimersByTimeAsync(24_000);
  expect(running()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(12_000);
  expect(running()).toHaveLength(0);
  expect(await idle.getFindings(1, "topics")).toEqual(allFindings(3));
  expect(workers).toHaveLength(2);
});

test("the worker gets the compiled module, so that nothing is loaded twice", async () => {
  serve();
  await preload();
  performance.clearResourceTimings();
  await client({ worker: scriptWith("") }).getFindings(1, "topics");
  const names = performance.getEntriesByType("resource").map(({ name }) => name);
  expect(names.filter((name) => name.endsWith(".wasm"))).toEqual([]);
});

test("preload() starts the worker of a client", async () => {
  serve();
  const early = client({ worker: scriptWith("") });
  await preload();
  expect(workers).toHaveLength(1);
  await early.getFindings(1, "topics");
  expect(workers).toHaveLength(1);
});

describe("the option worker", () => {
  test.for([1, null, {}, Symbol("worker")].map((value) => ({ value })))("refuses $value", async ({ value }) => {
    const options = /** @type {any} */ ({ worker: value });
    const reason = await rejectionOf(new FindingsClient(options).getFindings(1, "topics"));
    expect(reason).toBeInstanceOf(TypeError);
    expect(/** @type {Error} */ (reason).message).toMatch(
      /^worker must be true, false, "auto", an address or a function/,
    );
  });

  test("takes the address of the script, as a string or a URL", async () => {
    serve();
    const address = new URL("/package/worker.js", location.href);
    for (const worker of [address, address.href]) {
      expect(await client({ worker }).getFindings(1, "topics")).toEqual(allFindings(3));
    }
    expect(workers).toHaveLength(1);
  });

  test("takes a function that makes the worker", async () => {
    serve();
    const make = vi.fn(() => new Worker("/package/worker.js", { type: "module" }));
    const own = client({ worker: make });
    expect(await own.getFindings(1, "topics")).toEqual(allFindings(3));
    expect(await own.getFindings(1, "topics")).toEqual(allFindings(3));
    expect(make).toHaveBeenCalledTimes(1);
  });

  test("false keeps a call of a client with a worker in the page", async () => {
    serve();
    await client({ worker: scriptWith("") }).getFindings(1, "topics", { worker: false });
    expect(workers).toHaveLength(0);
  });

  test("together with fetch is a TypeError", async () => {
    const reason = await rejectionOf(client({ worker: true, fetch }).getFindings(1, "topics"));
    expect(reason).toEqual(
      new TypeError("fetch cannot be given together with worker: a worker sends requests by its own fetch"),
    );
    expect(await rejectionOf(client({ worker: true }).getFindings(1, "topics", { fetch }))).toBeInstanceOf(TypeError);
  });

  test('"auto" together with fetch means the page', async () => {
    serve();
    const spied = vi.fn(/** @type {typeof fetch} */ ((...parameters) => fetch(...parameters)));
    expect(await client({ worker: "auto", fetch: spied }).getFindings(1, "topics")).toEqual(allFindings(3));
    expect(spied).toHaveBeenCalledTimes(4);
    expect(workers).toHaveLength(0);
  });
});

describe("without a worker", () => {
  test("a call rejects with a load error that says what to do", async () => {
    const failure = await failureOf(client({ worker: "/no/such/worker.js" }).getFindings(1, "topics"));
    expect(failure).toMatchObject({ code: "load", cause: expect.any(Error) });
    expect(failure.message).toMatch(/worker\.js is served .* worker-src/);
    expect(asked).toEqual([]);
  });

  test("a function that throws is the cause of the error", async () => {
    const thrown = new Error("none today");
    const make = () => {
      throw thrown;
    };
    const failure = await failureOf(client({ worker: make }).getFindings(1, "topics"));
    expect(failure).toMatchObject({ code: "load", cause: { message: "none today" } });
  });

  test('"auto" makes all attempts in the page, and warns once', async () => {
    serve();
    vi.stubGlobal("Worker", undefined);
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const auto = client({ worker: "auto" });
    expect(await auto.getFindings(1, "topics")).toEqual(allFindings(3));
    expect(await auto.getFindings(1, "sentiment")).toEqual(allFindings(3));
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.lastCall?.[0]).toMatch(
      /in the page, because no worker could be started: this environment has no workers/,
    );
  });

  test("a worker that never answers fails within ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const make = () => new Worker(URL.createObjectURL(new Blob([""])));
    const call = failureOf(client({ worker: make }).getFindings(1, "topics"));
    await vi.waitFor(() => expect(workers).toHaveLength(1), { interval: 1 });
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await call).toMatchObject({ code: "load", cause: { message: "it did not answer within 10 s" } });
    expect(running()).toHaveLength(0);
  });
});

describe("a worker that dies", () => {
  test("with an error is replaced, and its attempts are made again", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const held = gate();
    serve({ partitions: 4, answer: ({ index, count }) => (index === 2 && count === 1 ? held.promise : undefined) });
    const dying = scriptWith(
      'addEventListener("message", ({ data }) => { if (data === "die") throw new Error("dead"); })',
    );
    const call = client({ worker: dying }).loadTable(1, "topics");
    await vi.waitFor(() => expect(asked.length).toBe(5));
    workers[0]?.postMessage("die");
    const table = await call;
    freeAfterTest(table);
    expect(table.toArray()).toEqual(allFindings(4));
    expect(workers).toHaveLength(2);
    expect(running()).toHaveLength(1);
    held.resolve(undefined);
  });

  test("in silence is noticed, and its attempts are made again", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const held = gate();
    serve({ partitions: 4, answer: ({ index, count }) => (index === 2 && count === 1 ? held.promise : undefined) });
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const call = client({ worker: scriptWith(" ") }).getFindings(1, "topics");
    await vi.waitFor(() => expect(asked.length).toBe(5));
    RealWorker.prototype.terminate.call(workers[0]);
    await vi.advanceTimersByTimeAsync(25_000);
    expect(await call).toEqual(allFindings(4));
    expect(workers).toHaveLength(2);
    held.resolve(undefined);
  });

  test("in silence is noticed, also by calls that time out between two looks", async () => {
    serve();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const owner = client({ worker: scriptWith("   "), retries: 0, timeout: 50 });
    expect(await owner.getFindings(1, "topics", { timeout: 30_000 })).toEqual(allFindings(3));
    RealWorker.prototype.terminate.call(workers[0]);
    for (let call = 0; call < 5; call++) {
      const failed = failureOf(owner.getFindings(1, "topics"));
      // The call's attempt has begun by then, and is over at the next look.
      await new Promise((resolve) => setTimeout(resolve, 10));
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await failed).toMatchObject({ code: expect.stringMatching(/^(timeout|memory)$/) });
      await vi.advanceTimersByTimeAsync(5_000);
      if (running().length === 0) break;
    }
    expect(running()).toHaveLength(0);
    expect(await owner.getFindings(1, "topics", { timeout: 30_000 })).toEqual(allFindings(3));
  });

  test("leaves the tables that it has decoded", async () => {
    serve();
    const owner = client({ worker: scriptWith("  ") });
    const table = await owner.loadTable(1, "topics");
    freeAfterTest(table);
    workers[0]?.terminate();
    expect(table.toArray()).toEqual(allFindings(3));
    expect(table.countBy(/** @type {any} */ ("Partition"))).toHaveLength(3);
  });

  test("again and again ends in a memory error with the number of attempts", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    serve();
    const dying = scriptWith(
      'addEventListener("message", ({ data }) => { if (data[0] === "order") throw new Error("dead"); })',
    );
    const failure = await failureOf(client({ worker: dying, retries: 2 }).getFindings(1, "topics"));
    expect(failure).toMatchObject({ code: "memory", attempts: 3 });
    expect(workers).toHaveLength(3);
  });
});

test("messages of the caller's worker that make no sense are ignored", async () => {
  serve();
  const chatting = scriptWith(
    'for (const nonsense of [1, null, [], ["report"], ["report", { attempt: 1 }], ["report", { attempt: 1, event: "Excerpt" }, 7], {}]) postMessage(nonsense)',
  );
  expect(await client({ worker: chatting }).getFindings(1, "topics")).toEqual(allFindings(3));
});

test("a caller that takes the buffers of its worker's messages gets an error, and the tables from before stay usable", async () => {
  serve({ partitions: 4 });
  let takes = false;
  const make = () => {
    const worker = new Worker("/package/worker.js", { type: "module" });
    // Heard before the package hears it.
    worker.addEventListener("message", ({ data }) => {
      if (takes && data[1]?.event?.Decoded) structuredClone(data[2].buffer, { transfer: [data[2].buffer] });
    });
    return worker;
  };
  const owner = client({ worker: make, retries: 0 });
  const table = await owner.loadTable(1, "topics");
  freeAfterTest(table);
  takes = true;
  expect(await failureOf(owner.getPartition(1, "topics", 0))).toMatchObject({ code: "memory" });
  expect(await failureOf(owner.getFindings(1, "topics"))).toMatchObject({ code: "memory" });
  const collected = await failureOf(owner.getFindings(1, "topics", { failurePolicy: "collect" }));
  expect(collected).toMatchObject({ code: "partial", failures: { length: 4 } });
  takes = false;
  expect(await owner.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(table.toArray()).toEqual(allFindings(4));
  expect(workers).toHaveLength(1);
});

test("one parcel that a caller takes fails the partitions after it, too", async () => {
  serve({ partitions: 6 });
  let parcels = 0;
  const make = () => {
    const worker = new Worker("/package/worker.js", { type: "module" });
    worker.addEventListener("message", ({ data }) => {
      if (data[1]?.event?.Decoded && parcels++ === 1) structuredClone(data[2].buffer, { transfer: [data[2].buffer] });
    });
    return worker;
  };
  const collecting = client({ worker: make, retries: 0, failurePolicy: "collect" });
  expect(await failureOf(collecting.getFindings(1, "topics"))).toMatchObject({
    code: "partial",
    failures: { length: 5 },
  });
});

test("parcels of the caller's worker that are malformed are refused", async () => {
  serve({ partitions: 2 });
  for (const change of ["bytes.subarray(0, -1)", "new Uint8Array(9).fill(255)", "bytes.map((byte) => byte ^ 1)"]) {
    const changing = scriptWith(`
      const post = self.postMessage.bind(self);
      self.postMessage = ([kind, report, bytes], ...rest) =>
        report?.event?.Decoded ? post([kind, report, ${change}]) : post([kind, report, bytes], ...rest);
      "${change}"`);
    const failure = await failureOf(client({ worker: changing, retries: 0 }).loadTable(1, "topics"));
    expect(failure).toMatchObject({ code: "memory" });
  }
});

testBeside("a call that was collected in a worker is resumed, in a worker or in the page", async () => {
  let isBroken = true;
  serve({
    partitions: 5,
    answer: ({ index }) => (isBroken && index % 2 === 1 ? new Response("{", { status: 200 }) : undefined),
  });
  for (const worker of [true, false]) {
    isBroken = true;
    const collecting = client({ worker: true, failurePolicy: "collect" });
    const failure = /** @type {any} */ (await failureOf(collecting.getFindings(1, "topics")));
    expect(failure.code).toBe("partial");
    isBroken = false;
    expect(await failure.resume({ worker })).toEqual(allFindings(5));
  }
});
