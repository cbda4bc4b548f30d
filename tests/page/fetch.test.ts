/** The fetch option: how it is called, and which responses it may return. */

import type { Options } from "inspection-findings";
import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf } from "./outcome.js";
import { openRealm } from "./realm.js";
import { asked, serve, withoutServiceWorker } from "./service.js";
import { withoutBackoff } from "./timers.js";
import { responseOf } from "./wire.js";

beforeEach(withoutBackoff);

const text = JSON.stringify({ Findings: findingsOf(0) });
const bytes = new TextEncoder().encode(text);
const arrayBuffer = async () => bytes.slice().buffer;

/** Something with the status of a success and these members. */
function successWith(members: object) {
  return { status: 200, ...members };
}

/** A body that comes in these pieces. */
function streamOf(pieces: unknown[] = [bytes]) {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

/** A body that is read by this function. */
function readBy(read: () => unknown) {
  return { getReader: () => ({ read }) };
}

/** The results of reading a body, one after the other. */
function results() {
  const rest = [{ done: false, value: bytes }, { done: true }];
  return () => rest.shift();
}

/** A response whose pieces a script fills into one buffer. */
function refilled() {
  const buffer = new Uint8Array(10);
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController) => {
    const piece = bytes.subarray(at, at + buffer.length);
    at += piece.length;
    buffer.set(piece);
    if (piece.length === 0) controller.close();
    else controller.enqueue(buffer.subarray(0, piece.length));
  };
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
}

/** A response of the network. */
function responseOfNetwork() {
  withoutServiceWorker();
  serve();
  return fetch("./Findings/1/Topics/0");
}

/** Gets one partition by a fetch that returns this. */
function partitionBy(give: () => unknown, options?: Options) {
  return getPartition(1, "topics", 0, { ...options, fetch: give as any });
}

test("the global fetch is called with the page's defaults", async () => {
  serve({ partitions: 1 });
  await getFindings(1, "topics");
  const defaults = ["GET", "same-origin", "no-store", "manual"];
  expect(asked.map(({ request }) => [request.method, request.credentials, request.cache, request.redirect])).toEqual([
    defaults,
    defaults,
  ]);
});

test("the global fetch is read when a call begins", async () => {
  using client = new FindingsClient();
  const { fetch } = globalThis;
  const replaced = vi.fn(async () => new Response(text));
  globalThis.fetch = replaced;
  const call = client.getPartition(1, "topics", 0);
  globalThis.fetch = fetch;
  expect(await call).toEqual(findingsOf(0));
  expect(replaced).toHaveBeenCalledTimes(1);
});

test("the option is called with the URL and an init object, and with `this` undefined", async () => {
  const calls: any[] = [];
  const fetch: any = function (this: unknown, ...args: unknown[]) {
    calls.push([this, ...args]);
    return new Response(text);
  };
  const requested = { credentials: "include", cache: "reload" } as const;
  await getPartition(42, "sentiment", 3, { fetch, baseUrl: "https://service.test/cxi", ...requested });
  expect(calls).toEqual([[undefined, "https://service.test/cxi/Findings/42/Sentiment/3", expect.anything()]]);
  const [[, , init]] = calls;
  expect(init).toMatchObject({ method: "GET", redirect: "manual", ...requested });
  expect(init.body).toBeUndefined();
  expect(init.signal).toBeInstanceOf(AbortSignal);
  expect(new Headers(init.headers).get("accept")).toBe("application/json");
});

test("the init has no credentials and no cache with the defaults of fetch, because some hosts throw at them", async () => {
  const fetch = vi.fn(async () => new Response(text));
  await getPartition(1, "topics", 0, { fetch, credentials: "same-origin", cache: "default" });
  const [[, init]] = fetch.mock.calls as any;
  expect(Object.keys(init).toSorted()).toEqual(["headers", "method", "redirect", "signal"]);
});

test("the option gets a URL and an init that the global fetch takes", async () => {
  serve();
  const forwarding: ((href: string, init: RequestInit) => Promise<Response>)[] = [
    (href, init) => fetch(href, init),
    (href, init) => fetch(new Request(href, init)),
  ];
  for (const fetch of forwarding) expect(await getFindings(1, "topics", { fetch })).toEqual(allFindings(3));
});

