/** No surprise to the host: nothing is patched, nothing is logged, nothing stays behind. */

import { FindingsClient, FindingsError, getFindings } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { allFindings } from "./inspection.js";
import { never, outcomeOf, rejectionOf } from "./outcome.js";
import { addresses, openRealm } from "./realm.js";
import { serve } from "./service.js";
import { watchTimers } from "./timers.js";
import { refused, Wire } from "./wire.js";

/** All globals of a window, with their members. */
function snapshot(/** @type {any} */ window) {
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

/**
 * The names under which two snapshots differ.
 * @param {Map<string, unknown>} one
 * @param {Map<string, unknown>} other
 */
function changesBetween(one, other) {
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

test("no timer is left behind by a call that succeeds, fails, or is aborted in a request or in a backoff", async () => {
  // A service worker's own timers would be seen, too.
  const { fetch } = new Wire({ partitions: 20 });
  const failing = new Wire({ partitions: 20, respond: ({ index }) => (index === 7 ? refused(500) : undefined) });
  const unavailable = new Wire({ respond: () => refused(500) });
  /** @type {[any, number, object][]} the fetch, the random share of its backoffs, and the outcome */
  const rows = [
    [fetch, 0, { value: allFindings(20) }],
    [failing.fetch, 0, { reason: expect.any(FindingsError) }],
    [never, 0.999, { reason: "enough" }],
    [unavailable.fetch, 0.999, { reason: "enough" }],
  ];
  const timers = watchTimers();
  for (const [fetch, drawn, outcome] of rows) {
    vi.spyOn(Math, "random").mockReturnValue(drawn);
    const controller = new AbortController();
    const options = { fetch, headers: async () => ({}), signal: controller.signal, totalTimeout: 60_000 };
    const call = outcomeOf(getFindings(1, "topics", options));
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    if (drawn > 0) controller.abort("enough");
    expect(await call).toEqual(outcome);
    expect(timers.size).toBe(0);
  }
});

test("a page with changed prototypes still gets its findings", async () => {
  serve();
  const prototype = /** @type {any} */ (Object.prototype);
  prototype.unexpected = "inherited";
  try {
    expect(await getFindings(1, "topics")).toHaveLength(6);
    using client = new FindingsClient({ retries: 1 });
    expect(await client.getPartition(1, "topics", 0)).toHaveLength(2);
  } finally {
    delete prototype.unexpected;
  }
});
