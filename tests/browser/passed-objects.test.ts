/** The objects that callers pass: each place takes plain ones only, and says of anything else what came. */

import { FindingsClient, FindingsTable, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { csvOf, xlsxOf } from "inspection-findings/export";
import { openStore } from "inspection-findings/keep";
import { getFindings as getFindingsAsObjects, FindingsClient as ObjectsClient } from "inspection-findings/objects";
import { useFindings, useLiveTable } from "inspection-findings/react";
import { createFakeService } from "inspection-findings/testing";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { outcomeOf } from "./outcome.js";
import { openRealm } from "./realm.js";
import { tableOf } from "./tables.js";
import { Wire } from "./wire.js";
import { collect, refusing } from "./wires";

// Other tests begin with an empty store.
afterAll(() => openStore().clear());

let wire: Wire;
let client: any;
let table: any;

beforeEach(async () => {
  wire = new Wire();
  client = clientOf(wire);
  table = await tableOf([{ a: 1, b: "x" }, { a: 2 }]);
});

/** Objects that are not what they seem, each with the words of the error about it. */
const odd: Record<string, [make: () => unknown, got: RegExp]> = {
  "a Map": [() => new Map([["a", 1]]), /^a Map/],
  "an empty Map": [() => new Map(), /^a Map/],
  "a Set": [() => new Set(["a"]), /^a Set/],
  "a WeakMap": [() => new WeakMap(), /^a WeakMap/],
  "an array": [() => [], /^an array/],
  "a promise": [() => Promise.resolve({}), /^a promise: await it/],
  // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
  "a thenable": [() => ({ then() {} }), /^a promise: await it/],
  "URL parameters": [() => new URLSearchParams("a=1"), /^a URLSearchParams/],
  "a URL": [() => new URL("https://service.test/"), /^a URL/],
  "a RegExp": [() => /a/, /^a RegExp/],
  "a Date": [() => new Date(), /^a Date/],
  "an AbortSignal": [() => new AbortController().signal, /^an AbortSignal/],
  "an AbortController": [() => new AbortController(), /^an AbortController/],
  Headers: [() => new Headers(), /^a Headers/],
  "a form's data": [() => new FormData(), /^a FormData/],
  "an Error": [() => new Error("a"), /^an Error/],
  "a stream": [() => new ReadableStream(), /^a ReadableStream/],
  "a response": [() => new Response(), /^a Response/],
  "a request": [() => new Request("https://service.test/"), /^a Request/],
  "a buffer": [() => new ArrayBuffer(8), /^an ArrayBuffer/],
  bytes: [() => new Uint8Array(), /^a Uint8Array/],
  "an element": [() => document.createElement("div"), /^a HTMLDivElement/],
  "a generator": [() => (function* () {})(), /^a Generator/],
  "an asynchronous generator": [() => (async function* () {})(), /^an AsyncGenerator/],
  "a boxed string": [() => Object("a"), /^a String/],
  "the arguments of a function": [() => argumentsOf(), /^an Arguments/],
  "a client": [() => client, /^a FindingsClient/],
  "a table": [() => table, /^a FindingsTable/],
  "a proxy of a Map": [() => new Proxy(new Map(), {}), /^a Map/],
  "a Map of another realm": [() => new (realm().Map)(), /^a Map/],
  "a promise of another realm": [() => realm().Promise.resolve(), /^a promise: await it/],
  "an array of another realm": [() => new (realm().Array)(), /^an array/],
  "a signal of another realm": [() => new (realm().AbortController)().signal, /^an AbortSignal/],
  null: [() => null, /^null/],
  "a string": [() => "text", /^(a string|"text")/],
  "a number": [() => 5, /^(a number|5)/],
  "a function": [() => () => {}, /^a function/],
};

function argumentsOf(..._: unknown[]) {
  // biome-ignore lint/complexity/noArguments: that it is one is the point
  return arguments;
}

let window: (Window & typeof globalThis) | undefined;

function realm() {
  return window as Window & typeof globalThis;
}

beforeEach(async () => {
  window = await openRealm();
});

/** Every place that takes an object, and the oddities that it takes for what they are. */
interface Place {
  pass: (value: any) => unknown;
  takes?: readonly string[];
}

const entries = [
  ...["a Map", "an empty Map", "a Set", "an array", "URL parameters", "Headers", "a form's data", "bytes"],
  ...["a generator", "a boxed string", "the arguments of a function", "a proxy of a Map", "a Map of another realm"],
  ...["an array of another realm", "a table"],
];

const ofCall = (call: (value: any) => unknown): Place => ({ pass: call });

const places: Record<string, Place> = {
  "new FindingsClient": ofCall((value) => new FindingsClient(value).getPartitionCounts(1)),
  "preload of a client": ofCall((value) => new FindingsClient(value).preload()),
  "new FindingsClient without tables": ofCall((value) => new ObjectsClient(value).getPartitionCounts(1)),
  extend: ofCall((value) => client.extend(value).getPartitionCounts(1)),
  "the function getPartitionCounts": ofCall((value) => getPartitionCounts(1, value)),
  "the function getPartition": ofCall((value) => getPartition(1, "topics", 0, value)),
  "the function getFindings": ofCall((value) => getFindings(1, "topics", value)),
  "the function getFindings without tables": ofCall((value) => getFindingsAsObjects(1, "topics", value)),
  getPartitionCounts: ofCall((value) => client.getPartitionCounts(1, value)),
  getPartition: ofCall((value) => client.getPartition(1, "topics", 0, value)),
  getFindings: ofCall((value) => client.getFindings(1, "topics", value)),
  streamPartitions: ofCall((value) => client.streamPartitions(1, "topics", value).next()),
  loadPartition: ofCall((value) => client.loadPartition(1, "topics", 0, value)),
  loadTable: ofCall((value) => client.loadTable(1, "topics", value)),
  streamTables: ofCall((value) => client.streamTables(1, "topics", value).next()),
  watchTable: ofCall((value) => client.watchTable(1, "topics", value).done),
  resume: ofCall(async (value) => {
    const failing = clientOf(refusing([1]).wire).getFindings(1, "topics", collect);
    const { reason } = await outcomeOf(failing);
    return reason.resume(value);
  }),
  "the option headers": {
    pass: (value) => client.getPartitionCounts(1, { headers: value }),
    takes: [...entries, "null", "a function"],
  },
  "the result of headers": {
    pass: (value) => client.getPartitionCounts(1, { headers: () => value }),
    takes: [...entries, "a promise", "a thenable", "a promise of another realm"],
  },
  openStore: ofCall((value) => openStore(value)),
  "load of a store": ofCall(async (value) => (await openStore({}).load(client, 1, "topics", value)).done),
  useLiveTable: ofCall((value) => errorOfHook(useLiveTable, value)),
  useFindings: ofCall((value) => errorOfHook(useFindings, value)),
  filter: { pass: (value) => table.filter(value), takes: ["an array", "an array of another realm"] },
  "an alternative of filter": ofCall((value) => table.filter([{ a: 1 }, value])),
  "a condition": {
    pass: (value) => table.filter({ a: value }),
    takes: ["an array", "an array of another realm", "null", "a string", "a number"],
  },
  "not of a condition": {
    pass: (value) => table.filter({ a: { not: value } }),
    takes: ["an array", "an array of another realm", "null", "a string", "a number"],
  },
  "the column of with": ofCall((value) => table.with("c", value)),
  "values of with": {
    pass: (value) => table.with("c", { by: "a", values: value }),
    takes: ["a Map", "an empty Map", "a proxy of a Map", "a Map of another realm"],
  },
  "values of with beside keys": {
    pass: (value) => table.with("c", { by: "a", keys: [], values: value }),
    takes: entries,
  },
  "keys of with": { pass: (value) => table.with("c", { by: "a", keys: value, values: [] }), takes: entries },
  "aggregates of summarize": {
    pass: (value) => table.summarize("a", value),
    takes: ["a string"],
  },
  "an aggregate of summarize": {
    pass: (value) => table.summarize("a", { mean: value }),
    takes: ["a string"],
  },
  "options of countBy": { pass: (value) => table.countBy("a", value), takes: ["a string"] },
  "FindingsTable.from": { pass: (value) => FindingsTable.from(value), takes: entries },
  "a finding of FindingsTable.from": ofCall((value) => FindingsTable.from([{}, value])),
  "FindingsTable.concat": { pass: (value) => FindingsTable.concat(value), takes: entries },
  "a table of FindingsTable.concat": { pass: (value) => FindingsTable.concat([table, value]), takes: ["a table"] },
  "the column of FindingsTable.concat": ofCall((value) => FindingsTable.concat([table], value)),
  "values of FindingsTable.concat": {
    pass: (value) => FindingsTable.concat([], { name: "c", values: value }),
    takes: entries,
  },
  "FindingsTable.fromBytes": { pass: (value) => FindingsTable.fromBytes(value), takes: ["a buffer", "bytes"] },
  toArrowIPC: ofCall((value) => toArrowIPC(table, value)),
  "options of csvOf": ofCall((value) => csvOf([], value)),
  "options of xlsxOf": ofCall((value) => xlsxOf([], value)),
  "a row of csvOf": ofCall((value) => csvOf([{}, value])),
  "the table of toArrowIPC": { pass: (value) => toArrowIPC(value), takes: ["a table"] },
  createFakeService: ofCall((value) => createFakeService(value)),
  "findings of createFakeService": {
    pass: (value) => createFakeService({ topics: value }),
    takes: ["an array", "an array of another realm"],
  },
  "the scenario of createFakeService": {
    pass: (value) => createFakeService({ scenario: value }),
    takes: ["a string"],
  },
  "faults of createFakeService": ofCall((value) => createFakeService({ faults: value })),
  "sessions of createFakeService": ofCall((value) => createFakeService({ sessions: value })),
  "use of a fake service": { pass: (value) => createFakeService().use(value), takes: ["a string"] },
};

/** Renders a component with a hook, and throws the error that it returns. */
async function errorOfHook(hook: typeof useLiveTable | typeof useFindings, options: any): Promise<never> {
  const states: any[] = [];
  const Component = () => {
    states.push(hook(client, 1, "topics", options));
    return null;
  };
  const root = createRoot(document.createElement("div"));
  freeAfterTest({ free: () => root.unmount() });
  root.render(createElement(Component));
  await vi.waitUntil(() => states.at(-1)?.state !== undefined && states.at(-1).state !== "loading");
  throw states.at(-1).error;
}

/** What a place says of each oddity: the end of a `TypeError`, or that it takes it. */
async function said(pass: Place["pass"], names: readonly string[]): Promise<Record<string, string>> {
  const words: Record<string, string> = {};
  for (const name of names) {
    const { reason } = await outcomeOf((async () => pass(odd[name]?.[0]()))());
    words[name] =
      reason instanceof TypeError ? reason.message.replace(/^.*; got (?=.)/s, "") : `no TypeError: ${reason}`;
  }
  return words;
}

test.for(Object.entries(places))(
  "%s says what came in place of a plain object, without a request",
  async ([, { pass, takes = [] }]) => {
    const refused = Object.keys(odd).filter((name) => !takes.includes(name));
    const words = refused.map((name) => [name, expect.stringMatching(odd[name]?.[1] as RegExp)]);
    expect(await said(pass, refused)).toEqual(Object.fromEntries(words));
    expect(wire.asked).toEqual([]);
  },
);

type Members = Record<string, unknown>;

/** Plain objects with the same own members. */
const own: Record<string, (members: Members) => object> = {
  "an object literal": (members) => ({ ...members }),
  "an object without a prototype": (members) => Object.assign(Object.create(null), members),
  "an object of another realm": (members) => Object.assign(new (realm().Object)(), members),
  "an instance of a class with fields": (members) => Object.assign(new (class Fields {})(), members),
  "a frozen object": (members) => Object.freeze({ ...members }),
  "a proxy": (members) => new Proxy({ ...members }, {}),
};

/** Objects with the same members, inherited ones. */
const inheriting: Record<string, (members: Members) => object> = {
  "an object that inherits": (members) => Object.create(members),
  "an instance of a class with getters": (members) => {
    class Getters {}
    for (const [name, value] of Object.entries(members)) {
      Object.defineProperty(Getters.prototype, name, { get: () => value });
    }
    return new Getters();
  },
};

/** Places whose members have names of the package, with members that change the result. */
const dictionaries: Record<string, [Members, (value: any) => unknown]> = {
  "options of a call": [{ columns: ["Number"] }, (value) => client.getFindings(1, "topics", value)],
  "options of a client": [
    { maxPartitionBytes: 1, retries: 0 },
    async (value) => (await outcomeOf(clientOf(wire).extend(value).getFindings(1, "topics"))).reason.code,
  ],
  "the column of with": [
    { by: "a", keys: [1], values: ["new"] },
    (value) => freeAfterTest(table.with("c", value)).toArray(),
  ],
  "options of countBy": [{ distinct: "a" }, (value) => table.countBy("b", value)],
  "load of a store": [
    { columns: ["Number"], reload: true, growth: "append" },
    async (value) => (await (await openStore({}).load(client, 1, "topics", value)).done).toArray(),
  ],
  toArrowIPC: [{ strings: "utf8" }, (value) => toArrowIPC(table, value)],
  "options of csvOf": [{ separator: ";" }, async (value) => (await csvOf([{ a: 1, b: 2 }], value)).text()],
  createFakeService: [{ seed: 9, topics: [[{ a: 1 }]] }, (value) => createFakeService(value).findings("topics")],
  "findings of createFakeService": [
    { findings: 3, partitions: 1 },
    (value) => createFakeService({ topics: value }).findings("topics"),
  ],
  "faults of createFakeService": [
    { errorRate: 1 },
    async (value) => {
      const { fetch, baseUrl } = createFakeService({ faults: value });
      return (await fetch(`${baseUrl}Findings/1`)).ok;
    },
  ],
};

/** Places whose members have names of the caller. */
const records: Record<string, [Members, (value: any) => unknown]> = {
  filter: [{ a: 1 }, (value) => freeAfterTest(table.filter(value)).toArray()],
  "a condition": [{ max: 1 }, (value) => freeAfterTest(table.filter({ a: value })).toArray()],
  "not of a condition": [{ max: 1 }, (value) => freeAfterTest(table.filter({ a: { not: value } })).toArray()],
  "values of with": [{ x: "new" }, (value) => freeAfterTest(table.with("c", { by: "b", values: value })).toArray()],
  "aggregates of summarize": [{ mean: "a" }, (value) => table.summarize([], value)],
  "an aggregate of summarize": [{ mean: "a" }, (value) => table.summarize([], { m: value })],
  headers: [
    { "x-token": "given" },
    async (value) => {
      await client.getPartitionCounts(1, { headers: value });
      return wire.asked.at(-1)?.headers.get("x-token");
    },
  ],
};

test.for(Object.entries({ ...dictionaries, ...records }))(
  "%s reads an object of any realm, prototype and class of the caller",
  async ([, [members, use]]) => {
    const expected = await use(members);
    for (const [name, make] of Object.entries(own)) expect(await use(make(members)), name).toEqual(expected);
  },
);

test.for(Object.entries(dictionaries))("%s has inherited members, too", async ([, [members, use]]) => {
  const expected = await use(members);
  for (const [name, make] of Object.entries(inheriting)) expect(await use(make(members)), name).toEqual(expected);
});

test.for(Object.entries(records))(
  "%s without own members is a TypeError unless it is {}",
  async ([, [members, use]]) => {
    for (const [name, make] of Object.entries(inheriting)) {
      const { reason } = await outcomeOf((async () => use(make(members)))());
      expect(reason, name).toBeInstanceOf(TypeError);
      expect(reason.message, name).toMatch(/; got an object without own members: copy the inherited ones$/);
    }
  },
);
