/** Loading: the module is fetched once, when it is needed; a failure says what to check, and can be repeated. */

import { http, passthrough } from "msw";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { callsOfClient } from "./calls.js";
import { allFindings } from "./inspection.js";
import { gate, pause, rejectionOf } from "./outcome.js";
import { addresses, importInRealm, importManualInRealm, openRealm } from "./realm.js";
import { asked, serve, worker } from "./service.js";
import { Wire } from "./wire.js";

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

/** Imports the package, or its manual entry, into a realm, where the module's file has this response. */
function importWith(/** @type {Respond} */ respond = passthrough, isManual = false) {
  serveModule(respond);
  return /** @type {ReturnType<typeof importManualInRealm>} */ (isManual ? importManualInRealm() : importInRealm());
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

/** Imports the package, or its manual entry and calls `init`, where the module is loaded only once it is released. */
async function importHeld(isManual = false) {
  const held = gate();
  const imported = await importWith(() => held.promise.then(passthrough), isManual);
  const ready = isManual ? imported.package.init() : undefined;
  return { ...imported, ready, release: () => held.resolve(undefined) };
}

/** A response with a content type. @param {BodyInit | null} body @param {string} type @param {number} [status] */
const typed = (body, type, status) => new Response(body, { status, headers: { "content-type": type } });

// P39
test("neither an import, nor a client, nor wrong arguments and options fetch the module", async () => {
  const { package: findings, window } = await importWith();
  await importManualInRealm();
  const [client, wrong] = [new findings.FindingsClient(), new findings.FindingsClient({ retries: -1 })];
  await pause(50);
  expect(requests, "after an import").toBe(0);
  for (const call of Object.values(callsOfClient)) {
    expect(await rejectionOf(call(client, "x", "topics", 0))).toBeInstanceOf(window.TypeError);
    expect(await rejectionOf(call(wrong, 1, "topics", 0))).toBeInstanceOf(window.RangeError);
  }
  expect(await rejectionOf(wrong.preload())).toBeInstanceOf(window.RangeError);
  expect(requests, "after wrong calls").toBe(0);
});

test.for(["calls need it", "init is called"])(
  "the module is fetched once, however many %s at once or later",
  async (when) => {
    const { package: findings } = await importWith(passthrough, when === "init is called");
    const ready = when === "init is called" ? [undefined, {}, { module: addresses.wasm }].map(findings.init) : [];
    const client = new findings.FindingsClient();
    const calls = [client.preload(), findings.getFindings(1, "topics"), client.getFindings(2, "sentiment")];
    const [preloaded, ...results] = await Promise.all([...calls, ...ready]);
    expect(preloaded).toBeUndefined();
    for (const result of results.slice(0, 2)) expect(JSON.parse(JSON.stringify(result))).toEqual(allFindings(3));
    await Promise.all([findings.getPartitionCounts(1), ...(ready.length > 0 ? [findings.init()] : [])]);
    expect(requests).toBe(1);
  },
);

/**
 * The ways to load the module: from a response for its file, by a `fetch` that the page has changed, or from what `init` gets.
 * @typedef {object} Source
 * @property {Respond} [respond]
 * @property {(window: import("./realm.js").RealmWindow) => unknown} [alter]
 * @property {(window: import("./realm.js").RealmWindow) => unknown} [module]
 */

/** @type {Record<string, Source>} */
const sources = {
  "a file of the type of pages": { respond: () => typed(bytes, "text/html") },
  "a file of a type with a parameter": { respond: () => typed(bytes, "application/wasm; charset=utf-8") },
  "a file without a type": { respond: () => new Response(bytes) },
  "a proxy of a response, as tracing libraries return it": {
    alter: ({ fetch }) => ({
      fetch: async (/** @type {string} */ href) =>
        new Proxy(await fetch(href), {
          get: (target, name) => {
            const member = Reflect.get(target, name);
            return typeof member === "function" ? member.bind(target) : member;
          },
        }),
    }),
  },
  "a response that only looks like one of the engine, also where the host has no classes of it": {
    alter: () => {
      const headers = new Headers({ "content-type": "application/wasm" });
      const fetch = async () => ({ ok: true, headers, arrayBuffer: async () => bytes });
      return { Request: undefined, Response: undefined, fetch };
    },
  },
  "init without a module": { module: () => undefined },
  "init with an address as text": { module: () => addresses.wasm },
  "init with a URL": { module: () => new URL(addresses.wasm) },
  "init with bytes": { module: () => bytes },
  "init with a Request": { module: (window) => new window.Request(addresses.wasm) },
  "init with a promise of a Response": { module: (window) => window.fetch(addresses.wasm) },
  "init with a promise of an address": { module: async () => new URL(addresses.wasm) },
  "init with a view of bytes": { module: () => new Uint8Array(bytes) },
  "init with a promise of a compiled module": { module: (window) => window.WebAssembly.compile(bytes) },
};

test.for(Object.entries(sources))("the module is loaded from %s", async ([, { respond, alter, module }]) => {
  const { window, package: findings } = await importWith(respond, module !== undefined);
  Object.assign(window, alter?.(window));
  const ready = module && findings.init({ module: /** @type {any} */ (module(window)) });
  expect(await findings.getFindings(1, "topics", { fetch: new Wire().fetch })).toHaveLength(6);
  expect(await ready).toBeUndefined();
  expect(requests).toBeLessThanOrEqual(1);
});

/** What a load failure says to check. */
const toCheck = ["inspection_findings_bg.wasm", "application/wasm", "wasm-unsafe-eval"];

/** A module that imports something else. */
const otherModule = Uint8Array.of(
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[2, 7, 1, 1, 0x61, 1, 0x62, 0, 0],
);

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
 * Why a load fails: the response for the module's file, what the page lacks, or what `init` gets; and what the error says: by default what to check.
 * @type {Record<string, { respond?: Respond, lack?: (window: any) => () => unknown, module?: () => unknown, code?: string, says?: string[] | string }>}
 */
const reasons = {
  "the file is missing": {
    respond: () => typed("Not found", "text/plain", 404),
    says: [...toCheck, "404", new URL(addresses.wasm).pathname],
  },
  "the file gets a page as response": {
    respond: () => typed("<!doctype html><p>Hello", "text/html"),
    says: [...toCheck, "text/html"],
  },
  "the file cannot be reached": { respond: () => Response.error() },
  "the file is cut off": { respond: () => typed(bytes.slice(0, 5_000), "application/wasm") },
  "the file is another module": {
    respond: () => typed(otherModule, "application/wasm"),
    says: [...toCheck, "not the .wasm file of this version"],
  },
  "the device is offline": {
    respond: () => Response.error(),
    lack: ({ navigator }) => {
      const onLine = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
      return () => onLine.mockRestore();
    },
    says: "The .wasm file could not be loaded: the device is offline.",
  },
  "there is no memory for it": {
    lack: (window) =>
      replace(window.WebAssembly, { instantiate: () => Promise.reject(new window.RangeError(noMemory)) }),
    code: "memory",
    says: `The .wasm file could not be started: ${noMemory}. There is too little memory: close other pages, and call again.`,
  },
  "a browser has no WebAssembly": { lack: (window) => replace(window, { WebAssembly: undefined }), says: tooOld },
  "a browser's WebAssembly lacks a feature": {
    lack: (window) => replace(window, { WebAssembly: lacking }),
    says: tooOld,
  },
  "jsdom has no TextEncoder": {
    lack: (window) => replace(window, { TextEncoder: undefined }),
    says: ["jest-fixed-jsdom"],
  },
  "init gets a promise of a status": {
    module: async () => new Response("", { status: 503 }),
    says: [...toCheck, "responded with HTTP status 503"],
  },
  "init gets a promise of another content type": {
    module: async () => typed("<!doctype html>", "text/html"),
    says: [...toCheck, "responded with text/html instead of the .wasm file"],
  },
  "init gets a rejection": {
    module: () => Promise.reject(new TypeError("no network")),
    says: [...toCheck, "no network."],
  },
  "init gets other bytes": { module: () => new Uint8Array(9) },
  "init gets the address of a missing file": {
    module: () => "/missing.wasm",
    says: [...toCheck, "responded with HTTP status 404"],
  },
  "init gets an object": { module: () => ({}) },
  "init gets a number": { module: () => 5 },
};

test.for(Object.entries(reasons))(
  "where %s, each call rejects with its own error, which says so and what to do, sends nothing more, and a second load succeeds",
  async ([, { respond, lack, module, code = "load", says = toCheck }]) => {
    let isBroken = true;
    const wire = new Wire({ holds: () => isBroken });
    const { window, package: findings } = await importWith(respond, module !== undefined);
    const putBack = lack?.(window);
    const ready = module && findings.init({ module: /** @type {any} */ (module()) });
    const client = new findings.FindingsClient({ fetch: wire.fetch });
    const calls = [client.getPartition(1, "topics", 3), client.getPartitionCounts(2), client.preload(), ready];
    const errors = await Promise.all(calls.filter((call) => call !== undefined).map(rejectionOf));
    for (const error of errors) {
      expect(error).toMatchObject({ name: "FindingsError", code, cause: expect.anything() });
      if (typeof says === "string") expect(error.message).toBe(says);
      else for (const part of says) expect(error.message).toContain(part);
    }
    expect(errors.slice(0, 3).map(({ inspectionKey, partitionIndex }) => [inspectionKey, partitionIndex])).toEqual([
      [1, 3],
      [2, undefined],
      [undefined, undefined],
    ]);
    expect(wire.indexes).toEqual([3]);
    expect(wire.cancelled).toHaveLength(1);
    const before = requests;
    expect(before).toBeLessThanOrEqual(1);
    isBroken = false;
    putBack?.();
    serveModule();
    if (module) await findings.init();
    expect(await client.getFindings(1, "topics")).toHaveLength(6);
    expect(requests).toBeLessThanOrEqual(before + 1);
  },
);

// In a frame without an address Firefox takes 'self' for nothing.
const scripts = `script-src ${location.origin} 'unsafe-inline'`;

test.for([
  ["WebAssembly", scripts],
  ["to connect to the module's host", `${scripts} 'wasm-unsafe-eval'; connect-src https://elsewhere.test`],
])("a content security policy that forbids %s makes a load failure that names what to allow", async ([, policy]) => {
  const { package: findings } = await importInRealm(policy);
  for (const _ of [1, 2]) {
    const error = await rejectionOf(findings.getFindings(1, "topics"));
    expect(error).toMatchObject({ name: "FindingsError", code: "load" });
    for (const part of toCheck) expect(error.message).toContain(part);
  }
});

describe("while the module is loaded", () => {
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

  test.for([["loadTable"], ["streamPartitions"], ["loadTable", "after init"]])(
    "the request for the counts of the first call of a client leaves, once: %s %s",
    async ([name = "", manual]) => {
      const { package: findings, ready, release } = await importHeld(manual !== undefined);
      const headers = vi.fn(async () => ({ "x-token": "1" }));
      const client = new findings.FindingsClient({ headers });
      const calls = [1, 2, 3].map((key) => callsOfClient[name]?.(client, key, "topics", 0));
      await vi.waitUntil(() => requests === 1 && asked.length === 1);
      await pause(50);
      expect(asked.map(({ path, headers }) => [path, headers.get("x-token")])).toEqual([["Findings/1", "1"]]);
      const context = { attempt: 1, status: undefined, url: expect.stringMatching(/Findings\/1$/) };
      expect(headers.mock.calls).toEqual([[context]]);
      release();
      await ready;
      for (const result of await Promise.all(calls)) expect(result).toHaveLength(6);
      // The counts, and three partitions.
      expect([asked.length, headers.mock.calls.length]).toEqual([12, 12]);
    },
  );

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
});

test("the manual entry has the same exports and init", async () => {
  const window = await openRealm();
  const [full, manual] = [await window.load(addresses.entry), await window.load(addresses.manual)];
  expect(Object.keys(manual).toSorted()).toEqual([...Object.keys(full), "init"].toSorted());
});

test("the manual entry fails before init by a load failure that says what to do", async () => {
  const { package: manual } = await importWith(passthrough, true);
  for (const call of [manual.getFindings(1, "topics"), new manual.FindingsClient().preload()]) {
    const message = expect.stringContaining("init()");
    expect(await rejectionOf(call)).toMatchObject({ name: "FindingsError", code: "load", message });
  }
  expect(requests).toBe(0);
});
