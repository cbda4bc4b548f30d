/** Live tables: a table that grows while it loads. */

import { FindingsClient, FindingsError, FindingsTable } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { dispose } from "./dispose.js";
import { takeFrames } from "./frames.js";
import { allFindings, countsOf, findingsOfAll } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { watchTimers } from "./timers.js";
import { takeTrouble } from "./trouble.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

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

/**
 * A wire that holds every partition until the test releases it.
 * @param {number} partitions
 */
function held(partitions) {
  return new Wire({ partitions, holds: ({ index }) => index >= 0 });
}

/** @param {Live} live */
function rowsOf(live) {
  return live.getSnapshot().table.toArray();
}

describe("a live table", () => {
  test("has exactly the partitions received, in index order, each once, and at last what loadTable gives", async () => {
    const wire = held(6);
    const live = watched(wire);
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
      expect(progress).toMatchObject({
        partitionsDone: received.length,
        partitions: 6,
        findingsDone: table.length,
        findings: 12,
      });
      expect(state).toBe(received.length < 6 ? "loading" : "complete");
    }
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(6));
    expect(table.toArray()).toEqual(rowsOf(live));
  });

  test("is empty and answers every query before anything has arrived", () => {
    const live = watched(held(2));
    const { state, table, progress, error } = live.getSnapshot();
    expect([state, error]).toEqual(["loading", undefined]);
    expect(progress).toEqual({
      partitionsDone: 0,
      partitions: 0,
      findingsDone: 0,
      findings: null,
      bytes: 0,
      retries: 0,
    });
    expect(table).toBeInstanceOf(FindingsTable);
    expect([table.length, table.byteLength, table.columns, table.toArray(), [...table]]).toEqual([0, 0, [], [], []]);
    expect([table.at(0), table.slice(0, 5), table.countBy("Topic"), table.summarize([], "Sentiment")]).toEqual([
      undefined,
      [],
      [],
      [],
    ]);
    expect([...table.column("Topic")]).toEqual([]);
    expect(table.filter({ Sentiment: 1 }).sortBy("Topic").length).toBe(0);
    table.free();
    expect(() => table.length).toThrow(TypeError);
  });

  test("takes a column that no partition has brought yet for missing, and refuses it only once all partitions are there", async () => {
    const findings = (/** @type {number} */ index) => [{ Kind: "any" }, index === 1 ? { Kind: "some", Late: 2 } : {}];
    const wire = new Wire({ partitions: 3, findings, holds: ({ index }) => index > 0 });
    const live = watched(wire);
    await vi.waitUntil(() => live.getSnapshot().table.length === 2);
    const first = live.getSnapshot().table;
    expect([first.columns, first.countBy("Late")]).toEqual([["Kind"], [{ key: [undefined], count: 2 }]]);
    wire.release(1);
    await vi.waitUntil(() => live.getSnapshot().table.length === 4);
    const second = live.getSnapshot().table;
    expect([second.columns, second.countBy("Late")]).toEqual([
      ["Kind", "Late"],
      [
        { key: [undefined], count: 3 },
        { key: [2], count: 1 },
      ],
    ]);
    expect(first.countBy("Late")).toEqual([{ key: [undefined], count: 2 }]);
    wire.release(2);
    using whole = await live.done;
    for (const table of [whole, live.getSnapshot().table]) {
      expect(() => table.countBy("Never")).toThrow(RangeError);
      expect(table.countBy("Late")).toHaveLength(2);
    }
    expect(second.countBy("Never")).toEqual([{ key: [undefined], count: 4 }]);
  });

  test("starts to load with the call, and goes on without a subscriber", async () => {
    const wire = new Wire({ partitions: 3 });
    const live = watched(wire);
    live.subscribe(() => {})();
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(3));
    expect(live.getSnapshot().state).toBe("complete");
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
    /** @type {any} */
    let first;
    await vi.waitUntil(() => {
      const snapshot = live.getSnapshot();
      if (snapshot.progress.partitionsDone === 1) first ??= snapshot;
      return snapshot.progress.partitionsDone === 1 && snapshot.progress.retries === 1;
    });
    expect(live.getSnapshot().table).toBe(first.table);
    wire.release(1);
    await live.done;
  });

  test("may be read by a page's own Number, which a decoding does not call", async () => {
    const findings = '{"Findings":[{"Value":0.12345678901234567890123},{"Value":1e-400}],"errors":null}';
    const wire = new Wire({ partitions: 2, respond: ({ index }) => (index < 0 ? undefined : responseOf(findings)) });
    const live = watched(wire);
    const spied = new Proxy(Number, {
      apply(parse, _, [value]) {
        live.getSnapshot().table.toArray();
        return parse(value);
      },
    });
    vi.stubGlobal("Number", spied);
    using table = await live.done;
    expect(table.toArray()).toEqual(
      Array(2)
        .fill([{ Value: 0.12345678901234568 }, { Value: 0 }])
        .flat(),
    );
  });

  test("decodes no string twice for two snapshots", async () => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const findings = (/** @type {number} */ index) =>
      Array.from({ length: 100 }, (_, row) => ({ Text: `a text ${index * 1000 + row}` }));
    const counts = { ...countsOf(3), TopicFindings: 300 };
    const wire = new Wire({ partitions: 3, counts, findings, holds: ({ index }) => index > 0 });
    const live = watched(wire);
    await vi.waitUntil(() => live.getSnapshot().table.length === 100);
    const texts = (/** @type {number} */ before) => {
      const decoded = decode.mock.results.slice(before).map(({ value }) => String(value));
      return decoded.join().match(/a text \d+/g)?.length ?? 0;
    };
    expect(live.getSnapshot().table.toArray()).toEqual(findings(0));
    let before = decode.mock.calls.length;
    wire.release(1);
    await vi.waitUntil(() => live.getSnapshot().table.length === 200);
    const { table } = live.getSnapshot();
    expect(table.toArray()).toEqual([...findings(0), ...findings(1)]);
    expect(table.filter({}).toArray()).toHaveLength(200);
    expect(table.countBy("Text")).toHaveLength(200);
    expect(texts(before)).toBe(100);
    before = decode.mock.calls.length;
    wire.release(2);
    using whole = await live.done;
    expect(whole.toArray()).toEqual([0, 1, 2].flatMap(findings));
    expect(live.getSnapshot().table.toArray()).toEqual([0, 1, 2].flatMap(findings));
    expect(texts(before)).toBe(100);
  });
});

