/** The objects that callers pass: each place takes plain ones only, and says of anything else what came. */

import { FindingsClient, FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { csvOf, xlsxOf } from "inspection-findings/export";
import { openStore } from "inspection-findings/keep";
import { init } from "inspection-findings/manual";
import { getFindings as getFindingsAsObjects, FindingsClient as ObjectsClient } from "inspection-findings/objects";
import { useFindings, useLiveTable } from "inspection-findings/react";
import { createFakeService } from "inspection-findings/testing";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { calls } from "./calls.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { outcomeOf, rejectionOf } from "./outcome.js";
import { openRealm, type RealmWindow } from "./realm.js";
import { tableOf } from "./tables.js";
import { Wire } from "./wire.js";
import { collect, refusing } from "./wires";

// Other tests begin with an empty store.
afterAll(() => openStore().clear());

let wire: Wire;
let client: any;
let table: any;
let realm: RealmWindow;

beforeEach(async () => {
  wire = new Wire();
  client = clientOf(wire);
  table = await tableOf([{ a: 1, b: "x" }, { a: 2 }]);
  realm = await openRealm();
});

/** Objects that are not what they seem, each with the words of the error about it. */
const odd: Record<string, [make: () => unknown, got: RegExp]> = {
  "a Map": [() => new Map([["a", 1]]), /^a Map/],
  "an empty Map": [() => new Map(), /^a Map/],
  "a Set": [() => new Set(["a"]), /^a Set/],
  "an array": [() => [], /^an array/],
  "a promise": [() => Promise.resolve({}), /^a promise: (await it|pass { module })$/],
  // biome-ignore lint/suspicious/noThenProperty: that it is one is the point
  "a thenable": [() => ({ then() {} }), /^a promise: (await it|pass { module })$/],
  "URL parameters": [() => new URLSearchParams("a=1"), /^a URLSearchParams/],
  "a URL": [() => new URL("https://service.test/"), /^a URL/],
  Headers: [() => new Headers(), /^a Headers/],
  "a form's data": [() => new FormData(), /^a FormData/],
  "a buffer": [() => new ArrayBuffer(8), /^an ArrayBuffer/],
  bytes: [() => new Uint8Array(), /^a Uint8Array/],
  "a generator": [() => (function* () {})(), /^a Generator/],
  "a boxed string": [() => Object("a"), /^a String/],
  "a client": [() => client, /^a FindingsClient/],
  "a table": [() => table, /^a FindingsTable/],
  "a proxy of a Map": [() => new Proxy(new Map(), {}), /^a Map/],
  "a Map of another realm": [() => new realm.Map(), /^a Map/],
  "a promise of another realm": [() => realm.Promise.resolve(), /^a promise: (await it|pass { module })$/],
  null: [() => null, /^null/],
  "a string": [() => "text", /^(a string|"text")/],
  "a number": [() => 5, /^(a number|5)/],
  "a function": [() => () => {}, /^a function/],
};

const maps = ["a Map", "an empty Map", "a proxy of a Map", "a Map of another realm"];
const entries = [
  ...[...maps, "a Set", "an array", "URL parameters", "Headers", "a form's data", "bytes", "a generator"],
  ...["a boxed string", "a table"],
];
const values = ["an array", "null", "a string", "a number"];

/** A place that takes an object, and the oddities that it takes for what they are. */
type Place = [pass: (value: any) => unknown, takes?: readonly string[]];

const places: Record<string, Place> = {
  ...Object.fromEntries(
    Object.entries(calls).map(([name, call]): [string, Place] => [
      name,
      [(value) => call(client, 1, "topics", 0, value)],
    ]),
  ),
  "new FindingsClient": [(value) => new FindingsClient(value).getPartitionCounts(1)],
  "preload of a client": [(value) => new FindingsClient(value).preload()],
  "new FindingsClient without tables": [(value) => new ObjectsClient(value).getPartitionCounts(1)],
  "the function getFindings without tables": [(value) => getFindingsAsObjects(1, "topics", value)],
  init: [(value) => init(value)],
  extend: [(value) => client.extend(value).getPartitionCounts(1)],
  resume: [
    async (value) => {
      const { resume } = await rejectionOf(clientOf(refusing([1]).wire).getFindings(1, "topics", collect));
      return resume(value);
    },
  ],
  "the option headers": [
    (value) => client.getPartitionCounts(1, { headers: value }),
    [...entries, "null", "a function"],
  ],
  "the result of headers": [
    (value) => client.getPartitionCounts(1, { headers: () => value }),
    [...entries, "a promise", "a thenable", "a promise of another realm"],
  ],
  openStore: [(value) => openStore(value)],
  "load of a store": [async (value) => (await openStore({}).load(client, 1, "topics", value)).done],
  useLiveTable: [(value) => errorOfHook(useLiveTable, value)],
  useFindings: [(value) => errorOfHook(useFindings, value)],
  filter: [(value) => table.filter(value), ["an array"]],
  "an alternative of filter": [(value) => table.filter([{ a: 1 }, value])],
  "a condition": [(value) => table.filter({ a: value }), values],
  "not of a condition": [(value) => table.filter({ a: { not: value } }), values],
  "the column of with": [(value) => table.with("c", value)],
  "values of with": [(value) => table.with("c", { by: "a", values: value }), maps],
  "values of with beside keys": [(value) => table.with("c", { by: "a", keys: [], values: value }), entries],
  "keys of with": [(value) => table.with("c", { by: "a", keys: value, values: [] }), entries],
  "aggregates of summarize": [(value) => table.summarize("a", value), ["a string"]],
  "an aggregate of summarize": [(value) => table.summarize("a", { mean: value }), ["a string"]],
  "options of countBy": [(value) => table.countBy("a", value), ["a string"]],
  "FindingsTable.from": [(value) => FindingsTable.from(value), entries],
  "a finding of FindingsTable.from": [(value) => FindingsTable.from([{}, value])],
  "FindingsTable.concat": [(value) => FindingsTable.concat(value), entries],
  "a table of FindingsTable.concat": [(value) => FindingsTable.concat([table, value]), ["a table"]],
  "the column of FindingsTable.concat": [(value) => FindingsTable.concat([table], value)],
  "values of FindingsTable.concat": [(value) => FindingsTable.concat([], { name: "c", values: value }), entries],
  "FindingsTable.fromBytes": [(value) => FindingsTable.fromBytes(value), ["a buffer", "bytes"]],
  toArrowIPC: [(value) => toArrowIPC(table, value)],
  "the table of toArrowIPC": [(value) => toArrowIPC(value), ["a table"]],
  "options of csvOf": [(value) => csvOf([], value)],
  "options of xlsxOf": [(value) => xlsxOf([], value)],
  "a row of csvOf": [(value) => csvOf([{}, value])],
  createFakeService: [(value) => createFakeService(value)],
  "findings of createFakeService": [(value) => createFakeService({ topics: value }), ["an array"]],
  "the scenario of createFakeService": [(value) => createFakeService({ scenario: value }), ["a string"]],
  "faults of createFakeService": [(value) => createFakeService({ faults: value })],
  "sessions of createFakeService": [(value) => createFakeService({ sessions: value })],
  "use of a fake service": [(value) => createFakeService().use(value), ["a string"]],
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

test.for(Object.entries(places))(
  "%s says what came in place of a plain object, without a request",
  async ([, [pass, takes = []]]) => {
    const refused = Object.entries(odd).filter(([name]) => !takes.includes(name));
    for (const [name, [make, got]] of refused) {
      const { reason } = await outcomeOf(Promise.try(() => pass(make())));
      expect(reason, name).toBeInstanceOf(TypeError);
      expect(reason.message.replace(/^.*; got (?=.)/s, ""), name).toMatch(got);
    }
    expect(wire.asked).toEqual([]);
  },
);

type Members = Record<string, unknown>;

class Fields {}

/** Plain objects with the same own members. */
const own: Record<string, (members: Members) => object> = {
  "an object without a prototype": (members) => Object.assign(Object.create(null), members),
  "an object of another realm": (members) => Object.assign(new realm.Object(), members),
  "an instance of a class with fields": (members) => Object.assign(new Fields(), members),
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

const fakeFindings = (members: any) => createFakeService(members).findings("topics");
const valuesOf = (table: any) => freeAfterTest(table).toArray();

/** Places whose members have names of the package, with members that change the result. */
const dictionaries: Record<string, [Members, (value: any) => unknown]> = {
  "options of a call": [{ columns: ["Number"] }, (value) => client.getFindings(1, "topics", value)],
  "options of a client": [
    { maxPartitionBytes: 1, retries: 0 },
    async (value) => (await rejectionOf(clientOf(wire).extend(value).getFindings(1, "topics"))).code,
  ],
  "the column of with": [{ by: "a", keys: [1], values: ["new"] }, (value) => valuesOf(table.with("c", value))],
  "options of countBy": [{ distinct: "a" }, (value) => table.countBy("b", value)],
  "load of a store": [
    { columns: ["Number"], reload: true, growth: "append" },
    async (value) => (await (await openStore({}).load(client, 1, "topics", value)).done).toArray(),
  ],
  toArrowIPC: [{ strings: "utf8" }, (value) => toArrowIPC(table, value)],
  "options of csvOf": [{ separator: ";" }, async (value) => (await csvOf([{ a: 1, b: 2 }], value)).text()],
  createFakeService: [{ seed: 9, topics: [[{ a: 1 }]] }, fakeFindings],
  "findings of createFakeService": [{ findings: 3, partitions: 1 }, (value) => fakeFindings({ topics: value })],
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
  filter: [{ a: 1 }, (value) => valuesOf(table.filter(value))],
  "a condition": [{ max: 1 }, (value) => valuesOf(table.filter({ a: value }))],
  "not of a condition": [{ max: 1 }, (value) => valuesOf(table.filter({ a: { not: value } }))],
  "values of with": [{ x: "new" }, (value) => valuesOf(table.with("c", { by: "b", values: value }))],
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

test.for([
  ...Object.entries(dictionaries).map(([place, row]) => [place, ...row, { ...own, ...inheriting }] as const),
  ...Object.entries(records).map(([place, row]) => [place, ...row, own] as const),
])("%s reads an object of any realm, prototype and class of the caller", async ([, members, use, makers]) => {
  const expected = await use({ ...members });
  for (const [name, make] of Object.entries(makers)) expect(await use(make(members)), name).toEqual(expected);
});

test.for(Object.entries(records))(
  "%s without own members is a TypeError unless it is {}",
  async ([, [members, use]]) => {
    for (const [name, make] of Object.entries(inheriting)) {
      const { reason } = await outcomeOf(Promise.try(() => use(make(members))));
      expect(reason, name).toBeInstanceOf(TypeError);
      expect(reason.message, name).toMatch(/; got an object without own members: copy the inherited ones$/);
    }
  },
);
