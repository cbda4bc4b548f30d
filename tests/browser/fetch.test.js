/** The fetch option: how it is called, and which responses it may return. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, gate, pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

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
  const client = new FindingsClient();
  const replaced = vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(text));
  expect(await client.getPartition(1, "topics", 0)).toEqual(findingsOf(0));
  expect(replaced).toHaveBeenCalledTimes(1);
  client.free();
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
  /**
   * @param {(other: Window & typeof globalThis) => unknown} give
   */
  async function fromAnotherWindow(give) {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const other = /** @type {any} */ (frame.contentWindow);
    try {
      return await partitionBy(() => give(other), { retries: 0 });
    } finally {
      frame.remove();
    }
  }

  test("a response", async () => {
    expect(await fromAnotherWindow((other) => new other.Response(text))).toEqual(findingsOf(0));
  });

  test("pieces of a body", async () => {
    const give = (/** @type {typeof globalThis} */ other) => ({
      status: 200,
      body: streamOf([new other.Uint8Array(bytes)]),
    });
    expect(await fromAnotherWindow(give)).toEqual(findingsOf(0));
  });

  test("an ArrayBuffer", async () => {
    const give = (/** @type {typeof globalThis} */ other) => ({
      status: 200,
      arrayBuffer: async () => new other.Uint8Array(bytes).buffer,
    });
    expect(await fromAnotherWindow(give)).toEqual(findingsOf(0));
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

describe("a fetch that rejects or throws is a network failure with what is known of its cause, and is retried:", () => {
  test.for(
    /** @type {[string, unknown, object?][]} */ ([
      ["an Error", new TypeError("Failed to fetch"), { name: "TypeError", message: "Failed to fetch" }],
      ["text", "offline"],
      ["undefined", undefined],
      ["null", null],
      ["a number", 0],
      ["an object", { code: "ECONNRESET", request: {} }, { name: "Error", message: "", code: "ECONNRESET" }],
      ["a symbol", Symbol("offline")],
      [
        "an object that throws when it is read",
        new Proxy({}, { get: () => expect.fail("read") }),
        { name: "Error", message: "" },
      ],
      ["a DOMException", new DOMException("no", "AbortError"), { name: "AbortError", message: "no", code: 20 }],
    ]),
  )("%s", async ([, cause, known]) => {
    for (const give of [
      () => Promise.reject(cause),
      () => {
        throw cause;
      },
    ]) {
      const fetch = vi.fn(give);
      const failure = await failureOf(partitionBy(fetch));
      expect(failure.code).toBe("network");
      expect(failure.attempts).toBe(4);
      if (known === undefined) expect(Object.is(failure.cause, cause)).toBe(true);
      else expect(failure.cause).toMatchObject(known);
      expect(fetch).toHaveBeenCalledTimes(4);
    }
  });
});

test("a fetch that settles after the end of the call has no effect", async () => {
  for (const settle of /** @type {const} */ (["resolve", "reject"])) {
    const late = gate();
    const controller = new AbortController();
    const call = rejectionOf(partitionBy(() => late.promise, { signal: controller.signal }));
    await pause(10);
    controller.abort("enough");
    expect(await call).toBe("enough");
    late[settle](settle === "resolve" ? new Response(text) : new Error("late"));
    await pause(10);
  }
});

test("a reader whose cancel throws or rejects has no effect", async () => {
  for (const cancel of [() => Promise.reject(new Error("late")), () => expect.fail("cancelled")]) {
    const controller = new AbortController();
    const body = { getReader: () => ({ read: () => new Promise(() => {}), cancel }) };
    const call = rejectionOf(partitionBy(() => ({ status: 200, body }), { signal: controller.signal }));
    await pause(10);
    controller.abort("enough");
    expect(await call).toBe("enough");
  }
});

test("a fetch may call the client that it belongs to", async () => {
  serve();
  const client = new FindingsClient({ concurrency: 2 });
  const fetch = async (/** @type {string} */ href, /** @type {RequestInit} */ init) => {
    expect(await client.getPartition(2, "sentiment", 1)).toEqual(findingsOf(1));
    return globalThis.fetch(href, init);
  };
  expect(await client.getPartition(1, "topics", 0, { fetch })).toEqual(findingsOf(0));
  client.free();
});

describe("a redirect is not followed but an http failure that says so:", () => {
  test("one whose status the caller's fetch reveals", async () => {
    const failure = await failureOf(
      partitionBy(() => ({ status: 307, headers: new Headers({ location: "https://elsewhere.test/" }) })),
    );
    expect(failure).toMatchObject({ code: "http", status: 307, attempts: 1 });
    expect(failure.message).toContain("redirect");
  });
});

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

  test("is 256 MiB by default", async () => {
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
