/** Live tables: a table that grows while it loads. */

import { FindingsClient, FindingsError, FindingsTable } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { dispose } from "./dispose.js";
import { takeFrames } from "./frames.js";
import { allFindings, countsOf, findingsOfAll } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { watchTimers, withoutBackoff } from "./timers.js";
import { takeTrouble } from "./trouble.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

beforeEach(withoutBackoff);

/** @typedef {import("inspection-findings").Options} Options */
/** @typedef {import("inspection-findings").LiveTable<any>} Live */

/**
 * Watches the table of an inspection. It is freed after the test.
 * @param {Wire} wire
 * @param {Options} [options]
 * @returns {Live}
 */
function watched(wire, options) {
  const live = clientOf(wire).watchTable(1, "topics", options);
  freeAfterTest(live);
  return live;
}

/** A wire that holds every partition until the test releases it. */
function held(/** @type {number} */ partitions) {
  return new Wire({ partitions, holds: ({ index }) => index >= 0 });
}

/** A wire that refuses the partitions with these indexes until the test repairs them. */
function refusing(/** @type {number[]} */ indexes, partitions = 3) {
  const refusals = new Set(indexes);
  const wire = new Wire({ partitions, respond: ({ index }) => (refusals.has(index) ? refused(404) : undefined) });
  return { wire, refusals };
}

const collect = /** @type {const} */ ({ failurePolicy: "collect" });

function rowsOf(/** @type {Live} */ live) {
  return live.getSnapshot().table.toArray();
}

/** The states of a live table of which a subscriber is notified. */
function statesOf(/** @type {Live} */ live) {
  /** @type {string[]} */
  const states = [];
  live.subscribe(() => states.push(live.getSnapshot().state));
  return states;
}

