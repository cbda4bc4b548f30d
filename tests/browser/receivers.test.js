/** Methods without their object, and objects in the state of frameworks that wrap it in proxies. */

import { FindingsClient } from "inspection-findings";
import { expect, test } from "vitest";
import { reactive, ref } from "vue";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { load } from "./tables.js";
import { Wire } from "./wire.js";

test("a method without its object, or on a proxy of it, fails with a TypeError", async () => {
  const client = clientOf(new Wire());
  const table = await load([[{ a: 1 }]]);
  /** @type {[any, string, unknown[]][]} */
  const uses = [
    [client, "getFindings", [1, "topics"]],
    [client, "extend", [{}]],
    [client, "loadTable", [1, "topics"]],
    [client.streamPartitions(1, "topics"), "next", []],
    [table, "countBy", ["a"]],
    [table, "toArray", []],
  ];
  for (const [object, name, parameters] of uses) {
    const proxy = new Proxy(object, {});
    for (const receiver of [undefined, {}, proxy]) {
      const use = Promise.try(() => object[name].apply(receiver, parameters));
      expect(await rejectionOf(use), name).toBeInstanceOf(TypeError);
    }
  }
  expect(() => new Proxy(table, {}).length).toThrow(TypeError);
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
