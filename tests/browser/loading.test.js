/** Loading: the module is fetched once, when it is needed; a failure says what to check, and can be repeated. */

import { http, passthrough } from "msw";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings } from "./inspection.js";
import { gate, pause, rejectionOf } from "./outcome.js";
import { addresses, closeRealms, importInRealm, importSlimInRealm, openRealm } from "./realm.js";
import { serve, worker } from "./service.js";

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

afterEach(closeRealms);

/**
 * Replaces the response for the module's file.
 * @param {(request: Request) => Response | Promise<Response>} [respond]
 */
function serveModule(respond = () => passthrough()) {
  worker.use(
    http.get(addresses.wasm, async ({ request }) => {
      requests += 1;
      return respond(request);
    }),
  );
}

/** Expects a rejection with a load failure, of any realm, whose message says what to check. */
function expectLoadFailure(/** @type {any} */ error) {
  expect(error).toMatchObject({ name: "FindingsError", code: "load" });
  expect(error.message).toContain("inspection_findings_bg.wasm");
  expect(error.message).toContain("application/wasm");
  expect(error.message).toContain("wasm-unsafe-eval");
  expect(error.cause).toBeDefined();
}

test("importing the package, and creating a client, fetches no module", async () => {
  serveModule();
  const { package: findings } = await importInRealm();
  new findings.FindingsClient().free();
  await importSlimInRealm();
  await pause(50);
  expect(requests).toBe(0);
});

test("wrong arguments and options reject without the module", async () => {
  serveModule();
  const { package: findings, window } = await importInRealm();
  const client = new findings.FindingsClient({ retries: -1 });
  /** @type {any} */
  const { getFindings } = findings;
  for (const call of [
    () => getFindings("x", "topics"),
    () => getFindings(1, "topic"),
    () => findings.getPartition(1, "topics", -1),
    () => getFindings(1, "topics", { retrys: 3 }),
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
  serveModule();
  const { package: findings } = await importInRealm();
  const client = new findings.FindingsClient();
  const calls = [
    findings.getFindings(1, "topics"),
    client.getFindings(1, "topics"),
    client.getFindings(2, "sentiment"),
  ];
  for (const result of await Promise.all(calls)) {
    expect(JSON.parse(JSON.stringify(result))).toEqual(allFindings(3));
  }
  await findings.getPartitionCounts(1);
  expect(requests).toBe(1);
});

test("preload() fetches the module, and no call fetches it again", async () => {
  serveModule();
  const { package: findings } = await importInRealm();
  expect(await findings.preload()).toBeUndefined();
  expect(requests).toBe(1);
  expect(await findings.getFindings(1, "topics")).toHaveLength(6);
  await findings.preload();
  expect(requests).toBe(1);
});

test("calls that wait for the same load reject with their own errors, which name what each has asked for", async () => {
  serveModule(() => new Response(null, { status: 500 }));
  const { package: findings } = await importInRealm();
  const calls = [findings.getFindings(1, "topics"), findings.getPartition(2, "sentiment", 3), findings.preload()];
  const errors = await Promise.all(calls.map((call) => rejectionOf(call)));
  for (const error of errors) expectLoadFailure(error);
  expect(new Set(errors).size).toBe(3);
  expect(errors.map(({ kind, inspectionKey, partitionIndex }) => [kind, inspectionKey, partitionIndex])).toEqual([
    ["topics", 1, undefined],
    ["sentiment", 2, 3],
    [undefined, undefined, undefined],
  ]);
  expect(requests).toBe(1);
});

test("preload() rejects with a load failure, and succeeds when the module is there", async () => {
  serveModule(() => new Response(null, { status: 500 }));
  const { package: findings } = await importInRealm();
  expectLoadFailure(await rejectionOf(findings.preload()));
  serveModule();
  await findings.preload();
  expect(await findings.getFindings(1, "topics")).toHaveLength(6);
});

describe("a module file", () => {
  const wrong = {
    "that is missing": () => new Response("Not found", { status: 404, headers: { "content-type": "text/plain" } }),
    "that the host fails to give": () => new Response(null, { status: 500 }),
    "that gets a page as response": () =>
      new Response("<!doctype html><p>Hello", { headers: { "content-type": "text/html" } }),
    "that cannot be reached": () => Response.error(),
    "that is cut off": () => new Response(bytes.slice(0, 5_000), { headers: { "content-type": "application/wasm" } }),
    "that is another module": () =>
      new Response(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]), { headers: { "content-type": "application/wasm" } }),
    "that is empty": () => new Response(null, { headers: { "content-type": "application/wasm" } }),
  };

  test.for(Object.entries(wrong))(
    "%s is a load failure of every call, and a second load succeeds once the module is served",
    async ([, respond]) => {
      serveModule(respond);
      const { package: findings } = await importInRealm();
      const client = new findings.FindingsClient();
      const calls = [
        findings.getFindings(1, "topics"),
        client.getPartitionCounts(1),
        client.getPartition(1, "topics", 0),
      ];
      for (const error of await Promise.all(calls.map((call) => rejectionOf(call)))) {
        expectLoadFailure(error);
      }
      expect(requests).toBe(1);
      serveModule();
      expect(await client.getFindings(1, "topics")).toHaveLength(6);
      expect(await findings.getFindings(1, "topics")).toHaveLength(6);
      expect(requests).toBe(2);
    },
  );

  test("that is missing is named by status and URL", async () => {
    serveModule(wrong["that is missing"]);
    const { package: findings } = await importInRealm();
    const error = await rejectionOf(findings.getFindings(1, "topics"));
    expect(error.message).toContain("404");
    expect(error.message).toContain(new URL(addresses.wasm).pathname);
  });

  test("that gets a page as response is named by its type", async () => {
    serveModule(wrong["that gets a page as response"]);
    const { package: findings } = await importInRealm();
    expect((await rejectionOf(findings.getFindings(1, "topics"))).message).toContain("text/html");
  });

  test.for(["text/html", "application/octet-stream", "application/wasm; charset=utf-8", ""])(
    "of the type %j works if it is the module",
    async (type) => {
      serveModule(() => new Response(bytes, { headers: type === "" ? {} : { "content-type": type } }));
      const { package: findings } = await importInRealm();
      expect(await findings.getFindings(1, "topics")).toHaveLength(6);
    },
  );
});

