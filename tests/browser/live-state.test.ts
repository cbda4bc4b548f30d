/** The states of a live table, by what the guides say of each step in each state: each cell, and random walks. */

import fc from "fast-check";
import type { FindingsError, LiveTable } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { quiet, refused, Wire } from "./wire.js";
import { collect } from "./wires";

const PARTITIONS = 6;

/** What a test can let happen, one after the other: `restart` cancels and resumes at once, `continue` resumes by an error. */
const steps = ["change", "receive", "lack", "fail", "cancel", "resume", "restart", "continue", "free"] as const;
type Step = (typeof steps)[number];

/** A state: `refilling` loads what was missing, and returns to `partial` after an error. */
const states = ["loading", "refilling", "complete", "partial", "failed", "aborted", "freed"] as const;
type State = (typeof states)[number];

/** The state after a step, as the guides say it. A step that is not listed changes nothing. */
const says: Record<State, Partial<Record<Step, State>>> = {
  loading: {
    change: "loading",
    receive: "complete",
    lack: "partial",
    fail: "failed",
    cancel: "aborted",
    restart: "loading",
    free: "freed",
  },
  refilling: {
    change: "refilling",
    receive: "complete",
    lack: "partial",
    fail: "partial",
    cancel: "aborted",
    restart: "refilling",
    free: "freed",
  },
  complete: { free: "freed" },
  partial: { resume: "refilling", restart: "refilling", continue: "refilling", free: "freed" },
  failed: { resume: "loading", restart: "loading", continue: "loading", free: "freed" },
  aborted: { resume: "loading", restart: "loading", continue: "loading", free: "freed" },
  freed: {},
};

/** How a live table comes to each state. */
const ways: Record<State, Step[]> = {
  loading: [],
  refilling: ["lack", "resume"],
  complete: ["receive"],
  partial: ["lack"],
  failed: ["fail"],
  aborted: ["change", "cancel"],
  freed: ["free"],
};

/** A live table whose requests a test answers, and the state that it has to have. */
class Walk {
  state: State = "loading";
  readonly #refused = new Set<number>();
  readonly #wire = new Wire({
    partitions: PARTITIONS,
    holds: () => true,
    respond: ({ index }) => (this.#refused.has(index) ? refused(404) : undefined),
  });
  readonly #live: LiveTable<any> = freeAfterTest(
    clientOf(this.#wire, { ...collect, concurrency: PARTITIONS }).watchTable(1, "topics"),
  );
  readonly #told: string[] = [];
  readonly #missing = new Set(Array.from({ length: PARTITIONS }, (_, index) => index));
  #partial: FindingsError | undefined;
  /** What was shown when it was freed, unless it was loading. */
  #last: State | undefined;

  constructor() {
    this.#live.subscribe(() => this.#told.push(this.#live.getSnapshot().state));
  }

  /** The state that its snapshots have to have: what ended before it was freed stays. */
  get #shown() {
    if (this.state === "freed") return this.#last ?? "aborted";
    return this.isLoading ? "loading" : this.state;
  }

  get isLoading() {
    return this.state === "loading" || this.state === "refilling";
  }

  /** Whether a step is possible now: without a call, nothing happens to one. */
  async can(step: Step): Promise<boolean> {
    if (["cancel", "resume", "restart", "free"].includes(step)) return true;
    if (step === "continue") return this.#partial !== undefined && /partial|failed|aborted/.test(this.state);
    if (!this.isLoading) return false;
    await vi.waitUntil(() => this.#wire.open.length > 0);
    const isCounting = this.#wire.open.some(({ index }) => index < 0);
    if (step === "fail") return isCounting;
    return step === "receive" || this.#missing.size > 2;
  }

  /** Lets a step happen, and compares what the live table shows with what the guides say. */
  async take(step: Step): Promise<void> {
    this.#told.length = 0;
    const before = this.#live.getSnapshot();
    const next = says[this.state][step];
    if (step === "free" && !this.isLoading && this.state !== "freed") this.#last = this.state;
    await this.#act(step);
    this.state = next ?? this.state;
    if (step === "free" || step === "restart" || next === undefined) await quiet();
    else await vi.waitUntil(() => this.#live.getSnapshot() !== before);
    await vi.waitFor(() => {
      const { state, table } = this.#live.getSnapshot();
      expect([state, table.partitions.length], step).toEqual([this.#shown, PARTITIONS - this.#missing.size]);
    });
    const { state, error } = this.#live.getSnapshot();
    expect("error" in this.#live.getSnapshot()).toBe(state !== "loading" && state !== "complete");
    if ((error as any)?.code === "partial") this.#partial = error as FindingsError;
    if (next !== undefined && !this.isLoading && step !== "free") expect(this.#told.at(-1)).toBe(state);
    if (!this.isLoading) {
      await quiet();
      expect(this.#wire.open).toEqual([]);
    }
    if (step === "free") expect(this.#told).toEqual([]);
  }

  async #act(step: Step): Promise<void> {
    const { [step as "cancel"]: act } = this.#live;
    if (step === "cancel" || step === "resume" || step === "free") return act();
    if (step === "restart") {
      this.#live.cancel();
      return this.#live.resume();
    }
    if (step === "continue") {
      const resumed = this.#partial?.resume?.();
      expect(this.#live.done).toBe(resumed);
      return;
    }
    this.#refused.clear();
    await vi.waitUntil(() => this.#wire.open.length > 0);
    if (step === "fail") {
      this.#refused.add(-1);
      return this.#release(-1);
    }
    if (this.#wire.open.some(({ index }) => index < 0)) this.#release(-1);
    await vi.waitUntil(() => this.#wire.open.filter(({ index }) => index >= 0).length === this.#missing.size);
    const arriving = [...this.#missing];
    if (step === "lack") for (const index of arriving.splice(0, 2)) this.#refused.add(index);
    for (const index of step === "change" ? arriving.slice(0, 1) : arriving) this.#missing.delete(index);
    for (const index of step === "change" ? arriving.slice(0, 1) : [...arriving, ...this.#refused])
      this.#release(index);
  }

  #release(index: number) {
    for (const asked of this.#wire.open) if (asked.index === index) asked.release();
  }
}

describe.for(states)("a live table that is %s", (state) => {
  test.for(steps)("does at %s what the guides say", async (step) => {
    const walk = new Walk();
    for (const before of ways[state]) await walk.take(before);
    expect(walk.state).toBe(state);
    if (await walk.can(step)) await walk.take(step);
    // No call runs, so that nothing can happen to one, or no error can continue.
    else expect(walk.isLoading || step === "continue" || says[state][step] === undefined).toBe(true);
  });
});

test("a live table shows the states that the guides say in any order of events", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...steps), { maxLength: 12 }), async (events) => {
      const walk = new Walk();
      for (const event of events) if (await walk.can(event)) await walk.take(event);
    }),
    { numRuns: timesOf(40) },
  );
});