describe("a live table", () => {
  test("has exactly the partitions received, in index order, each once, and at last what loadTable gives", async () => {
    const wire = held(6);
    const live = watched(wire);
    // Loading goes on without a subscriber.
    live.subscribe(() => {})();
    /** @type {number[]} */
    const received = [];
    for (const index of [3, 0, 5, 1, 4, 2]) {
      await vi.waitUntil(() => wire.indexes.includes(index));
      wire.release(index);
      received.push(index);
      await quiet();
      const { state, table, progress } = live.getSnapshot();
      const indexes = received.toSorted((one, other) => one - other);
      expect(table.toArray()).toEqual(findingsOfAll(indexes));
      const done = { partitionsDone: received.length, findingsDone: table.length };
      expect(progress).toMatchObject({ ...done, partitions: 6, findings: 12 });
      expect(state).toBe(received.length < 6 ? "loading" : "complete");
    }
    using table = await live.done;
    expect([table.toArray(), rowsOf(live)]).toEqual([allFindings(6), allFindings(6)]);
  });

  test("is empty and answers every query before anything has arrived", () => {
    const live = watched(held(2));
    const { state, table, progress, error } = live.getSnapshot();
    expect([state, error]).toEqual(["loading", undefined]);
    const none = { partitionsDone: 0, partitions: 0, findingsDone: 0, findings: null };
    expect(progress).toEqual({ ...none, bytes: 0, retries: 0 });
    expect(table).toBeInstanceOf(FindingsTable);
    expect([table.length, table.byteLength, table.at(0)]).toEqual([0, 0, undefined]);
    const groups = [...table.countBy("Topic"), ...table.summarize([], "Sentiment")];
    expect([...table.columns, ...table.toArray(), ...table, ...table.slice(0, 5), ...groups]).toEqual([]);
    expect([...table.column("Topic")]).toEqual([]);
    expect(table.filter({ Sentiment: 1 }).sortBy("Topic").length).toBe(0);
    table.free();
    expect(() => table.length).toThrow(TypeError);
  });

  test("takes a column that no partition has brought yet for missing, and refuses it once all are there", async () => {
    const findings = (/** @type {number} */ index) => [{ Kind: "any" }, index === 1 ? { Kind: "some", Late: 2 } : {}];
    const wire = new Wire({ partitions: 2, findings, holds: ({ index }) => index > 0 });
    const live = watched(wire);
    await vi.waitUntil(() => live.getSnapshot().table.length === 2);
    const first = live.getSnapshot().table;
    expect([first.columns, first.countBy("Late")]).toEqual([["Kind"], [{ key: [undefined], count: 2 }]]);
    wire.release(1);
    using whole = await live.done;
    for (const table of [whole, live.getSnapshot().table]) {
      expect(() => table.countBy("Never")).toThrow(RangeError);
      expect(table.countBy("Late")).toHaveLength(2);
    }
    expect(first.countBy("Never", "Late")).toEqual([{ key: [undefined, undefined], count: 2 }]);
  });

  test("takes a documented field that no finding has for missing, from the first query to the last", async () => {
    const wire = held(2);
    const live = watched(wire);
    const query = (/** @type {import("inspection-findings").FindingsTable<any>} */ table) => [
      table.countBy("TopicGroup", "Sentiment"),
      table.summarize("Topic.Text", "Sentiment").map(({ key, sum }) => [key, sum]),
      table.filter({ Sentiment: { max: -1 } }).sortBy("NoTopic").length,
      table.column("Comment")[0],
      table.select("Extract", "Sentiment").columns,
    ];
    const of = (/** @type {number} */ count) => [
      [{ key: [undefined, undefined], count }],
      [[[undefined], 0]],
      0,
      undefined,
      [],
    ];
    for (const index of [0, 1]) {
      await vi.waitUntil(() => wire.indexes.includes(index));
      wire.release(index);
      await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === index + 1);
      expect(query(live.getSnapshot().table)).toEqual(of(2 + 2 * index));
    }
    using whole = await live.done;
    expect(query(whole)).toEqual(of(4));
    expect(live.getSnapshot().state).toBe("complete");
  });

  test("refuses a column that the option columns leaves out from the first query on", async () => {
    const live = watched(new Wire({ partitions: 2, holds: ({ index }) => index > 0 }), { columns: ["Number", "a.b"] });
    await vi.waitUntil(() => live.getSnapshot().table.length === 2);
    const { table } = live.getSnapshot();
    expect(() => table.countBy("Partition")).toThrow(/^there is no column "Partition"; the columns are Number$/);
    expect(() => table.countBy("a")).toThrow(RangeError);
    expect(table.countBy("a.b")).toEqual([{ key: [undefined], count: 2 }]);
  });

  test("gives the same snapshot until something has changed, and never changes one", async () => {
    const wire = held(2);
    const live = watched(wire);
    await quiet();
    const before = live.getSnapshot();
    expect(live.getSnapshot()).toBe(before);
    wire.release(1);
    await quiet();
    const after = live.getSnapshot();
    expect(after).not.toBe(before);
    expect(live.getSnapshot()).toBe(after);
    expect(Object.isFrozen(after) && Object.isFrozen(after.progress)).toBe(true);
    const bytes = after.table.byteLength;
    wire.release(0);
    await live.done;
    expect([before.table.length, before.progress.partitionsDone]).toEqual([0, 0]);
    expect(after.table.toArray()).toEqual(findingsOfAll([1]));
    expect([after.table.byteLength, after.state]).toEqual([bytes, "loading"]);
    expect(after.table.countBy("Partition")).toEqual([{ key: [1], count: 2 }]);
    expect(after.table.columns).toEqual(["Partition", "Number"]);
  });

  test("shows a retry at once, with the same table", async () => {
    const wire = new Wire({
      partitions: 2,
      holds: ({ index, count }) => index === 1 && count === 2,
      respond: ({ index, count }) => (index === 1 && count === 1 ? refused(503) : undefined),
    });
    const live = watched(wire);
    /** @type {Set<unknown>} */
    const tables = new Set();
    await vi.waitUntil(() => {
      const { table, progress } = live.getSnapshot();
      if (progress.partitionsDone === 1) tables.add(table);
      return progress.partitionsDone === 1 && progress.retries === 1;
    });
    expect(tables).toEqual(new Set([live.getSnapshot().table]));
    wire.release(1);
    await live.done;
  });

  test("decodes no string twice for two snapshots", async () => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const findings = (/** @type {number} */ index) =>
      Array.from({ length: 100 }, (_, row) => ({ Text: `a text ${index * 1000 + row}` }));
    const counts = { ...countsOf(3), TopicFindings: 300 };
    const wire = new Wire({ partitions: 3, counts, findings, holds: ({ index }) => index > 0 });
    const live = watched(wire);
    await vi.waitUntil(() => live.getSnapshot().table.length === 100);
    /** The number of texts that were decoded since the last time. */
    const decoded = () => {
      const texts = decode.mock.results.map(({ value }) => String(value)).join();
      decode.mockClear();
      return texts.match(/a text \d+/g)?.length;
    };
    expect(rowsOf(live)).toEqual(findings(0));
    expect(decoded()).toBe(100);
    wire.release(1);
    await vi.waitUntil(() => live.getSnapshot().table.length === 200);
    const { table } = live.getSnapshot();
    expect(table.toArray()).toEqual([...findings(0), ...findings(1)]);
    expect(table.filter({}).toArray()).toHaveLength(200);
    expect(table.countBy("Text")).toHaveLength(200);
    expect(decoded()).toBe(100);
    wire.release(2);
    using whole = await live.done;
    expect(whole.toArray()).toEqual([0, 1, 2].flatMap(findings));
    expect(rowsOf(live)).toEqual([0, 1, 2].flatMap(findings));
    expect(decoded()).toBe(100);
  });
});

