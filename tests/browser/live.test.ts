/** Live tables: tables that grow while they load, whom they tell, and how they end and go on. */

import { FindingsTable, type LiveSnapshot, type LiveTable, type Options } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { dispose } from "./dispose.js";
import { takeFrames } from "./frames.js";
import { allFindings, countsOf, findingsOfAll, upTo } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { describeValue } from "./same.js";
import { watchTimers, withoutBackoff } from "./timers.js";
import { takeTrouble } from "./trouble.js";
import { type Asked, quiet, refused, Wire } from "./wire.js";
import { arrive, collect, holding, refusing } from "./wires";

beforeEach(withoutBackoff);

type Live = LiveTable<any>;
type Snapshot = LiveSnapshot<any>;

/** Watches the table of an inspection. It is freed after the test. */
function watched(wire: Wire, options?: Options): Live {
  const live: Live = clientOf(wire).watchTable(1, "topics", options);
  freeAfterTest(live);
  return live;
}

function rowsOf(live: Live) {
  return live.getSnapshot().table.toArray();
}

/** The states of a live table of which a subscriber is notified. */
function statesOf(live: Live) {
  const states: string[] = [];
  live.subscribe(() => states.push(live.getSnapshot().state));
  return states;
}

describe("a live table", () => {
  test("has exactly the partitions received, in index order, each once, and at last what loadTable gives", async () => {
    const wire = holding(6);
    const live = watched(wire);
    // Loading goes on without a subscriber.
    live.subscribe(() => {})();
    const received: number[] = [];
    for (const index of [3, 0, 5, 1, 4, 2]) {
      const { state, table, progress } = await arrive(live, wire, index);
      received.push(index);
      expect(table.toArray()).toEqual(findingsOfAll(received.toSorted((one, other) => one - other)));
      const done = { partitionsDone: received.length, findingsDone: table.length };
      expect(progress).toMatchObject({ ...done, partitions: 6, findings: 12 });
      expect(state).toBe(received.length < 6 ? "loading" : "complete");
    }
    using table = await live.done;
    expect([table.toArray(), rowsOf(live)]).toEqual([allFindings(6), allFindings(6)]);
    expect([table.isComplete, live.getSnapshot().table.isComplete]).toEqual([true, true]);
  });

  test("is empty and answers every query before anything has arrived", () => {
    const live = watched(holding(2));
    const { state, table, progress, error } = live.getSnapshot();
    expect([state, error]).toEqual(["loading", undefined]);
    const none = { partitionsDone: 0, findingsDone: 0 };
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

  test("takes any column and type of value until all partitions are there, and then refuses what no finding has", async () => {
    const findings = (index: number) => [{ Kind: "any" }, index === 1 ? { Kind: "some", Late: 2 } : {}];
    const wire = new Wire({ partitions: 2, findings, holds: ({ index }) => index >= 0 });
    const live = watched(wire);
    const { table: first } = await arrive(live, wire, 0);
    expect([first.columns, first.countBy("Late")]).toEqual([["Kind"], [{ key: [undefined], count: 2 }]]);
    expect(first.filter({ Kind: { min: 1 } })).toHaveLength(0);
    await arrive(live, wire, 1);
    using whole = await live.done;
    for (const table of [whole, live.getSnapshot().table]) {
      expect(() => table.countBy("Never")).toThrow(RangeError);
      expect(() => table.filter({ Kind: { min: 1 } })).toThrow(TypeError);
      expect(table.countBy("Late")).toHaveLength(2);
    }
    expect(first.countBy("Never", "Late")).toEqual([{ key: [undefined, undefined], count: 2 }]);
  });

  test("gives the same snapshot until something has changed, and never changes one", async () => {
    const wire = holding(2);
    const live = watched(wire);
    await quiet();
    const before = live.getSnapshot();
    expect(live.getSnapshot()).toBe(before);
    const after = await arrive(live, wire, 1);
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
  });

  test("shows a retry at once, with the same table", async () => {
    const wire = new Wire({
      partitions: 2,
      holds: ({ index, count }) => index === 1 && count === 2,
      respond: ({ index, count }) => (index === 1 && count === 1 ? refused(503) : undefined),
    });
    const live = watched(wire);
    const tables = new Set<unknown>();
    await vi.waitUntil(() => {
      const { table, progress } = live.getSnapshot();
      if (progress.partitionsDone === 1) tables.add(table);
      return progress.partitionsDone === 1 && progress.retries === 1;
    });
    expect(tables).toEqual(new Set([live.getSnapshot().table]));
    wire.release(1);
    await live.done;
  });

  test.for([1, 1500])(
    "decodes no text of a group or column twice for two snapshots, long ones too: %i",
    async (length) => {
      const decode = vi.spyOn(TextDecoder.prototype, "decode");
      const findings = (index: number) =>
        upTo(100).map((row) => ({ Text: `a text ${index * 1000 + row}${"…".repeat(length)}` }));
      const counts = { ...countsOf(3), TopicFindings: 300 };
      const wire = new Wire({ counts, findings, holds: ({ index }) => index >= 0 });
      const live = watched(wire);
      /** The number of texts that were decoded since the last time. */
      const decoded = () => {
        const texts = decode.mock.results.map(({ value }) => String(value)).join();
        decode.mockClear();
        return texts.match(/a text \d+/g)?.length;
      };
      await arrive(live, wire, 0);
      expect(live.getSnapshot().table.countBy("Text")).toHaveLength(100);
      expect(decoded()).toBe(100);
      const { table } = await arrive(live, wire, 1);
      expect(table.filter({}).column("Text")).toHaveLength(200);
      expect(table.countBy("Text")).toHaveLength(200);
      expect(decoded()).toBe(100);
      // At the end, long texts are left to the garbage collection.
      if (length > 1) return;
      await arrive(live, wire, 2);
      using whole = await live.done;
      expect(whole.column("Text")).toEqual([0, 1, 2].flatMap(findings).map(({ Text }) => Text));
      expect(live.getSnapshot().table.countBy("Text")).toHaveLength(300);
      expect(decoded()).toBe(100);
    },
  );

  test.each([undefined, null, {}])("has no subscriber %o: that is a TypeError", (onChange) => {
    expect(() => watched(new Wire()).subscribe(onChange as any)).toThrow(/^onChange must be a function; got /);
  });
});

describe("the groups of a snapshot", () => {
  /** A live table whose partitions have these texts, and the groups of each snapshot. */
  function grouped(bodies: object[][]) {
    const counts = { TopicPartitions: bodies.length, errors: null };
    const wire = new Wire({ counts, findings: (index) => bodies[index], holds: ({ index }) => index >= 0 });
    const live = watched(wire);
    return { live, groupsWith: async (index: number) => (await arrive(live, wire, index)).table.countBy("Text") };
  }

  /** Some texts are in both partitions, and their numbers change with the second. */
  const parts = [0, 1].map((index) =>
    upTo(40).map((row) => ({ Text: row % 4 === 0 ? `in ${index}: ${row % 8}` : `in both: ${row % 3}` })),
  );

  test("keep the objects of what has not changed, and the keys of what has, so they are frozen", async () => {
    const { groupsWith } = grouped(parts);
    const [first, second] = [await groupsWith(1), await groupsWith(0)];
    const same = new Set();
    for (const group of first) {
      const later = second.find(({ key }) => key[0] === group.key[0]);
      expect(later?.key).toBe(group.key);
      expect(later === group).toBe(later?.count === group.count);
      expect([Object.isFrozen(group), Object.isFrozen(group.key)]).toEqual([true, true]);
      same.add(later === group);
    }
    expect([same.size, second.length > first.length]).toEqual([2, true]);
  });

  test("are made again after many others", async () => {
    const many = 90_000;
    const { live, groupsWith } = grouped([
      upTo(many).map((number) => ({ Text: "", Kind: "one", A: number, B: -number, C: 2 * number })),
    ]);
    await groupsWith(0);
    const { table } = live.getSnapshot();
    const [first] = table.countBy("Kind");
    for (const name of ["A", "B"]) expect(table.countBy(name)).toHaveLength(many);
    expect(table.countBy("Kind")[0]).toBe(first);
    for (const name of ["A", "B", "C"]) expect(table.countBy(name)).toHaveLength(many);
    expect(table.countBy("Kind")).toEqual([first]);
    expect(table.countBy("Kind")[0]).not.toBe(first);
  });
});

describe("subscribers of a live table", () => {
  /** A live table with a subscriber, whose partitions are held, in a page whose frames come when the test says so. */
  async function subscribed(page: { isHidden?: boolean } = {}) {
    const frames = takeFrames(page);
    const wire = holding(4);
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

  test("may free or resume it when they hear of the end", async () => {
    const frames = takeFrames();
    const { wire, refusals } = refusing([1]);
    const live = watched(wire, collect);
    const states = statesOf(live);
    const { promise: complete, resolve } = Promise.withResolvers<FindingsTable<any>>();
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

describe("iterating over a live table", () => {
  /** Watches a table whose partitions are all requested, and come when the test releases them. */
  async function requested(partitions: number) {
    const wire = holding(partitions);
    const live = watched(wire);
    await vi.waitUntil(() => wire.open.length === partitions);
    await quiet();
    return { wire, live };
  }

  /** Collects the snapshots of a live table while it loads. */
  function collected(live: Live) {
    const snapshots: Snapshot[] = [];
    const ended = (async () => {
      for await (const snapshot of live) snapshots.push(snapshot);
    })();
    /** Releases a partition, and waits until the loop has its snapshot. */
    const gets = async (wire: Wire, index: number) => {
      const { length } = snapshots;
      wire.release(index);
      await vi.waitUntil(() => snapshots.length > length);
    };
    return { snapshots, ended, gets };
  }

  function summary(snapshots: Snapshot[]) {
    return snapshots.map(({ state, progress: { partitionsDone } }) => `${state} ${partitionsDone}`);
  }

  test("gives the current snapshot, then each change, and ends after the last", async () => {
    const { wire, live } = await requested(3);
    const { snapshots, ended, gets } = collected(live);
    await quiet();
    expect(snapshots).toEqual([live.getSnapshot()]);
    for (const index of [2, 0]) await gets(wire, index);
    expect(snapshots.at(-1)?.table.toArray()).toEqual(findingsOfAll([0, 2]));
    wire.release(1);
    await ended;
    expect(summary(snapshots)).toEqual(["loading 0", "loading 1", "loading 2", "complete 3"]);
    expect(snapshots.at(-1)).toBe(live.getSnapshot());
    expect(new Set(snapshots).size).toBe(snapshots.length);
  });

  test("goes on with a table that the loop resumes, and otherwise ends with the partial one", async () => {
    const { wire, refusals } = refusing([1]);
    const live = watched(wire, collect);
    expect((await Array.fromAsync(live)).at(-1)?.state).toBe("partial");
    refusals.clear();
    const states: string[] = [];
    for await (const { state } of live) {
      states.push(state);
      if (state === "partial") live.resume();
    }
    expect([states[0], states.at(-1)]).toEqual(["partial", "complete"]);
    expect(rowsOf(live)).toEqual(allFindings(3));
  });

  test("may be left while the next snapshot is awaited", async () => {
    const { wire, live } = await requested(2);
    const timers = watchTimers();
    const iterator = live[Symbol.asyncIterator]();
    await iterator.next();
    const pending = iterator.next();
    await quiet();
    expect(await iterator.return(undefined)).toEqual({ done: true, value: undefined });
    expect(await pending).toEqual({ done: true, value: undefined });
    wire.release(0);
    await quiet();
    expect(timers.size).toBe(0);
    expect(live.getSnapshot().state).toBe("loading");
  });

  test("can be done by several at once, each at its own pace, with the latest snapshot and never a backlog", async () => {
    const { wire, live } = await requested(4);
    const fast = collected(live);
    const [slow, left] = [live[Symbol.asyncIterator](), live[Symbol.asyncIterator]()];
    await Promise.all([slow.next(), left.next()]);
    await left.return(undefined);
    for (const index of [0, 1, 2]) await fast.gets(wire, index);
    expect((await slow.next()).value).toBe(live.getSnapshot());
    const rest = [slow.next(), slow.next()];
    wire.release(3);
    await fast.ended;
    expect(summary(fast.snapshots)).toEqual(["loading 0", "loading 1", "loading 2", "loading 3", "complete 4"]);
    expect(await Promise.all(rest)).toEqual([
      { done: false, value: live.getSnapshot() },
      { done: true, value: undefined },
    ]);
  });
});

describe("the end of a live table", () => {
  interface Ending {
    by: string;
    state: Snapshot["state"];
    /** Without it, all partitions arrive, but those that are refused. */
    act?: (live: Live, controller: AbortController, client: { free(): void }) => void;
    refused?: number[];
    options?: Options;
    error?: unknown;
  }

  const http = { code: "http", partitionIndex: 2 };
  const freed = (name: string) => new TypeError(`this ${name} has been freed`);
  const free = (live: Live) => live.free();
  const onProgress = () => {
    throw undefined;
  };
  const endings: Ending[] = [
    { by: "all partitions", state: "complete" },
    { by: "an error", state: "failed", refused: [2], error: expect.objectContaining(http) },
    { by: "a callback that throws undefined", state: "failed", options: { onProgress }, error: undefined },
    {
      by: "failures of a call that collects",
      state: "partial",
      refused: [1],
      options: collect,
      error: expect.objectContaining({ code: "partial" }),
    },
    {
      by: "cancel()",
      state: "aborted",
      act: (live) => live.cancel(),
      error: expect.objectContaining({ name: "AbortError" }),
    },
    { by: "free()", state: "aborted", act: free, error: freed("LiveTable") },
    {
      by: "free() of the client",
      state: "aborted",
      act: (_, __, client) => client.free(),
      error: freed("FindingsClient"),
    },
    ...["enough", Number.NaN, null].map(
      (error): Ending => ({
        by: `a signal whose reason is ${describeValue(error)}`,
        state: "aborted",
        act: (_, controller) => controller.abort(error),
        error,
      }),
    ),
  ];

  test.for(endings)(
    "by $by is known to done, to the snapshot, to subscribers and to loops, and leaves nothing behind",
    async ({ state, act, refused: indexes = [], options, error }) => {
      const frames = takeFrames();
      const controller = new AbortController();
      const listeners = countListeners(controller.signal);
      const wire = new Wire({
        holds: ({ index }) => act !== undefined && index >= 0,
        respond: ({ index }) => (indexes.includes(index) ? refused(404) : undefined),
      });
      const client = clientOf(wire);
      const live: Live = client.watchTable(1, "topics", { ...options, signal: controller.signal });
      freeAfterTest(live);
      const states = statesOf(live);
      const loop = Array.fromAsync(live);
      if (act) {
        await arrive(live, wire, 1);
        act(live, controller, client);
      }
      const outcome = await outcomeOf(live.done);
      const last = live.getSnapshot();
      // Right after the end, this loses nothing.
      live.free();
      expect([last.state, "error" in last]).toEqual([state, state !== "complete"]);
      if (state === "complete") expect(outcome.value.toArray()).toEqual(allFindings(3));
      else expect([outcome.reason, last.error]).toEqual([error, error]);
      if (act) expect(last.table.toArray()).toEqual(findingsOfAll([1]));
      // Nobody is told of the own free().
      expect(states).toEqual(act === free ? [] : [state]);
      expect((await loop).at(-1)).toBe(last);
      expect(await Array.fromAsync(live)).toEqual([last]);
      await quiet();
      expect([live.getSnapshot() === last, wire.open, listeners.left]).toEqual([true, [], 0]);
      expect([frames.requested, frames.timed]).toEqual([0, 0]);
    },
  );

  test("causes no unhandledrejection if nobody reads done", async () => {
    const live = watched(new Wire({ respond: () => refused(404) }));
    await vi.waitUntil(() => live.getSnapshot().state === "failed");
    await quiet();
  });
});

describe("free() of a live table", () => {
  test("after any number of microtasks sends no further request, and leaves none open", async () => {
    let sent = 0;
    for (let turns = 0; sent < 3; turns += 3) {
      const wire = holding(9);
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

  test.for(["onProgress", "onPartition"])("may be called by %s", async (name) => {
    const wire = new Wire();
    const live: Live = watched(wire, { [name]: () => live.free() });
    const reason = await rejectionOf(live.done);
    expect(reason.message).toContain("freed");
    const last = live.getSnapshot();
    expect(last).toMatchObject({ state: "aborted", error: reason });
    await quiet();
    expect(live.getSnapshot()).toBe(last);
    expect(wire.indexes).toEqual(name === "onProgress" ? [-1] : []);
  });
});

describe("resume() of a live table", () => {
  test("tries again after wrong arguments, with the same error", async () => {
    const live = watched(new Wire(), { retry: 1 } as any);
    const first = await rejectionOf(live.done);
    live.resume();
    expect(live.getSnapshot().state).toBe("loading");
    expect((await rejectionOf(live.done)).message).toBe(first.message);
    expect(live.getSnapshot().state).toBe("failed");
  });

  test.for(["of the call", "of the client"])("goes on without a signal %s that has been aborted", async (owner) => {
    const controller = new AbortController();
    const { signal } = controller;
    const wire = holding(3);
    const client = clientOf(wire, owner === "of the client" ? { signal } : {});
    const live: Live = client.watchTable(1, "topics", owner === "of the call" ? { signal } : {});
    freeAfterTest(live);
    await vi.waitUntil(() => wire.open.length === 3);
    await arrive(live, wire, 1);
    controller.abort("enough");
    expect(await rejectionOf(live.done)).toBe("enough");
    for (const _ of [1, 2]) {
      live.resume();
      expect(live.getSnapshot()).toMatchObject({ state: "loading", table: { length: 2 } });
    }
    for (const index of [0, 2]) await arrive(live, wire, index);
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(3));
    expect(wire.requested.toSorted()).toEqual([0, 0, 1, 2, 2]);
  });

  test("of its error still gives a table after free(), which leaves the live table as it is", async () => {
    const { wire, refusals } = refusing([1]);
    const live = watched(wire, collect);
    const error = await failureOf(live.done);
    live.free();
    refusals.clear();
    using table = (await error.resume?.()) as FindingsTable<any>;
    expect(table.toArray()).toEqual(allFindings(3));
    expect([live.getSnapshot().state, rowsOf(live)]).toEqual(["partial", findingsOfAll([0, 2])]);
  });

  test("is complete once one of two resumes has got the rest, whatever the other ends with", async () => {
    const wire = new Wire({
      holds: ({ index, count }) => index === 1 && count > 1,
      respond: ({ index, count }) => (index === 1 && count === 1 ? refused(404) : undefined),
    });
    const live = watched(wire, collect);
    const error = await failureOf(live.done);
    live.resume();
    await vi.waitUntil(() => wire.open.length === 1);
    const controller = new AbortController();
    const other = error.resume?.({ signal: controller.signal });
    controller.abort("enough");
    expect(await rejectionOf(other as any)).toBe("enough");
    expect(live.getSnapshot().state).toBe("loading");
    wire.release(1);
    await vi.waitUntil(() => live.getSnapshot().state === "complete");
    expect(rowsOf(live)).toEqual(allFindings(3));
    using table = await live.done;
    expect(table.isComplete).toBe(true);
  });

  const endings: [string, (live: Live, controller: AbortController) => void][] = [
    ["cancel()", (live) => live.cancel()],
    ["an abort of its signal", (_, controller) => controller.abort("enough")],
  ];

  test.for(endings)("in the task of %s goes on, and never shows that it had ended", async ([, end]) => {
    const controller = new AbortController();
    const wire = holding(3);
    const live = watched(wire, { signal: controller.signal });
    await vi.waitUntil(() => wire.open.length === 3);
    await arrive(live, wire, 1);
    const [states, ended] = [statesOf(live), rejectionOf(live.done)];
    for (const _ of [1, 2]) {
      end(live, controller);
      live.resume();
      live.resume();
      expect(live.getSnapshot()).toMatchObject({ state: "loading", table: { length: 2 } });
    }
    await ended;
    for (const index of [0, 2]) await arrive(live, wire, index);
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(3));
    // A subscriber may learn of several changes at once.
    expect(states.at(-1)).toBe("complete");
    expect(states.filter((state) => state !== "loading" && state !== "complete")).toEqual([]);
    await quiet();
    expect(wire.open).toEqual([]);
  });

  test("after cancel() still heeds the signal of the call", async () => {
    const controller = new AbortController();
    const wire = holding(2);
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
});

describe("a live table that begins with an earlier table", () => {
  /** A table of three partitions without the second one, whose inspection then has it, if `respond` says nothing else. */
  async function earlier(respond: (asked: Asked) => unknown) {
    const client = clientOf(refusing([1]).wire);
    const { table: from } = await failureOf(client.loadTable(1, "topics", collect));
    freeAfterTest(from as any);
    const wire = new Wire({ respond });
    return { from: from as any, wire, live: watched(wire, { from, retries: 0 } as any) };
  }
  const before = findingsOfAll([0, 2]);
  const never = () => new Promise(() => {});

  test("shows it at once, while the counts are requested, and also after it has been freed", async () => {
    const { from, live } = await earlier(never);
    from.free();
    for (const _ of [1, 2]) {
      const { state, table, progress } = live.getSnapshot();
      expect([state, table.toArray(), progress.partitionsDone]).toEqual(["loading", before, 2]);
      expect([table.partitions, table.isComplete]).toEqual([[0, 2], false]);
      expect(table.countBy("Late")).toEqual([{ key: [undefined], count: 4 }]);
      await quiet();
    }
    live.free();
    expect([live.getSnapshot().state, rowsOf(live)]).toEqual(["aborted", before]);
  });

  test("shows it after failures, and the next try begins with it", async () => {
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
  });

  test("shows nothing of a table that the call refuses", async () => {
    const { from } = await earlier(() => refused(404));
    const live: Live = clientOf(new Wire()).watchTable(2, "topics", { from });
    expect(rowsOf(live)).toEqual([]);
    expect((await rejectionOf(live.done)).message).toMatch(/^from has topics findings of inspection 1, not/);
    expect(rowsOf(live)).toEqual([]);
  });
});
