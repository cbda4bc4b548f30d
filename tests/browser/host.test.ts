/** The host: the package changes nothing in it, and a call has its outcome where the host lacks a global, or a page has replaced one. */

import { FindingsClient, getFindings } from "inspection-findings";
import type { FindingsStore } from "inspection-findings/keep";
import { describe, expect, test, vi } from "vitest";
import { freeAfterTest } from "./clients.js";
import { allFindings } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { addresses, importInRealm, openRealm, toldByFrame } from "./realm.js";
import { serve } from "./service.js";
import { bodyOf, fetchOf, likelyFinding } from "./tables.js";
import { Wire } from "./wire.js";

/** All globals of a window, with their members. */
function snapshot(window: any) {
  const snapshot = new Map();
  for (const name of Object.getOwnPropertyNames(window)) {
    // The last are those of the driver, which come at some time after the window.
    const value = /^(?:\d+|webkitStorageInfo|event|__pw_.*)$/.test(name) ? undefined : window[name];
    snapshot.set(name, value);
    if (typeof value !== "function") continue;
    for (const [of, members] of Object.entries({ "": value, ".prototype": value.prototype ?? {} })) {
      for (const key of Reflect.ownKeys(members)) {
        const { value: member, get, set } = Object.getOwnPropertyDescriptor(members, key) ?? {};
        snapshot.set(`${name}${of}.${String(key)}`, member ?? get ?? set);
      }
    }
  }
  return snapshot;
}

/** The names under which two snapshots differ. */
function changesBetween(one: Map<string, unknown>, other: Map<string, unknown>) {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => !Object.is(one.get(name), other.get(name)));
}

test.for([false, true])("no global is patched or added by a call, with worker: %s", async (worker) => {
  serve();
  const window = await openRealm();
  const before = snapshot(window);
  // Engines create some values again at each access.
  const fleeting = changesBetween(before, snapshot(window));
  const changes = () => changesBetween(before, snapshot(window)).filter((name) => !fleeting.includes(name));
  const findings = await window.load(addresses.entry);
  await findings.getFindings(1, "topics", {
    worker,
    headers: async () => ({}),
    signal: new window.AbortController().signal,
    totalTimeout: 9_000,
  });
  await rejectionOf(findings.getFindings(1, "topics", { signal: window.AbortSignal.abort() }));
  expect(changes()).toEqual([]);
  window.Response.prototype.json = async () => "patched";
  expect(changes()).toEqual(["Response.prototype.json"]);
});

test("a page with changed prototypes still gets its findings", async () => {
  serve();
  const prototype = Object.prototype as any;
  prototype.unexpected = "inherited";
  try {
    expect(await getFindings(1, "topics")).toHaveLength(6);
    using client = new FindingsClient({ retries: 1 });
    expect(await client.getPartition(1, "topics", 0)).toHaveLength(2);
  } finally {
    delete prototype.unexpected;
  }
});

const baseUrl = location.origin;

/** Enough findings for a body of many pieces. */
const many = Array.from({ length: 2_000 }, (_, number) => likelyFinding(number));
const counts = JSON.stringify({ TopicPartitions: 1, SentimentPartitions: 1 });

const keepAddress = addresses.entry.replace("index.js", "keep.js");