describe("subscribers of a live table", () => {
  /** A live table with a subscriber, whose partitions are held, in a page whose frames come when the test says so. */
  async function subscribed(/** @type {{ isHidden?: boolean }} */ page = {}) {
    const frames = takeFrames(page);
    const wire = held(4);
    const live = watched(wire);
    const onChange = vi.fn();
    const unsubscribe = live.subscribe(onChange);
    await quiet();
    return { frames, wire, live, onChange, unsubscribe };
  }

  test("are notified at most once in each frame, and never from inside a call", async () => {
    const { frames, wire, live, onChange } = await subscribed();
    expect([onChange.mock.calls.length, frames.requested]).toEqual([0, 1]);
    frames.frame();
    expect([onChange.mock.calls.length, frames.requested]).toEqual([1, 0]);
    wire.release(0);
    wire.release(1);
    await quiet();
    expect([onChange.mock.calls.length, frames.requested]).toEqual([1, 1]);
    live.getSnapshot();
    frames.frame();
    expect([onChange.mock.calls.length, frames.requested]).toEqual([2, 0]);
    expect(rowsOf(live)).toEqual(allFindings(2));
  });

  test("leave nothing behind after the end", async () => {
    const frames = takeFrames();
    const live = watched(new Wire());
    live.subscribe(() => {});
    await live.done;
    await quiet();
    expect([frames.requested, frames.timed]).toEqual([0, 0]);
  });

  test("are notified of the end before done settles, so that free() right after it loses nothing", async () => {
    takeFrames();
    for (const [refusals, options, state] of /** @type {const} */ ([
      [[], {}, "complete"],
      [[1], {}, "failed"],
      [[1], collect, "partial"],
      [[], { signal: AbortSignal.abort() }, "aborted"],
    ])) {
      const live = watched(refusing([...refusals]).wire, options);
      const states = statesOf(live);
      await live.done.catch(() => {});
      const last = live.getSnapshot();
      live.free();
      expect([states.at(-1), last.state]).toEqual([state, state]);
      expect(live.getSnapshot()).toBe(last);
    }
  });

  test("may free or resume it when they hear of the end", async () => {
    const frames = takeFrames();
    const { wire, refusals } = refusing([1]);
    const live = watched(wire, collect);
    const states = statesOf(live);
    const { promise: complete, resolve } = Promise.withResolvers();
    live.subscribe(() => {
      const { state } = live.getSnapshot();
      if (state === "partial") {
        refusals.clear();
        live.resume();
      }
      if (state === "complete") {
        live.free();
        resolve(live.done);
      }
    });
    await rejectionOf(live.done);
    using table = await complete;
    expect(states).toEqual(["partial", "complete"]);
    expect(table.toArray()).toEqual(allFindings(3));
    expect([live.getSnapshot().state, frames.requested, frames.timed]).toEqual(["complete", 0, 0]);
  });

  test.for([true, false])("are notified by a timer, if the page is hidden at once (%s) or later", async (isHidden) => {
    const { frames, onChange } = await subscribed({ isHidden });
    expect([onChange.mock.calls.length, frames.requested, frames.timed]).toEqual([0, isHidden ? 0 : 1, 1]);
    frames.time();
    expect([onChange.mock.calls.length, frames.requested, frames.timed]).toEqual([1, 0, 0]);
  });

  test("need no frame once nobody is subscribed", async () => {
    const { frames, live, unsubscribe } = await subscribed();
    const unsubscribeOther = live.subscribe(() => {});
    unsubscribe();
    unsubscribe();
    expect(frames.requested).toBe(1);
    unsubscribeOther();
    expect([frames.requested, frames.timed]).toEqual([0, 0]);
  });

  test("are each called, also twice the same one, and after one that throws", async () => {
    const { frames, live, onChange } = await subscribed();
    live.subscribe(() => {
      throw new Error("thrown by a subscriber");
    });
    const late = vi.fn();
    live.subscribe(() => removeLate());
    const removeLate = live.subscribe(late);
    live.subscribe(onChange);
    frames.frame();
    expect(await takeTrouble()).toContainEqual(expect.stringContaining("thrown by a subscriber"));
    expect([onChange.mock.calls.length, late.mock.calls.length]).toEqual([2, 0]);
  });
});

