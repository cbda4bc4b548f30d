/** The fetch option: how it is called, and which responses it may return. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf } from "./outcome.js";
import { asked, serve } from "./service.js";

const text = JSON.stringify({ Findings: findingsOf(0) });
const bytes = new TextEncoder().encode(text);

/**
 * Gets one partition by a fetch that returns this.
 * @param {() => unknown} give
 * @param {import("inspection-findings").Options} [options]
 */
function partitionBy(give, options) {
  return getPartition(1, "topics", 0, { ...options, fetch: /** @type {any} */ (give) });
}

test("the global fetch is called with the page's defaults", async () => {
  serve({ partitions: 1 });
  await getFindings(1, "topics");
  expect(asked.map(({ request }) => [request.method, request.credentials, request.cache, request.redirect])).toEqual([
    ["GET", "same-origin", "no-store", "manual"],
    ["GET", "same-origin", "no-store", "manual"],
  ]);
});

test("the global fetch is read when a call begins", async () => {
  using client = new FindingsClient();
  const replaced = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(text));
  expect(await client.getPartition(1, "topics", 0)).toEqual(findingsOf(0));
  expect(replaced).toHaveBeenCalledTimes(1);
});

test("the option is called with the URL and an init object, and with `this` undefined", async () => {
  /** @type {any[]} */
  const calls = [];
  /** @type {any} */
  const fetch = /** @this {unknown} */ function (/** @type {unknown[]} */ ...args) {
    calls.push([this, ...args]);
    return new Response(text);
  };
  await getPartition(42, "sentiment", 3, {
    fetch,
    baseUrl: "https://service.test/cxi",
    credentials: "include",
    cache: "reload",
  });
  const [[self, href, init, ...more]] = calls;
  expect([calls.length, self, href, more]).toEqual([
    1,
    undefined,
    "https://service.test/cxi/Findings/42/Sentiment/3",
    [],
  ]);
  expect(init).toMatchObject({ method: "GET", credentials: "include", cache: "reload", redirect: "manual" });
  expect(init.body).toBeUndefined();
  expect(init.signal).toBeInstanceOf(AbortSignal);
  expect(new Headers(init.headers).get("accept")).toBe("application/json");
});

test("the option gets a URL and an init that the global fetch takes", async () => {
  serve();
  expect(await getFindings(1, "topics", { fetch: (href, init) => globalThis.fetch(href, init) })).toEqual(
    allFindings(3),
  );
  expect(await getFindings(1, "topics", { fetch: (href, init) => globalThis.fetch(new Request(href, init)) })).toEqual(
    allFindings(3),
  );
});

describe("a response is read by its shape:", () => {
  /** @type {Record<string, () => unknown>} */
  const shapes = {
    "a response": () => Promise.resolve(new Response(text)),
    "a response without a promise": () => new Response(text),
    // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
    "a promise that is only a thenable": () => ({ then: (/** @type {any} */ resolve) => resolve(new Response(text)) }),
    "a status and a body": () => ({ status: 200, body: new Response(text).body }),
    "a status and arrayBuffer()": () => ({ status: 200, arrayBuffer: async () => bytes.slice().buffer }),
    "arrayBuffer() without a promise": () => ({ status: 200, arrayBuffer: () => bytes.slice().buffer }),
    "a body of null and arrayBuffer()": () => ({
      status: 200,
      body: null,
      arrayBuffer: async () => bytes.slice().buffer,
    }),
    "headers with nothing but get": () => ({
      status: 200,
      headers: { get: () => null },
      body: new Response(text).body,
    }),
    "headers that are a plain object": () => ({
      status: 200,
      headers: { "content-length": "5" },
      body: new Response(text).body,
    }),
    "headers of null": () => ({ status: 200, headers: null, body: new Response(text).body }),
    "headers that throw": () => ({
      status: 200,
      body: new Response(text).body,
      get headers() {
        throw new Error("no headers");
      },
    }),
    "a reader with nothing but read": () => ({ status: 200, body: { getReader: () => readerOf([bytes]) } }),
    "a reader that gives no promises": () => ({
      status: 200,
      body: { getReader: () => ({ read: syncReaderOf([bytes]).read, cancel() {} }) },
    }),
    "pieces of no length": () =>
      new Response(streamOf([new Uint8Array(), bytes.slice(0, 9), new Uint8Array(), bytes.slice(9)])),
    "pieces that are parts of larger buffers": () =>
      new Response(streamOf([new Uint8Array([7, 7, ...bytes, 7]).subarray(2, -1)])),
    "a content length that is too small": () => new Response(text, { headers: { "content-length": "1" } }),
    "a content length far beyond the body": () => ({
      status: 200,
      headers: new Map([["content-length", "200000000"]]),
      body: streamOf([bytes]),
    }),
    "a content length that is no number": () => ({
      status: 200,
      headers: new Map([["content-length", "many"]]),
      body: streamOf([bytes]),
    }),
    "an object with a null prototype": () =>
      Object.assign(Object.create(null), { status: 200, body: streamOf([bytes]) }),
  };

  test.for(Object.entries(shapes))("%s", async ([, give]) => {
    expect(await partitionBy(give, { retries: 0 })).toEqual(findingsOf(0));
  });
});

