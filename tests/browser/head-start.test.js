/** The head start: a call's first request is sent while the module is loaded, where its arguments are certain to be right. */

import { http, passthrough } from "msw";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings, countsOf } from "./inspection.js";
import { gate, pause, rejectionOf } from "./outcome.js";
import { addresses, closeRealms, importInRealm } from "./realm.js";
import { asked, askedPaths, noAnswer, serve, worker } from "./service.js";

/** @typedef {import("./realm.js").Package} Package */
/** @typedef {import("inspection-findings").FindingsClient} Client */
/** @typedef {import("inspection-findings").Options} Options */

/** The gate behind which the module's file waits. */
let module = gate();

beforeEach(() => {
  module = gate();
  worker.use(http.get(addresses.wasm, () => module.promise.then(() => passthrough())));
});

afterEach(() => {
  // The service stops only once everything is served.
  module.resolve(undefined);
  closeRealms();
});

/** Imports the package into a realm whose module is not served yet, and records the signals of its requests to the service. */
async function open() {
  const { package: findings, window } = await importInRealm();
  /** @type {{ path: string, signal: AbortSignal }[]} */
  const sent = [];
  const { fetch } = window;
  window.fetch = (address, init) => {
    const { href, pathname } = new URL(String(address));
    if (href !== addresses.wasm) {
      sent.push({ path: pathname.replace(/^.*(?=Findings)/, ""), signal: /** @type {AbortSignal} */ (init?.signal) });
    }
    return fetch(address, init);
  };
  return { findings, window, sent };
}

/** @type {[string, (client: Client) => Promise<unknown>, unknown][]} */
const calls = [
  ["getPartitionCounts", (client) => client.getPartitionCounts(1), { sentiment: counts(3), topics: counts(3) }],
  ["getFindings", (client) => client.getFindings(1, "topics"), allFindings(3)],
  ["loadTable", (client) => client.loadTable(1, "topics").then((table) => table.toArray()), allFindings(3)],
  ["watchTable", (client) => client.watchTable(1, "topics").done.then((table) => table.toArray()), allFindings(3)],
];

/** @param {number} partitions */
function counts(partitions) {
  return { partitions, findings: countsOf(partitions).TopicFindings };
}

/** @param {unknown} value of another realm */
function copyOf(value) {
  return JSON.parse(JSON.stringify(value));
}

/** @type {[string, (window: Window & typeof globalThis) => Options | undefined][]} */
const harmless = [
  ["no options", () => undefined],
  ["empty options", () => ({})],
  ["a baseUrl", () => ({ baseUrl: new URL(".", location.href).href })],
  ["a relative baseUrl", () => ({ baseUrl: "." })],
  ["a baseUrl that is a URL", (window) => ({ baseUrl: new window.URL(".", location.href) })],
  ["a signal", (window) => ({ signal: new window.AbortController().signal })],
  ["callbacks", () => ({ onProgress: () => {}, onPartition: () => {} })],
  ["worker: false", () => ({ worker: false })],
  ["an option that is undefined", () => ({ headers: undefined })],
];

test.for(calls)("%s requests the counts while the module is loaded, once", async ([, call, outcome]) => {
  serve();
  const { findings } = await open();
  const result = call(new findings.FindingsClient());
  await vi.waitUntil(() => asked.length === 1);
  module.resolve(undefined);
  expect(copyOf(await result)).toEqual(outcome);
  expect(askedPaths().filter((path) => path === "Findings/1")).toHaveLength(1);
});

test.for(harmless)("a call with %s requests the counts while the module is loaded, once", async ([, options]) => {
  serve();
  const { findings, window } = await open();
  const result = findings.getFindings(1, "topics", options(window));
  await vi.waitUntil(() => asked.length === 1);
  module.resolve(undefined);
  expect(copyOf(await result)).toEqual(allFindings(3));
  expect(askedPaths().filter((path) => path === "Findings/1")).toHaveLength(1);
});

/** @type {[string, (findings: Package) => Promise<unknown>][]} */
const others = [
  ["headers", (findings) => findings.getFindings(1, "topics", { headers: { authorization: "Bearer 1" } })],
  ["a fetch of its own", (findings) => findings.getFindings(1, "topics", { fetch: (...given) => fetch(...given) })],
  ["a cache mode", (findings) => findings.getFindings(1, "topics", { cache: "default" })],
  ["credentials", (findings) => findings.getFindings(1, "topics", { credentials: "omit" })],
  ["headers of its client", (findings) => new findings.FindingsClient({ headers: {} }).getFindings(1, "topics")],
  ["a partition's index", (findings) => findings.getPartition(1, "topics", 0)],
];

test.for(others)("a call with %s sends no request before the module is loaded", async ([, call]) => {
  serve();
  const { findings } = await open();
  const result = call(findings);
  await pause(50);
  expect(asked).toEqual([]);
  module.resolve(undefined);
  await result;
});

