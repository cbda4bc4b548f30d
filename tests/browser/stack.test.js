/** The caller's exhausted stack: the caller gets the host's own error, and the module continues. */

import { afterEach, describe, expect, test, vi } from "vitest";
import { shareOf } from "../counts.js";
import { describeWith } from "./engine.js";
import { gate, never, pause, rejectionOf } from "./outcome.js";
import { closeRealms, importSlimInRealm } from "./realm.js";
import { errorsOfRecursions, isOfStack, onExhaustedStack } from "./stack.js";
import { answering, likelyFinding } from "./tables.js";
import { Traffic } from "./traffic.js";
import { takeTrouble } from "./trouble.js";

afterEach(closeRealms);

const some = Array.from({ length: 30 }, (_, number) => ({ ...likelyFinding(number), Score: number + 0.5 }));

/**
 * The package in a realm of its own, of which no function has been called yet: an engine wants more stack for the first call.
 * @param {(window: import("./realm.js").RealmWindow) => void} [prepare]
 */
async function start(prepare) {
  const { window, package: slim } = await importSlimInRealm();
  prepare?.(window);
  await slim.init();
  const client = new slim.FindingsClient({ fetch: answering([some, some]) });
  return { slim, client, table: await client.loadTable(1, "topics") };
}

/** @typedef {Awaited<ReturnType<typeof start>>} Realm */

/** @type {Record<string, (table: import("./tables.js").Table) => unknown>} */
const queries = {
  length: (table) => table.length,
  byteLength: (table) => table.byteLength,
  columns: (table) => table.columns,
  at: (table) => table.at(7),
  slice: (table) => table.slice(0, 3),
  "an iterator": (table) => table[Symbol.iterator]().next(),
  column: (table) => table.column("Topic.Text"),
  countBy: (table) => table.countBy("Comment", "Sentiment"),
  summarize: (table) => table.summarize(["TopicGroup"], "Score"),
  filter: (table) => table.filter({ Sentiment: [1, 2], Comment: { contains: "CAFÉ" } }).free(),
  sortBy: (table) => table.sortBy("Comment", "desc").free(),
  "a column that does not exist": (table) => {
    try {
      table.countBy("Sentimant");
    } catch (error) {
      if (isOfStack(error)) {
        throw error;
      }
    }
  },
};

/** @type {Record<string, (realm: Realm) => any>} */
const calls = {
  getPartitionCounts: ({ client }) => client.getPartitionCounts(1),
  getPartition: ({ client }) => client.getPartition(1, "topics", 0),
  getFindings: ({ client }) => client.getFindings(1, "topics"),
  loadTable: ({ client }) => client.loadTable(1, "topics").then((table) => table.free()),
  streamPartitions: ({ client }) => client.streamPartitions(1, "topics").next(),
  "a function": ({ slim }) => slim.getPartition(1, "topics", 0, { fetch: answering([some]) }),
};

/**
 * Holds a realm to it that every kind of call is right, and that the table is there: a module that had stopped would have lost it.
 * @param {Realm} realm
 */
async function expectSound(realm) {
  const { client, table } = realm;
  expect(table.toArray()).toEqual([...some, ...some]);
  for (const query of Object.values(queries)) {
    query(table);
  }
  for (const call of Object.values(calls)) {
    await call(realm);
  }
  expect(await client.getFindings(1, "topics")).toEqual([...some, ...some]);
  expect(await takeTrouble()).toEqual([]);
}

describeWith("recursions that end soon")(
  "a recursion that queries a table until the stack ends gets the host's own error, and the table stays usable, for",
  () => {
    test.for(Object.entries(queries))("%s", { timeout: 60_000 }, async ([, query]) => {
      const realm = await start();
      expect(errorsOfRecursions(() => query(realm.table), shareOf(1)).every(isOfStack)).toBe(true);
      await expectSound(realm);
    });
  },
);

describe("1000 calls that are caught at the end of the stack are right or get the host's own error, and the module continues, for", () => {
  test.for(Object.entries(queries))("%s", { timeout: 60_000 }, async ([, query]) => {
    const realm = await start();
    const outcomes = onExhaustedStack(() => query(realm.table), 1000);
    const reasons = outcomes.flatMap((outcome) => ("reason" in outcome ? [outcome.reason] : []));
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.filter((reason) => !isOfStack(reason))).toEqual([]);
    await expectSound(realm);
  });

  test.for(Object.entries(calls))("%s", { timeout: 60_000 }, async ([, call]) => {
    const realm = await start();
    const outcomes = onExhaustedStack(() => call(realm), 1000);
    const settled = await Promise.allSettled(
      outcomes.map((outcome) => ("reason" in outcome ? Promise.reject(outcome.reason) : outcome.value)),
    );
    const reasons = settled.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
    expect(reasons.length).toBeGreaterThan(0);
    expect(reasons.filter((reason) => !isOfStack(reason))).toEqual([]);
    await expectSound(realm);
  });

  test("tables that are freed", { timeout: 60_000 }, async () => {
    const realm = await start();
    const views = Array.from({ length: 1000 }, () => realm.table.filter({}));
    let next = 0;
    const outcomes = onExhaustedStack(() => views[next++].free(), 1000);
    expect(outcomes.some(({ reason }) => isOfStack(reason))).toBe(true);
    for (const view of views) {
      view.free();
      expect(() => view.length).toThrow("freed");
    }
    await expectSound(realm);
  });
});

