/** The requests that a worker sends for the page: who sends which, and that the service and the caller cannot tell. */

import type { Options } from "inspection-findings";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { freeAfterTest } from "../page/clients.js";
import { testWith } from "../page/engine.js";
import { failureOf, rejectionOf } from "../page/outcome.js";
import { importWithWorker } from "../page/own-worker.js";
import { allFindings, findingsOf } from "./inspection.ts";
import type { Manner } from "./server/manner.ts";
import { type Service, serve, servePartition } from "./service.ts";

type OwnWorker = Parameters<typeof importWithWorker>[0];

const script = new URL("/package/worker.js", location.href);

/** The workers that this test has started. */
const workers: Worker[] = [];

beforeEach(() => {
  workers.length = 0;
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

/** A client of a service whose worker is ready, of another copy of the package, and the errors of the attempts that it reports. */
async function clientOf({ baseUrl }: Service, options?: Options, worker: OwnWorker = workerWith()) {
  const { FindingsClient } = await importWithWorker(worker);
  const errors: any[] = [];
  const onPartition = ({ error }: { error?: unknown }) => void errors.push(...(error ? [error] : []));
  const client = freeAfterTest(new FindingsClient({ worker: true, baseUrl, onPartition, ...options }));
  await client.preload();
  performance.clearResourceTimings();
  return { client, errors };
}

/** The number of requests for partitions that the page itself has sent: those of its workers are not among its resources. */
function sentByPage() {
  return performance.getEntriesByType("resource").filter(({ name }) => name.includes("Topics")).length;
}

describe("who sends the requests for partitions:", () => {
  const pageFetch = globalThis.fetch;
  const forward = (href: string, init?: RequestInit) => pageFetch(href, init);

  /** Makes a service worker control the page, as far as the page can tell. */
  const control = () =>
    vi.spyOn(navigator.serviceWorker, "controller", "get").mockReturnValue({ state: "activated" } as any);

  const rows: [name: string, sent: 0 | 4, prepare: () => unknown, options?: Options][] = [
    ["a worker that is ready", 0, () => {}],
    ["the page, whose fetch a test or a tool watches", 4, () => vi.spyOn(globalThis, "fetch")],
    ["the page, whose fetch is replaced", 4, () => vi.stubGlobal("fetch", pageFetch.bind(globalThis))],
    ["the page, by the option fetch", 4, () => {}, { fetch: forward as any }],
    ["the page, which a service worker controls", 4, control],
  ];

  test.for(rows)("%s", async ([, sent, prepare, options]) => {
    const service = await serve();
    const { client } = await clientOf(service, options);
    prepare();
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
    expect(sentByPage()).toBe(sent);
    expect(performance.getEntriesByName(`${service.baseUrl}Findings/1`)).toHaveLength(1);
    expect(await service.requestsPerPartition()).toEqual([1, 1, 1, 1]);
  });

  test.for<[name: string, sent: 0 | 4, worker: OwnWorker | undefined]>([
    ["the page, for a worker from a path", 4, script.pathname],
    ["the page, for a worker from a function", 4, () => new Worker(script, { type: "module" })],
    ["a worker from a blob", 0, undefined],
  ])("where a service worker covers the script, but not the page, %s", async ([, sent, worker]) => {
    const registration = await navigator.serviceWorker.register("/package/service-worker.js");
    onTestFinished(async () => void (await registration.unregister()));
    await vi.waitUntil(() => registration.active?.state === "activated");
    expect(navigator.serviceWorker.controller).toBe(null);
    const service = await serve();
    const inline = async () => {
      const { FindingsClient } = await import("inspection-findings/inline");
      return { client: freeAfterTest(new FindingsClient({ baseUrl: service.baseUrl, worker: true })) };
    };
    const { client } = worker === undefined ? await inline() : await clientOf(service, {}, worker);
    await client.preload();
    performance.clearResourceTimings();
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
    expect(sentByPage()).toBe(sent);
  });
});

test("the service sees the headers, the Referer and the origin that the page's own requests have", async () => {
  const service = await serve();
  const headers = { authorization: "Bearer secret", "x-tenant": "acme" };
  const seen = [];
  for (const worker of [true, false]) {
    const { client } = await clientOf(service, { worker, headers });
    await client.getPartition(1, "topics", 0);
    expect(sentByPage()).toBe(worker ? 0 : 1);
    const visit = (await service.visits()).findLast(({ method }) => method === "GET");
    // Chromium leaves out the client hints in a worker.
    const entries = Object.entries(visit?.headers ?? {}).filter(([name]) => !name.startsWith("sec-ch-"));
    seen.push(Object.fromEntries(entries));
  }
  const [byWorker, byPage] = seen;
  expect(byWorker).toEqual(byPage);
  expect(byWorker).toMatchObject(headers);
});

test.for([true, false])(
  'with cache: "no-cache", the browser revalidates bodies, which a 304 confirms (worker: %s)',
  async (worker) => {
    const kept = { etag: '"1"', "cache-control": "private, max-age=3600" };
    const confirmed = { status: 304, body: "", headers: { ...kept, "content-length": null } };
    const service = await serve({ rules: [{ times: 1, manner: { headers: kept } }, { manner: confirmed }] });
    const { client } = await clientOf(service, { worker, cache: "no-cache" });
    for (const _ of ["asks", "asks again"]) expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
    const tags = (await service.visits()).map(({ headers }) => headers["if-none-match"]);
    expect(tags).toEqual([...Array(5).fill(undefined), ...Array(5).fill('"1"')]);
  },
);

test("where the worker gets no response, as under a policy, the page repeats the attempt, and sends all further requests", async () => {
  const service = await serve();
  const refused = workerWith('self.fetch = async () => { throw new TypeError("refused by a policy") }');
  const { client, errors } = await clientOf(service, {}, refused);
  for (const times of [1, 2]) {
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
    expect(await service.requestsPerPartition()).toEqual(Array(4).fill(times));
  }
  expect(errors.map(({ code, attempts }) => [code, attempts])).toEqual(Array(4).fill(["network", 1]));
  expect(errors[0].cause).toMatchObject({ name: "TypeError", message: "refused by a policy" });
});

/** When a worker ends: where the response stalls until then, and the error of the attempt. */
const losses = [
  ["before its first response", { head: 0 }, { code: "network", cause: { message: "the worker has ended" } }],
  ["before it has the body", { body: 5 }, { code: "memory", attempts: 1 }],
  ["when it is to decode the body", undefined, { code: "memory", attempts: 1 }],
] as const;

// P30
test.for(losses)("a worker that ends %s costs one retry, and the next one sends", async ([, after, error]) => {
  const stalled = after && ({ index: 0, times: 1, manner: { stop: { after, by: "stall" } } } as const);
  const service = await serve({ rules: stalled ? [stalled] : [] });
  const { client, errors } = await clientOf(service);
  const [worker] = workers as [Worker];
  const die = () => worker.dispatchEvent(new ErrorEvent("error", { message: "dead" }));
  const post = worker.postMessage.bind(worker);
  worker.postMessage = (message, transfer: any) =>
    message.kind === "decode" ? queueMicrotask(die) : post(message, transfer);
  const { promise: hasHead, resolve } = Promise.withResolvers<void>();
  worker.addEventListener("message", ({ data }) => data.kind === "head" && resolve());
  const call = client.getPartition(1, "topics", 0);
  // What the service has sent may not have arrived.
  if (after && "body" in after) await hasHead;
  if (after) service.hasStalled(1).then(die);
  expect(await call).toEqual(findingsOf(0));
  expect(errors).toMatchObject([error]);
  expect(await service.requestsPerPartition()).toEqual([2]);
  await client.preload();
  performance.clearResourceTimings();
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(sentByPage()).toBe(0);
});

testWith("connections that end a request")("a worker whose connection broke once goes on sending", async () => {
  // The browser itself repeats the first, because it was on a used connection.
  const rules = [{ index: 1, times: 2, manner: { stop: { after: { head: 0 }, by: "reset" } } } as const];
  const { client, errors } = await clientOf(await serve({ rules }), { concurrency: 1 });
  for (const sent of [1, 0]) {
    performance.clearResourceTimings();
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
    expect(sentByPage()).toBe(sent);
  }
  expect(errors).toHaveLength(1);
});

test("aborting a call cancels the requests of the worker, which goes on sending", async () => {
  const service = await servePartition({ stop: { after: { body: 20 }, by: "stall" } }, 1);
  const { client } = await clientOf(service);
  const controller = new AbortController();
  const reason = rejectionOf(client.getFindings(1, "topics", { signal: controller.signal }));
  await service.hasStalled(4);
  controller.abort("enough");
  expect(await reason).toBe("enough");
  expect((await service.settled()).filter((state) => state.endsWith("left"))).toHaveLength(4);
  expect(await client.getFindings(1, "topics")).toEqual(allFindings(4));
  expect(sentByPage()).toBe(0);
});

describe("by a worker's request,", () => {
  const errors = '{"errors":["There is no inspection 1."]}';
  const endless: Manner = { padding: 100_000, stop: { after: { body: -5 }, by: "stall" } };

  test.for<[what: string, manner: Manner, expected: object]>([
    [
      "a body that cannot be decoded is an error that names the place and the request",
      {
        body: '{"Findings":[{"a":~}]}',
        headers: { "request-id": "7b3f", "access-control-expose-headers": "request-id" },
      },
      { code: "decode", requestId: "7b3f", message: expect.stringContaining("unexpected ~ (at byte 18") },
    ],
    [
      "a refusal of which the body never ends has its messages and its status",
      { status: 400, body: errors, ...endless },
      { code: "http", status: 400, messages: ["There is no inspection 1."] },
    ],
    [
      "a response with status 204, which has no whole body, is refused, and nothing of it is kept",
      { status: 204, body: "" },
      { code: "http", status: 204 },
    ],
  ])("%s", async ([, manner, expected]) => {
    const service = await servePartition(manner);
    const { client } = await clientOf(service);
    const said: string[] = [];
    workers[0]?.addEventListener("message", ({ data }) => said.push(data.kind));
    expect(await failureOf(client.getPartition(1, "topics", 0))).toMatchObject({ ...expected, attempts: 1 });
    expect(sentByPage()).toBe(0);
    expect(await service.settled()).toEqual([manner.status === 400 ? "0 left" : "0 responded"]);
    if (manner.status !== 204) return;
    await vi.waitUntil(() => said.includes("ended") || said.includes("kept"));
    expect(said).not.toContain("kept");
  });
});

describe("bodies of several blocks", () => {
  const partOf = (index: number) =>
    Array.from({ length: 6_000 }, (_, row) => ({
      Comment: `comment ${row} of ${index}`,
      Topic: { Text: `topic ${row}` },
    }));
  const whole = [0, 1, 2, 3].flatMap(partOf);
  const serveParts = (manner: Manner = {}) =>
    serve({
      rules: [0, 1, 2, 3].map((index) => ({
        index,
        manner: { body: JSON.stringify({ Findings: partOf(index) }), ...manner },
      })),
    });
  const options: Options = { completeness: "off", concurrency: 1 };

  /** The code of a host whose bodies have a plain reader only. */
  const plainReader = `const { getReader } = ReadableStream.prototype;
    ReadableStream.prototype.getReader = function (options) {
      if (options !== undefined) throw new TypeError("no reader into memory of the caller");
      return getReader.call(this);
    };`;

  test.for<[how: string, code: string, manner?: Manner]>([
    ["into memory that is used again", ""],
    ["in chunks and compressed", "", { encoding: "gzip", framing: "chunked", chunk: 10_000 }],
    ["where the host refuses that memory", plainReader, { framing: "close" }],
  ])("are read %s, by one worker", async ([, code, manner]) => {
    const { client, errors } = await clientOf(await serveParts(manner), options, workerWith(code));
    for (const _ of [1, 2]) {
      expect(await client.getFindings(1, "topics")).toEqual(whole);
      using table = await client.loadTable(1, "topics");
      expect(table.toArray()).toEqual(whole);
    }
    expect([sentByPage(), workers.length, errors]).toEqual([0, 1, []]);
  });

  test("are right where a caller's listener takes all buffers after their use, and its worker keeps and damages its own", async () => {
    const damaging = workerWith(`const kept = [];
      addEventListener("message", ({ data }) => {
        for (const spare of kept.splice(0)) if (spare.byteLength > 0) new Uint8Array(spare).fill(7);
        if (data.spare) kept.push(data.spare);
      });`);
    const { client, errors } = await clientOf(await serveParts(), { ...options, concurrency: 4 }, damaging);
    const taken: ArrayBuffer[] = [];
    workers[0]?.addEventListener("message", ({ data }) => data.packed && taken.push(data.packed.buffer));
    for (const _ of [1, 2]) {
      expect(await client.getFindings(1, "topics")).toEqual(whole);
      for (const buffer of taken.splice(0)) if (buffer.byteLength > 0) structuredClone(buffer, { transfer: [buffer] });
    }
    expect([sentByPage(), workers.length, errors]).toEqual([0, 1, []]);
  });

  testWith("readers into memory of the caller")("leave an idle worker no block five seconds later", async () => {
    const counting = workerWith(`let [made, rest] = [0, () => {}];
      const { ArrayBuffer: Own, setTimeout: wait } = self;
      self.ArrayBuffer = function (length) {
        if (length === 1 << 18) made++;
        return new Own(length);
      };
      self.setTimeout = (act, time) => (time === 5_000 ? (rest = act) : wait(act, time));
      addEventListener("message", ({ data }) => {
        if (data === "rest") rest();
        if (data === "rest" || data === "count") postMessage({ kind: "pong", made });
      });`);
    const { client } = await clientOf(await serveParts(), options, counting);
    const counts: number[] = [];
    const ask = async (what: "count" | "rest") => {
      const [worker] = workers as [Worker];
      const { promise, resolve } = Promise.withResolvers<number>();
      worker.addEventListener("message", ({ data }) => data.made !== undefined && resolve(data.made));
      worker.postMessage(what);
      return promise;
    };
    for (const what of ["count", "rest", "count"] as const) {
      await client.getFindings(1, "topics");
      counts.push(await ask(what));
    }
    const [first = 0, second = 0, third = 0] = counts;
    expect(second - first).toBeLessThan(first);
    expect(third - second).toBeGreaterThan(second - first);
  });
});

test.for([
  ["a head with wrong members is no response, and is not retried", 'kind: "head", status: "x", type: 7, headers: 7'],
  ["a body without a head costs a retry of the page", 'kind: "kept", length: 3'],
  ["a body that nobody asked for costs a retry of the page", 'kind: "taken", body: 5'],
] as const)("of what a caller's worker posts in place of a response, %s", async ([, message]) => {
  const worker = workerWith(`addEventListener("message", (event) => {
    const { kind, id } = event.data;
    if (kind !== "fetch") return;
    event.stopImmediatePropagation();
    postMessage({ id, ${message} });
    postMessage({ kind: "broken", id, name: "TypeError", message: "junk" });
  })`);
  const { client } = await clientOf(await serve(), {}, worker);
  const outcome = await client.getPartition(1, "topics", 0).catch((error) => error.code);
  expect(outcome).toEqual(message.includes("head") ? "network" : findingsOf(0));
});