test("a host that lacks the classes of requests and responses loads the module", async () => {
  serveModule();
  const { window, package: findings } = await importInRealm();
  Object.assign(window, { Request: undefined, Response: undefined });
  expect(await findings.getFindings(1, "topics")).toHaveLength(6);
  expect(requests).toBe(1);
});

describe("a browser that is too old", () => {
  const { WebAssembly: own } = globalThis;
  const missing = () => Promise.reject(new own.CompileError("invalid opcode"));
  const old = {
    "because it has no WebAssembly": undefined,
    "because its WebAssembly lacks a feature": {
      Module: own.Module,
      CompileError: own.CompileError,
      validate: () => false,
      compile: missing,
      compileStreaming: missing,
    },
  };

  test.for(Object.entries(old))("%s is told so by a load failure", async ([, WebAssembly]) => {
    serveModule();
    const { window, package: findings } = await importInRealm();
    Object.assign(window, { WebAssembly });
    const error = await rejectionOf(findings.getFindings(1, "topics"));
    expect(error).toMatchObject({ name: "FindingsError", code: "load" });
    for (const part of ["too old", "SIMD", "bulk memory", "Chrome 96", "Firefox 93", "Safari 16.4"]) {
      expect(error.message).toContain(part);
    }
    expect(error.cause).toBeDefined();
  });
});

test.for(["TextEncoder", "TextDecoder"])(
  "an environment without %s, such as jsdom, is told what Jest needs",
  async (name) => {
    serveModule();
    const { window, package: findings } = await importInRealm();
    Object.assign(window, { [name]: undefined });
    const error = await rejectionOf(findings.getFindings(1, "topics"));
    expect(error).toMatchObject({ name: "FindingsError", code: "load" });
    expect(error.message).toContain("jest-fixed-jsdom");
  },
);

describe("a content security policy", () => {
  // In a frame without an address Firefox takes 'self' for nothing.
  const self = location.origin;
  const scripts = `script-src ${self} 'unsafe-inline'`;

  test("that forbids WebAssembly makes a load failure that names the source to allow", async () => {
    const { package: findings } = await importInRealm(scripts);
    expectLoadFailure(await rejectionOf(findings.getFindings(1, "topics")));
    expectLoadFailure(await rejectionOf(findings.getFindings(1, "topics")));
  });

  test("that allows it by wasm-unsafe-eval, and no other evaluation, is enough", async () => {
    const { package: findings } = await importInRealm(
      `default-src 'none'; ${scripts} 'wasm-unsafe-eval'; connect-src ${self}`,
    );
    expect(await findings.getFindings(1, "topics")).toHaveLength(6);
    expect(await findings.getPartitionCounts(1, { headers: async () => ({ a: "b" }) })).toBeDefined();
  });

  test("that forbids to connect to the module's host makes a load failure", async () => {
    const { package: findings } = await importInRealm(
      `${scripts} 'wasm-unsafe-eval'; connect-src https://elsewhere.test`,
    );
    expectLoadFailure(await rejectionOf(findings.getFindings(1, "topics")));
  });
});