describe("the end of a live table", () => {
  test("is failed after an error, which done rejects with and nothing else reports", async () => {
    const live = watched(refusing([2]).wire);
    const error = await failureOf(live.done);
    const snapshot = live.getSnapshot();
    expect([snapshot.state, snapshot.error]).toEqual(["failed", error]);
    expect([error.code, error.partitionIndex]).toEqual(["http", 2]);
    expect(rowsOf(live)).toEqual(findingsOfAll([0, 1].slice(0, snapshot.progress.partitionsDone)));
  });

  test("causes no unhandledrejection if nobody reads done", async () => {
    const live = watched(new Wire({ respond: () => refused(404) }));
    await vi.waitUntil(() => live.getSnapshot().state === "failed");
    await quiet();
  });

  test("checks the arguments of queries before the module is loaded, as any table does", async () => {
    const live = clientOf(new Wire()).watchTable(1, /** @type {any} */ ("other"));
    /** @type {any} */
    const { table } = live.getSnapshot();
    expect(() => table.column(1)).toThrow(new TypeError("the name of a column must be a string; got 1"));
    expect(() => table.sortBy("a", "up")).toThrow(new TypeError('direction must be "asc" or "desc"; got "up"'));
    expect(() => table.filter({ a: { least: 1 } })).toThrow(
      'the condition on "a" must be a value, an array of values, { min, max }, { contains }, { missing: true } or { not }; got an object with "least"',
    );
    expect([table.countBy("a"), table.filter({ a: 1 }).length]).toEqual([[], 0]);
    await rejectionOf(live.done);
  });

  test("is aborted by the signal, with its reason, and leaves no listener", async () => {
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const wire = held(3);
    const live = watched(wire, { signal: controller.signal });
    await quiet();
    wire.release(1);
    await quiet();
    controller.abort("enough");
    expect(await rejectionOf(live.done)).toBe("enough");
    expect(live.getSnapshot()).toMatchObject({ state: "aborted", error: "enough" });
    expect(rowsOf(live)).toEqual(findingsOfAll([1]));
    expect([wire.open, listeners.left]).toEqual([[], 0]);
  });

  test.for([Number.NaN, 0, -0, "", null, false, {}])(
    "is aborted whatever the reason is, such as %s",
    async (reason) => {
      const controller = new AbortController();
      const live = watched(held(3), { signal: controller.signal });
      controller.abort(reason);
      expect(await rejectionOf(live.done)).toBe(reason);
      const { state, error } = live.getSnapshot();
      expect([state, Object.is(error, reason)]).toEqual(["aborted", true]);
    },
  );

  test("is failed with any value that a callback has thrown, undefined too", async () => {
    const live = watched(new Wire(), {
      onProgress() {
        throw undefined;
      },
    });
    expect(await rejectionOf(live.done)).toBeUndefined();
    expect([live.getSnapshot().state, "error" in live.getSnapshot()]).toEqual(["failed", true]);
  });

  test("is aborted by free() of the client", async () => {
    const wire = held(3);
    const client = new FindingsClient({ fetch: wire.fetch });
    const live = client.watchTable(1, "topics");
    await quiet();
    client.free();
    const reason = await rejectionOf(live.done);
    expect(reason).toBeInstanceOf(TypeError);
    expect(live.getSnapshot()).toMatchObject({ state: "aborted", error: reason });
    expect(wire.open).toEqual([]);
  });
});

