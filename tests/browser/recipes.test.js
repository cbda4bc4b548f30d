/** The recipes of the documentation for pages that show a live table. */

import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { mount as mountSvelte, unmount as unmountSvelte } from "svelte";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp, h, shallowRef } from "vue";
import { clientOf } from "./clients.js";
import { testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import SvelteGroups from "./recipes/Groups.svelte";
import { Groups } from "./recipes/groups";
import { useLiveTable } from "./recipes/use-live-table";
import { useLiveTable as followInVue } from "./recipes/use-live-table-in-vue";
import { watchTimers } from "./timers.js";
import { quiet, Wire } from "./wire.js";

/** @type {{ unmount(): void }[]} */
const roots = [];

afterEach(() => {
  for (const root of roots.splice(0)) root.unmount();
  vi.restoreAllMocks();
});

/**
 * A component by the recipe, which shows how much has been received.
 * @param {{ client: import("inspection-findings").FindingsClient, inspectionKey: number, seen?: (snapshot: any) => void }} properties
 */
function Shown({ client, inspectionKey, seen }) {
  const snapshot = useLiveTable(client, inspectionKey, "topics");
  seen?.(snapshot);
  const done = snapshot?.progress.partitionsDone ?? "no";
  return createElement("p", {}, `${done} partitions, ${snapshot?.table.length ?? 0} findings, ${snapshot?.state}`);
}

/**
 * Renders the component in strict mode.
 * @param {Parameters<typeof Shown>[0]} properties
 */
function mount(properties) {
  const element = document.createElement("div");
  const root = createRoot(element);
  roots.push(root);
  const render = (/** @type {Parameters<typeof Shown>[0]} */ properties) =>
    root.render(createElement(StrictMode, {}, createElement(Shown, properties)));
  render(properties);
  return { element, root, render };
}

describe("the recipe for React", () => {
  test("is enough for a component that shows groups as they arrive", async () => {
    const wire = groupedWire();
    const element = document.createElement("div");
    const root = createRoot(element);
    roots.push(root);
    root.render(createElement(StrictMode, {}, createElement(Groups, { client: clientOf(wire) })));
    await showsGroups(element, wire);
  });

  test("shows the table as it grows, and loads it once although strict mode mounts twice", async () => {
    const wire = new Wire({ partitions: 4, holds: ({ index }) => index > 1 });
    const client = clientOf(wire);
    const watch = vi.spyOn(client, "watchTable");
    const { element } = mount({ client, inspectionKey: 1 });
    await vi.waitUntil(() => element.textContent === "2 partitions, 4 findings, loading");
    for (const index of [2, 3]) wire.release(index);
    await vi.waitUntil(() => element.textContent === "4 partitions, 8 findings, complete");
    expect(watch).toHaveBeenCalledTimes(2);
    expect(wire.indexes.toSorted()).toEqual([-1, 0, 1, 2, 3]);
  });

  test("ends the loading when the component is unmounted, and leaves nothing behind", async () => {
    const timers = watchTimers();
    const wire = new Wire({ partitions: 9, holds: ({ index }) => index > 0 });
    const { element, root } = mount({ client: clientOf(wire), inspectionKey: 1 });
    await vi.waitUntil(() => element.textContent === "1 partitions, 2 findings, loading");
    expect(wire.open).not.toEqual([]);
    root.unmount();
    await quiet();
    expect(wire.open).toEqual([]);
    const { length } = wire.asked;
    await quiet();
    expect([wire.asked.length, timers.size]).toEqual([length, 0]);
  });

  test("loads another inspection when its key changes", async () => {
    const wire = new Wire({ partitions: 2 });
    const client = clientOf(wire);
    /** @type {any[]} */
    const seen = [];
    const note = (/** @type {any} */ snapshot) => seen.push(snapshot);
    const { element, render } = mount({ client, inspectionKey: 1, seen: note });
    await vi.waitUntil(() => element.textContent === "2 partitions, 4 findings, complete");
    const before = seen.at(-1);
    render({ client, inspectionKey: 2, seen: note });
    await vi.waitUntil(() => seen.at(-1) !== before && seen.at(-1).state === "complete");
    expect(new Set(wire.asked.map(({ inspectionKey }) => inspectionKey))).toEqual(new Set(["1", "2"]));
    expect(wire.asked.filter(({ inspectionKey }) => inspectionKey === "2")).toHaveLength(3);
  });

  testWith("garbage collection")("leaves all tables to garbage collection", async () => {
    const client = clientOf(new Wire({ partitions: 2 }));
    /** @type {WeakRef<any>[]} */
    const tables = [];
    /** @type {any} */
    let mounted = mount({
      client,
      inspectionKey: 1,
      seen: (snapshot) => snapshot && tables.push(new WeakRef(snapshot.table)),
    });
    await vi.waitUntil(() => mounted.element.textContent.endsWith("complete"));
    mounted.root.unmount();
    roots.length = 0;
    mounted = undefined;
    expect(tables.length).toBeGreaterThan(0);
    await vi.waitUntil(
      async () => {
        await collectGarbage();
        return tables.every((table) => table.deref() === undefined);
      },
      { timeout: 10_000 },
    );
  });
});

describe("the recipe for Vue", () => {
  test("shows the table as it grows", async () => {
    const wire = groupedWire();
    const { element } = mountVue(clientOf(wire));
    await showsGroups(element, wire);
  });

  test("ends the loading when the component is unmounted, and leaves nothing behind", async () => {
    const timers = watchTimers();
    const wire = groupedWire();
    const { element, unmount } = mountVue(clientOf(wire));
    await endsItsWork(element, wire, timers, unmount);
  });

  test("loads another inspection when the key of the component changes", async () => {
    const wire = new Wire({ partitions: 2, findings: groupsOf });
    const { element, inspectionKey } = mountVue(clientOf(wire));
    await vi.waitUntil(() => element.textContent === "Price: 4");
    inspectionKey.value = 2;
    await vi.waitUntil(() => wire.asked.filter(({ inspectionKey }) => inspectionKey === "2").length === 3);
    await vi.waitUntil(() => element.textContent === "Price: 4");
  });
});

describe("the recipe for Svelte", () => {
  test("shows the table as it grows", async () => {
    const wire = groupedWire();
    const { element } = mountInSvelte(clientOf(wire));
    await showsGroups(element, wire);
  });

  test("ends the loading when the component is unmounted, and leaves nothing behind", async () => {
    const timers = watchTimers();
    const wire = groupedWire();
    const { element, unmount } = mountInSvelte(clientOf(wire));
    await endsItsWork(element, wire, timers, unmount);
  });
});

/**
 * The findings of a partition, all of one group.
 * @param {number} index
 */
function groupsOf(index) {
  return Array.from({ length: 2 }, (_, row) => ({ StringKey: index * 2 + row, TopicGroup: "Price" }));
}

/** A service whose partitions from the third on are held. */
function groupedWire() {
  return new Wire({ partitions: 4, findings: groupsOf, holds: ({ index }) => index > 1 });
}

/**
 * Expects a component to show the first partitions, then all.
 * @param {HTMLElement} element
 * @param {Wire} wire
 */
async function showsGroups(element, wire) {
  await vi.waitUntil(() => element.textContent.trim() === "Price: 4");
  for (const index of [2, 3]) wire.release(index);
  await vi.waitUntil(() => element.textContent.trim() === "Price: 8");
  expect(wire.indexes.toSorted()).toEqual([-1, 0, 1, 2, 3]);
}

/**
 * Expects a component to end its requests and timers when it is unmounted.
 * @param {HTMLElement} element
 * @param {Wire} wire
 * @param {{ size: number }} timers
 * @param {() => void} unmount
 */
async function endsItsWork(element, wire, timers, unmount) {
  await vi.waitUntil(() => element.textContent.trim() === "Price: 4");
  expect(wire.open).not.toEqual([]);
  unmount();
  await quiet();
  expect(wire.open).toEqual([]);
  const { length } = wire.asked;
  await quiet();
  expect([wire.asked.length, timers.size]).toEqual([length, 0]);
}

/** @param {import("inspection-findings").FindingsClient} client */
function mountVue(client) {
  const inspectionKey = shallowRef(1);
  const shown = {
    props: ["inspectionKey"],
    setup(/** @type {{ inspectionKey: number }} */ { inspectionKey }) {
      const snapshot = followInVue(client, inspectionKey, "sentiment");
      return () => {
        const { table } = snapshot.value;
        const groups = table.length === 0 ? [] : table.countBy("TopicGroup");
        return h("p", {}, groups.map(({ key, count }) => `${key[0]}: ${count}`).join());
      };
    },
  };
  const app = createApp({
    setup: () => () => h(shown, { key: inspectionKey.value, inspectionKey: inspectionKey.value }),
  });
  const element = document.createElement("div");
  app.mount(element);
  const unmount = once(() => app.unmount());
  roots.push({ unmount });
  return { element, inspectionKey, unmount };
}

/** @param {import("inspection-findings").FindingsClient} client */
function mountInSvelte(client) {
  const element = document.createElement("div");
  const component = mountSvelte(SvelteGroups, { target: element, props: { client, inspectionKey: 1 } });
  const unmount = once(() => void unmountSvelte(component));
  roots.push({ unmount });
  return { element, unmount };
}

/**
 * A function that does something at its first call only.
 * @param {() => void} work
 */
function once(work) {
  let done = false;
  return () => {
    if (!done) {
      done = true;
      work();
    }
  };
}