describe("an end on an exhausted stack takes effect:", () => {
  /** @param {Realm} realm */
  async function waiting({ client }) {
    const traffic = new Traffic(() => gate().promise);
    const controller = new AbortController();
    const call = rejectionOf(client.getFindings(1, "topics", { fetch: traffic.fetch, signal: controller.signal }));
    await vi.waitUntil(() => traffic.open === 1);
    return { traffic, controller, call };
  }

  test("an abort by the host", async () => {
    const realm = await start();
    const client = new realm.slim.FindingsClient({ fetch: /** @type {any} */ (never), concurrency: 100 });
    const aborts = Array.from({ length: 60 }, (_, number) => {
      const controller = new AbortController();
      // The host's own code, so that it needs no stack either.
      const told = new Promise((resolve) => controller.signal.addEventListener("abort", resolve.bind(undefined, true)));
      const call = client.getFindings(number, "topics", { signal: controller.signal });
      return { controller, told, reason: rejectionOf(call) };
    });
    await pause(20);
    // Each with a few kilobytes more than the one before.
    let time = 0;
    onExhaustedStack(() => aborts[time++ / 50]?.controller.abort("enough"), 50 * aborts.length);
    const reasons = aborts.map(async ({ told, reason }) =>
      (await Promise.race([told, pause(20)])) ? reason : "untold",
    );
    expect(new Set(await Promise.all(reasons))).toEqual(new Set(["untold", "enough"]));
    client.free();
    await expectSound(realm);
  });

  test("free() of a client", async () => {
    const realm = await start();
    const client = new realm.slim.FindingsClient();
    const { traffic, call } = await waiting({ ...realm, client });
    onExhaustedStack(() => client.free(), 1000);
    expect((await call).message).toContain("freed");
    expect(traffic.open).toBe(0);
    await expectSound(realm);
  });

  test("return() of a stream", async () => {
    const realm = await start();
    const traffic = new Traffic(() => gate().promise);
    const stream = realm.client.streamPartitions(1, "topics", { fetch: traffic.fetch });
    const next = stream.next();
    await vi.waitUntil(() => traffic.open === 1);
    const returned = onExhaustedStack(() => stream.return?.(), 1000);
    await Promise.allSettled(returned.map(({ value }) => value));
    expect(await next).toEqual({ done: true, value: undefined });
    expect(traffic.open).toBe(0);
    await expectSound(realm);
  });
});

test("a stream whose next() throws on an exhausted stack still delivers every partition", async () => {
  const realm = await start();
  const partitions = Array.from({ length: 300 }, (_, number) => [{ number }]);
  const stream = realm.client.streamPartitions(1, "topics", { fetch: answering(partitions) });
  const outcomes = onExhaustedStack(() => stream.next(), 200);
  const pulled = await Promise.all(outcomes.filter((outcome) => "value" in outcome).map(({ value }) => value));
  const rest = [];
  for await (const partition of stream) {
    rest.push(partition);
  }
  const indexes = [...pulled.map(({ value }) => value), ...rest].map(({ index }) => index);
  expect(indexes).toEqual(partitions.map((_, index) => index));
  await expectSound(realm);
});

test("callbacks that query a table on an exhausted stack get the host's own error, and their call continues", async () => {
  const realm = await start();
  /** @type {any[]} */
  const reasons = [];
  const exhaust = () => {
    for (const { reason } of onExhaustedStack(() => realm.table.countBy("Comment"), 100)) {
      reasons.push(reason);
    }
  };
  const fetch = answering([some, some]);
  const options = {
    onProgress: exhaust,
    onPartition: exhaust,
    headers: () => {
      exhaust();
      return {};
    },
    fetch: (/** @type {string} */ href) => {
      exhaust();
      return fetch(href);
    },
  };
  expect(await realm.client.getFindings(1, "topics", options)).toEqual([...some, ...some]);
  expect(reasons.some(isOfStack)).toBe(true);
  expect(reasons.filter((reason) => reason !== undefined && !isOfStack(reason))).toEqual([]);
  await expectSound(realm);
});

describe("an instance of the module that is lost on an exhausted stack", () => {
  /** A host whose calls need more stack than those of any that is known, so that looking for it beforehand does not help. */
  function startBlindly() {
    return start(({ WebAssembly }) => {
      const { Instance } = WebAssembly;
      WebAssembly.Instance = /** @type {any} */ (
        function ProbeThatFindsNothing() {
          WebAssembly.Instance = Instance;
          return { exports: { probe: () => {} } };
        }
      );
    });
  }

  test.for(Object.entries(queries))("by %s is replaced by the next call", { timeout: 60_000 }, async ([, query]) => {
    const { slim, client, table } = await startBlindly();
    for (let round = 0; round < 3; round++) {
      onExhaustedStack(() => query(table), 1000);
      await expectSound({ slim, client, table: await client.loadTable(1, "topics") });
    }
  });

  test("is lost in this test", async () => {
    const { table } = await startBlindly();
    onExhaustedStack(() => table.filter({ Comment: "x" }), 1000);
    await pause(0);
    expect(() => table.length).toThrow(
      /^The WebAssembly module has stopped \((?:Maximum call stack size exceeded|too much recursion)/,
    );
  });
});
