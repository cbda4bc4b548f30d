/** The objects that callers pass: each place takes plain ones only, and says of anything else what came. */

import { FindingsClient, FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { csvOf, xlsxOf } from "inspection-findings/export";
import { openStore } from "inspection-findings/keep";
import { init } from "inspection-findings/manual";
import { getFindings as getFindingsAsObjects, FindingsClient as ObjectsClient } from "inspection-findings/objects";
import { createFakeService } from "inspection-findings/testing";
import { createTableView } from "inspection-findings/view";
import { beforeEach, expect, test, vi } from "vitest";
import { calls } from "./calls.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { outcomeOf, rejectionOf } from "./outcome.js";
import { openRealm, type RealmWindow } from "./realm.js";
import { tableOf } from "./tables.js";
import { Wire } from "./wire.js";
import { collect, refusing } from "./wires";

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
  "a view": [(value) => errorOfView(value)],
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

/** Shows a table with these options, and throws the error of the view. */
async function errorOfView(options: any): Promise<never> {
  const view = createTableView();
  view.subscribe(() => {});
  view.show(client, 1, "topics", options);
  await vi.waitUntil(() => view.getSnapshot().state !== "loading");
  throw view.getSnapshot().error;
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

/** Plain objects with the same members: own ones, or inherited ones. */
const likes: Record<string, [like: (members: Members) => object, isInheriting?: boolean]> = {
  "an object without a prototype": [(members) => Object.assign(Object.create(null), members)],
  "an object of another realm": [(members) => Object.assign(new realm.Object(), members)],
  "an instance of a class with fields": [(members) => Object.assign(new Fields(), members)],
  "a frozen object": [(members) => Object.freeze({ ...members })],
  "a proxy": [(members) => new Proxy({ ...members }, {})],
  "an object that inherits": [(members) => Object.create(members), true],
  "an instance of a class with getters": [
    (members) => {
      class Getters {}
      for (const [name, value] of Object.entries(members)) {
        Object.defineProperty(Getters.prototype, name, { get: () => value });
      }
      return new Getters();
    },
    true,
  ],
};

const valuesOf = (table: any) => freeAfterTest(table).toArray();

/** Places whose members have names of the package, or of the caller; with members that change the result. */
const readers: Record<string, [Members, use: (value: any) => unknown, isOfCaller?: boolean]> = {
  "options of a call": [{ columns: ["Number"] }, (value) => client.getFindings(1, "topics", value)],
  "options of a client": [
    { maxPartitionBytes: 1, retries: 0 },
    async (value) => (await rejectionOf(clientOf(wire).extend(value).getFindings(1, "topics"))).code,
  ],
  "the column of with": [{ by: "a", keys: [1], values: ["new"] }, (value) => valuesOf(table.with("c", value))],
  toArrowIPC: [{ strings: "utf8" }, (value) => toArrowIPC(table, value)],
  createFakeService: [{ seed: 9, topics: [[{ a: 1 }]] }, (value) => createFakeService(value).findings("topics")],
  filter: [{ a: 1 }, (value) => valuesOf(table.filter(value)), true],
  "a condition": [{ max: 1 }, (value) => valuesOf(table.filter({ a: value })), true],
  "not of a condition": [{ max: 1 }, (value) => valuesOf(table.filter({ a: { not: value } })), true],
  "values of with": [{ x: "new" }, (value) => valuesOf(table.with("c", { by: "b", values: value })), true],
  "aggregates of summarize": [{ mean: "a" }, (value) => table.summarize([], value), true],
  "an aggregate of summarize": [{ mean: "a" }, (value) => table.summarize([], { m: value }), true],
  headers: [
    { "x-token": "given" },
    async (value) => {
      await client.getPartitionCounts(1, { headers: value });
      return wire.asked.at(-1)?.headers.get("x-token");
    },
    true,
  ],
};

test.for(Object.entries(readers))(
  "%s reads an object of any realm, prototype and class, but no inherited members whose names are the caller's",
  async ([, [members, use, isOfCaller]]) => {
    const expected = await use({ ...members });
    for (const [name, [like, isInheriting]] of Object.entries(likes)) {
      const outcome = await outcomeOf(Promise.try(() => use(like(members))));
      if (!isOfCaller || !isInheriting) expect(outcome, name).toEqual({ value: expected });
      else {
        const message = expect.stringMatching(/; got an object without own members: copy the inherited ones$/);
        expect([outcome.reason?.name, outcome.reason?.message], name).toEqual(["TypeError", message]);
      }
    }
  },
);
