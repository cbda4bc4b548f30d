/** The recipes of the README for pages that show a live table. */

import { createElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, describe, expect, test, vi } from "vitest";
import readme from "../../README.md?raw";
import { clientOf } from "./clients.js";
import { collectGarbage } from "./garbage.js";
import { useLiveTable } from "./recipes/use-live-table.js";
import recipe from "./recipes/use-live-table.js?raw";
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
 * @param {{ client: unknown, inspectionKey: number, seen?: (snapshot: any) => void }} properties
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
  test("is in the README as it is tested", () => {
    expect(readme).toContain(recipe.slice(recipe.indexOf("import")).trim());
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

  test("leaves all tables to garbage collection", async () => {
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
