/** Loading: the module is fetched once, when it is needed; a failure says what to check, and can be repeated. */

import { http, passthrough } from "msw";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { callsOfClient } from "./calls.js";
import { allFindings } from "./inspection.js";
import { gate, never, pause, rejectionOf } from "./outcome.js";
import { addresses, importInRealm, importManualInRealm, openRealm } from "./realm.js";
import { asked, serve, worker } from "./service.js";

/** The number of requests for the module. */
let requests = 0;

/** @type {ArrayBuffer} the module, from the real host */
let bytes;

beforeAll(async () => {
  bytes = await (await fetch(addresses.wasm)).arrayBuffer();
});

beforeEach(() => {
  requests = 0;
  serve();
});

/** @typedef {() => Response | Promise<Response>} Respond */

/** Imports the package into a realm, where the module's file has this response. */
function importWith(/** @type {Respond} */ respond = passthrough) {
  serveModule(respond);
  return importInRealm();
}

/** Replaces the response for the module's file. */
function serveModule(/** @type {Respond} */ respond = passthrough) {
  worker.use(
    http.get(addresses.wasm, async () => {
      requests += 1;
      return respond();
    }),
  );
}

/** Imports the package into a realm, where the module is loaded only once it is released. */
async function importHeld() {
  const held = gate();
  const imported = await importWith(() => held.promise.then(passthrough));
  return { ...imported, release: () => held.resolve(undefined) };
}

/** What a load failure says to check. */
const toCheck = ["inspection_findings_bg.wasm", "application/wasm", "wasm-unsafe-eval"];

/** Expects a load failure, of any realm, whose message has these parts. @param {any} error */
function expectLoadFailure(error, parts = toCheck) {
  expect(error).toMatchObject({ name: "FindingsError", code: "load" });
  for (const part of parts) expect(error.message).toContain(part);
}

test("importing the package, and creating a client, fetches no module", async () => {
  const { package: findings } = await importWith();
  new findings.FindingsClient().free();
  await importManualInRealm();
  await pause(50);
  expect(requests).toBe(0);
});

test("wrong arguments and options reject without the module", async () => {
  const { package: findings, window } = await importWith();
  const [client, wrong] = [new findings.FindingsClient(), new findings.FindingsClient({ retries: -1 })];
  for (const call of Object.values(callsOfClient)) {
    expect(await rejectionOf(call(client, "x", "topics", 0))).toBeInstanceOf(window.TypeError);
    expect(await rejectionOf(call(wrong, 1, "topics", 0))).toBeInstanceOf(window.RangeError);
  }
  expect(await rejectionOf(wrong.preload())).toBeInstanceOf(window.RangeError);
  expect(requests).toBe(0);
});

test("the module is fetched once, however many calls need it at once or later", async () => {
  const { package: findings } = await importWith();
  const client = new findings.FindingsClient();
  const calls = [client.preload(), findings.getFindings(1, "topics"), client.getFindings(2, "sentiment")];
  const [preloaded, ...results] = await Promise.all(calls);
  expect(preloaded).toBeUndefined();
  for (const result of results) expect(JSON.parse(JSON.stringify(result))).toEqual(allFindings(3));
  await findings.getPartitionCounts(1);
  expect(requests).toBe(1);
});

/** A module that imports something else. */
const otherModule = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[2, 7, 1, 1, 0x61, 1, 0x62, 0, 0],
);

/** A response with a content type. @param {BodyInit | null} body @param {string} type @param {number} [status] */
const typed = (body, type, status) => new Response(body, { status, headers: { "content-type": type } });

/** Replaces members of an object, and returns what puts them back. @param {any} object @param {object} members */
function replace(object, members) {
  const before = Object.fromEntries(Object.keys(members).map((name) => [name, object[name]]));
  Object.assign(object, members);
  return () => Object.assign(object, before);
}

