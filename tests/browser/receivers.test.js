/** Methods without their object, and objects in the state of frameworks that wrap it in proxies. */

import { FindingsClient, FindingsTable } from "inspection-findings";
import { expect, test } from "vitest";
import { reactive, ref } from "vue";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings } from "./inspection.js";
import { load } from "./tables.js";
import { Wire } from "./wire.js";

/**
 * The names of the public methods or getters of an object, inherited ones too.
 * @param {object} object
 * @param {"value" | "get"} kind
 * @returns {string[]}
 */
function membersOf(object, kind) {
  const prototype = Object.getPrototypeOf(object);
  if (prototype === Object.prototype) return [];
  const names = Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { [kind]: member }]) => name !== "constructor" && typeof member === "function")
    .map(([name]) => name);
  return [...names, ...membersOf(prototype, kind)];
}

/** A client, a table and a stream, each with a name for it and the name of a method. */
async function objects() {
  const client = clientOf(new Wire());
  return /** @type {[string, any, string][]} */ ([
    ["client", client, "getFindings"],
    ["table", await load([[{ a: 1 }]]), "countBy"],
    ["stream", client.streamPartitions(1, "topics"), "toReadableStream"],
  ]);
}

test("each method without its object, or on a proxy of it, throws a TypeError that says what to do", async () => {
  for (const [noun, object, known] of await objects()) {
    const names = membersOf(object, "value");
    expect(names).toContain(known);
    for (const name of names) {
      const message = `${noun}.${name}() was called without its ${noun}, or on a proxy of it: call it on the ${noun}`;
      const { [name]: detached } = object;
      const proxy = new Proxy(object, {});
      for (const call of [() => detached(), () => proxy[name](), () => detached.call({}), () => detached.call("text")])
        expect(call).toThrow(new TypeError(message));
    }
  }
});

test("each getter of a table on a proxy of it throws a TypeError that says what to do", async () => {
  /** @type {any} */
  const proxy = new Proxy(await load([[{ a: 1 }]]), {});
  const names = membersOf(Object.create(FindingsTable.prototype), "get");
  expect(names).toContain("length");
  for (const name of names) {
    const message = `table.${name} was read without its table, or on a proxy of it: read it from the table`;
    expect(() => proxy[name]).toThrow(new TypeError(message));
  }
});

test("a method of a class that extends FindingsClient works", async () => {
  class Mine extends FindingsClient {
    all() {
      return super.getFindings(1, "topics");
    }
  }
  const client = new Mine({ fetch: new Wire().fetch });
  freeAfterTest(client);
  expect(await client.all()).toEqual(allFindings(3));
});

test("clients, tables, live tables and streams work in reactive state of Vue", async () => {
  const client = clientOf(new Wire());
  const state = reactive({
    client,
    table: await client.loadTable(1, "topics"),
    inner: { live: /** @type {any} */ (0) },
  });
  expect(state.table.toArray()).toEqual(allFindings(3));
  expect([state.table.length, [...state.table].length]).toEqual([6, 6]);
  state.inner.live = state.client.watchTable(1, "topics");
  const live = ref(state.inner.live);
  expect((await live.value.done).length).toBe(6);
  expect(state.inner.live.getSnapshot().table.countBy("Partition")).toHaveLength(3);
  const stream = ref(state.client.streamPartitions(1, "topics"));
  expect(await Array.fromAsync(stream.value)).toHaveLength(3);
  state.inner.live.free();
  state.table.free();
});
