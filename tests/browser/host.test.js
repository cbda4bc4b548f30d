/** No surprise to the host: nothing is patched, nothing is logged, nothing stays behind. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, describe, expect, test, vi } from "vitest";
import { allFindings } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { addresses, closeRealms, openRealm } from "./realm.js";
import { asked, noResponse, serve } from "./service.js";
import { watchTimers } from "./timers.js";
import { takeTrouble } from "./trouble.js";

afterEach(() => {
  vi.restoreAllMocks();
  closeRealms();
});

/**
 * All globals of a window, with their members.
 * @param {any} window
 */
function snapshot(window) {
  const snapshot = new Map();
  for (const name of Object.getOwnPropertyNames(window)) {
    // The last are those of the driver, which come at some time after the window.
    const value = /^(?:\d+|webkitStorageInfo|event|__pw_.*)$/.test(name) ? undefined : window[name];
    snapshot.set(name, value);
    if (typeof value === "function") {
      for (const [of, members] of [
        ["", value],
        [".prototype", value.prototype],
      ]) {
        for (const key of members ? Reflect.ownKeys(members) : []) {
          const { value: member, get, set } = Object.getOwnPropertyDescriptor(members, key) ?? {};
          snapshot.set(`${name}${of}.${String(key)}`, member ?? get ?? set);
        }
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

test("no global is patched or added by a call", async () => {
  serve();
  const window = await openRealm();
  const before = snapshot(window);
  // Engines create some values again at each access.
  const fleeting = changesBetween(before, snapshot(window));
  const findings = await window.load(addresses.entry);
  await findings.getFindings(1, "topics", {
    headers: async () => ({}),
    signal: new window.AbortController().signal,
    totalTimeout: 9_000,
  });
  await rejectionOf(findings.getFindings(1, "topics", { signal: window.AbortSignal.abort() }));
  const after = snapshot(window);
  expect(changesBetween(before, after).filter((name) => !fleeting.includes(name))).toEqual([]);
});

test("nothing is logged, whatever goes wrong", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  serve({
    partitions: 9,
    counts: { TopicPartitions: 9, TopicFindings: 1 },
    respond: ({ inspectionKey, index }) =>
      inspectionKey === "2" && index === 4 ? new Response("{", { status: 500 }) : undefined,
  });
  await failureOf(getFindings(1, "topics"));
  await failureOf(getFindings(2, "topics"));
  await rejectionOf(getFindings(2, "topics", { signal: AbortSignal.timeout(5) }));
  await rejectionOf(getFindings(2, /** @type {any} */ ("neither")));
  expect(await takeTrouble()).toEqual([]);
});

describe("no timer is left behind", () => {
  /** The fetch of a service without a worker, whose own timers would be seen too. */
  const fetchOneFinding = async (/** @type {string} */ href) =>
    Response.json(href.includes("Topics") ? { Findings: [{}] } : { TopicPartitions: 20, TopicFindings: 20 });

  test("by a call that succeeds", async () => {
    const timers = watchTimers();
    expect(
      await getFindings(1, "topics", { fetch: fetchOneFinding, totalTimeout: 60_000, headers: async () => ({}) }),
    ).toHaveLength(20);
    expect(timers.size).toBe(0);
  });

  test("by a call that fails", async () => {
    const timers = watchTimers();
    vi.spyOn(Math, "random").mockReturnValue(0);
    const fetch = async (/** @type {string} */ href) =>
      href.endsWith("/7") ? new Response(null, { status: 500 }) : fetchOneFinding(href);
    await failureOf(getFindings(1, "topics", { fetch, totalTimeout: 60_000 }));
    expect(timers.size).toBe(0);
  });

  test("by a call that is aborted, in a request or in a backoff", async () => {
    const timers = watchTimers();
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    for (const fetch of [() => new Promise(() => {}), async () => new Response(null, { status: 500 })]) {
      const controller = new AbortController();
      const call = rejectionOf(
        getFindings(1, "topics", {
          fetch: /** @type {any} */ (fetch),
          signal: controller.signal,
          totalTimeout: 60_000,
        }),
      );
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      controller.abort("enough");
      expect(await call).toBe("enough");
    }
    expect(timers.size).toBe(0);
  });
});

test("no listener is left on the window or the document", async () => {
  serve({
    respond: ({ index, count }) => (index === 0 && count === 1 ? new Response(null, { status: 503 }) : undefined),
  });
  const listening = new Set();
  for (const target of [window, document]) {
    vi.spyOn(target, "addEventListener").mockImplementation((_, listener) => void listening.add(listener));
    vi.spyOn(target, "removeEventListener").mockImplementation((_, listener) => void listening.delete(listener));
  }
  const added = vi.mocked(window.addEventListener);
  expect(await getFindings(1, "topics")).toEqual(allFindings(3));
  // While a call waits for a retry, it listens for the `online` event.
  expect(new Set(added.mock.calls.map(([event]) => event))).toEqual(new Set(["online"]));
  expect(listening.size).toBe(0);
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

test("the page stays responsive while a service does not respond", async () => {
  serve({ respond: noResponse });
  const controller = new AbortController();
  const call = rejectionOf(getPartition(1, "topics", 0, { signal: controller.signal }));
  let isOver = false;
  call.finally(() => {
    isOver = true;
  });
  await vi.waitUntil(() => asked.length === 1, { timeout: 50_000 });
  for (let frame = 0; frame < 5; frame++) {
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
  expect(isOver).toBe(false);
  controller.abort("enough");
  expect(await call).toBe("enough");
  expect(asked).toHaveLength(1);
});