describe("subscribers of a live table", () => {
  test("are notified at most once in each frame, and never from inside a call", async () => {
    const frames = takeFrames();
    const wire = held(4);
    const live = watched(wire);
    const onChange = vi.fn();
    live.subscribe(onChange);
    await quiet();
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

  test("are notified once more after the end, and then nothing is left behind", async () => {
    const frames = takeFrames();
    const wire = new Wire({ partitions: 3 });
    const live = watched(wire);
    /** @type {string[]} */
    const states = [];
    live.subscribe(() => states.push(live.getSnapshot().state));
    await live.done;
    frames.frame();
    expect(states.at(-1)).toBe("complete");
    await quiet();
    expect([frames.requested, frames.timed]).toEqual([0, 0]);
    const count = states.length;
    frames.frame();
    frames.time();
    expect(states).toHaveLength(count);
  });

  test("are notified of the end before done settles, so that free() right after it loses nothing", async () => {
    takeFrames();
    const respond = (/** @type {{ index: number }} */ { index }) => (index === 1 ? refused(404) : undefined);
    for (const [inspection, options, state] of /** @type {const} */ ([
      [{}, {}, "complete"],
      [{ respond }, {}, "failed"],
      [{ respond }, { failurePolicy: "collect" }, "partial"],
      [{}, { signal: AbortSignal.abort() }, "aborted"],
    ])) {
      const live = watched(new Wire(inspection), options);
      /** @type {string[]} */
      const states = [];
      live.subscribe(() => states.push(live.getSnapshot().state));
      await live.done.catch(() => {});
      live.free();
      expect(states.at(-1)).toBe(state);
    }
  });

  test("may free or resume it when they hear of the end", async () => {
    const frames = takeFrames();
    const refusals = new Set([1]);
    const wire = new Wire({ respond: ({ index }) => (refusals.has(index) ? refused(404) : undefined) });
    const live = watched(wire, { failurePolicy: "collect" });
    /** @type {string[]} */
    const states = [];
    const { promise: complete, resolve } = Promise.withResolvers();
    live.subscribe(() => {
      const { state } = live.getSnapshot();
      states.push(state);
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

  test("are notified by a timer while the page is hidden", async () => {
    const frames = takeFrames({ isHidden: true });
    const live = watched(held(2));
    const onChange = vi.fn();
    live.subscribe(onChange);
    await quiet();
    expect([onChange.mock.calls.length, frames.requested, frames.timed]).toEqual([0, 0, 1]);
    frames.time();
    expect([onChange.mock.calls.length, frames.timed]).toEqual([1, 0]);
  });

  test("are notified by the timer if the page is hidden before the frame comes", async () => {
    const frames = takeFrames();
    const live = watched(held(2));
    const onChange = vi.fn();
    live.subscribe(onChange);
    await quiet();
    frames.time();
    expect([onChange.mock.calls.length, frames.requested]).toEqual([1, 0]);
  });

  test("need no frame once nobody is subscribed", async () => {
    const frames = takeFrames();
    const live = watched(held(2));
    const unsubscribe = [live.subscribe(() => {}), live.subscribe(() => {})];
    await quiet();
    expect(frames.requested).toBe(1);
    unsubscribe[0]();
    expect(frames.requested).toBe(1);
    unsubscribe[1]();
    unsubscribe[1]();
    expect([frames.requested, frames.timed]).toEqual([0, 0]);
  });

  test("are each called, also twice the same one, and after one that throws", async () => {
    const frames = takeFrames();
    const wire = held(2);
    const live = watched(wire);
    const onChange = vi.fn();
    const thrown = new Error("thrown by a subscriber");
    const stop = live.subscribe(onChange);
    live.subscribe(() => {
      throw thrown;
    });
    const late = vi.fn();
    const remove = live.subscribe(() => removeLate());
    const removeLate = live.subscribe(late);
    live.subscribe(onChange);
    await quiet();
    frames.frame();
    expect(await takeTrouble()).toContainEqual(expect.stringContaining(thrown.message));
    expect([onChange.mock.calls.length, late.mock.calls.length]).toEqual([2, 0]);
    stop();
    remove();
  });
});

describe("the end of a live table", () => {
  test("is failed after an error, which done rejects with and nothing else reports", async () => {
    const wire = new Wire({ partitions: 3, respond: ({ index }) => (index === 2 ? refused(404) : undefined) });
    const live = watched(wire);
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
      'the condition on "a" must be a value, an array of values, { min, max }, { contains } or { not }; got an object with "least"',
    );
    expect([table.countBy("a"), table.filter({ a: 1 }).length]).toEqual([[], 0]);
    await rejectionOf(live.done);
  });

  test("is failed for a wrong total", async () => {
    const wire = new Wire({ partitions: 2, counts: { ...countsOf(2), TopicFindings: 5 } });
    const live = watched(wire);
    expect((await failureOf(live.done)).code).toBe("incomplete");
    expect(live.getSnapshot().state).toBe("failed");
    expect(rowsOf(live)).toEqual(allFindings(2));
  });

  test("is aborted by the signal, with its reason, and leaves no listener", async () => {
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const wire = held(3);
    const live = watched(wire, { signal: controller.signal });
    await quiet();
    wire.release(1);
    await quiet();
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await rejectionOf(live.done)).toBe(reason);
    expect(live.getSnapshot()).toMatchObject({ state: "aborted", error: reason });
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
      expect(live.getSnapshot().state).toBe("aborted");
      expect(live.getSnapshot().error).toBe(reason);
    },
  );

  test("is failed with any value that a callback has thrown, undefined too", async () => {
    const live = watched(new Wire(), {
      onProgress() {
        throw undefined;
      },
    });
    expect(await rejectionOf(live.done)).toBeUndefined();
    expect(live.getSnapshot().state).toBe("failed");
    expect("error" in live.getSnapshot()).toBe(true);
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
    wire.release(0);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 1);
    const onChange = vi.fn();
    live.subscribe(onChange);
    wire.release(2);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 2);
    onChange.mockClear();
    const { length } = wire.asked;
    live.free();
    live.free();
    const last = live.getSnapshot();
    const reason = await rejectionOf(live.done);
    expect(reason).toBeInstanceOf(TypeError);
    expect(reason.message).toBe("this LiveTable has been freed");
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

  test("keeps the state of a load that has ended", async () => {
    for (const [respond, state] of /** @type {const} */ ([
      [() => undefined, "complete"],
      [() => refused(404), "failed"],
    ])) {
      const live = watched(new Wire({ respond }));
      await live.done.catch(() => {});
      const last = live.getSnapshot();
      live.free();
      expect(live.getSnapshot()).toBe(last);
      expect(last.state).toBe(state);
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
    /** @type {Live} */
    let live;
    for (const name of ["onProgress", "onPartition"]) {
      const wire = new Wire();
      live = watched(wire, { [name]: () => live.free() });
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
    const refusals = new Set([1, 3]);
    const wire = new Wire({ partitions: 5, respond: ({ index }) => (refusals.has(index) ? refused(404) : undefined) });
    const live = watched(wire, { failurePolicy: "collect" });
    const first = live.done;
    const error = await failureOf(first);
    const partial = live.getSnapshot();
    expect(error.code).toBe("partial");
    expect(partial).toMatchObject({ state: "partial", error });
    expect(rowsOf(live)).toEqual(findingsOfAll([0, 2, 4]));

    refusals.delete(1);
    live.resume();
    expect(live.getSnapshot()).toMatchObject({ state: "loading" });
    expect(live.getSnapshot().error).toBeUndefined();
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
    const live = watched(wire, { failurePolicy: "collect", retries: 0 });
    /** @type {any} */
    let error = await failureOf(live.done);
    for (const [respond, code] of /** @type {const} */ ([
      [() => refused(503), "http"],
      [
        () => {
          throw new TypeError("no connection");
        },
        "network",
      ],
      [() => responseOf({ ...countsOf(4) }), "incomplete"],
    ])) {
      responses.set(-1, respond);
      live.resume();
      expect(live.getSnapshot().state).toBe("loading");
      const next = await failureOf(live.done);
      expect(next).not.toBe(error);
      error = next;
      expect(error.code).toBe(code);
      expect(live.getSnapshot().state).toBe("partial");
      expect(live.getSnapshot().error).toBe(error);
      expect(rowsOf(live)).toEqual(findingsOfAll([0, 2]));
    }
    responses.clear();
    live.resume();
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(3));
    expect(live.getSnapshot()).toMatchObject({ state: "complete" });
  });

  test("is aborted by the signal while it is resumed, and then cannot be resumed", async () => {
    const controller = new AbortController();
    const wire = new Wire({
      holds: ({ index, count }) => index === 1 && count > 1,
      respond: ({ index }) => (index === 1 ? refused(404) : undefined),
    });
    const live = watched(wire, { failurePolicy: "collect", signal: controller.signal });
    await failureOf(live.done);
    live.resume();
    await vi.waitUntil(() => wire.indexes.filter((index) => index === 1).length === 2);
    controller.abort(Number.NaN);
    expect(await rejectionOf(live.done)).toBeNaN();
    const aborted = live.getSnapshot();
    expect(aborted.state).toBe("aborted");
    live.resume();
    expect(live.getSnapshot()).toBe(aborted);
  });

  test("is continued by resume() of its error, too", async () => {
    let isRefused = true;
    const wire = new Wire({ respond: ({ index }) => (index === 1 && isRefused ? refused(404) : undefined) });
    const live = watched(wire, { failurePolicy: "collect" });
    const error = await failureOf(live.done);
    isRefused = false;
    const resumed = error.resume?.({ retries: 1 });
    expect(live.getSnapshot().state).toBe("loading");
    expect(live.done).toBe(resumed);
    using table = /** @type {any} */ (await resumed);
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
    expect(await rejectionOf(other)).toBe("enough");
    expect(live.getSnapshot().state).toBe("loading");
    wire.release(1);
    await vi.waitUntil(() => live.getSnapshot().state === "complete");
    expect(rowsOf(live)).toEqual(allFindings(3));
    using table = /** @type {any} */ (await live.done);
    expect(table.isComplete).toBe(true);
  });

  test("can still be continued by resume() of its error after free()", async () => {
    let isRefused = true;
    const wire = new Wire({ respond: ({ index }) => (index === 1 && isRefused ? refused(404) : undefined) });
    const live = watched(wire, { failurePolicy: "collect" });
    const error = await failureOf(live.done);
    live.free();
    isRefused = false;
    using table = /** @type {any} */ (await error.resume?.());
    expect(table.toArray()).toEqual(allFindings(3));
    expect(live.getSnapshot().state).toBe("partial");
    expect(rowsOf(live)).toEqual(findingsOfAll([0, 2]));
  });
});

test.each([undefined, null, {}])("subscribe(%o) throws a TypeError", (onChange) => {
  const live = watched(new Wire());
  expect(() => live.subscribe(/** @type {any} */ (onChange))).toThrow(/^onChange must be a function; got /);
});

test("the methods of a live table are bound", async () => {
  const wire = new Wire({ respond: ({ index }) => (index === 1 ? refused(404) : undefined) });
  const { subscribe, getSnapshot, resume, free } = watched(wire, { failurePolicy: "collect" });
  const onChange = vi.fn();
  const unsubscribe = subscribe(onChange);
  await vi.waitUntil(() => getSnapshot().state === "partial");
  await vi.waitUntil(() => onChange.mock.calls.length > 0);
  unsubscribe();
  resume();
  expect(getSnapshot().state).toBe("loading");
  free();
  expect(getSnapshot().error).not.toBeInstanceOf(FindingsError);
});