describe("free() of a live table", () => {
  test("ends it: nothing is requested, nothing is notified, and the last snapshot stays usable", async () => {
    const timers = watchTimers();
    const wire = held(9);
    const live = watched(wire);
    await quiet();
    const onChange = vi.fn();
    live.subscribe(onChange);
    for (const index of [0, 2]) wire.release(index);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 2);
    onChange.mockClear();
    const { length } = wire.asked;
    live.free();
    live.free();
    const last = live.getSnapshot();
    const reason = await rejectionOf(live.done);
    expect(reason).toEqual(new TypeError("this LiveTable has been freed"));
    live.subscribe(onChange);
    live.resume();
    await quiet();
    expect([onChange.mock.calls.length, wire.open, wire.asked.length, timers.size]).toEqual([0, [], length, 0]);
    expect(live.getSnapshot()).toBe(last);
    expect([last.state, rowsOf(live)]).toEqual(["aborted", findingsOfAll([0, 2])]);
    expect(last.error).toBe(reason);
  });

  test("after any number of microtasks sends no further request, and leaves none open", async () => {
    let sent = 0;
    for (let turns = 0; sent < 3; turns += 3) {
      const wire = held(9);
      const live = clientOf(wire).watchTable(1, "topics");
      for (let turn = 0; turn < turns; turn++) await undefined;
      const { length } = wire.asked;
      live[dispose]();
      await quiet();
      expect([turns, wire.asked.length, wire.open]).toEqual([turns, length, []]);
      sent += length > 0 ? 1 : 0;
      expect(turns).toBeLessThan(500);
    }
  });

  test("leaves what done has given and the snapshots usable, and each of them can be freed on its own", async () => {
    const live = watched(new Wire({ partitions: 3 }));
    const table = await live.done;
    const snapshot = live.getSnapshot();
    live.free();
    expect(table.toArray()).toEqual(allFindings(3));
    table.free();
    expect(snapshot.table.toArray()).toEqual(allFindings(3));
    snapshot.table.free();
    expect(live.getSnapshot()).toBe(snapshot);
  });

  test("may be called by any callback of the call", async () => {
    for (const name of ["onProgress", "onPartition"]) {
      /** @type {Live} */
      const live = watched(new Wire(), { [name]: () => live.free() });
      const reason = await rejectionOf(live.done);
      expect(reason.message).toContain("freed");
      const last = live.getSnapshot();
      expect(last).toMatchObject({ state: "aborted", error: reason });
      await quiet();
      expect(live.getSnapshot()).toBe(last);
    }
  });
});