describe("a response of another window is read by its shape:", () => {
  /** @type {Record<string, (other: typeof globalThis) => unknown>} */
  const shapes = {
    "a response": (other) => new other.Response(text),
    "pieces of a body": (other) => ({ status: 200, body: streamOf([new other.Uint8Array(bytes)]) }),
    "an ArrayBuffer": (other) => ({ status: 200, arrayBuffer: async () => new other.Uint8Array(bytes).buffer }),
  };

  test.for(Object.entries(shapes))("%s", async ([, give]) => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const other = /** @type {any} */ (frame.contentWindow);
    expect(await partitionBy(() => give(other), { retries: 0 })).toEqual(findingsOf(0));
    frame.remove();
  });
});

describe("anything but a response is a network failure that says so, and is not retried:", () => {
  const thrown = new Error("no status");
  /** @type {Record<string, () => unknown>} */
  const shapes = {
    undefined: () => undefined,
    null: () => null,
    "a promise of nothing": async () => {},
    text: async () => text,
    "a number": async () => 200,
    "an empty object": async () => ({}),
    "a function": async () => () => {},
    "parsed findings": async () => JSON.parse(text),
    "a status as text": async () => ({ status: "200", body: streamOf([bytes]) }),
    "a status that is no integer": async () => ({ status: 200.5, body: streamOf([bytes]) }),
    "a status that is not a number": async () => ({ status: Number.NaN }),
    "a negative status": async () => ({ status: -200 }),
    "a status out of range": async () => ({ status: 70_000 }),
    "a status that throws": async () => ({
      get status() {
        throw thrown;
      },
    }),
    "neither body nor arrayBuffer()": () => ({ status: 200 }),
    "only json()": () => ({ status: 200, ok: true, json: async () => JSON.parse(text) }),
    "a body that is text": () => ({ status: 200, body: text }),
    "a body without getReader()": () => ({ status: 200, body: {} }),
    "getReader() that gives nothing": () => ({ status: 200, body: { getReader: () => undefined } }),
    "read() that gives nothing": () => ({ status: 200, body: { getReader: () => ({ read: async () => undefined }) } }),
    "pieces that are text": () => ({ status: 200, body: streamOf(/** @type {any} */ ([text])) }),
    "pieces that are nothing": () => ({
      status: 200,
      body: { getReader: () => ({ read: async () => ({ done: false }) }) },
    }),
    "arrayBuffer() that gives text": () => ({ status: 200, arrayBuffer: async () => text }),
    "arrayBuffer() that gives nothing": () => ({ status: 200, arrayBuffer: async () => undefined }),
  };

  test.for(Object.entries(shapes))("%s", async ([, give]) => {
    const fetch = vi.fn(give);
    const failure = await failureOf(partitionBy(fetch));
    expect(failure).toMatchObject({ code: "network", kind: "topics", partitionIndex: 0, attempts: 1 });
    expect(failure.status).toBeUndefined();
    expect(failure.message).toContain(
      "the fetch option must return a Response: `status`, `headers`, and `body` (a byte stream) or `arrayBuffer()`: ",
    );
    expect(failure.cause).toBeInstanceOf(Error);
    expect(fetch).toHaveBeenCalledTimes(1);
  });
});

