/** The host: the package changes nothing in it, and a call has its outcome where the host lacks a global, or a page has replaced one. */

import { FindingsClient } from "inspection-findings";
import type { FindingsStore } from "inspection-findings/keep";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { reactive, ref } from "vue";
import { callsOfClient } from "./calls.js";
import { clientOf } from "./clients.js";
import { allFindings } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { addresses, importInRealm, openRealm } from "./realm.js";
import { serve } from "./service.js";
import { bodyOf, fetchOf, likelyFindings } from "./tables.js";
import { Wire } from "./wire.js";

/** The globals of a window and the members of its classes, some of which engines create again at each access. */
function snapshot(window: any): Map<string, unknown> {
  const members = (name: string, object: object) =>
    Object.entries(Object.getOwnPropertyDescriptors(object)).map(
      ([key, { value, get, set }]) => [`${name}.${key}`, value ?? get ?? set] as const,
    );
  // The last are those of the driver, which come at some time after the window.
  const names = Object.getOwnPropertyNames(window).filter(
    (name) => !/^(?:\d+|webkitStorageInfo|event|__pw_.*)$/.test(name),
  );
  const classes = names.filter((name) => typeof window[name] === "function");
  return new Map([
    ...names.map((name) => [name, window[name]] as const),
    ...classes.flatMap((name) => members(name, window[name])),
    ...classes.flatMap((name) => members(`${name}.prototype`, window[name].prototype ?? {})),
  ]);
}

/** The names under which two snapshots differ. */
function changesBetween(one: Map<string, unknown>, other: Map<string, unknown>) {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => !Object.is(one.get(name), other.get(name)));
}

test.for([false, true])("no global is patched or added by a call, with worker: %s", async (worker) => {
  serve();
  const window = await openRealm();
  const before = snapshot(window);
  const fleeting = changesBetween(before, snapshot(window));
  const changes = () => changesBetween(before, snapshot(window)).filter((name) => !fleeting.includes(name));
  const findings = await window.load(addresses.entry);
  const { signal } = new window.AbortController();
  await findings.getFindings(1, "topics", { worker, headers: async () => ({}), signal, totalTimeout: 9_000 });
  await rejectionOf(findings.getFindings(1, "topics", { signal: window.AbortSignal.abort() }));
  expect(changes()).toEqual([]);
  window.Response.prototype.json = async () => "patched";
  expect(changes()).toEqual(["Response.prototype.json"]);
});

const baseUrl = location.origin;

/** Enough findings for a body of many pieces. */
const many = likelyFindings(2_000);

const keepAddress = addresses.entry.replace("index.js", "keep.js");

/** Changes of a page before it loads the package. */
const alterations: Record<string, (window: any) => void> = {
  "lacks the classes of requests and responses, as jsdom": (window) => {
    for (const name of ["Request", "Response"]) delete window[name];
  },
  "lacks weak references, finalisation and message channels, as Cloudflare's runtime": (window) => {
    for (const name of ["WeakRef", "FinalizationRegistry", "MessageChannel", "MessagePort"]) delete window[name];
  },
  "has frozen all its built-in objects, as SES": (window) => {
    for (const name of Object.getOwnPropertyNames(window)) {
      if (!/^[A-Z]/.test(name) || typeof window[name] !== "function") continue;
      window.Object.freeze(window[name].prototype);
      window.Object.freeze(window[name]);
    }
  },
  "has changed the prototype of objects": (window) => {
    window.Object.prototype.unexpected = "inherited";
  },
};

test.for(Object.entries(alterations))(
  "a host that %s has findings, tables, live tables and errors, and keeps tables",
  async ([, alter]) => {
    const window = await openRealm();
    window.Math.random = () => 0;
    alter(window);
    const { FindingsClient } = await window.load(addresses.entry);
    const client = new FindingsClient({ fetch: fetchOf([many, many]), baseUrl, worker: false });
    expect(await client.getFindings(1, "topics")).toHaveLength(4_000);
    const live = client.watchTable(1, "topics");
    expect((await live.done).countBy("Sentiment").length).toBeGreaterThan(1);
    live.free();
    const refusing = { fetch: async () => new Response(null, { status: 503 }), retries: 1 };
    const error = { name: "FindingsError", code: "http", status: 503, inspectionKey: 1, attempts: 2 };
    expect(await rejectionOf(client.getFindings(1, "topics", refusing))).toMatchObject(error);
    const store: FindingsStore = (await window.load(keepAddress)).openStore();
    await store.clear();
    for (const _ of [1, 2]) {
      const kept = await store.load(client, 1, "topics");
      expect((await kept.done).length).toBe(4_000);
      kept.free();
    }
    expect(await store.list()).toHaveLength(1);
    await store.clear();
    client.free();
  },
);