const { Module, CompileError } = WebAssembly;
const compile = () => Promise.reject(new CompileError("invalid opcode"));
const lacking = { Module, CompileError, validate: () => false, compile, compileStreaming: compile };
const noMemory = "WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance";
const tooOld = ["too old", "Lockdown Mode", "Chrome 96", "Edge 96", "Firefox 92", "Safari 16.4"];

/**
 * Why a load fails: the response for the module's file, or what the page lacks; and what the error says: by default what to check.
 * @type {Record<string, { respond?: Respond, lack?: (window: any) => () => unknown, code?: string, parts?: string[], isWhole?: boolean }>}
 */
const reasons = {
  "the file is missing": {
    respond: () => typed("Not found", "text/plain", 404),
    parts: [...toCheck, "404", new URL(addresses.wasm).pathname],
  },
  "the file gets a page as response": {
    respond: () => typed("<!doctype html><p>Hello", "text/html"),
    parts: [...toCheck, "text/html"],
  },
  "the file cannot be reached": { respond: () => Response.error() },
  "the file is cut off": { respond: () => typed(bytes.slice(0, 5_000), "application/wasm") },
  "the file is another module": {
    respond: () => typed(otherModule, "application/wasm"),
    parts: [...toCheck, "not the .wasm file of this version"],
  },
  "the device is offline": {
    respond: () => Response.error(),
    lack: ({ navigator }) => {
      const onLine = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
      return () => onLine.mockRestore();
    },
    parts: ["The .wasm file could not be loaded: the device is offline."],
    isWhole: true,
  },
  "there is no memory for it": {
    lack: (window) =>
      replace(window.WebAssembly, { instantiate: () => Promise.reject(new window.RangeError(noMemory)) }),
    code: "memory",
    parts: [
      `The .wasm file could not be started: ${noMemory}. There is too little memory: close other pages, and call again.`,
    ],
    isWhole: true,
  },
  "a browser has no WebAssembly": { lack: (window) => replace(window, { WebAssembly: undefined }), parts: tooOld },
  "a browser's WebAssembly lacks a feature": {
    lack: (window) => replace(window, { WebAssembly: lacking }),
    parts: tooOld,
  },
  "jsdom has no TextEncoder": {
    lack: (window) => replace(window, { TextEncoder: undefined }),
    parts: ["jest-fixed-jsdom"],
  },
};

test.for(Object.entries(reasons))(
  "where %s, each call rejects with its own error, which says so and what to do, and a second load succeeds",
  async ([, { respond, lack, code = "load", parts = toCheck, isWhole = false }]) => {
    const { window, package: findings } = await importWith(respond);
    const putBack = lack?.(window);
    const client = new findings.FindingsClient();
    const calls = [client.getPartition(1, "topics", 3), client.getPartitionCounts(2), client.preload()];
    const errors = await Promise.all(calls.map(rejectionOf));
    for (const error of errors) {
      expect(error).toMatchObject({ name: "FindingsError", code, cause: expect.anything() });
      for (const part of parts) expect(error.message).toContain(part);
      if (isWhole) expect([error.message]).toEqual(parts);
    }
    expect(errors.map(({ inspectionKey, partitionIndex }) => [inspectionKey, partitionIndex])).toEqual([
      [1, 3],
      [2, undefined],
      [undefined, undefined],
    ]);
    const before = requests;
    expect(before).toBeLessThanOrEqual(1);
    putBack?.();
    serveModule();
    expect(await client.getFindings(1, "topics")).toHaveLength(6);
    expect(requests).toBeLessThanOrEqual(before + 1);
  },
);