/** @type {[string, any[]][]} */
const wrong = [
  ["a fraction for a key", [1.5, "topics"]],
  ["an unsafe key", [2 ** 53, "topics"]],
  ["a key beyond 64 bits", [2n ** 63n, "topics"]],
  ["a key of text", ["1", "topics"]],
  ["no kind", [1]],
  ["an unknown kind", [1, "Topics"]],
  ["options that are no object", [1, "topics", 5]],
  ["an unknown option", [1, "topics", { concurency: 2 }]],
  ["an option out of its range", [1, "topics", { concurrency: 0 }]],
  ["a baseUrl with a query", [1, "topics", { baseUrl: "https://service.test/?key=1" }]],
  ["a baseUrl with a password", [1, "topics", { baseUrl: "https://name:word@service.test/" }]],
  ["a baseUrl of another scheme", [1, "topics", { baseUrl: "ftp://service.test/" }]],
  ["a baseUrl that is none", [1, "topics", { baseUrl: "https://" }]],
  ["a callback that is none", [1, "topics", { onProgress: 5 }]],
];

test.for(wrong)("a call with %s is rejected without any request", async ([, given]) => {
  serve();
  const { findings, window, sent } = await open();
  const outcome = rejectionOf(/** @type {any} */ (findings.getFindings)(...given));
  await pause(20);
  module.resolve(undefined);
  const error = await outcome;
  expect(error instanceof window.TypeError || error instanceof window.RangeError).toBe(true);
  expect(sent).toEqual([]);
});

test("only the first call of a client has a head start", async () => {
  serve();
  const { findings } = await open();
  const client = new findings.FindingsClient();
  const results = [1, 2, 3].map((key) => client.getFindings(key, "topics"));
  await vi.waitUntil(() => asked.length === 1);
  await pause(50);
  expect(askedPaths()).toEqual(["Findings/1"]);
  module.resolve(undefined);
  for (const result of await Promise.all(results)) {
    expect(copyOf(result)).toEqual(allFindings(3));
  }
  expect(asked).toHaveLength(3 * 4);
});

test("calls for the same inspection each have a response of their own", async () => {
  serve();
  const { findings } = await open();
  const results = Array.from({ length: 20 }, () => findings.getFindings(1, "topics"));
  await vi.waitUntil(() => asked.length === 20);
  module.resolve(undefined);
  for (const result of await Promise.all(results)) {
    expect(copyOf(result)).toEqual(allFindings(3));
  }
  expect(asked).toHaveLength(20 * 4);
});

test("a call after the module is loaded sends its requests itself", async () => {
  serve();
  const { findings } = await open();
  module.resolve(undefined);
  await findings.preload();
  expect(copyOf(await findings.getFindings(1, "topics"))).toEqual(allFindings(3));
  expect(asked).toHaveLength(4);
});

test("a first response that is a failure is retried as any other", async () => {
  serve({
    answer: ({ kind, count }) => (kind === undefined && count === 1 ? new Response(null, { status: 503 }) : undefined),
  });
  const { findings } = await open();
  const result = findings.getFindings(1, "topics");
  await vi.waitUntil(() => asked.length === 1);
  module.resolve(undefined);
  expect(copyOf(await result)).toEqual(allFindings(3));
  expect(askedPaths().filter((path) => path === "Findings/1")).toHaveLength(2);
});

test("a first request that breaks is a network failure", async () => {
  serve({ answer: () => Response.error() });
  const { findings } = await open();
  const error = rejectionOf(
    new findings.FindingsClient({ onProgress: () => {} }).getPartitionCounts(1, { retries: 0 }),
  );
  module.resolve(undefined);
  expect(await error).toMatchObject({ code: "network", attempts: 1 });
});

describe("the request is cancelled", () => {
  test("when the call is aborted while the module is loaded", async () => {
    serve({ answer: noAnswer });
    const { findings, window, sent } = await open();
    const controller = new window.AbortController();
    const outcome = rejectionOf(findings.getFindings(1, "topics", { signal: controller.signal }));
    await vi.waitUntil(() => sent.length === 1);
    controller.abort("enough");
    expect(await outcome).toBe("enough");
    expect(sent[0].signal.aborted).toBe(true);
    module.resolve(undefined);
  });

  test("when the client is freed while the module is loaded", async () => {
    serve({ answer: noAnswer });
    const { findings, window, sent } = await open();
    const client = new findings.FindingsClient();
    const outcome = rejectionOf(client.getFindings(1, "topics"));
    await vi.waitUntil(() => sent.length === 1);
    client.free();
    expect(await outcome).toBeInstanceOf(window.TypeError);
    expect(sent[0].signal.aborted).toBe(true);
    module.resolve(undefined);
  });

  test("when the module cannot be loaded", async () => {
    serve({ answer: noAnswer });
    worker.use(http.get(addresses.wasm, () => new Response(null, { status: 404 })));
    const { findings, sent } = await open();
    expect(await rejectionOf(findings.getFindings(1, "topics"))).toMatchObject({ code: "load" });
    expect(sent[0].signal.aborted).toBe(true);
  });

  test("when the call is aborted after the module is loaded", async () => {
    serve({ answer: noAnswer });
    const { findings, window, sent } = await open();
    const controller = new window.AbortController();
    const outcome = rejectionOf(findings.getFindings(1, "topics", { signal: controller.signal }));
    await vi.waitUntil(() => sent.length === 1);
    module.resolve(undefined);
    await findings.preload();
    await pause(50);
    expect(sent[0].signal.aborted).toBe(false);
    controller.abort("enough");
    expect(await outcome).toBe("enough");
    await vi.waitUntil(() => sent[0].signal.aborted);
    expect(sent).toHaveLength(1);
  });
});
