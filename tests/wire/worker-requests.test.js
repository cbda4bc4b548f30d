/** The requests that a worker sends for the page: who sends which, and that the service and the caller cannot tell. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { testWith } from "../browser/engine.js";
import { failureOf, rejectionOf } from "../browser/outcome.js";
import { importWithWorker } from "../browser/own-worker.js";
import { FindingsClient } from "../browser/place.js";
import { callsForAll } from "./calls.ts";
import { allFindings, findingsOf } from "./inspection.ts";
import { serve, servePartition } from "./service.ts";

/** @typedef {import("inspection-findings").Options} Options */

const script = new URL("/package/worker.js", location.href);

/** @type {FindingsClient[]} */
const clients = [];

/** The workers that this test has started. */
const workers = /** @type {Worker[]} */ ([]);

beforeEach(() => {
  performance.clearResourceTimings();
  workers.length = 0;
});

afterEach(() => {
  for (const client of clients.splice(0)) client.free();
});

/** A source of workers whose script begins with some code. */
function workerWith(code = "") {
  return () => {
    const text = `${code}; import("${script}");`;
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })), { type: "module" });
    workers.push(worker);
    return worker;
  };
}

/**
 * A client whose worker is ready, of another copy of the package.
 * @param {Options} options
 * @param {Parameters<typeof importWithWorker>[0]} [worker]
 */
async function clientOf(options, worker = workerWith()) {
  const { FindingsClient } = await importWithWorker(worker);
  const client = new FindingsClient({ worker: true, ...options });
  clients.push(client);
  await client.preload();
  return client;
}

/** The paths of the requests that the page itself has sent: those of its workers are not among its resources. */
function sentByPage() {
  const names = performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname);
  return names.flatMap((path) => path.match(/Findings\/.*/) ?? []);
}

/** The errors of the attempts that were reported. */
const errorsIn = (/** @type {import("vitest").Mock} */ onPartition) =>
  onPartition.mock.calls.flatMap(([{ error }]) => error ?? []);

const ofPartitions = (/** @type {string[]} */ paths) => paths.filter((path) => path.includes("Topics"));

test("a worker that is ready sends the requests for partitions, and the page that for the counts", async () => {
  const service = await serve();
  const client = await clientOf({ baseUrl: service.baseUrl });
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(sentByPage()).toEqual(["Findings/1"]);
  expect(await service.requestsPerPartition()).toEqual([1, 1, 1, 1]);
});

test("the service sees the headers, the Referer and the origin that the page's own requests have", async () => {
  const service = await serve();
  const headers = { authorization: "Bearer secret", "x-tenant": "acme" };
  const seen = [];
  for (const worker of [true, false]) {
    const client = await clientOf({ worker, baseUrl: service.baseUrl, headers });
    performance.clearResourceTimings();
    await client.getPartition(1, "topics", 0);
    seen.push([ofPartitions(sentByPage()).length, (await service.visits()).findLast(({ method }) => method === "GET")]);
  }
  expect(seen.map(([sent]) => sent)).toEqual([0, 1]);
  // Chromium leaves out the client hints in a worker.
  const [byWorker, byPage] = seen.map(([, visit]) =>
    Object.fromEntries(
      Object.entries(/** @type {any} */ (visit).headers).filter(([name]) => !name.startsWith("sec-ch-")),
    ),
  );
  expect(byWorker).toEqual(byPage);
  expect(byWorker.authorization).toBe("Bearer secret");
});

test.for([true, false])(
  'with cache: "no-cache", the browser revalidates bodies, which a 304 confirms (worker: %s)',
  async (worker) => {
    const kept = { etag: '"1"', "cache-control": "private, max-age=3600" };
    const service = await serve({
      rules: [
        { times: 1, manner: { headers: kept } },
        { manner: { status: 304, body: "", headers: { ...kept, "content-length": null } } },
      ],
    });
    const client = await clientOf({ worker, baseUrl: service.baseUrl, cache: "no-cache" });
    for (const asked of [undefined, '"1"']) {
      const before = (await service.visits()).length;
      expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
      const visits = (await service.visits()).slice(before);
      expect(visits.map(({ headers }) => headers["if-none-match"])).toEqual(Array(5).fill(asked));
    }
  },
);

