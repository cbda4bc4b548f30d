/** Hosts that lack a global, or in which a page has replaced one: a call has its outcome, and the module continues. */

import { FindingsClient, getFindings } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { freeAfterTest } from "./clients.js";
import { allFindings } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { addresses, importInRealm, openRealm } from "./realm.js";
import { serve } from "./service.js";
import { bodyOf, fetchOf, likelyFinding } from "./tables.js";
import { Wire } from "./wire.js";

const baseUrl = location.origin;

/** Enough findings for Chromium to keep their body as a blob. */
const many = Array.from({ length: 2_000 }, (_, number) => likelyFinding(number));
const counts = JSON.stringify({ TopicPartitions: 1, SentimentPartitions: 1 });

/** A fetch of the engine's own responses, with a URL, for one partition. @param {typeof globalThis.fetch} fetch */
const byDataUrl = (fetch) => (/** @type {string} */ href) =>
  fetch(`data:application/json,${encodeURIComponent(/Topics/.test(href) ? bodyOf(many) : counts)}`);

/** @type {[string, (window: any) => void][]} */
const alterations = [
  [
    "that lacks weak references, finalisation and message channels",
    (window) => {
      for (const name of ["WeakRef", "FinalizationRegistry", "MessageChannel", "MessagePort"]) delete window[name];
    },
  ],
  [
    "whose built-in objects are all frozen, as by SES",
    (window) => {
      for (const name of Object.getOwnPropertyNames(window)) {
        if (!/^[A-Z]/.test(name) || typeof window[name] !== "function") continue;
        window.Object.freeze(window[name].prototype);
        window.Object.freeze(window[name]);
      }
    },
  ],
];

test.for(alterations)("a host %s has findings, tables, live tables and errors", async ([, alter]) => {
  const window = await openRealm();
  alter(window);
  const { FindingsClient } = await window.load(addresses.entry);
  const client = new FindingsClient({ fetch: fetchOf([many, many]), baseUrl, worker: false });
  expect(await client.getFindings(1, "topics")).toHaveLength(4_000);
  const live = client.watchTable(1, "topics");
  const table = await live.done;
  expect(table.countBy("Sentiment").length).toBeGreaterThan(1);
  live.free();
  const refused = rejectionOf(
    client.getFindings(1, "topics", { fetch: async () => new Response(null, { status: 404 }) }),
  );
  expect(await refused).toMatchObject({ name: "FindingsError", code: "http", status: 404, inspectionKey: 1 });
  client.free();
});

test("a host whose clocks and random numbers throw has its findings", async () => {
  const window = await openRealm();
  const findings = await window.load(addresses.entry);
  for (const [of, name] of /** @type {[any, string][]} */ ([
    [window.performance, "now"],
    [window.Date, "now"],
    [window.Math, "random"],
  ])) {
    of[name] = () => {
      throw new window.Error(`${name} is not allowed`);
    };
  }
  const refusals = new Wire({ respond: ({ index }) => (index < 0 ? undefined : new Response(null, { status: 503 })) });
  const client = new findings.FindingsClient({ baseUrl, worker: false });
  expect(await client.getFindings(1, "topics", { fetch: fetchOf([many]) })).toHaveLength(2_000);
  const failure = await rejectionOf(client.getFindings(1, "topics", { fetch: refusals.fetch, retries: 1 }));
  expect(failure).toMatchObject({ code: "http", attempts: 2 });
});

test("a sandboxed frame, whose navigator refuses service workers, reads large bodies", async () => {
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-scripts");
  frame.srcdoc = `<!doctype html><script>
    addEventListener("message", async ({ data: { script, counts, body } }) => {
      const { FindingsClient } = await import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
      const fetch = (href) =>
        globalThis.fetch("data:application/json," + encodeURIComponent(/Topics/.test(href) ? body : counts));
      const client = new FindingsClient({ fetch, baseUrl: "https://service.test/", worker: false });
      const call = async () => {
        const findings = await client.getFindings(1, "topics");
        return findings.length;
      };
      const told = [await call().catch(String), await call().catch(String)];
      parent.postMessage({ told }, "*");
    });
  </script>`;
  const loaded = new Promise((resolve) => frame.addEventListener("load", resolve));
  document.body.append(frame);
  try {
    await loaded;
    const script = await (await fetch(addresses.entry.replace("index.js", "inline.js"))).text();
    const told = new Promise((resolve) =>
      addEventListener("message", ({ source, data }) => source === frame.contentWindow && resolve(data.told)),
    );
    frame.contentWindow?.postMessage({ script, counts, body: bodyOf(many) }, "*");
    expect(await told).toEqual([2_000, 2_000]);
  } finally {
    frame.remove();
  }
});