describe("while the module is loaded", () => {
  test.for(
    /** @type {[string, (controller: AbortController) => void][]} */ ([
      ["text", (controller) => controller.abort("text")],
      ["an Error", (controller) => controller.abort(new RangeError("mine"))],
      ["nothing", (controller) => controller.abort()],
    ]),
  )("an abort with %s rejects with the signal's reason, and the load continues for others", async ([, abort]) => {
    const held = gate();
    serveModule(() => held.promise.then(() => passthrough()));
    const { package: findings, window } = await importInRealm();
    const controller = new window.AbortController();
    const fetch = vi.fn((/** @type {string} */ href, /** @type {RequestInit} */ init) => window.fetch(href, init));
    const aborted = rejectionOf(findings.getFindings(1, "topics", { signal: controller.signal, fetch }));
    const other = findings.getFindings(1, "topics");
    await vi.waitUntil(() => requests === 1);
    abort(controller);
    expect(Object.is(await aborted, controller.signal.reason)).toBe(true);
    held.resolve(undefined);
    expect(await other).toHaveLength(6);
    expect(fetch).not.toHaveBeenCalled();
    expect(requests).toBe(1);
  });

  test("free rejects the calls that wait for it", async () => {
    const held = gate();
    serveModule(() => held.promise.then(() => passthrough()));
    const { package: findings, window } = await importInRealm();
    const client = new findings.FindingsClient();
    const call = rejectionOf(client.getFindings(1, "topics"));
    await vi.waitUntil(() => requests === 1);
    client.free();
    expect(await call).toBeInstanceOf(window.TypeError);
    held.resolve(undefined);
    expect(await findings.getFindings(1, "topics")).toHaveLength(6);
  });

  test("the time counts for totalTimeout", async () => {
    const held = gate();
    serveModule(() => held.promise.then(() => passthrough()));
    const { package: findings } = await importInRealm();
    const call = findings.getFindings(1, "topics", { totalTimeout: 100 });
    const outcome = Promise.race([rejectionOf(call), pause(1_000).then(() => "still waiting")]);
    await vi.waitUntil(() => requests === 1);
    const ended = await outcome;
    held.resolve(undefined);
    await call.catch(() => {});
    expect(ended).toMatchObject({ code: "timeout", kind: "topics", inspectionKey: 1 });
  });

  test("a call with an aborted signal neither waits for it nor begins it", async () => {
    const held = gate();
    serveModule(() => held.promise.then(() => passthrough()));
    const { package: findings, window } = await importInRealm();
    const signal = window.AbortSignal.abort("before");
    expect(await rejectionOf(findings.getFindings(1, "topics", { signal }))).toBe("before");
    expect(requests).toBe(0);
    const first = findings.getFindings(1, "topics");
    expect(await rejectionOf(findings.getFindings(1, "topics", { signal }))).toBe("before");
    held.resolve(undefined);
    expect(await first).toHaveLength(6);
  });

  test("a live table that is freed meanwhile sends no request", async () => {
    const held = gate();
    serveModule(() => held.promise.then(() => passthrough()));
    const { package: findings } = await importInRealm();
    const fetch = vi.fn();
    const client = new findings.FindingsClient({ fetch });
    const freed = client.watchTable(1, "topics");
    freed.free();
    const later = client.watchTable(1, "topics");
    await vi.waitUntil(() => requests === 1);
    later.free();
    for (const live of [freed, later]) {
      const reason = await rejectionOf(live.done);
      expect(reason.message).toBe("this LiveTable has been freed");
      expect(live.getSnapshot()).toMatchObject({ state: "aborted", error: reason });
    }
    held.resolve(undefined);
    expect(await findings.getFindings(1, "topics")).toHaveLength(6);
    expect(fetch).not.toHaveBeenCalled();
  });
});