test("the page sends what its own fetch or a fetch option has to see", async () => {
  const service = await serve();
  const patched = vi.spyOn(globalThis, "fetch");
  const client = await clientOf({ baseUrl: service.baseUrl });
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(patched.mock.calls.filter(([href]) => String(href).includes("Topics"))).toHaveLength(4);
  patched.mockRestore();
  vi.stubGlobal("fetch", globalThis.fetch.bind(globalThis));
  performance.clearResourceTimings();
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(ofPartitions(sentByPage())).toHaveLength(4);
  vi.unstubAllGlobals();
  const own = vi.fn((/** @type {string} */ href, /** @type {RequestInit} */ init) => fetch(href, init));
  await client.getFindings(1, "topics", { fetch: own });
  expect(own).toHaveBeenCalledTimes(5);
});

test("where a service worker controls the page, the page sends the requests, so that it sees them", async () => {
  const service = await serve();
  const client = await clientOf({ baseUrl: service.baseUrl });
  const controller = vi.spyOn(navigator.serviceWorker, "controller", "get");
  controller.mockReturnValue(/** @type {any} */ ({ state: "activated" }));
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(ofPartitions(sentByPage())).toHaveLength(4);
  controller.mockRestore();
});

describe("where a service worker covers the script of the worker, but not the page", () => {
  /** @type {ServiceWorkerRegistration} */
  let registration;

  beforeEach(async () => {
    registration = await navigator.serviceWorker.register("/package/service-worker.js");
    await vi.waitUntil(() => registration.active?.state === "activated");
    expect(navigator.serviceWorker.controller).toBe(null);
  });

  afterEach(() => registration.unregister());

  test.for([
    ["a path", script.pathname],
    ["a function", () => new Worker(script, { type: "module" })],
  ])("the page sends the requests of a worker from %s, so that all have the same source", async ([, worker]) => {
    const service = await serve();
    const client = await clientOf({ baseUrl: service.baseUrl }, /** @type {any} */ (worker));
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
    expect(ofPartitions(sentByPage())).toHaveLength(4);
  });

  test("a worker from a blob sends its requests, which the service worker does not see", async () => {
    const service = await serve();
    const { FindingsClient } = await import("inspection-findings/inline");
    const client = new FindingsClient({ baseUrl: service.baseUrl, worker: true });
    clients.push(client);
    await client.preload();
    performance.clearResourceTimings();
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
    expect(ofPartitions(sentByPage())).toEqual([]);
  });
});

test("where the worker gets no response, as under a policy, the page repeats the attempt, and sends all further requests", async () => {
  const service = await serve();
  const onPartition = vi.fn();
  const refused = workerWith('self.fetch = async () => { throw new TypeError("refused by a policy") }');
  const client = await clientOf({ baseUrl: service.baseUrl, onPartition }, refused);
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  const errors = errorsIn(onPartition);
  expect(errors.map(({ code, attempts }) => [code, attempts])).toEqual(Array(4).fill(["network", 1]));
  expect(errors[0].cause).toMatchObject({ name: "TypeError", message: "refused by a policy" });
  expect(await service.requestsPerPartition()).toEqual([1, 1, 1, 1]);
  onPartition.mockClear();
  await client.getFindings(1, "topics");
  expect(errorsIn(onPartition)).toEqual([]);
  expect(await service.requestsPerPartition()).toEqual([2, 2, 2, 2]);
});

/** When a worker ends: how long the service delays that moment, and the error of the attempt. */
const losses = /** @type {const} */ ([
  ["before its first response", { head: 0 }, { code: "network", cause: { message: "the worker has ended" } }],
  ["before it has the body", { body: 5 }, { code: "memory", attempts: 1 }],
  ["when it is to decode the body", undefined, { code: "memory", attempts: 1 }],
]);

test.for(losses)("a worker that ends %s costs one retry, and the next one sends", async ([, after, error]) => {
  const stall = after && { index: 0, times: 1, manner: { stop: { after, by: /** @type {const} */ ("stall") } } };
  const service = await serve({ rules: stall ? [stall] : [] });
  const onPartition = vi.fn();
  const client = await clientOf({ baseUrl: service.baseUrl, onPartition });
  const [worker] = workers;
  const die = () => worker.dispatchEvent(new ErrorEvent("error", { message: "dead" }));
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (message, /** @type {any} */ transfer) =>
    message.kind === "decode" ? queueMicrotask(die) : post(message, transfer);
  const call = client.getPartition(1, "topics", 0);
  if (after) service.hasStalled(1).then(die);
  expect(await call).toEqual(findingsOf(0));
  expect(errorsIn(onPartition)).toMatchObject([error]);
  expect((await service.requestsPerPartition())[0]).toBe(2);
  await client.preload();
  performance.clearResourceTimings();
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(sentByPage()).toEqual(["Findings/1"]);
});

