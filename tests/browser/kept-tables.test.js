/** The recipe of the documentation for tables that outlive the page. */

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf } from "./inspection.js";
import { failureOf } from "./outcome.js";
import { showFindings } from "./recipes/kept-table";
import { openTableStore } from "./recipes/table-store";
import { refused, Wire } from "./wire.js";

/** @typedef {import("./recipes/table-store").TableStore} TableStore */

/**
 * One visit of the page.
 * @param {Wire} wire
 * @param {TableStore} store
 */
async function visit(wire, store) {
  /** @type {number[]} */
  const shown = [];
  const table = await showFindings(clientOf(wire), 1, "topics", store, (table) => shown.push(table.length));
  freeAfterTest(table);
  return { shown, findings: table.toArray(), requests: wire.indexes.toSorted((one, other) => one - other) };
}

/** The stores, each as a browser has it: the second is that of a browser whose pages cannot write files. */
const stores = {
  "the best store of this engine": () => {},
  IndexedDB: () => {
    // WebKitGTK has no such property, so its best store is IndexedDB.
    if (!("storage" in navigator)) return;
    vi.spyOn(navigator, "storage", "get").mockReturnValue(/** @type {any} */ (undefined));
  },
};

describe.for(Object.entries(stores))("the recipe with %s", ([, prepare]) => {
  /** @type {TableStore} */
  let store;

  beforeEach(async () => {
    prepare();
    store = await openTableStore();
    await store.clear();
  });

  afterEach(async () => {
    await store.clear();
    vi.restoreAllMocks();
  });

  test("shows the kept table at once, with one request if the counts are the same", async () => {
    const first = await visit(new Wire({ partitions: 4 }), store);
    expect(first).toEqual({ shown: [8], findings: allFindings(4), requests: [-1, 0, 1, 2, 3] });
    const second = await visit(new Wire({ partitions: 4 }), await openTableStore());
    expect(second).toEqual({ shown: [8, 8], findings: allFindings(4), requests: [-1] });
  });

  test("refreshes and keeps the table when the counts have changed", async () => {
    await visit(new Wire({ partitions: 4 }), store);
    const changed = { shown: [8, 10], findings: allFindings(5), requests: [-1, 0, 1, 2, 3, 4] };
    expect(await visit(new Wire({ partitions: 5 }), store)).toEqual(changed);
    expect((await visit(new Wire({ partitions: 5 }), store)).requests).toEqual([-1]);
  });

  test("keeps what has arrived of a table that lacks partitions", async () => {
    const lacking = new Wire({ partitions: 4, respond: ({ index }) => (index === 2 ? refused(410) : undefined) });
    expect((await failureOf(visit(lacking, store))).code).toBe("partial");
    const next = { shown: [6, 8], findings: allFindings(4), requests: [-1, 2] };
    expect(await visit(new Wire({ partitions: 4 }), store)).toEqual(next);
  });

  test("begins again after the browser has deleted the bytes, after damage, and after sign-out", async () => {
    const everything = { shown: [8], findings: allFindings(4), requests: [-1, 0, 1, 2, 3] };
    await visit(new Wire({ partitions: 4 }), store);
    await store.write("1-topics", new Uint8Array(100));
    expect(await visit(new Wire({ partitions: 4 }), store)).toEqual(everything);
    await store.clear();
    expect(await store.read("1-topics")).toBe(undefined);
    expect(await visit(new Wire({ partitions: 4 }), store)).toEqual(everything);
  });

  test("works without a store that is full", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const full = { ...store, write: () => Promise.reject(new DOMException("no quota", "QuotaExceededError")) };
    const { findings } = await visit(new Wire({ counts: countsOf(2) }), full);
    expect([findings, warn.mock.calls.length]).toEqual([allFindings(2), 1]);
  });
});
