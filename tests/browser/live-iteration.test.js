/** A live table as an async iterable of its snapshots. */

import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { takeFrames } from "./frames.js";
import { allFindings, findingsOfAll } from "./inspection.js";
import { outcomeOf } from "./outcome.js";
import { watchTimers } from "./timers.js";
import { quiet, refused, Wire } from "./wire.js";

/** @typedef {import("inspection-findings").LiveTable<any>} Live */
/** @typedef {import("inspection-findings").LiveSnapshot<any>} Snapshot */

/** Watches a table whose partitions are all requested, and come when the test releases them. */
async function watched(/** @type {number} */ partitions) {
  const wire = new Wire({ partitions, holds: ({ index }) => index >= 0 });
  /** @type {Live} */
  const live = clientOf(wire).watchTable(1, "topics");
  freeAfterTest(live);
  await vi.waitUntil(() => wire.open.length === partitions);
  await quiet();
  return { wire, live };
}

/** Collects the snapshots of a live table while it loads. */
function collected(/** @type {Live} */ live) {
  /** @type {Snapshot[]} */
  const snapshots = [];
  const ended = (async () => {
    for await (const snapshot of live) snapshots.push(snapshot);
  })();
  return { snapshots, ended };
}

function summary(/** @type {Snapshot[]} */ snapshots) {
  return snapshots.map(({ state, progress: { partitionsDone } }) => `${state} ${partitionsDone}`);
}

describe("iterating over a live table", () => {
  test("gives the current snapshot, then each change, and ends after the last", async () => {
    const { wire, live } = await watched(3);
    const { snapshots, ended } = collected(live);
    await quiet();
    expect(snapshots).toEqual([live.getSnapshot()]);
    for (const index of [2, 0]) {
      const { length } = snapshots;
      wire.release(index);
      await vi.waitUntil(() => snapshots.length > length);
    }
    expect(snapshots.at(-1)?.table.toArray()).toEqual(findingsOfAll([0, 2]));
    wire.release(1);
    await ended;
    expect(summary(snapshots)).toEqual(["loading 0", "loading 1", "loading 2", "complete 3"]);
    expect(snapshots.at(-1)).toBe(live.getSnapshot());
    expect(new Set(snapshots).size).toBe(snapshots.length);
  });

  test("gives one snapshot for all changes between two frames", async () => {
    const { wire, live } = await watched(4);
    const frames = takeFrames();
    const { snapshots } = collected(live);
    await quiet();
    wire.release(0);
    wire.release(1);
    await quiet();
    expect(snapshots).toHaveLength(1);
    frames.frame();
    await quiet();
    expect(summary(snapshots)).toEqual(["loading 0", "loading 2"]);
  });

  test("gives a slow consumer the latest snapshot, never a backlog", async () => {
    const { wire, live } = await watched(4);
    const iterator = live[Symbol.asyncIterator]();
    expect((await iterator.next()).value?.progress.partitionsDone).toBe(0);
    for (const index of [0, 1, 2]) {
      wire.release(index);
      await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === index + 1);
    }
    expect((await iterator.next()).value).toBe(live.getSnapshot());
    wire.release(3);
    await live.done;
    expect((await iterator.next()).value).toBe(live.getSnapshot());
    expect(live.getSnapshot().state).toBe("complete");
    expect(await iterator.next()).toEqual({ done: true, value: undefined });
  });

  test.for(/** @type {const} */ (["complete", "failed", "aborted"]))(
    "ends without an error after the last snapshot of a %s live table, also when it begins later",
    async (state) => {
      const respond = (/** @type {{ index: number }} */ { index }) => (index === 2 ? refused(404) : undefined);
      const wire = new Wire({ ...(state === "failed" ? { respond } : {}), holds: () => state === "aborted" });
      const live = clientOf(wire).watchTable(1, "topics");
      const { snapshots, ended } = collected(live);
      await quiet();
      if (state === "aborted") live.free();
      const { reason: error } = await outcomeOf(live.done);
      // Right after the end, this loses nothing.
      live.free();
      await ended;
      expect(snapshots.at(-1)).toMatchObject({ state, ...(error && { error }) });
      expect(await Array.fromAsync(live)).toEqual([live.getSnapshot()]);
    },
  );

  test("goes on with a table that the loop resumes, and otherwise ends with the partial one", async () => {
    const refusals = new Set([1]);
    const wire = new Wire({ respond: ({ index }) => (refusals.has(index) ? refused(404) : undefined) });
    const live = clientOf(wire).watchTable(1, "topics", { failurePolicy: "collect" });
    freeAfterTest(live);
    expect((await Array.fromAsync(live)).at(-1)?.state).toBe("partial");
    refusals.clear();
    /** @type {string[]} */
    const states = [];
    for await (const { state } of live) {
      states.push(state);
      if (state === "partial") live.resume();
    }
    expect([states[0], states.at(-1)]).toEqual(["partial", "complete"]);
    expect(live.getSnapshot().table.toArray()).toEqual(allFindings(3));
  });

  test("may be left, which frees nothing and leaves no frame behind", async () => {
    const { wire, live } = await watched(2);
    const frames = takeFrames();
    for await (const { state } of live) {
      expect(state).toBe("loading");
      break;
    }
    wire.release(0);
    await quiet();
    expect([frames.requested, frames.timed]).toEqual([0, 0]);
    wire.release(1);
    using table = await live.done;
    expect(table.toArray()).toEqual(allFindings(2));
  });

  test("may be left while the next snapshot is awaited", async () => {
    const { wire, live } = await watched(2);
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

  test("can be done by several at once, each at its own pace", async () => {
    const { wire, live } = await watched(3);
    const fast = collected(live);
    const [slow, left] = [live[Symbol.asyncIterator](), live[Symbol.asyncIterator]()];
    await Promise.all([slow.next(), left.next()]);
    await left.return(undefined);
    for (const index of [0, 1]) {
      const { length } = fast.snapshots;
      wire.release(index);
      await vi.waitUntil(() => fast.snapshots.length > length);
    }
    expect((await slow.next()).value?.progress.partitionsDone).toBe(2);
    const rest = [slow.next(), slow.next()];
    wire.release(2);
    await fast.ended;
    expect(summary(fast.snapshots)).toEqual(["loading 0", "loading 1", "loading 2", "complete 3"]);
    expect(await Promise.all(rest)).toEqual([
      { done: false, value: live.getSnapshot() },
      { done: true, value: undefined },
    ]);
  });
});
