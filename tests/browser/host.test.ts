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

/** Makes each kind of storage be missing from a window, or throw when it is read, as in a sandboxed frame. */
function withoutStorage(window: any, change: (of: any, name: string) => void) {
  for (const name of ["indexedDB", "caches", "cookieStore", "localStorage", "sessionStorage"]) change(window, name);
  change(window.Navigator.prototype, "storage");
}

const alterations: [string, (window: any) => void, { hasStorage: boolean }][] = [
  [
    "that lacks weak references, finalisation and message channels",
    (window) => {
      for (const name of ["WeakRef", "FinalizationRegistry", "MessageChannel", "MessagePort"]) delete window[name];
    },
    { hasStorage: true },
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
    { hasStorage: true },
  ],
  [
    "that lacks all storage",
    (window) => withoutStorage(window, (of, name) => Reflect.deleteProperty(of, name)),
    { hasStorage: false },
  ],
  [
    "whose storage throws",
    (window) => {
      const get = () => {
        throw new window.DOMException("no storage", "SecurityError");
      };
      withoutStorage(window, (of, name) => Object.defineProperty(of, name, { get }));
    },
    { hasStorage: false },
  ],
];

test.for(alterations)(
  "a host %s has findings, tables, live tables and errors, and keeps tables or says why not",
  async ([, alter, { hasStorage }]) => {
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
    const onError = vi.fn();
    const store: FindingsStore = (await window.load(keepAddress)).openStore({ onError });
    for (const _ of [1, 2]) {
      const kept = await store.load(client, 1, "topics");
      expect((await kept.done).length).toBe(4_000);
      kept.free();
    }
    expect(await store.list()).toHaveLength(hasStorage ? 1 : 0);
    expect(onError.mock.calls.length > 0).toBe(!hasStorage);
    if (hasStorage) await store.clear();
    else expect((await rejectionOf(store.clear())) instanceof window.Error).toBe(true);
    client.free();
  },
);

test.for([
  [
    "throw",
    () => {
      throw new Error("not allowed");
    },
  ],
  ["return nothing", () => undefined],
  ["return NaN", () => Number.NaN],
] as [string, () => any][])(
  "a host whose clocks and random numbers %s has its findings and tables",
  async ([, act]) => {
    const window = await openRealm();
    const findings = await window.load(addresses.entry);
    for (const [of, name] of [
      [window.performance, "now"],
      [window.Date, "now"],
      [window.Math, "random"],
    ] as [any, string][]) {
      of[name] = act;
    }
    const refusals = new Wire({
      respond: ({ index }) => (index < 0 ? undefined : new Response(null, { status: 503 })),
    });
    const client = new findings.FindingsClient({ baseUrl, worker: false });
    expect(await client.getFindings(1, "topics", { fetch: fetchOf([many]) })).toHaveLength(2_000);
    const table = await client.loadTable(1, "topics", { fetch: fetchOf([many]) });
    expect((await findings.FindingsTable.fromBytes(table.toBytes())).length).toBe(2_000);
    const failure = await rejectionOf(client.getFindings(1, "topics", { fetch: refusals.fetch, retries: 1 }));
    expect(failure).toMatchObject({ code: "http", attempts: 2 });
  },
);

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

test("a page whose timers throw has its findings", async () => {
  const { window, package: findings } = await importInRealm();
  const client = new findings.FindingsClient({ fetch: fetchOf([many]), baseUrl, worker: false });
  using table = await client.loadTable(1, "topics");
  window.setTimeout = (() => {
    throw new window.Error("no timers");
  }) as any;
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
  window.AbortController = Controller as any;
  expect(await findings.getFindings(1, "topics", { baseUrl })).toEqual(allFindings(3));
});

test("a wrong total resolves where console.warn throws", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {
    throw new Error("no warnings here");
  });
  const { fetch } = new Wire({ counts: { TopicPartitions: 3, TopicFindings: 7 } });
  expect(await getFindings(1, "topics", { fetch, completeness: "warn" })).toEqual(allFindings(3));
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
      const client = new FindingsClient({ fetch, failurePolicy: "collect", retries: 3 }) as any;
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
    const fetch = vi.fn((href: string, init: RequestInit) => {
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