describe("a live table that collects", () => {
  test("is partial after failures, and resume() continues in it with another done", async () => {
    const { wire, refusals } = refusing([1, 3], 5);
    const live = watched(wire, collect);
    const first = live.done;
    const error = await failureOf(first);
    const partial = live.getSnapshot();
    expect(error.code).toBe("partial");
    expect(partial).toMatchObject({ state: "partial", error });
    expect(rowsOf(live)).toEqual(findingsOfAll([0, 2, 4]));

    refusals.delete(1);
    live.resume();
    expect([live.getSnapshot().state, live.getSnapshot().error]).toEqual(["loading", undefined]);
    expect(live.done).not.toBe(first);
    expect((await failureOf(live.done)).code).toBe("partial");
    expect(rowsOf(live)).toEqual(findingsOfAll([0, 1, 2, 4]));
    expect(partial.table.toArray()).toEqual(findingsOfAll([0, 2, 4]));

    refusals.clear();
    live.resume();
    using table = await live.done;
    expect(live.getSnapshot().state).toBe("complete");
    expect([table.toArray(), rowsOf(live)]).toEqual([allFindings(5), allFindings(5)]);
    expect(wire.indexes.filter((index) => index === 0)).toHaveLength(1);
    const complete = live.getSnapshot();
    live.resume();
    expect(live.getSnapshot()).toBe(complete);
  });

  test("is partial again with the new error after a resume() that fails, whatever it fails with", async () => {
    /** @type {Map<number, () => unknown>} */
    const responses = new Map([[1, () => refused(404)]]);
    const wire = new Wire({ respond: ({ index }) => responses.get(index)?.() });
    const live = watched(wire, { ...collect, retries: 0 });
    await failureOf(live.done);
    for (const [respond, code] of /** @type {const} */ ([
      [() => refused(503), "http"],
      [() => Promise.reject(new TypeError("no connection")), "network"],
      [() => responseOf(countsOf(4)), "incomplete"],
    ])) {
      responses.set(-1, respond);
      live.resume();
      expect(live.getSnapshot().state).toBe("loading");
      const error = await failureOf(live.done);
      expect(error.code).toBe(code);
      expect(live.getSnapshot()).toMatchObject({ state: "partial", error });
      expect(rowsOf(live)).toEqual(findingsOfAll([0, 2]));
    }
    responses.clear();
    live.resume();
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(3));
    expect(live.getSnapshot()).toMatchObject({ state: "complete" });
  });

  test("is aborted by the signal while it is resumed, and can be resumed without it", async () => {
    const controller = new AbortController();
    const wire = new Wire({
      holds: ({ index, count }) => index === 1 && count === 2,
      respond: ({ index }) => (index === 1 ? refused(404) : undefined),
    });
    const live = watched(wire, { ...collect, signal: controller.signal });
    await failureOf(live.done);
    live.resume();
    await vi.waitUntil(() => wire.indexes.filter((index) => index === 1).length === 2);
    controller.abort(Number.NaN);
    expect(await rejectionOf(live.done)).toBeNaN();
    expect(live.getSnapshot().state).toBe("aborted");
    live.resume();
    expect(live.getSnapshot().state).toBe("loading");
    expect((await failureOf(live.done)).code).toBe("partial");
    expect(rowsOf(live)).toEqual(findingsOfAll([0, 2]));
  });

  test("is continued by resume() of its error, too", async () => {
    const { wire, refusals } = refusing([1]);
    const live = watched(wire, collect);
    const error = await failureOf(live.done);
    refusals.clear();
    const resumed = error.resume?.({ retries: 1 });
    expect(live.getSnapshot().state).toBe("loading");
    expect(live.done).toBe(resumed);
    using table = await live.done;
    expect(table.toArray()).toEqual(rowsOf(live));
    expect(live.getSnapshot().state).toBe("complete");
  });

  test("is complete once one of two resumes has got the rest, whatever the other ends with", async () => {
    const wire = new Wire({
      holds: ({ index, count }) => index === 1 && count > 1,
      respond: ({ index, count }) => (index === 1 && count === 1 ? refused(404) : undefined),
    });
    const live = watched(wire, { failurePolicy: "collect" });
    const error = await failureOf(live.done);
    live.resume();
    await vi.waitUntil(() => wire.indexes.filter((index) => index === 1).length === 2);
    const controller = new AbortController();
    const other = error.resume?.({ signal: controller.signal });
    controller.abort("enough");
    expect(await rejectionOf(/** @type {any} */ (other))).toBe("enough");
    expect(live.getSnapshot().state).toBe("loading");
    wire.release(1);
    await vi.waitUntil(() => live.getSnapshot().state === "complete");
    expect(rowsOf(live)).toEqual(allFindings(3));
    using table = /** @type {any} */ (await live.done);
    expect(table.isComplete).toBe(true);
  });

  test("can still be continued by resume() of its error after free()", async () => {
    const { wire, refusals } = refusing([1]);
    const live = watched(wire, collect);
    const error = await failureOf(live.done);
    live.free();
    refusals.clear();
    using table = /** @type {any} */ (await error.resume?.());
    expect(table.toArray()).toEqual(allFindings(3));
    expect([live.getSnapshot().state, rowsOf(live)]).toEqual(["partial", findingsOfAll([0, 2])]);
  });
});