describe("the file works", () => {
  test.for(["text/html", "application/wasm; charset=utf-8", ""])("of the type %j if it is the module", async (type) => {
    const { package: findings } = await importWith(() => (type === "" ? new Response(bytes) : typed(bytes, type)));
    expect(await findings.getFindings(1, "topics")).toHaveLength(6);
  });

  /** @type {Record<string, (fetch: typeof globalThis.fetch) => object>} */
  const alterations = {
    "in a proxy of a response, as tracing libraries return it": (fetch) => ({
      fetch: async (/** @type {string} */ href) =>
        new Proxy(await fetch(href), {
          get: (target, name) => {
            const member = Reflect.get(target, name);
            return typeof member === "function" ? member.bind(target) : member;
          },
        }),
    }),
    "in a response that only looks like one of the engine, also where the host has no classes of it": () => {
      const headers = new Headers({ "content-type": "application/wasm" });
      const fetch = async () => ({ ok: true, headers, arrayBuffer: async () => bytes });
      return { Request: undefined, Response: undefined, fetch };
    },
  };

  test.for(Object.entries(alterations))("%s", async ([, alter]) => {
    const { window, package: findings } = await importWith();
    Object.assign(window, alter(window.fetch));
    expect(await new findings.FindingsClient().preload()).toBeUndefined();
    expect(requests).toBeLessThanOrEqual(1);
  });
});

describe("a content security policy", () => {
  // In a frame without an address Firefox takes 'self' for nothing.
  const self = location.origin;
  const scripts = `script-src ${self} 'unsafe-inline'`;

  test.for([
    ["WebAssembly", scripts],
    ["to connect to the module's host", `${scripts} 'wasm-unsafe-eval'; connect-src https://elsewhere.test`],
  ])("that forbids %s makes a load failure that names what to allow", async ([, policy]) => {
    const { package: findings } = await importInRealm(policy);
    for (const _ of [1, 2]) expectLoadFailure(await rejectionOf(findings.getFindings(1, "topics")));
  });

  test("that allows it by wasm-unsafe-eval, and no other evaluation, is enough", async () => {
    const allowed = `default-src 'none'; ${scripts} 'wasm-unsafe-eval'; connect-src ${self}`;
    const { package: findings } = await importInRealm(allowed);
    expect(await findings.getFindings(1, "topics", { headers: async () => ({ a: "b" }) })).toHaveLength(6);
  });
});