test.for([
  ["another value", async () => ({ size: 7 })],
  ["nothing", () => undefined],
])("a page whose Response.prototype.blob returns %s has its findings", async ([, blob]) => {
  const { window, package: findings } = await importInRealm();
  window.Response.prototype.blob = /** @type {any} */ (blob);
  const client = new findings.FindingsClient({ fetch: byDataUrl(window.fetch), baseUrl, worker: false });
  for (let time = 0; time < 2; time++) expect(await client.getFindings(1, "topics")).toHaveLength(2_000);
});

test("a page whose timers throw has its findings", async () => {
  const { window, package: findings } = await importInRealm();
  const client = new findings.FindingsClient({ fetch: fetchOf([many]), baseUrl, worker: false });
  using table = await client.loadTable(1, "topics");
  window.setTimeout = /** @type {any} */ (
    () => {
      throw new window.Error("no timers");
    }
  );
  expect(await client.getFindings(1, "topics")).toHaveLength(2_000);
  expect(table.length).toBe(2_000);
});

test("a page whose AbortController makes signals that its fetch refuses, as in jsdom, has its findings", async () => {
  const { window, package: findings } = await importInRealm();
  serve();
  class Controller {
    signal = Object.assign(new window.EventTarget(), { aborted: false, reason: undefined });
    abort() {}
  }
  window.AbortController = /** @type {any} */ (Controller);
  expect(await findings.getFindings(1, "topics", { baseUrl })).toEqual(allFindings(3));
});

describe("a caller's worker", () => {
  /** @param {Partial<Worker>} members */
  const workerWith = (members) =>
    /** @type {Worker} */ (Object.assign(new EventTarget(), { postMessage() {}, terminate() {}, ...members }));

  const throws = () => {
    throw new Error("not today");
  };

  /** Begins calls with a worker, and holds the tables of the module to be usable afterwards. */
  async function callsWith(/** @type {() => any} */ worker) {
    serve();
    const client = new FindingsClient({ worker: false });
    freeAfterTest(client);
    using table = await client.loadTable(1, "topics");
    const failure = await failureOf(getFindings(1, "topics", { worker }));
    expect(table.toArray()).toEqual(allFindings(3));
    return failure;
  }

  test("whose postMessage and terminate throw is a load error", async () => {
    const failure = await callsWith(() => workerWith({ postMessage: throws, terminate: throws }));
    expect(failure).toMatchObject({ code: "load", cause: { message: "it does not take messages: not today" } });
  });

  test("that fails, and whose terminate throws, is a load error", async () => {
    const failure = await callsWith(() => {
      const worker = workerWith({ terminate: throws });
      queueMicrotask(() => worker.dispatchEvent(new ErrorEvent("error", { message: "dead" })));
      return worker;
    });
    expect(failure).toMatchObject({ code: "load", cause: { message: "dead" } });
  });

  test("that throws a value without text is a load error", async () => {
    const failure = await callsWith(() =>
      workerWith({
        postMessage() {
          throw Object.create(null);
        },
      }),
    );
    expect(failure).toMatchObject({ code: "load" });
  });

  test("whose postMessage throws for a body that waited for the start gives the body back", async () => {
    serve();
    const worker = () => {
      let starts = 0;
      const worker = workerWith({
        postMessage(/** @type {any} */ [kind]) {
          if (kind === "decode") throws();
          if (kind === "start" && starts++ === 0) {
            setTimeout(() => worker.dispatchEvent(new MessageEvent("message", { data: ["ready"] })), 50);
          }
        },
        terminate: throws,
      });
      return worker;
    };
    for (const fetch of [
      undefined,
      (/** @type {any[]} */ ...args) => globalThis.fetch(.../** @type {[any]} */ (args)),
    ]) {
      expect(await getFindings(1, "topics", { worker, fetch })).toEqual(allFindings(3));
    }
  });

  test("that responds to pings but never returns a body ends, and the page decodes", async () => {
    serve();
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const say = (/** @type {EventTarget} */ worker, /** @type {unknown} */ data) =>
      queueMicrotask(() => worker.dispatchEvent(new MessageEvent("message", { data })));
    let started = 0;
    const worker = () => {
      started++;
      const worker = workerWith({
        postMessage: (/** @type {any} */ [kind]) => say(worker, [kind === "ping" ? "pong" : "ready"]),
      });
      return worker;
    };
    let isDone = false;
    const call = getFindings(1, "topics", { worker }).finally(() => {
      isDone = true;
    });
    await vi.waitUntil(async () => {
      await vi.advanceTimersByTimeAsync(5_000);
      return isDone;
    });
    expect(await call).toEqual(allFindings(3));
    expect(started).toBe(1);
  });
});