describe("resume() of a live table", () => {
  test("tries again after a failure with what has arrived, as often as it is called", async () => {
    /** @type {Map<number, () => unknown>} */
    const responses = new Map([[2, () => refused(404)]]);
    const wire = new Wire({ respond: ({ index }) => responses.get(index)?.() });
    const live = watched(wire, { concurrency: 1 });
    const states = statesOf(live);
    const error = await failureOf(live.done);
    expect(live.getSnapshot()).toMatchObject({ state: "failed", error });
    expect(rowsOf(live)).toEqual(findingsOfAll([0, 1]));
    responses.set(-1, () => refused(410));
    live.resume();
    expect([live.getSnapshot().state, live.getSnapshot().error]).toEqual(["loading", undefined]);
    expect((await failureOf(live.done)).status).toBe(410);
    expect([live.getSnapshot().state, rowsOf(live)]).toEqual(["failed", findingsOfAll([0, 1])]);
    responses.clear();
    live.resume();
    using table = await live.done;
    expect([table.toArray(), rowsOf(live)]).toEqual([allFindings(3), allFindings(3)]);
    expect(wire.requested).toEqual([0, 1, 2, 2]);
    expect(states.filter((state) => state !== "loading")).toEqual(["failed", "failed", "complete"]);
  });

  test("tries again after wrong arguments, with the same error", async () => {
    const live = clientOf(new Wire()).watchTable(1, "topics", /** @type {any} */ ({ retry: 1 }));
    const first = await rejectionOf(live.done);
    live.resume();
    expect(live.getSnapshot().state).toBe("loading");
    expect((await rejectionOf(live.done)).message).toBe(first.message);
    expect(live.getSnapshot().state).toBe("failed");
  });

  test.for(["of the call", "of the client"])("goes on without a signal %s that has been aborted", async (owner) => {
    const controller = new AbortController();
    const wire = held(3);
    const client = clientOf(wire, owner === "of the client" ? { signal: controller.signal } : {});
    const live = client.watchTable(1, "topics", owner === "of the call" ? { signal: controller.signal } : {});
    freeAfterTest(live);
    await vi.waitUntil(() => wire.open.length === 3);
    wire.release(1);
    await vi.waitUntil(() => live.getSnapshot().table.length === 2);
    controller.abort("enough");
    expect(await rejectionOf(live.done)).toBe("enough");
    for (const _ of [1, 2]) {
      live.resume();
      expect(live.getSnapshot()).toMatchObject({ state: "loading", table: { length: 2 } });
    }
    await vi.waitUntil(() => wire.open.length === 2);
    wire.release(0);
    wire.release(2);
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(3));
    expect(wire.requested.toSorted()).toEqual([0, 0, 1, 2, 2]);
  });

  test("does nothing while it loads, once it is complete, and after free()", async () => {
    const wire = held(1);
    const live = watched(wire);
    const { done } = live;
    live.resume();
    expect(live.done).toBe(done);
    await vi.waitUntil(() => wire.open.length === 1);
    wire.release(0);
    await live.done;
    const complete = live.getSnapshot();
    live.resume();
    live.free();
    live.resume();
    await quiet();
    expect([live.getSnapshot() === complete, live.done === done, wire.indexes]).toEqual([true, true, [-1, 0]]);
  });
});

describe("a live table that begins with an earlier table", () => {
  /** A table of three partitions without the second one, whose inspection then has it, if `respond` says nothing else. */
  async function earlier(/** @type {(asked: import("./wire.js").Asked) => unknown} */ respond) {
    const client = clientOf(refusing([1]).wire);
    const { table } = await failureOf(client.loadTable(1, "topics", collect));
    freeAfterTest(/** @type {any} */ (table));
    const wire = new Wire({ respond });
    const live = watched(wire, /** @type {any} */ ({ from: table, retries: 0 }));
    return { from: /** @type {any} */ (table), wire, live };
  }
  const before = findingsOfAll([0, 2]);

  test("shows it at once, while the counts are requested, and also after it has been freed", async () => {
    const { from, live } = await earlier(() => new Promise(() => {}));
    from.free();
    for (const _ of [1, 2]) {
      const { state, table, progress } = live.getSnapshot();
      expect([state, table.toArray(), progress.partitionsDone]).toEqual(["loading", before, 0]);
      expect([table.partitions, table.isComplete]).toEqual([[0, 2], false]);
      await quiet();
    }
  });

  test("shows it after a failure and an abort, and the next try begins with it", async () => {
    const outcomes = [() => refused(504), () => Promise.reject(new TypeError("no connection"))];
    const { wire, live } = await earlier(() => outcomes.shift()?.());
    for (const code of ["http", "network"]) {
      expect((await failureOf(live.done)).code).toBe(code);
      expect([live.getSnapshot().state, rowsOf(live)]).toEqual(["failed", before]);
      live.resume();
      expect([live.getSnapshot().state, rowsOf(live)]).toEqual(["loading", before]);
    }
    using table = await live.done;
    expect([table.toArray(), rowsOf(live)]).toEqual([allFindings(3), allFindings(3)]);
    expect(wire.requested).toEqual([1]);
    const other = await earlier(() => new Promise(() => {}));
    other.live.free();
    expect([other.live.getSnapshot().state, rowsOf(other.live)]).toEqual(["aborted", before]);
  });

  test("shows it until the first partition has arrived, if the counts have changed", async () => {
    const { wire, live } = await earlier(({ index, count }) =>
      index < 0 ? responseOf(countsOf(2)) : count === 1 ? refused(500) : undefined,
    );
    await failureOf(live.done);
    expect([live.getSnapshot().state, rowsOf(live)]).toEqual(["failed", before]);
    live.resume();
    using table = await live.done;
    expect([table.toArray(), rowsOf(live)]).toEqual([allFindings(2), allFindings(2)]);
    expect(wire.requested).not.toContain(2);
  });

  test("shows nothing of it if the inspection has become empty", async () => {
    const { live } = await earlier(() => responseOf(countsOf(0)));
    using table = await live.done;
    expect([table.length, live.getSnapshot().table.length]).toEqual([0, 0]);
  });

  test("shows nothing of a table that the call refuses", async () => {
    const { from } = await earlier(() => refused(404));
    const live = clientOf(new Wire()).watchTable(2, "topics", { from });
    expect(rowsOf(live)).toEqual([]);
    expect((await rejectionOf(live.done)).message).toMatch(/^from has topics findings of inspection 1, not/);
    expect(rowsOf(live)).toEqual([]);
  });

  test("takes a column that only a missing partition has for missing, from the first snapshot on", async () => {
    const { live } = await earlier(() => new Promise(() => {}));
    expect(live.getSnapshot().table.countBy("Late")).toEqual([{ key: [undefined], count: 4 }]);
  });
});

