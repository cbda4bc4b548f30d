/** Live tables: what they show and whom they tell in any order of events, by what the guides say of each step in each state. */

import fc from "fast-check";
import {
  type FindingsError,
  FindingsTable,
  type LiveSnapshot,
  type LiveTable,
  type Options,
} from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { takeFrames } from "./frames.js";
import { allFindings, countsOf, findingsOfAll, upTo } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { watchTimers, withoutBackoff } from "./timers.js";
import { takeTrouble } from "./trouble.js";
import { quiet, refused, Wire } from "./wire.js";
import { arrive, collect, holding, refusing } from "./wires";

beforeEach(withoutBackoff);

type Live = LiveTable<any>;

/** Watches the table of an inspection. It is freed after the test. */
function watched(wire: Wire, options?: Options, client = clientOf(wire)): Live {
  return freeAfterTest(client.watchTable(1, "topics", options));
}

function rowsOf(live: Live) {
  return live.getSnapshot().table.toArray();
}

const partitions = 6;

const served = ["retry", "change", "receive", "lack", "fail"] as const;
const used = ["cancel", "abort", "resume", "restart", "interrupt", "continue", "free"] as const;

/**
 * What the service and what the user does. `restart` cancels and resumes in one task, `interrupt` aborts and resumes, and `continue` resumes by the last
 * error of what was partial.
 */
type Step = (typeof served | typeof used)[number];

/** A state: `refilling` loads what was missing, and returns to `partial` after an error. */
type State = "loading" | "refilling" | "complete" | "partial" | "failed" | "aborted" | "freed";
type Says = Partial<Record<Step, State>>;

const loads = (state: State): Says => ({ retry: state, change: state, restart: state, interrupt: state });
const ends: Says = { receive: "complete", lack: "partial", cancel: "aborted", abort: "aborted" };
const begins = (state: State): Says => ({ resume: state, restart: state, interrupt: state, continue: state });

/** The state after a step, as the guides say it. A step that is not listed changes nothing. */
const says: Record<State, Says> = {
  loading: { ...loads("loading"), ...ends, fail: "failed", free: "freed" },
  refilling: { ...loads("refilling"), ...ends, fail: "partial", free: "freed" },
  complete: { free: "freed" },
  partial: { ...begins("refilling"), free: "freed" },
  failed: { ...begins("loading"), free: "freed" },
  aborted: { ...begins("loading"), free: "freed" },
  freed: {},
};

/** The error after a step that ends loading. */
const errors: Partial<Record<Step, unknown>> = {
  lack: expect.objectContaining({ code: "partial" }),
  fail: expect.objectContaining({ code: "http", status: 404 }),
  cancel: expect.objectContaining({ name: "AbortError" }),
  abort: Number.NaN,
  free: new TypeError("this LiveTable has been freed: call watchTable again"),
};

/** Whose option the signal is. */
const owners = ["call", "client"] as const;
type Owner = (typeof owners)[number];