test("a page whose global Worker is read-only has its worker", async () => {
  const { window, package: findings } = await importInRealm();
  Object.defineProperty(window, "Worker", { writable: false, configurable: false });
  serve();
  const onProgress = vi.fn();
  expect(await findings.getFindings(1, "topics", { baseUrl, worker: true, onProgress })).toEqual(allFindings(3));
  expect(onProgress.mock.lastCall?.[0].decodedIn).toBe("worker");
});

test("an environment without workers says so when a call insists on one", async () => {
  const { window, package: findings } = await importInRealm();
  delete (/** @type {any} */ (window).Worker);
  serve();
  const failure = await rejectionOf(findings.getFindings(7, "topics", { baseUrl, worker: true }));
  expect(failure).toMatchObject({ code: "load", inspectionKey: 7 });
  expect(failure.message).toBe("this environment has no web workers (Node has none): leave out the option worker");
  const client = new findings.FindingsClient({ baseUrl, worker: true });
  expect(await client.getPartitionCounts(1)).toMatchObject({ topics: { partitions: 3 } });
});

describe("a framework", () => {
  test("gets back the error with a digest that its fetch throws, at once", async () => {
    const signal = Object.assign(new Error("the page needs a request"), { digest: "DYNAMIC_SERVER_USAGE" });
    const fetch = vi.fn(() => Promise.reject(signal));
    for (const [call, ...parameters] of [
      ["getFindings", 1, "topics"],
      ["loadTable", 1, "topics"],
      ["getPartition", 1, "topics", 0],
      ["getPartitionCounts", 1],
    ]) {
      const client = /** @type {any} */ (new FindingsClient({ fetch, failurePolicy: "collect", retries: 3 }));
      fetch.mockClear();
      expect(await rejectionOf(client[call](...parameters))).toBe(signal);
      expect(fetch).toHaveBeenCalledTimes(1);
    }
  });

  test("may forbid random numbers until the first request is sent", async () => {
    const random = vi.spyOn(Math, "random").mockImplementation(() => {
      throw new Error("a prerendered page must not be random");
    });
    const whole = fetchOf([many]);
    const fetch = vi.fn((/** @type {string} */ href, /** @type {RequestInit} */ init) => {
      if (fetch.mock.calls.length === 1) expect(random).not.toHaveBeenCalled();
      random.mockReturnValue(0.5);
      return whole(href, init);
    });
    const client = new FindingsClient({ fetch, worker: false });
    freeAfterTest(client);
    expect(await client.getFindings(1, "topics")).toHaveLength(2_000);
    fetch.mockClear();
    random.mockClear();
    using table = await client.loadTable(1, "topics");
    expect(table.length).toBe(2_000);
    fetch.mockClear();
    random.mockClear();
    expect(await client.getPartition(1, "topics", 0)).toHaveLength(2_000);
  });
});
