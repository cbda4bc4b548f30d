/** Loading: the module is fetched once, when it is needed; a failure says what to check, and can be repeated. */

import { http, passthrough } from "msw";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings } from "./inspection.js";
import { gate, pause, rejectionOf } from "./outcome.js";
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

/** Expects a rejection with a load failure, of any realm, whose message has these parts: by default what to check. */
function expectLoadFailure(
  /** @type {any} */ error,
  parts = ["inspection_findings_bg.wasm", "application/wasm", "wasm-unsafe-eval"],
) {
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
  const client = new findings.FindingsClient({ retries: -1 });
  /** @type {any} */
  const { getFindings } = findings;
  for (const call of [
    () => getFindings("x", "topics"),
    () => getFindings(1, "topics", { headers: { Authorization: undefined } }),
    () => client.getPartitionCounts(1),
    () => client.streamPartitions(1, "topics").next(),
    () => client.watchTable(1, "topics").done,
    () => client.preload(),
  ]) {
    const error = await rejectionOf(call());
    expect(error instanceof window.TypeError || error instanceof window.RangeError).toBe(true);
  }
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

describe("a module file", () => {
  const ofWasm = (/** @type {BodyInit | null} */ body) =>
    new Response(body, { headers: { "content-type": "application/wasm" } });

  /** @type {Record<string, { respond: () => Response, named?: string[] }>} */
  const wrong = {
    "that is missing": {
      respond: () => new Response("Not found", { status: 404, headers: { "content-type": "text/plain" } }),
      named: ["404", new URL(addresses.wasm).pathname],
    },
    "that gets a page as response": {
      respond: () => new Response("<!doctype html><p>Hello", { headers: { "content-type": "text/html" } }),
      named: ["text/html"],
    },
    "that cannot be reached": { respond: () => Response.error() },
    "that is cut off": { respond: () => ofWasm(bytes.slice(0, 5_000)) },
    "that is another module": { respond: () => ofWasm(otherModule), named: ["not the .wasm file of this version"] },
  };

  test.for(Object.entries(wrong))(
    "%s is a load failure of every call, and a second load succeeds once the module is served",
    async ([, { respond, named }]) => {
      const { package: findings } = await importWith(respond);
      const client = new findings.FindingsClient();
      const calls = [client.getPartition(1, "topics", 3), client.getPartitionCounts(2), client.preload()];
      const errors = await Promise.all(calls.map(rejectionOf));
      for (const error of errors) {
        expectLoadFailure(error);
        expectLoadFailure(error, named);
        expect(error.cause).toBeDefined();
      }
      expect(errors.map(({ inspectionKey, partitionIndex }) => [inspectionKey, partitionIndex])).toEqual([
        [1, 3],
        [2, undefined],
        [undefined, undefined],
      ]);
      expect(requests).toBe(1);
      serveModule();
      expect(await client.getFindings(1, "topics")).toHaveLength(6);
      expect(requests).toBe(2);
    },
  );

  test.for(["text/html", "application/wasm; charset=utf-8", ""])(
    "of the type %j works if it is the module",
    async (type) => {
      const headers = new Headers(type === "" ? {} : { "content-type": type });
      const { package: findings } = await importWith(() => new Response(bytes, { headers }));
      expect(await findings.getFindings(1, "topics")).toHaveLength(6);
    },
  );

  test("in a proxy of a response, as tracing libraries return it, works", async () => {
    const { window, package: findings } = await importWith();
    const { fetch } = window;
    /** @param {Response} response */
    const wrapped = (response) =>
      new Proxy(response, {
        get: (target, name) => {
          const member = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
    Object.assign(window, { fetch: async (/** @type {string} */ href) => wrapped(await fetch(href)) });
    expect(await findings.getFindings(1, "topics")).toHaveLength(6);
    expect(requests).toBe(1);
  });

  test("in a response that only looks like one of the engine works, also where the host has no classes of it", async () => {
    const { window, package: findings } = await importWith();
    const headers = new Headers({ "content-type": "application/wasm" });
    const fetch = async () => ({ ok: true, headers, arrayBuffer: async () => bytes });
    Object.assign(window, { Request: undefined, Response: undefined, fetch });
    await new findings.FindingsClient().preload();
  });
});

test("a device that is offline before the first call is told so, and nothing about policies", async () => {
  const { window, package: findings } = await importWith(() => Response.error());
  const online = vi.spyOn(window.navigator, "onLine", "get").mockReturnValue(false);
  const error = await rejectionOf(findings.getFindings(1, "topics"));
  expect(error).toMatchObject({ code: "load" });
  expect(error.message).toBe("The .wasm file could not be loaded: the device is offline.");
  online.mockRestore();
  serveModule();
  expect(await findings.getFindings(1, "topics")).toHaveLength(6);
});

test("a module for which there is no memory is a memory error, which speaks of no policy", async () => {
  const { window, package: findings } = await importWith();
  const text = "WebAssembly.instantiate(): Out of memory: Cannot allocate Wasm memory for new instance";
  const { instantiate } = window.WebAssembly;
  Object.assign(window.WebAssembly, { instantiate: () => Promise.reject(new window.RangeError(text)) });
  const error = await rejectionOf(findings.getFindings(1, "topics"));
  expect(error).toMatchObject({ code: "memory", kind: "topics", inspectionKey: 1, cause: { message: text } });
  expect(error.message).toBe(
    `The .wasm file could not be started: ${text}. There is too little memory: close other pages, and call again.`,
  );
  Object.assign(window.WebAssembly, { instantiate });
  expect(await findings.getFindings(1, "topics")).toHaveLength(6);
});

describe("an environment is told what it lacks by a load failure:", () => {
  const { Module, CompileError } = WebAssembly;
  const compile = () => Promise.reject(new CompileError("invalid opcode"));
  const lacking = { Module, CompileError, validate: () => false, compile, compileStreaming: compile };
  const tooOld = ["too old", "Lockdown Mode", "Chrome 96", "Edge 96", "Firefox 92", "Safari 16.4"];

  test.each([
    ["a browser without WebAssembly", { WebAssembly: undefined }, tooOld],
    ["a browser whose WebAssembly lacks a feature", { WebAssembly: lacking }, tooOld],
    ["jsdom without TextEncoder", { TextEncoder: undefined }, ["jest-fixed-jsdom"]],
  ])("%s", async (_, globals, parts) => {
    const { window, package: findings } = await importWith();
    Object.assign(window, globals);
    expectLoadFailure(await rejectionOf(findings.getFindings(1, "topics")), parts);
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
    expectLoadFailure(await rejectionOf(findings.getFindings(1, "topics")));
    expectLoadFailure(await rejectionOf(findings.getFindings(1, "topics")));
  });

  test("that allows it by wasm-unsafe-eval, and no other evaluation, is enough", async () => {
    const { package: findings } = await importInRealm(
      `default-src 'none'; ${scripts} 'wasm-unsafe-eval'; connect-src ${self}`,
    );
    expect(await findings.getFindings(1, "topics", { headers: async () => ({ a: "b" }) })).toHaveLength(6);
  });
});

describe("while the module is loaded", () => {
  test("the time counts for totalTimeout", async () => {
    const { package: findings, release } = await importHeld();
    const call = findings.getFindings(1, "topics", { totalTimeout: 100 });
    const ended = rejectionOf(call);
    await vi.waitUntil(() => requests === 1);
    // The module is held: a call that went on waiting for it would never end.
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

  test.each(["loadTable", "streamPartitions"])("the request for the counts of %s leaves, once", async (name) => {
    const { package: findings, release } = await importHeld();
    const headers = vi.fn(async () => ({ "x-token": "1" }));
    const client = /** @type {any} */ (new findings.FindingsClient({ headers }));
    const result = client[name](1, "topics");
    const end = name === "streamPartitions" ? Array.fromAsync(result) : result;
    await vi.waitUntil(() => requests === 1 && asked.length === 1);
    expect(asked[0]?.path).toBe("Findings/1");
    expect(asked[0]?.headers.get("x-token")).toBe("1");
    expect(headers.mock.calls).toEqual([
      [{ attempt: 1, status: undefined, url: expect.stringMatching(/Findings\/1$/) }],
    ]);
    release();
    expect(await end).toHaveLength(name === "streamPartitions" ? 3 : 6);
    expect(asked.filter(({ path }) => path === "Findings/1")).toHaveLength(1);
    expect(headers).toHaveBeenCalledTimes(4);
  });

  test("a failed first request is an attempt like any other", async () => {
    serve({ respond: ({ kind, count }) => (kind || count > 1 ? undefined : new Response(null, { status: 503 })) });
    const { package: findings, release } = await importHeld();
    const onPartition = vi.fn();
    const call = findings.getFindings(1, "topics", { onPartition });
    await vi.waitUntil(() => asked.length === 1);
    release();
    expect(await call).toHaveLength(6);
    const changes = onPartition.mock.calls.filter(([{ index }]) => index === null);
    expect(changes.map(([{ state, attempt }]) => [state, attempt])).toEqual([
      ["requested", 1],
      ["retrying", 2],
      ["received", 2],
    ]);
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

  test("a request ends if the module cannot be loaded, and if its call is aborted", async () => {
    const { package: findings, window, release } = await importHeld();
    /** @type {AbortSignal[]} */
    const signals = [];
    const fetch = async (/** @type {string} */ _href, /** @type {RequestInit} */ { signal }) => {
      signals.push(/** @type {AbortSignal} */ (signal));
      return new Promise(() => {});
    };
    const controller = new window.AbortController();
    const call = findings.getFindings(1, "topics", { fetch, signal: controller.signal });
    await vi.waitUntil(() => signals.length === 1);
    controller.abort("stop");
    expect(await rejectionOf(call)).toBe("stop");
    expect(signals[0]?.aborted).toBe(true);
    release();
    const failing = await importWith(() => new Response(null, { status: 500 }));
    expectLoadFailure(await rejectionOf(failing.package.getFindings(1, "topics", { fetch })));
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });
});

describe("while its worker starts, preload() is rejected by", () => {
  /** @type {[string, (ended: { client: { free(): void }, controller: AbortController }) => void, object][]} */
  const ends = [
    ["free()", ({ client }) => client.free(), { name: "TypeError" }],
    ["an abort", ({ controller }) => controller.abort(new Error("enough")), { message: "enough" }],
    ["totalTimeout", () => {}, { code: "timeout" }],
  ];

  test.for(ends)("%s", async ([name, end, reason]) => {
    const { package: manual, window } = await importManualInRealm();
    const [started, controller] = [gate(), new AbortController()];
    // It never responds.
    const worker = () => {
      started.resolve(undefined);
      return new window.Worker("data:text/javascript,");
    };
    await manual.init({ module: addresses.wasm, worker });
    const limits = name === "totalTimeout" ? { totalTimeout: 1000 } : {};
    const client = new manual.FindingsClient({ worker: true, signal: controller.signal, ...limits });
    const preloaded = rejectionOf(client.preload());
    await started.promise;
    end({ client, controller });
    expect(await preloaded).toMatchObject(reason);
    client.free();
  });
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
    "a Request": (window) => new window.Request(addresses.wasm),
    "a promise of a Response": (window) => window.fetch(addresses.wasm),
    "a promise of an address": async () => new URL(addresses.wasm),
    "a promise of bytes": async () => bytes,
    "a view of bytes": () => new Uint8Array(bytes),
    "a promise of a compiled module": (window) => window.WebAssembly.compile(bytes),
  };

  for (const isAwaited of [true, false]) {
    test.for(Object.entries(sources))(`is loaded by init from %s, awaited: ${isAwaited}`, async ([, source]) => {
      serveModule();
      const { package: manual, window } = await importManualInRealm();
      const given = source(window);
      for (const module of isAwaited ? [await given] : [given]) {
        const ready = manual.init({ module: /** @type {any} */ (module) });
        expect(await manual.getFindings(1, "topics")).toHaveLength(6);
        expect(await ready).toBeUndefined();
      }
      expect(requests).toBeLessThanOrEqual(1);
    });
  }

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

  test("rejects anything but a module, and loads it once, however often init is called", async () => {
    const { package: manual } = await importManualInRealm();
    const noSource = Promise.reject(new Error("no source"));
    for (const source of [noSource, new Uint8Array(9), "/missing.wasm", {}, 5]) {
      const error = await rejectionOf(manual.init({ module: /** @type {any} */ (source) }));
      expectLoadFailure(error, []);
      expect(error.cause).toBeDefined();
    }
    serveModule();
    await Promise.all([manual.init(), manual.init(), manual.init({ module: addresses.wasm })]);
    expect(await manual.getFindings(1, "topics")).toHaveLength(6);
    expect(requests).toBe(1);
  });

  /** @type {[string, () => unknown, RegExp][]} */
  const responses = [
    ["a status", async () => new Response("", { status: 503 }), /responded with HTTP status 503/],
    [
      "another content type",
      async () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } }),
      /responded with text\/html instead of the \.wasm file/,
    ],
    [
      "a rejection",
      () => Promise.reject(new TypeError("Failed to fetch")),
      /could not be loaded: (?:TypeError: )?Failed to fetch\./,
    ],
  ];

  test.for(responses)("says so where the promise of a response gives %s, and init may try again", async (each) => {
    const [, give, message] = each;
    const { package: manual } = await importManualInRealm();
    const module = /** @type {Promise<any>} */ (give());
    const [ready, call] = [rejectionOf(manual.init({ module })), rejectionOf(manual.getFindings(1, "topics"))];
    for (const error of [await ready, await call]) expectLoadFailure(error, []);
    expect((await ready).message).toMatch(message);
    serveModule();
    await manual.init();
    expect(await manual.getFindings(1, "topics")).toHaveLength(6);
  });

  /** @type {[string, unknown][]} */
  const misplaced = [
    ["a string", addresses.wasm],
    ["a URL", new URL(addresses.wasm)],
    ["a promise: pass { module }", Promise.resolve()],
    ["a Uint8Array: pass { module }", new Uint8Array()],
    ["null", null],
  ];

  test.for(misplaced)("refuses %s in place of the options", async ([got, options]) => {
    const { package: manual } = await importManualInRealm();
    const error = await rejectionOf(manual.init(/** @type {any} */ (options)));
    expect(error).toMatchObject({
      name: "TypeError",
      message: expect.stringContaining(`options must be an object; got ${got}`),
    });
  });
});