/** A live table whose requests a test answers, and what it has to show. No frame comes, so that subscribers and loops hear of its ends alone. */
class Walk {
  state: State = "loading";
  readonly #frames: ReturnType<typeof takeFrames>;
  readonly #refused = new Map<number, number>();
  readonly #wire = new Wire({
    partitions,
    holds: () => true,
    respond: ({ index }) => (this.#refused.has(index) ? refused(this.#refused.get(index) as number) : undefined),
  });
  readonly #controller = new AbortController();
  readonly #listeners = countListeners(this.#controller.signal);
  readonly #live: Live;
  readonly #missing = new Set(upTo(partitions));
  readonly #told: string[] = [];
  #loop: Promise<LiveSnapshot<any>[]>;
  #partial: FindingsError | undefined;
  /** What a live table that is freed shows still. */
  #last: State = "aborted";

  constructor(frames: ReturnType<typeof takeFrames>, owner: Owner) {
    const { signal } = this.#controller;
    // Another call for the same partitions could send its requests, too.
    const client = clientOf(this.#wire, { concurrency: 2 * partitions, ...(owner === "client" && { signal }) });
    this.#live = watched(this.#wire, { ...collect, ...(owner === "call" && { signal }) }, client);
    this.#live.subscribe(() => this.#told.push(this.#live.getSnapshot().state));
    this.#loop = Array.fromAsync(this.#live);
    this.#frames = frames;
  }

  get #isLoading() {
    return this.state === "loading" || this.state === "refilling";
  }

  get #shown() {
    if (this.state === "freed") return this.#last;
    return this.#isLoading ? "loading" : this.state;
  }

  get #isCounting() {
    return this.#wire.open.some(({ index }) => index < 0);
  }

  /** Whether a step is possible now. */
  async can(step: Step): Promise<boolean> {
    // The error continues with the signal of its call.
    const { aborted } = this.#controller.signal;
    if (step === "continue") return this.#partial !== undefined && !aborted && step in says[this.state];
    if (used.some((name) => name === step)) return true;
    if (!this.#isLoading) return false;
    await vi.waitUntil(() => this.#wire.open.length > 0);
    if (step === "fail") return this.#isCounting;
    return step !== "change" || this.#missing.size > 1;
  }

  /** Lets a step happen, and compares what the live table shows and says with what the guides say. */
  async take(step: Step): Promise<void> {
    const [before, done, wasLoading] = [this.#live.getSnapshot(), this.#live.done, this.#isLoading];
    const content = contentOf(before);
    const isSpent = /abort|interrupt/.test(step) && this.#controller.signal.aborted;
    const next = isSpent && wasLoading ? undefined : says[this.state][step];
    if (step === "free" && !wasLoading) this.#last = this.#shown as State;
    this.#told.length = 0;
    await this.#act(step);
    this.state = next ?? this.state;
    // A call that was ended, or that is to go on, could still show an end.
    if (next === undefined || /resume|restart|interrupt|free/.test(step)) await quiet();
    else await vi.waitUntil(() => this.#live.getSnapshot() !== before);
    const now = await vi.waitFor(() => this.#expectShown(step));
    expect([contentOf(before), this.#live.getSnapshot() === now], step).toEqual([content, true]);
    const isOther = now.progress.partitionsDone > before.progress.partitionsDone || step === "receive";
    expect(now.table === before.table, step).toBe(!isOther);
    const isEnd = wasLoading && !this.#isLoading;
    expect(this.#told, step).toEqual(isEnd && step !== "free" ? [now.state] : []);
    if (isEnd) await this.#expectEnd(step);
    else if (wasLoading && done !== this.#live.done) await rejectionOf(done);
    else if (!wasLoading && this.#isLoading) this.#loop = Array.fromAsync(this.#live);
    else if (!wasLoading) expect([now === before, done === this.#live.done], step).toEqual([true, true]);
    if (!this.#isLoading) await this.#expectRest(step);
  }

  #expectShown(step: Step) {
    const now = this.#live.getSnapshot();
    const indexes = upTo(partitions).filter((index) => !this.#missing.has(index));
    expect([now.state, "error" in now], step).toEqual([this.#shown, !/loading|complete/.test(this.#shown)]);
    expect(now.table.toArray(), step).toEqual(findingsOfAll(indexes));
    expect(now.progress, step).toMatchObject({ partitionsDone: indexes.length, findingsDone: now.table.length });
    expect([Object.isFrozen(now), Object.isFrozen(now.progress)]).toEqual([true, true]);
    return now;
  }

  /** Expects that `done` and the loop know of the end. */
  async #expectEnd(step: Step) {
    const now = this.#live.getSnapshot();
    const { value, reason } = await outcomeOf(this.#live.done);
    expect([reason, now.error], step).toEqual([errors[step], reason]);
    if (step === "receive") {
      expect([value.toArray(), value.isComplete]).toEqual([allFindings(partitions), true]);
      expect(now.progress).toMatchObject({ partitions, findings: value.length });
    }
    if (step === "lack") this.#partial = reason;
    value?.free();
    const looped = await this.#loop;
    expect(looped.pop()).toBe(now);
    expect(looped.filter(({ state }) => state !== "loading")).toEqual([]);
  }

  /** Expects that nothing goes on. */
  async #expectRest(step: Step) {
    const last = this.#live.getSnapshot();
    await quiet();
    expect([this.#live.getSnapshot() === last, this.#wire.open], step).toEqual([true, []]);
    expect([this.#listeners.left, this.#frames.requested, this.#frames.timed], step).toEqual([0, 0, 0]);
    expect(await Array.fromAsync(this.#live), step).toEqual([last]);
  }

  async #act(step: Step): Promise<void> {
    if (step === "restart") this.#live.cancel();
    if (step === "interrupt") this.#controller.abort(errors.abort);
    if (step === "restart" || step === "interrupt") {
      this.#live.resume();
      return this.#live.resume();
    }
    if (step === "abort") return this.#controller.abort(errors.abort);
    if (step === "continue") return expect(this.#partial?.resume?.()).toBe(this.#live.done);
    if (step === "cancel" || step === "resume" || step === "free") return this.#live[step]();
    await this.#serve(step);
  }

  async #serve(step: (typeof served)[number]): Promise<void> {
    this.#refused.clear();
    await vi.waitUntil(() => this.#wire.open.length > 0);
    if (step === "fail") return this.#release([-1], 404);
    if (this.#isCounting) this.#release([-1]);
    // What is missing is requested, and nothing else.
    const requested = () => this.#wire.open.map(({ index }) => index).toSorted();
    await vi.waitFor(() => expect(requested(), step).toEqual([...this.#missing]));
    if (step === "retry") {
      const { retries } = this.#live.getSnapshot().progress;
      this.#release(requested().slice(0, 1), 503);
      return vi.waitUntil(() => this.#live.getSnapshot().progress.retries > retries).then(() => {});
    }
    const arriving = step === "change" ? requested().slice(-1) : requested();
    if (step === "lack") this.#release(arriving.splice(-2), 404);
    for (const index of arriving) this.#missing.delete(index);
    this.#release(arriving);
  }

  #release(indexes: number[], status?: number) {
    if (status !== undefined) for (const index of indexes) this.#refused.set(index, status);
    for (const { index, release } of this.#wire.open) if (indexes.includes(index)) release();
  }
}

/** What a snapshot has, which may never change. */
function contentOf({ table }: LiveSnapshot<any>) {
  return [table.toArray(), table.byteLength];
}

const ways: [words: string, owner: Owner, ...Step[]][] = [
  ["loads", "call"],
  ["loads again", "client", "change", "cancel", "resume"],
  ["fetches the rest", "call", "lack", "resume"],
  ["is complete", "call", "receive"],
  ["is partial", "client", "lack"],
  ["has failed", "call", "lack", "resume", "cancel", "resume", "fail"],
  ["was aborted", "client", "lack", "resume", "cancel"],
  ["is freed", "call", "free"],
];

describe.for(ways)("a live table that %s", ([, owner, ...way]) => {
  const state = way.reduce<State>((before, step) => says[before][step] ?? before, "loading");
  const isPossible = (step: Step) => step in says[state] || (step !== "continue" && used.some((name) => name === step));
  test.for([...served, ...used].filter(isPossible))("does at %s what the guides say, and goes on", async (last) => {
    const walk = new Walk(takeFrames(), owner);
    for (const step of [...way, last]) {
      expect(await walk.can(step), step).toBe(true);
      await walk.take(step);
    }
    for (const step of ["resume", "receive"] as const) if (await walk.can(step)) await walk.take(step);
  });
});

test("a live table does what the guides say in any order of steps", async () => {
  const frames = takeFrames();
  const orders = fc.array(fc.constantFrom(...served, ...used), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(orders, fc.constantFrom(...owners), async (steps, owner) => {
      const walk = new Walk(frames, owner);
      for (const step of [...steps, "free" as const]) if (await walk.can(step)) await walk.take(step);
    }),
    { numRuns: timesOf(40) },
  );
});

describe("a live table", () => {
  // P34
  test("that fails causes no unhandled rejection, although nobody reads done", async () => {
    const live = watched(new Wire({ respond: () => refused(404) }));
    await vi.waitUntil(() => live.getSnapshot().state === "failed");
  });

  test("is empty and answers every query before anything has arrived", () => {
    const { table, progress } = watched(holding(2)).getSnapshot();
    expect(progress).toEqual({ partitionsDone: 0, findingsDone: 0, bytes: 0, retries: 0 });
    expect(table).toBeInstanceOf(FindingsTable);
    expect([table.length, table.byteLength, table.at(0)]).toEqual([0, 0, undefined]);
    const groups = [...table.countBy("Topic"), ...table.summarize([], "Sentiment")];
    expect([...table.columns, ...table, ...table.slice(0, 5), ...table.column("Topic"), ...groups]).toEqual([]);
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

  test("decodes the text of no group twice for two snapshots", async () => {
    const decode = vi.spyOn(TextDecoder.prototype, "decode");
    const findings = (index: number) => upTo(100).map((row) => ({ Text: `a text ${index * 1000 + row}` }));
    const wire = new Wire({
      counts: { ...countsOf(3), TopicFindings: 300 },
      findings,
      holds: ({ index }) => index >= 0,
    });
    const live = watched(wire);
    for (const index of [0, 1, 2]) {
      decode.mockClear();
      expect((await arrive(live, wire, index)).table.countBy("Text")).toHaveLength(100 * (index + 1));
      const texts = decode.mock.results.map(({ value }) => String(value)).join();
      expect(texts.match(/a text \d+/g)).toHaveLength(100);
    }
    await live.done;
  });
});

describe("the groups of a snapshot", () => {
  test("keep the objects of what has not changed, and the keys of what has, so they are frozen", async () => {
    // Some texts are in both partitions, and their numbers change with the second.
    const findings = (index: number) =>
      upTo(40).map((row) => ({ Text: row % 4 === 0 ? `in ${index}: ${row % 8}` : `in both: ${row % 3}` }));
    const wire = new Wire({ counts: { TopicPartitions: 2 }, findings, holds: ({ index }) => index >= 0 });
    const live = watched(wire);
    const groupsWith = async (index: number) => (await arrive(live, wire, index)).table.countBy("Text");
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
    const findings = () => upTo(many).map((number) => ({ Kind: "one", A: number, B: -number, C: 2 * number }));
    const live = watched(new Wire({ counts: { TopicPartitions: 1 }, findings }));
    using _ = await live.done;
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
  async function subscribed(page?: { isHidden: boolean }) {
    const frames = takeFrames(page);
    const wire = holding(4);
    const live = watched(wire);
    const onChange = vi.fn();
    live.subscribe(onChange);
    await quiet();
    const seen = () => [onChange.mock.calls.length, frames.requested, frames.timed];
    return { frames, wire, live, onChange, seen };
  }

  test("are notified at most once in each frame, and never from inside a call", async () => {
    const { frames, wire, live, seen } = await subscribed();
    expect(seen()).toEqual([0, 1, 1]);
    frames.frame();
    await undefined;
    expect(seen()).toEqual([1, 0, 0]);
    wire.release(0);
    wire.release(1);
    await quiet();
    expect(seen()).toEqual([1, 1, 1]);
    live.getSnapshot();
    frames.frame();
    await undefined;
    expect(seen()).toEqual([2, 0, 0]);
    expect(rowsOf(live)).toEqual(allFindings(2));
  });

  test.for([true, false])("are notified by a timer, if the page is hidden at once (%s) or later", async (isHidden) => {
    const { frames, seen } = await subscribed({ isHidden });
    expect(seen()).toEqual([0, isHidden ? 0 : 1, 1]);
    frames.time();
    await undefined;
    expect(seen()).toEqual([1, 0, 0]);
  });

  test("are functions, each called, also twice the same one, and after one that throws", async () => {
    const { frames, live, onChange } = await subscribed();
    expect(() => live.subscribe({} as any)).toThrow(/^onChange must be a function; got /);
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

test.for(["cancel", "free"] as const)(
  "%s() in onPartition leaves a snapshot that agrees with its progress",
  async (end) => {
    const live = watched(new Wire({ partitions: 3 }), {
      onPartition({ state, index }) {
        if (state === "received" && index === 1) live[end]();
      },
    });
    await live.done.catch(() => {});
    const { table, progress } = live.getSnapshot();
    expect([table.partitions.length, table.length]).toEqual([progress.partitionsDone, progress.findingsDone]);
    expect(progress.partitionsDone).toBeGreaterThan(0);
  },
);

test.for(["a subscriber", "a loop"])(
  "%s may resume a live table when it hears of the end, and free it",
  async (who) => {
    const { wire, refusals } = refusing([1]);
    const live = watched(wire, collect);
    const heard: string[] = [];
    const complete = Promise.withResolvers<FindingsTable<any>>();
    const hear = ({ state }: LiveSnapshot<any>) => {
      if (heard.at(-1) !== state) heard.push(state);
      if (state === "partial") {
        refusals.clear();
        live.resume();
      }
      if (state !== "complete") return;
      live.free();
      complete.resolve(live.done);
    };
    if (who === "a subscriber") live.subscribe(() => hear(live.getSnapshot()));
    else for await (const snapshot of live) hear(snapshot);
    using table = await complete.promise;
    expect(table.toArray()).toEqual(allFindings(3));
    expect(heard.filter((state) => state !== "loading")).toEqual(["partial", "complete"]);
  },
);

describe("iterating over a live table", () => {
  test("may be left while the next snapshot is awaited", async () => {
    const timers = watchTimers();
    const wire = holding(2);
    const live = watched(wire);
    await vi.waitUntil(() => wire.open.length === 2);
    const iterator = live[Symbol.asyncIterator]();
    await iterator.next();
    const pending = iterator.next();
    await quiet();
    // That of the requests.
    const { size } = timers;
    expect(await iterator.return(undefined)).toEqual({ done: true, value: undefined });
    expect(await pending).toEqual({ done: true, value: undefined });
    wire.release(0);
    await quiet();
    expect([timers.size, live.getSnapshot().state]).toEqual([size, "loading"]);
  });

  test("can be done by several at once, each at its own pace, with the latest snapshot and never a backlog", async () => {
    const wire = holding(4);
    const live = watched(wire);
    await vi.waitUntil(() => wire.open.length === 4);
    const seen: LiveSnapshot<any>[] = [];
    const fast = (async () => {
      for await (const snapshot of live) seen.push(snapshot);
    })();
    const [slow, left] = [live[Symbol.asyncIterator](), live[Symbol.asyncIterator]()];
    expect((await Promise.all([slow.next(), left.next()])).map(({ value }) => value)).toEqual([seen[0], seen[0]]);
    await left.return(undefined);
    for (const index of [0, 1, 2]) {
      wire.release(index);
      await vi.waitUntil(() => seen.length === index + 2);
    }
    expect((await slow.next()).value).toBe(live.getSnapshot());
    const rest = [slow.next(), slow.next()];
    wire.release(3);
    await fast;
    expect(seen.map(({ table }) => table.length)).toEqual([0, 2, 4, 6, 8]);
    const last = { done: false, value: live.getSnapshot() };
    expect(await Promise.all(rest)).toEqual([last, { done: true, value: undefined }]);
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
    expect(await rejectionOf(error.resume?.({ signal: AbortSignal.abort("enough") }) as any)).toBe("enough");
    expect(live.getSnapshot().state).toBe("loading");
    wire.release(1);
    await vi.waitUntil(() => live.getSnapshot().state === "complete");
    expect(rowsOf(live)).toEqual(allFindings(3));
    using table = await live.done;
    expect(table.isComplete).toBe(true);
  });
});

describe("a live table that begins with an earlier table", () => {
  const before = findingsOfAll([0, 2]);

  /** A table of three partitions without the second one, and a live table that begins with it, of a service that responds so. */
  async function earlier(respond: () => unknown, inspectionKey = 1) {
    const error = await failureOf(clientOf(refusing([1]).wire).loadTable(1, "topics", collect));
    const from: any = freeAfterTest(error.table as any);
    const wire = new Wire({ respond });
    const live: Live = clientOf(wire).watchTable(inspectionKey, "topics", { from, retries: 0 });
    return { from, wire, live: freeAfterTest(live) };
  }

  test("shows it at once, while the counts are requested, and also after it has been freed", async () => {
    const { from, live } = await earlier(() => new Promise(() => {}));
    from.free();
    for (const _ of ["at once", "later"]) {
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
    const { live } = await earlier(() => undefined, 2);
    expect(rowsOf(live)).toEqual([]);
    expect((await rejectionOf(live.done)).message).toMatch(/^from has topics findings of inspection 1, not/);
    expect(rowsOf(live)).toEqual([]);
  });
});