describe("a response is read by its shape:", () => {
  const shapes: Record<string, () => unknown> = {
    "a response of the network": responseOfNetwork,
    "a proxy of a response of the network": async () =>
      new Proxy(await responseOfNetwork(), {
        get: (target, name) => {
          const member = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        },
      }),
    "a response that a script has constructed": () => Promise.resolve(new Response(text)),
    "a response without a promise": () => new Response(text),
    // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
    "a promise that is only a thenable": () => ({ then: (resolve: any) => resolve(new Response(text)) }),
    "a status and a body": () => successWith({ body: streamOf() }),
    "a status and arrayBuffer()": () => successWith({ arrayBuffer }),
    "a body without getReader() and arrayBuffer(), as of node-fetch": () =>
      successWith({ body: { pipe: () => {}, on: () => {} }, arrayBuffer }),
    "arrayBuffer() that gives bytes, such as a Buffer": () =>
      successWith({ arrayBuffer: async () => new Uint8Array([7, ...bytes, 7]).subarray(1, -1) }),
    "headers with nothing but get": () => successWith({ headers: { get: () => null }, body: streamOf() }),
    "headers that throw": () =>
      Object.defineProperty(successWith({ body: streamOf() }), "headers", { get: () => expect.fail("no headers") }),
    "a genuine response whose headers throw": () =>
      Object.defineProperty(new Response(text), "headers", { get: () => expect.fail("no headers") }),
    "a genuine response whose headers give no text": () => {
      const response = new Response(text);
      response.headers.get = () => 5 as any;
      return response;
    },
    "a reader with nothing but read": () => {
      const next = results();
      return successWith({ body: readBy(async () => next()) });
    },
    "pieces that a script fills into one buffer": refilled,
    "pieces of no length": () =>
      new Response(streamOf([new Uint8Array(), bytes.slice(0, 9), new Uint8Array(), bytes.slice(9)])),
    "pieces that are parts of larger buffers": () =>
      new Response(streamOf([new Uint8Array([7, 7, ...bytes, 7]).subarray(2, -1)])),
    "a content length that is too small": () => new Response(text, { headers: { "content-length": "1" } }),
    "a response of another window": async () => new (await openRealm()).Response(text),
    "pieces of a body of another window": async () =>
      successWith({ body: streamOf([new (await openRealm()).Uint8Array(bytes)]) }),
    "an ArrayBuffer of another window": async () => {
      const { buffer } = new (await openRealm()).Uint8Array(bytes);
      return successWith({ arrayBuffer: async () => buffer });
    },
    ...Object.fromEntries(
      ["200000000", "many"].map((length) => [
        `a content length of ${length}`,
        () => successWith({ headers: new Map([["content-length", length]]), body: streamOf() }),
      ]),
    ),
  };

  test.for(Object.entries(shapes))("%s, also where a worker decodes its body", async ([, give]) => {
    for (const worker of [false, true]) {
      expect(await partitionBy(give, { retries: 0, worker })).toEqual(findingsOf(0));
    }
  });
});

describe("anything but a response is a network failure that says so, and is not retried:", () => {
  const shapes: Record<string, () => unknown> = {
    undefined: () => undefined,
    null: () => null,
    text: async () => text,
    "an empty object": async () => ({}),
    "parsed findings": async () => JSON.parse(text),
    "a status as text": () => ({ status: "200", body: streamOf() }),
    "a status out of range": () => ({ status: 70_000 }),
    "a status that throws": () => Object.defineProperty({}, "status", { get: () => expect.fail("no status") }),
    "neither body nor arrayBuffer()": () => ({ status: 200 }),
    "only json()": () => successWith({ ok: true, json: async () => JSON.parse(text) }),
    "a body that is text": () => successWith({ body: text }),
    "a body without getReader()": () => successWith({ body: {} }),
    "read() that gives nothing": () => successWith({ body: readBy(async () => undefined) }),
    "pieces that are text": () => successWith({ body: streamOf([text]) }),
    "arrayBuffer() that gives numbers": () => successWith({ arrayBuffer: async () => new Float64Array(2) }),
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

describe("a network failure that is retried is", () => {
  const throwing = () => {
    throw { code: "ECONNRESET", request: {} };
  };
  const broken: Record<string, () => unknown> = {
    "a fetch that rejects": async () => throwing(),
    "a fetch that throws": throwing,
    "a body that throws": () => Object.defineProperty({ status: 200 }, "body", { get: throwing }),
    "read() that throws": () => successWith({ body: { getReader: () => ({ read: throwing, cancel: throwing }) } }),
    "arrayBuffer() that rejects": () => successWith({ arrayBuffer: async () => throwing() }),
  };

  test.for(Object.entries(broken))("%s, whose reason is its cause", async ([, give]) => {
    const fetch = vi.fn(give);
    const failure = await failureOf(partitionBy(fetch));
    expect(failure).toMatchObject({ code: "network", kind: "topics", partitionIndex: 0, attempts: 4 });
    expect(failure.cause).toMatchObject({ name: "Error", message: "", code: "ECONNRESET" });
    expect(fetch).toHaveBeenCalledTimes(4);
  });

  test("a body that is being read by somebody else", async () => {
    const failure = await failureOf(
      partitionBy(() => {
        const response = new Response(text);
        response.body?.getReader();
        return response;
      }),
    );
    expect(failure).toMatchObject({ code: "network", attempts: 4, cause: expect.any(TypeError) });
  });
});

// P15
test("maxPartitionBytes rejects a body whose length is told before a byte of it is read", async () => {
  const reader = vi.spyOn(ReadableStream.prototype, "getReader");
  const give = () => new Response(text, { headers: { "content-length": String(bytes.length) } });
  expect(await failureOf(partitionBy(give, { maxPartitionBytes: 10 }))).toMatchObject({ code: "too-large" });
  expect(reader).not.toHaveBeenCalled();
});

// P15
test("maxPartitionBytes rejects a larger body while it is read, and cancels it", async () => {
  const pull = vi.fn((controller) => controller.enqueue(new Uint8Array(1024).fill(32)));
  const cancel = vi.fn();
  const endless = new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
  const failure = await failureOf(partitionBy(() => new Response(endless), { maxPartitionBytes: 10 * 1024 }));
  const subject = { kind: "topics", partitionIndex: 0, inspectionKey: 1 };
  expect(failure).toMatchObject({ code: "too-large", attempts: 1, ...subject });
  expect(failure.message).toContain(String(10 * 1024));
  expect(pull).toHaveBeenCalledTimes(11);
  expect(cancel).toHaveBeenCalledTimes(1);
});

test("a response with status 0 is a redirect only if its type says so", async () => {
  for (const [type, status] of [
    ["opaqueredirect", undefined],
    ["opaque", 0],
  ] as const) {
    expect((await failureOf(partitionBy(() => responseOf("", { status: 0, type })))).status).toBe(status);
  }
});