describe("while its worker starts", () => {
  /** A client whose worker never responds, and what its preload() rejects with once the worker has started. */
  async function preloadedBy(/** @type {import("inspection-findings").Options} */ options) {
    const { package: findings, window } = await importInRealm();
    const started = gate();
    const worker = () => {
      started.resolve(undefined);
      return new window.Worker("data:text/javascript,");
    };
    const client = new findings.FindingsClient({ worker, ...options });
    const preloaded = rejectionOf(client.preload());
    await started.promise;
    return { window, client, preloaded };
  }

  test("free() rejects preload()", async () => {
    const { window, client, preloaded } = await preloadedBy({});
    client.free();
    expect(await preloaded).toBeInstanceOf(window.TypeError);
  });

  test("an abort rejects preload() with the signal's reason", async () => {
    const controller = new AbortController();
    const { client, preloaded } = await preloadedBy({ signal: controller.signal });
    controller.abort("enough");
    expect(await preloaded).toBe("enough");
    client.free();
  });

  test("totalTimeout limits preload()", async () => {
    const { client, preloaded } = await preloadedBy({ totalTimeout: 1000 });
    expect(await preloaded).toMatchObject({ code: "timeout" });
    client.free();
  });
});

describe("the slim entry", () => {
  test("has the same exports and init", async () => {
    const window = await openRealm();
    const [full, slim] = [await window.load(addresses.entry), await window.load(addresses.slim)];
    expect(Object.keys(slim).toSorted()).toEqual([...Object.keys(full), "init"].toSorted());
    expect(Object.keys(full).toSorted()).toEqual([
      "FindingsClient",
      "FindingsError",
      "FindingsTable",
      "getFindings",
      "getPartition",
      "getPartitionCounts",
      "preload",
    ]);
  });

  test("fails before init by a load failure that says what to do", async () => {
    serveModule();
    const { package: slim } = await importSlimInRealm();
    for (const call of [
      slim.getFindings(1, "topics"),
      slim.getPartitionCounts(1),
      new slim.FindingsClient().getPartition(1, "topics", 0),
      slim.preload(),
    ]) {
      const error = await rejectionOf(call);
      expect(error).toMatchObject({ name: "FindingsError", code: "load" });
      expect(error.message).toContain("init()");
    }
    expect(requests).toBe(0);
  });

  /** @type {Record<string, (window: import("./realm.js").RealmWindow) => any>} */
  const sources = {
    nothing: () => undefined,
    "an address as text": () => addresses.wasm,
    "a URL": (window) => new window.URL(addresses.wasm),
    "a Request": (window) => new window.Request(addresses.wasm),
    "a Response": (window) => window.fetch(addresses.wasm),
    "an ArrayBuffer": () => bytes,
    "a view of bytes": () => new Uint8Array(bytes),
    "a compiled module": (window) => window.WebAssembly.compile(bytes),
  };

  test.for(Object.entries(sources))("is loaded by init from %s", async ([, source]) => {
    serveModule();
    const { package: slim, window } = await importSlimInRealm();
    const given = source(window);
    expect(await slim.init(given instanceof Promise ? await given : given)).toBeUndefined();
    expect(await slim.getFindings(1, "topics")).toHaveLength(6);
    expect(requests).toBeLessThanOrEqual(1);
  });

  test("takes a promise of a source", async () => {
    const { package: slim, window } = await importSlimInRealm();
    await slim.init(window.fetch(addresses.wasm));
    expect(await slim.getFindings(1, "topics")).toHaveLength(6);
  });

  test("rejects anything but a module, and init may be called again", async () => {
    const { package: slim } = await importSlimInRealm();
    for (const source of [
      () => new Uint8Array(9),
      () => "/missing.wasm",
      () => Promise.reject(new Error("no source")),
      () => ({}),
      () => 5,
    ]) {
      const error = await rejectionOf(slim.init(/** @type {any} */ (source())));
      expect(error).toMatchObject({ name: "FindingsError", code: "load" });
      expect(error.cause).toBeDefined();
    }
    await slim.init();
    expect(await slim.getFindings(1, "topics")).toHaveLength(6);
  });

  test("is loaded once, however often init is called", async () => {
    serveModule();
    const { package: slim } = await importSlimInRealm();
    await Promise.all([slim.init(), slim.init(), slim.init(addresses.wasm)]);
    await slim.init();
    expect(requests).toBe(1);
  });
});