describe("while the module is loaded", () => {
  test("the time counts for totalTimeout", async () => {
    const { package: findings, release } = await importHeld();
    // The module is held: a call that went on waiting for it would never end.
    const ended = rejectionOf(findings.getFindings(1, "topics", { totalTimeout: 100 }));
    expect(await ended).toMatchObject({ code: "timeout", kind: "topics", inspectionKey: 1 });
    release();
  });

  test("a call with an aborted signal neither waits for it nor begins it", async () => {
    const { package: findings, window, release } = await importHeld();
    const signal = window.AbortSignal.abort("before");
    expect(await rejectionOf(findings.getFindings(1, "topics", { signal }))).toBe("before");
    expect(requests).toBe(0);
    const first = findings.getFindings(1, "topics");
    expect(await rejectionOf(findings.getFindings(1, "topics", { signal }))).toBe("before");
    release();
    expect(await first).toHaveLength(6);
  });

  test.for(["loadTable", "streamPartitions"])("the request for the counts of %s leaves, once", async (name) => {
    const { package: findings, release } = await importHeld();
    const headers = vi.fn(async () => ({ "x-token": "1" }));
    const end = callsOfClient[name]?.(new findings.FindingsClient({ headers }), 1, "topics", 0);
    await vi.waitUntil(() => requests === 1 && asked.length === 1);
    expect([asked[0]?.path, asked[0]?.headers.get("x-token")]).toEqual(["Findings/1", "1"]);
    const context = { attempt: 1, status: undefined, url: expect.stringMatching(/Findings\/1$/) };
    expect(headers.mock.calls).toEqual([[context]]);
    release();
    expect(await end).toHaveLength(6);
    expect(asked.filter(({ path }) => path === "Findings/1")).toHaveLength(1);
    expect(headers).toHaveBeenCalledTimes(4);
  });

  test("what a headers function throws ends the call", async () => {
    const { package: findings, release } = await importHeld();
    const headers = vi.fn(() => {
      throw "no session";
    });
    const call = rejectionOf(findings.getFindings(1, "topics", { headers }));
    await vi.waitUntil(() => requests === 1);
    release();
    expect(await call).toBe("no session");
    expect(headers).toHaveBeenCalledTimes(1);
    expect(asked).toEqual([]);
  });

  test("a request whose headers take longer than timeout leaves once, with the headers of the next attempt", async () => {
    const { package: findings, window, release } = await importHeld();
    vi.spyOn(window.Math, "random").mockReturnValue(0);
    // The test ends this timeout itself.
    const timeout = 77_777;
    const timeouts = /** @type {(() => void)[]} */ ([]);
    const { setTimeout } = window;
    Object.assign(window, {
      setTimeout: (/** @type {() => void} */ act, /** @type {number} */ milliseconds) =>
        milliseconds > timeout / 2 ? timeouts.push(act) : setTimeout(act, milliseconds),
    });
    const [slow, partitions] = [gate(), gate()];
    serve({ respond: ({ kind }) => kind && partitions.promise.then(() => undefined) });
    const headers = vi.fn(({ attempt }) =>
      attempt === 1 && headers.mock.calls.length === 1
        ? slow.promise.then(() => ({ "x-token": "old" }))
        : { "x-token": "new" },
    );
    const call = findings.getFindings(1, "topics", { headers, timeout, concurrency: 1 });
    release();
    await vi.waitUntil(() => timeouts.length === 1);
    timeouts[0]?.();
    await vi.waitUntil(() => asked.length === 2);
    slow.resolve(undefined);
    await pause(50);
    partitions.resolve(undefined);
    expect(await call).toHaveLength(6);
    const counts = asked.filter(({ kind }) => kind === undefined);
    expect(counts.map(({ headers }) => headers.get("x-token"))).toEqual(["new"]);
  });

  test("no more than one request of a client leaves before the module is ready", async () => {
    const { package: findings, release } = await importHeld();
    const client = new findings.FindingsClient();
    const calls = [1, 2, 3].map((key) => client.getFindings(key, "topics"));
    await vi.waitUntil(() => asked.length === 1);
    await pause(50);
    expect(asked).toHaveLength(1);
    release();
    for (const result of await Promise.all(calls)) expect(result).toHaveLength(6);
  });

  test("a request ends if the module cannot be loaded", async () => {
    const { package: findings } = await importWith(() => new Response(null, { status: 500 }));
    const fetch = vi.fn(() => /** @type {Promise<any>} */ (never()));
    expectLoadFailure(await rejectionOf(findings.getFindings(1, "topics", { fetch })));
    const [[, { signal } = {}] = []] = /** @type {any[][]} */ (fetch.mock.calls);
    expect(signal.aborted).toBe(true);
  });
});

/** @type {[string, object, (ended: { client: { free(): void }, controller: AbortController }) => void, object][]} */
const ends = [
  ["free()", {}, ({ client }) => client.free(), { name: "TypeError" }],
  ["an abort", {}, ({ controller }) => controller.abort(new Error("enough")), { message: "enough" }],
  ["totalTimeout", { totalTimeout: 1000 }, () => {}, { code: "timeout" }],
];

test.for(ends)("%s rejects preload() while its worker starts", async ([, limits, end, reason]) => {
  const { package: manual, window } = await importManualInRealm();
  const controller = new AbortController();
  // It never responds.
  const worker = vi.fn(() => new window.Worker("data:text/javascript,"));
  await manual.init({ module: addresses.wasm, worker });
  const client = new manual.FindingsClient({ worker: true, signal: controller.signal, ...limits });
  const preloaded = rejectionOf(client.preload());
  await vi.waitUntil(() => worker.mock.calls.length === 1);
  end({ client, controller });
  expect(await preloaded).toMatchObject(reason);
  client.free();
});

