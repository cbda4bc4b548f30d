/** The host: the package changes nothing in it, and a call has its outcome where the host lacks a global, or a page has replaced one. */

import { FindingsClient } from "inspection-findings";
import type { FindingsStore } from "inspection-findings/keep";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { reactive, ref } from "vue";
import { callsOfClient } from "./calls.js";
import { clientOf } from "./clients.js";
import { allFindings } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { addresses, importInRealm, openRealm, type RealmWindow } from "./realm.js";
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

// P35
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

const addressOf = (entry: string) => addresses.entry.replace("index.js", `${entry}.js`);

/** What pages do to their host before they load the package, each by a function that runs in the page. */
const pages: Record<string, (window: any) => void> = {
  "gets all values from another window": () => {},
  "lacks the classes of requests and responses, as jsdom": (window) => {
    for (const name of ["Request", "Response"]) delete window[name];
  },
  "lacks weak references, finalisation and message channels, as Cloudflare's runtime": (window) => {
    for (const name of ["WeakRef", "FinalizationRegistry", "MessageChannel", "MessagePort"]) delete window[name];
  },
  "has frozen all its built-in objects, as SES": (window) => {
    for (const name of Object.getOwnPropertyNames(window)) {
      if (!/^[A-Z]/.test(name) || typeof window[name] !== "function") continue;
      Object.freeze(window[name].prototype);
      Object.freeze(window[name]);
    }
  },
  "has more members in all prototypes, and another Array.from, as MooTools": (window) => {
    window.Object.prototype.unexpected = "inherited";
    for (const name of ["Array", "String", "Number", "Function", "Date", "Map", "Promise", "Error"]) {
      Object.assign(window[name].prototype, { each() {}, contains: () => true });
    }
    window.Array.from = (item: any) => (Array.isArray(item) ? item : item?.length >= 0 ? [].slice.call(item) : [item]);
  },
  "has an Array.from without iterators and functions, as Prototype.js": (window) => {
    window.Array.prototype.toArray = [].slice;
    window.Array.from = (items: any) => {
      if (items && "toArray" in Object(items)) return items.toArray();
      const list = Array(items?.length || 0);
      for (let at = list.length; at-- > 0; ) list[at] = items[at];
      return list;
    };
  },
  "has methods that scripts have made, as core-js": (window) => {
    const { apply } = Reflect;
    for (const name of Object.getOwnPropertyNames(window).filter((one) => /^[A-Z]/.test(one))) {
      for (const object of [window[name], window[name]?.prototype]) {
        if (typeof window[name] !== "function" || object === undefined || name === "Function") continue;
        for (const [key, { value, writable }] of Object.entries(Object.getOwnPropertyDescriptors(object)) as any) {
          if (typeof value !== "function" || !writable || key === "constructor") continue;
          const made = { [key]: (_: unknown) => {} };
          made[key] = function (this: unknown, ...parameters: unknown[]) {
            return apply(value, this, parameters);
          };
          object[key] = made[key];
        }
      }
    }
  },
  "wraps what calls back, and its fetch, behind the texts of native functions, as Sentry": (window) => {
    const wrappers = new WeakMap();
    const wrapperOf = (own: any) => {
      if (typeof own !== "function") return own;
      if (!wrappers.has(own)) wrappers.set(own, (...parameters: unknown[]) => own.apply(undefined, parameters));
      return wrappers.get(own);
    };
    const names = new WeakMap();
    const replace = (target: any, name: string, at: number) => {
      const own = target[name];
      target[name] = function (this: unknown, ...parameters: unknown[]) {
        parameters[at] = wrapperOf(parameters[at]);
        return own.apply(this, parameters);
      };
      names.set(target[name], `function ${name}() { [native code] }`);
    };
    for (const name of ["setTimeout", "setInterval", "queueMicrotask", "requestAnimationFrame"])
      replace(window, name, 0);
    for (const name of ["addEventListener", "removeEventListener"]) replace(window.EventTarget.prototype, name, 1);
    replace(window, "fetch", 2);
    const textOf = window.Function.prototype.toString;
    window.Function.prototype.toString = function () {
      return names.get(this) ?? textOf.call(this);
    };
  },
  "has promises of its own beside those of async functions, as zone.js": (window) => {
    const { Promise: Native, fetch } = window;
    const { then } = Native.prototype;
    class ZoneAwarePromise {
      readonly #own: Promise<unknown>;
      static resolve = (value: unknown) =>
        value instanceof ZoneAwarePromise ? value : new ZoneAwarePromise((resolve) => resolve(value));
      static reject = (reason: unknown) => new ZoneAwarePromise((_, reject) => reject(reason));
      static withResolvers() {
        const parts: any = {};
        parts.promise = new ZoneAwarePromise((resolve, reject) => Object.assign(parts, { resolve, reject }));
        return parts;
      }
      constructor(executor: (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void) {
        this.#own = new Native(executor);
      }
      // biome-ignore lint/suspicious/noThenProperty: it is a promise
      then(...reactions: unknown[]) {
        return new ZoneAwarePromise((...settle) => then.call(then.call(this.#own, ...reactions), ...settle));
      }
      catch(reaction: unknown) {
        return this.then(undefined, reaction);
      }
      finally(act: () => unknown) {
        const after = (result: unknown) => ZoneAwarePromise.resolve(act()).then(() => result);
        return this.then(after, (reason: unknown) => after(ZoneAwarePromise.reject(reason)));
      }
      get [Symbol.toStringTag]() {
        return "Promise";
      }
    }
    for (const name of ["all", "allSettled", "any", "race"]) {
      (ZoneAwarePromise as any)[name] = (list: unknown) => ZoneAwarePromise.resolve(Native[name](list));
    }
    // biome-ignore lint/suspicious/noThenProperty: they are promises, too
    Native.prototype.then = function (...reactions: unknown[]) {
      return new ZoneAwarePromise((...settle) => then.call(this, ...settle)).then(...reactions);
    };
    window.Promise = ZoneAwarePromise;
    window.fetch = (...parameters: unknown[]) => ZoneAwarePromise.resolve(fetch.apply(window, parameters));
  },
};

const some = likelyFindings(120);
const likelyGroups = [...new Set(some.map(({ TopicGroup }) => TopicGroup).filter((group) => group !== null))];

/** Each result as JSON, which takes less time to compare. */
const textsOf = (results: object) =>
  Object.fromEntries(Object.entries(results).map(([name, result]) => [name, JSON.stringify(result)]));

/** What every call of a window's package gives. */
async function everything(window: RealmWindow, worker: boolean) {
  const entries = ["index", "survey", "export", "keep"].map((entry) => window.load(addressOf(entry)));
  const [{ FindingsClient, FindingsTable }, { crosstab }, { csvOf, xlsxOf }, { openStore }] =
    await Promise.all(entries);
  const client = new FindingsClient({ fetch: fetchOf([some, some]), baseUrl, worker, headers: async () => ({}) });
  const results: Record<string, unknown> = {};
  const { signal } = new AbortController();
  for (const [name, call] of Object.entries(callsOfClient)) {
    const reports = name === "getPartitionCounts" ? {} : { onProgress: async () => {}, onPartition: () => {} };
    results[name] = await call(client, 1, "topics", 0, { ...reports, signal });
  }
  const table = await client.loadTable(1, "topics");
  const values = new Map(likelyGroups.map((group) => [group, `wave of ${group}`]));
  const waves = table.with("Wave", { by: "TopicGroup", values });
  const crossed = crosstab(waves, "TopicGroup", ["Wave"], {
    distinct: ["RespondentKey"],
    nets: { Two: likelyGroups.slice(2) },
  });
  Object.assign(results, {
    with: waves.column("Wave"),
    countBy: waves.countBy(["Wave", "Sentiment"], { distinct: ["StringKey"] }),
    summarize: table.summarize(["TopicGroup"], "Sentiment"),
    filter: table.filter([
      { Sentiment: [1, 2] },
      { TopicGroup: { not: "Group 2" }, Comment: { contains: "CAF\u00c9" } },
    ]).length,
    sortBy: table.sortBy(["TopicGroup", "RespondentKey"], ["desc", "asc"]).slice(0, 50),
    select: table.select("Sentiment", "Topic.Text").at(-1),
    concat: FindingsTable.concat(new Set([table, waves]), { name: "From", values: ["one", "two"] }).countBy("From"),
    from: (await FindingsTable.from(new Set(some))).column("Comment"),
    fromBytes: (await FindingsTable.fromBytes(table.toBytes())).toArray(),
    columns: await client.getFindings(1, "topics", { columns: ["Comment", "Sentiment"] }),
    crosstab: crossed,
    csvOf: await (await csvOf(waves)).text(),
    xlsxOf: (await xlsxOf(crossed)).size,
  });
  let isRefused = true;
  const fetch = async (href: string, init: RequestInit) =>
    isRefused && href.endsWith("Topics/1") ? new Response(null, { status: 503 }) : fetchOf([some, some])(href, init);
  const partial = await rejectionOf(client.getFindings(1, "topics", { fetch, failurePolicy: "collect", retries: 1 }));
  const { name, code, status, inspectionKey, attempts } = partial.failures[0].error;
  isRefused = false;
  Object.assign(results, { error: { name, code, status, inspectionKey, attempts }, resume: await partial.resume() });
  const store: FindingsStore = openStore();
  await store.clear();
  for (const visit of ["first visit", "second visit"]) {
    const kept = await store.load(client, 1, "topics");
    results[visit] = [kept.getSnapshot().table.length, (await kept.done).toArray()];
    kept.free();
    await vi.waitUntil(async () => (await store.list()).length === 1);
  }
  results.kept = (await store.list()).length;
  await store.clear();
  client.free();
  return textsOf(results);
}

/** What they have to give, in any page. */
let everythingRight: Promise<Record<string, string>> | undefined;

async function inUntouchedPage(): Promise<Record<string, string>> {
  const both = [...some, ...some];
  const known = textsOf({
    ...{ getPartition: some, loadPartition: some, getFindings: both, loadTable: both, watchTable: both },
    ...{ streamPartitions: both, streamTables: both, resume: both, fromBytes: both },
    ...{ "first visit": [0, both], "second visit": [240, both], kept: 1 },
    error: { name: "FindingsError", code: "http", status: 503, inspectionKey: 1, attempts: 2 },
    with: both.map(({ TopicGroup }) => (TopicGroup === null ? undefined : `wave of ${TopicGroup}`)),
  });
  const window = await openRealm();
  window.Math.random = () => 0;
  const given = await everything(window, false);
  expect(given).toEqual({ ...given, ...known });
  return given;
}

// P36
test.for(Object.entries(pages))(
  "a page that %s has the results of all calls, in the page and in a worker",
  async ([, alter]) => {
    // Before the other page begins, because both have one store.
    everythingRight ??= inUntouchedPage();
    const right = await everythingRight;
    const window = await openRealm();
    window.Math.random = () => 0;
    (window as any).eval(`(${alter})`)(window);
    for (const worker of [false, true]) expect(await everything(window, worker)).toEqual(right);
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
  const files = [addressOf("inline"), addressOf("keep")];
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
    expect(live.value.getSnapshot().table.countBy("Partition" as string)).toHaveLength(3);
    const stream = ref(state.client.streamPartitions(1, "topics"));
    expect(await Array.fromAsync(stream.value)).toHaveLength(3);
    live.value.free();
    state.table.free();
  });
});