testWith("connections that end a request")("a worker whose connection broke once goes on sending", async () => {
  const service = await serve({
    // The browser itself repeats the first, because it was on a used connection.
    rules: [{ index: 1, times: 2, manner: { stop: { after: { head: 0 }, by: "reset" } } }],
  });
  const onProgress = vi.fn();
  const client = await clientOf({ baseUrl: service.baseUrl, concurrency: 1, onProgress });
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(onProgress.mock.lastCall?.[0].retries).toBe(1);
  performance.clearResourceTimings();
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(sentByPage()).toEqual(["Findings/1"]);
});

test("a body that the worker cannot decode is decoded by the page, whose error names the place", async () => {
  const service = await servePartition({ body: '{"Findings":[{"a":~}]}' });
  const client = await clientOf({ baseUrl: service.baseUrl });
  const failure = await failureOf(client.getPartition(1, "topics", 0));
  expect(failure).toMatchObject({ code: "decode", attempts: 1 });
  expect(failure.message).toContain("unexpected ~ (at byte 18");
  expect(sentByPage()).toEqual([]);
});

test.for(callsForAll)("aborting %s cancels the requests of the worker, and leaves nothing in it", async ([, call]) => {
  const service = await servePartition({ stop: { after: { body: 20 }, by: "stall" } });
  const client = new FindingsClient({ worker: true, baseUrl: service.baseUrl });
  clients.push(client);
  await client.preload();
  const controller = new AbortController();
  const { signal } = controller;
  const reason = rejectionOf(call({ baseUrl: service.baseUrl, worker: true, signal }));
  await service.hasStalled(4);
  controller.abort(new Error("enough"));
  expect(await reason).toBe(signal.reason);
  expect((await service.settled()).filter((state) => state.endsWith("left"))).toHaveLength(4);
  expect(await client.getPartitionCounts(1)).toMatchObject({ topics: { partitions: 4 } });
});

test("a refusal of which the body never ends has its messages and its status", async () => {
  const service = await servePartition({
    status: 400,
    body: '{"errors":["There is no inspection 1."]}',
    padding: 100_000,
    stop: { after: { body: -5 }, by: "stall" },
  });
  const client = await clientOf({ baseUrl: service.baseUrl });
  const failure = await failureOf(client.getPartition(1, "topics", 0));
  expect(failure).toMatchObject({ code: "http", status: 400, messages: ["There is no inspection 1."] });
  expect(sentByPage()).toEqual([]);
  expect(await service.settled()).toEqual(["0 left"]);
});

test("the worker keeps no body of a response with status 204, which has no whole one", async () => {
  const service = await servePartition({ status: 204, body: "" });
  const client = await clientOf({ baseUrl: service.baseUrl });
  const said = /** @type {string[]} */ ([]);
  workers[0]?.addEventListener("message", ({ data }) => said.push(data.kind));
  const failure = await failureOf(client.getPartition(1, "topics", 0));
  expect(failure).toMatchObject({ code: "http", status: 204, attempts: 1 });
  expect(sentByPage()).toEqual([]);
  await vi.waitUntil(() => said.includes("ended") || said.includes("kept"));
  expect(said).not.toContain("kept");
});

test("a caller's worker that posts junk instead of responses costs the retries of the page", async () => {
  const service = await serve();
  const junk = ['kind: "head", status: "x", type: 7, headers: 7', 'kind: "kept", length: 3', 'kind: "taken", body: 5'];
  for (const message of junk) {
    const worker = workerWith(`addEventListener("message", (event) => {
      const { kind, id } = event.data;
      if (kind !== "fetch") return;
      event.stopImmediatePropagation();
      postMessage({ id, ${message} });
      postMessage({ kind: "broken", id, name: "TypeError", message: "junk" });
    })`);
    const client = await clientOf({ baseUrl: service.baseUrl }, worker);
    const outcome = await client.getPartition(1, "topics", 0).catch((error) => error.code);
    // What is no response is not retried.
    expect(outcome, message).toEqual(message.includes("head") ? "network" : findingsOf(0));
  }
});