describe("the manual entry", () => {
  test("has the same exports and init", async () => {
    const window = await openRealm();
    const [full, manual] = [await window.load(addresses.entry), await window.load(addresses.manual)];
    expect(Object.keys(manual).toSorted()).toEqual([...Object.keys(full), "init"].toSorted());
  });

  test("fails before init by a load failure that says what to do", async () => {
    serveModule();
    const { package: manual } = await importManualInRealm();
    for (const call of [manual.getFindings(1, "topics"), new manual.FindingsClient().preload()]) {
      expectLoadFailure(await rejectionOf(call), ["init()"]);
    }
    expect(requests).toBe(0);
  });

  /** @type {Record<string, (window: import("./realm.js").RealmWindow) => unknown>} */
  const sources = {
    nothing: () => undefined,
    "an address as text": () => addresses.wasm,
    "a URL": () => new URL(addresses.wasm),
    bytes: () => bytes,
    "a Request": (window) => new window.Request(addresses.wasm),
    "a promise of a Response": (window) => window.fetch(addresses.wasm),
    "a promise of an address": async () => new URL(addresses.wasm),
    "a view of bytes": () => new Uint8Array(bytes),
    "a promise of a compiled module": (window) => window.WebAssembly.compile(bytes),
  };

  test.for(Object.entries(sources))("is loaded by init from %s", async ([, source]) => {
    serveModule();
    const { package: manual, window } = await importManualInRealm();
    const ready = manual.init({ module: /** @type {any} */ (source(window)) });
    expect(await manual.getFindings(1, "topics")).toHaveLength(6);
    expect(await ready).toBeUndefined();
    expect(requests).toBeLessThanOrEqual(1);
  });

  test("sends the first request while init loads the module", async () => {
    const { package: manual } = await importManualInRealm();
    const module = gate();
    const ready = manual.init({ module: /** @type {Promise<any>} */ (module.promise) });
    const call = manual.getFindings(1, "topics");
    await vi.waitUntil(() => asked.length > 0);
    module.resolve(/** @type {any} */ (bytes));
    await ready;
    expect(await call).toHaveLength(6);
    // The counts, and three partitions.
    expect(asked).toHaveLength(4);
  });

  test("loads the module once, however often init is called", async () => {
    const { package: manual } = await importManualInRealm();
    serveModule();
    await Promise.all([manual.init(), manual.init(), manual.init({ module: addresses.wasm })]);
    expect(await manual.getFindings(1, "topics")).toHaveLength(6);
    expect(requests).toBe(1);
  });

  /** @type {[string, () => unknown, RegExp?][]} */
  const wrong = [
    ["a promise of a status", async () => new Response("", { status: 503 }), /responded with HTTP status 503/],
    [
      "a promise of another content type",
      async () => typed("<!doctype html>", "text/html"),
      /responded with text\/html instead of the \.wasm file/,
    ],
    ["a rejection", () => Promise.reject(new TypeError("no network")), /be loaded: (?:TypeError: )?no network\./],
    ["other bytes", () => new Uint8Array(9)],
    ["a missing file", () => "/missing.wasm", /responded with HTTP status 404/],
    ["an object", () => ({})],
    ["a number", () => 5],
  ];

  test.for(wrong)("says so where the module is %s, and init may try again", async ([, give, message = /./]) => {
    const { package: manual } = await importManualInRealm();
    const module = /** @type {any} */ (give());
    const [ready, call] = [rejectionOf(manual.init({ module })), rejectionOf(manual.getFindings(1, "topics"))];
    for (const error of [await ready, await call]) {
      expectLoadFailure(error, []);
      expect(error).toMatchObject({ message: expect.stringMatching(message), cause: expect.anything() });
    }
    serveModule();
    await manual.init();
    expect(await manual.getFindings(1, "topics")).toHaveLength(6);
  });

  test("refuses anything else in place of the options", async () => {
    const { package: manual } = await importManualInRealm();
    for (const [got, options] of /** @type {[string, any][]} */ ([
      ["a string: pass { module }", addresses.wasm],
      ["a URL: pass { module }", new URL(addresses.wasm)],
      ["a promise: pass { module }", Promise.resolve()],
      ["a Uint8Array: pass { module }", new Uint8Array()],
      ["null", null],
    ])) {
      const error = await rejectionOf(manual.init(options));
      expect([error.name, error.message]).toEqual(["TypeError", `options must be an object; got ${got}`]);
    }
  });
});