describe("cancel() of a live table", () => {
  test("stops loading and keeps what has arrived, as often as it is resumed", async () => {
    const wire = held(3);
    const live = watched(wire);
    const states = statesOf(live);
    for (const index of [0, 1]) {
      await vi.waitUntil(() => wire.open.length === 3 - index);
      wire.asked.find((asked) => asked.index === index && asked.state === "open")?.release();
      await vi.waitUntil(() => live.getSnapshot().table.length === 2 * (index + 1));
      live.cancel();
      expect(await rejectionOf(live.done)).toMatchObject({ name: "AbortError" });
      expect(live.getSnapshot()).toMatchObject({ state: "aborted", error: { name: "AbortError" } });
      expect([wire.open, rowsOf(live)]).toEqual([[], findingsOfAll(index === 0 ? [0] : [0, 1])]);
      live.resume();
    }
    await vi.waitUntil(() => wire.open.length === 1);
    wire.asked.at(-1)?.release();
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(3));
    expect(wire.requested.toSorted()).toEqual([0, 1, 1, 2, 2, 2]);
    expect(states.filter((state) => state !== "loading")).toEqual(["aborted", "aborted", "complete"]);
  });

  test("leaves the signal of the call alone, which still counts after resume()", async () => {
    const controller = new AbortController();
    const wire = held(2);
    const live = watched(wire, { signal: controller.signal });
    await vi.waitUntil(() => wire.open.length === 2);
    live.cancel();
    await rejectionOf(live.done);
    expect(controller.signal.aborted).toBe(false);
    live.resume();
    await vi.waitUntil(() => wire.open.length === 2);
    controller.abort("enough");
    expect(await rejectionOf(live.done)).toBe("enough");
    expect([live.getSnapshot().state, wire.open]).toEqual(["aborted", []]);
  });

  test("does nothing unless it loads", async () => {
    const { wire, refusals } = refusing([1]);
    const live = watched(wire, collect);
    await failureOf(live.done);
    const partial = live.getSnapshot();
    live.cancel();
    await quiet();
    expect(live.getSnapshot()).toBe(partial);
    refusals.clear();
    live.resume();
    (await live.done).free();
    live.cancel();
    await quiet();
    expect(live.getSnapshot().state).toBe("complete");
    live.free();
    live.cancel();
    live.resume();
    expect(live.getSnapshot().state).toBe("complete");
  });
});

test.each([undefined, null, {}])("subscribe(%o) throws a TypeError", (onChange) => {
  const live = watched(new Wire());
  expect(() => live.subscribe(/** @type {any} */ (onChange))).toThrow(/^onChange must be a function; got /);
});

test("the methods of a live table are bound", async () => {
  const { subscribe, getSnapshot, cancel, resume, free } = watched(refusing([1]).wire, collect);
  const onChange = vi.fn();
  const unsubscribe = subscribe(onChange);
  await vi.waitUntil(() => getSnapshot().state === "partial");
  await vi.waitUntil(() => onChange.mock.calls.length > 0);
  unsubscribe();
  resume();
  expect(getSnapshot().state).toBe("loading");
  cancel();
  await vi.waitUntil(() => getSnapshot().state === "aborted");
  free();
  expect(getSnapshot().error).not.toBeInstanceOf(FindingsError);
});