describe("a body that cannot be read is a network failure:", () => {
  const cause = { not: "an Error" };
  const throwing = () => {
    throw cause;
  };
  /** @type {Record<string, () => unknown>} */
  const broken = {
    "a body that throws": () => Object.defineProperty({ status: 200 }, "body", { get: throwing }),
    "getReader() that throws": () => ({ status: 200, body: { getReader: throwing } }),
    "a body that is being read by somebody else": () => {
      const response = new Response(text);
      response.body?.getReader();
      return response;
    },
    "read() that throws": () => ({ status: 200, body: { getReader: () => ({ read: throwing, cancel: throwing }) } }),
    "read() that rejects": () => ({ status: 200, body: { getReader: () => ({ read: () => Promise.reject(cause) }) } }),
    "arrayBuffer() that throws": () => ({ status: 200, arrayBuffer: throwing }),
    "arrayBuffer() that rejects": () => ({ status: 200, arrayBuffer: () => Promise.reject(cause) }),
  };

  test.for(Object.entries(broken))("%s", async ([, give]) => {
    const failure = await failureOf(partitionBy(give, { retries: 1 }));
    expect(failure).toMatchObject({ code: "network", kind: "topics", partitionIndex: 0, attempts: 2 });
    expect(failure.cause).toBeDefined();
  });
});

test.for(
  /** @type {[string, unknown, unknown][]} */ ([
    ["an Error", new TypeError("Failed to fetch"), { name: "TypeError", message: "Failed to fetch" }],
    ["an object", { code: "ECONNRESET", request: {} }, { name: "Error", message: "", code: "ECONNRESET" }],
    ["text", "offline", "offline"],
  ]),
)(
  "a fetch that rejects with or throws %s is a network failure with its cause, and is retried",
  async ([, cause, known]) => {
    const throwing = () => {
      throw cause;
    };
    for (const give of [() => Promise.reject(cause), throwing]) {
      const fetch = vi.fn(give);
      const failure = await failureOf(partitionBy(fetch));
      expect([failure.code, failure.attempts, fetch.mock.calls.length]).toEqual(["network", 4, 4]);
      expect({ cause: failure.cause }).toMatchObject({ cause: known });
    }
  },
);

describe("maxPartitionBytes", () => {
  test("rejects a larger body while it is read, and cancels it", async () => {
    let pulls = 0;
    const cancelled = vi.fn();
    const endless = new ReadableStream(
      {
        pull(controller) {
          pulls += 1;
          controller.enqueue(new Uint8Array(1024).fill(32));
        },
        cancel: cancelled,
      },
      { highWaterMark: 0 },
    );
    const failure = await failureOf(partitionBy(() => new Response(endless), { maxPartitionBytes: 10 * 1024 }));
    expect(failure).toMatchObject({
      code: "too-large",
      attempts: 1,
      kind: "topics",
      partitionIndex: 0,
      inspectionKey: 1,
    });
    expect(failure.message).toContain(String(10 * 1024));
    expect(pulls).toBe(11);
    expect(cancelled).toHaveBeenCalledTimes(1);
  });

  test("is 256 MiB by default", { tags: ["full"] }, async () => {
    const piece = new Uint8Array(16 * 1024 * 1024).fill(32);
    let pieces = 0;
    const give = () => ({
      status: 200,
      body: {
        getReader: () => ({
          read: async () => ({ done: false, value: ++pieces > 17 ? expect.fail("read on") : piece }),
        }),
      },
    });
    const failure = await failureOf(partitionBy(give));
    expect(failure.code).toBe("too-large");
    expect(failure.message).toContain(String(256 * 1024 * 1024));
    expect(pieces).toBe(17);
    expect(await partitionBy(() => new Response(text))).toEqual(findingsOf(0));
  });
});

/** @param {Uint8Array<ArrayBuffer>[]} pieces */
function streamOf(pieces) {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(piece);
      }
      controller.close();
    },
  });
}

/** @param {Uint8Array<ArrayBuffer>[]} pieces */
function readerOf(pieces) {
  const { read } = syncReaderOf(pieces);
  return { read: async () => read() };
}

/** @param {Uint8Array<ArrayBuffer>[]} pieces */
function syncReaderOf(pieces) {
  const rest = [...pieces];
  return { read: () => (rest.length === 0 ? { done: true } : { done: false, value: rest.shift() }) };
}