test("a sandboxed frame, which has neither storage nor service workers, has findings and a store that says why it keeps none", async () => {
  const code = async ({ scripts, counts, body }: Record<string, any>, load: (address: string) => Promise<any>) => {
    const urlOf = (script: string) => URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    const [{ FindingsClient }, { openStore }] = await Promise.all(scripts.map((script: string) => load(urlOf(script))));
    const fetch = (href: string) =>
      globalThis.fetch(`data:application/json,${encodeURIComponent(/Topics/.test(href) ? body : counts)}`);
    const client = new FindingsClient({ fetch, baseUrl: "https://service.test/", worker: false });
    const errors = new Set();
    const live = await openStore({ onError: (error: Error) => errors.add(error.name) }).load(client, 1, "topics");
    parent.postMessage([(await client.getFindings(1, "topics")).length, (await live.done).length, ...errors], "*");
  };
  const files = [addresses.entry.replace("index.js", "inline.js"), keepAddress];
  const scripts = await Promise.all(files.map(async (file) => (await fetch(file)).text()));
  const given = { scripts, counts: JSON.stringify({ TopicPartitions: 1, SentimentPartitions: 1 }), body: bodyOf(many) };
  const frame = document.createElement("iframe");
  frame.sandbox.add("allow-scripts");
  const text = JSON.stringify(given).replaceAll("<", "\\u003c");
  frame.srcdoc = `<!doctype html><script>(${code})(${text}, (address) => import(address));</script>`;
  const told = new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data), { once: true }));
  document.body.append(frame);
  onTestFinished(() => frame.remove());
  expect(await told).toEqual([2_000, 2_000, "SecurityError"]);
});

test("a page whose AbortController makes signals that its fetch refuses, as in jsdom, has its findings", async () => {
  const { window, package: findings } = await importInRealm();
  serve();
  class Controller {
    signal = Object.assign(new window.EventTarget(), { aborted: false, reason: undefined });
    abort() {}
  }
  window.AbortController = Controller as any;
  expect(await findings.getFindings(1, "topics", { baseUrl })).toEqual(allFindings(3));
});

test("a client of a module serves each request to a server of Cloudflare, which gives up what the request has begun", async () => {
  const { window, package: findings } = await importInRealm();
  let request = 0;
  window.AbortController = class extends window.AbortController {
    constructor() {
      if (request === 0) throw new Error("Disallowed operation called within global scope.");
      super();
    }
  };
  Object.defineProperty(window.navigator, "userAgent", { value: "Cloudflare-Workers" });
  const whole = fetchOf([many]);
  const fetch = (href: string, init: RequestInit) =>
    request === 1 && href.includes("Topics") ? new Promise<never>(() => {}) : whole(href, init);
  const client = new findings.FindingsClient({ fetch, baseUrl, worker: false, concurrency: 1 });
  const kept = client.extend({});
  request = 1;
  const givenUp = rejectionOf(kept.getFindings(1, "topics"));
  for (const _ of [1, 2]) await client.getPartitionCounts(1);
  for (request of [2, 3]) expect(await kept.getFindings(1, "topics")).toHaveLength(2_000);
  client.free();
  const freed = { message: "this FindingsClient has been freed: create another one" };
  expect(await rejectionOf(kept.getFindings(1, "topics"))).toMatchObject(freed);
  expect(await givenUp).toMatchObject(freed);
});

describe("a framework", () => {
  test("gets back the error with a digest that its fetch throws, at once", async () => {
    const signal = Object.assign(new Error("the page needs a request"), { digest: "DYNAMIC_SERVER_USAGE" });
    const fetch = vi.fn(() => Promise.reject(signal));
    using client = new FindingsClient({ fetch, failurePolicy: "collect", retries: 3 });
    for (const call of [client.getFindings(1, "topics"), client.getPartitionCounts(1)]) {
      expect(await rejectionOf(call)).toBe(signal);
    }
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  test("may forbid random numbers until the first request is sent", async () => {
    const random = vi.spyOn(Math, "random");
    const forbidden = vi.fn(() => {
      throw new Error("a prerendered page must not be random");
    });
    const whole = fetchOf([many]);
    const fetch = (href: string, init: RequestInit) => {
      random.mockReset().mockReturnValue(0.5);
      return whole(href, init);
    };
    for (const call of [callsOfClient.getFindings, callsOfClient.loadTable, callsOfClient.getPartition]) {
      random.mockReset().mockImplementation(forbidden);
      const client = clientOf({ fetch } as Wire, { worker: false });
      expect(await call?.(client, 1, "topics", 0)).toHaveLength(2_000);
    }
    expect(forbidden).not.toHaveBeenCalled();
  });

  test("may have clients, tables, live tables and streams, which work in reactive state of Vue", async () => {
    const client = clientOf(new Wire());
    const state = reactive({ client, table: await client.loadTable(1, "topics") });
    expect(state.table.toArray()).toEqual(allFindings(3));
    const live = ref(state.client.watchTable(1, "topics"));
    expect((await live.value.done).length).toBe(6);
    expect(live.value.getSnapshot().table.countBy("Partition")).toHaveLength(3);
    const stream = ref(state.client.streamPartitions(1, "topics"));
    expect(await Array.fromAsync(stream.value)).toHaveLength(3);
    live.value.free();
    state.table.free();
  });
});