const alterations: [string, (window: any) => void][] = [
  [
    "that lacks weak references, finalisation and message channels, as Cloudflare's runtime",
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

test.for(alterations)("a host %s has findings, tables, live tables and errors, and keeps tables", async ([, alter]) => {
  const window = await openRealm();
  alter(window);
  const { FindingsClient } = await window.load(addresses.entry);
  const client = new FindingsClient({ fetch: fetchOf([many, many]), baseUrl, worker: false });
  expect(await client.getFindings(1, "topics")).toHaveLength(4_000);
  const live = client.watchTable(1, "topics");
  expect((await live.done).countBy("Sentiment").length).toBeGreaterThan(1);
  live.free();
  const refusing = { fetch: async () => new Response(null, { status: 404 }) };
  const error = { name: "FindingsError", code: "http", status: 404, inspectionKey: 1 };
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
});

test("a host whose clocks and random numbers return no number, as mocks do, has its findings and tables", async () => {
  const window = await openRealm();
  const findings = await window.load(addresses.entry);
  for (const [of, name] of [
    [window.performance, "now"],
    [window.Date, "now"],
    [window.Math, "random"],
  ] as [any, string][]) {
    of[name] = () => Number.NaN;
  }
  const refusals = new Wire({ respond: ({ index }) => (index < 0 ? undefined : new Response(null, { status: 503 })) });
  const client = new findings.FindingsClient({ baseUrl, worker: false });
  const table = await client.loadTable(1, "topics", { fetch: fetchOf([many]) });
  expect((await findings.FindingsTable.fromBytes(table.toBytes())).length).toBe(2_000);
  const failure = await rejectionOf(client.getFindings(1, "topics", { fetch: refusals.fetch, retries: 1 }));
  expect(failure).toMatchObject({ code: "http", attempts: 2 });
});

test("a sandboxed frame, which has neither storage nor service workers, has findings and a store that says why it keeps none", async () => {
  const code = async ({ scripts, counts, body }: { scripts: string[]; counts: string; body: string }) => {
    const [{ FindingsClient }, { openStore }] = await Promise.all(
      scripts.map((script) =>
        (globalThis as any).load(URL.createObjectURL(new Blob([script], { type: "text/javascript" }))),
      ),
    );
    const fetch = (href: string) =>
      globalThis.fetch(`data:application/json,${encodeURIComponent(/Topics/.test(href) ? body : counts)}`);
    const client = new FindingsClient({ fetch, baseUrl: "https://service.test/", worker: false });
    const lengths = [];
    for (const _ of [1, 2]) lengths.push((await client.getFindings(1, "topics")).length);
    const errors = new Set();
    const live = await openStore({ onError: (error: Error) => errors.add(error.name) }).load(client, 1, "topics");
    return [...lengths, (await live.done).length, ...errors];
  };
  const files = [addresses.entry.replace("index.js", "inline.js"), keepAddress];
  const scripts = await Promise.all(files.map(async (file) => (await fetch(file)).text()));
  const told = await toldByFrame(code, { scripts, counts, body: bodyOf(many) }, { isSandboxed: true });
  expect(told).toEqual([2_000, 2_000, 2_000, "SecurityError"]);
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

describe("a framework", () => {
  test("gets back the error with a digest that its fetch throws, at once", async () => {
    const signal = Object.assign(new Error("the page needs a request"), { digest: "DYNAMIC_SERVER_USAGE" });
    const fetch = vi.fn(() => Promise.reject(signal));
    using client = new FindingsClient({ fetch, failurePolicy: "collect", retries: 3 });
    for (const call of [() => client.getFindings(1, "topics"), () => client.getPartitionCounts(1)]) {
      fetch.mockClear();
      expect(await rejectionOf(call())).toBe(signal);
      expect(fetch).toHaveBeenCalledTimes(1);
    }
  });

  test("may forbid random numbers until the first request is sent", async () => {
    const random = vi.spyOn(Math, "random").mockImplementation(() => {
      throw new Error("a prerendered page must not be random");
    });
    const whole = fetchOf([many]);
    const fetch = vi.fn((href: string, init: RequestInit) => {
      if (fetch.mock.calls.length === 1) expect(random).not.toHaveBeenCalled();
      random.mockReturnValue(0.5);
      return whole(href, init);
    });
    const client = new FindingsClient({ fetch, worker: false });
    freeAfterTest(client);
    for (const call of [
      () => client.getFindings(1, "topics"),
      async () => (await client.loadTable(1, "topics")).toArray(),
      () => client.getPartition(1, "topics", 0),
    ]) {
      fetch.mockClear();
      random.mockClear();
      expect(await call()).toHaveLength(2_000);
    }
  });
});
