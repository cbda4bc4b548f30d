/** The states of a live table, by its own table of states and events: each cell, and random walks. */

import fc from "fast-check";
import type { FindingsError, LiveTable } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { type LiveEvent, type LiveState, SHOWN, TRANSITIONS } from "../../src/js/live/live-state.js";
import { timesOf } from "../counts.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { quiet, refused, Wire } from "./wire.js";
import { collect } from "./wires";

const PARTITIONS = 6;
const states = Object.keys(TRANSITIONS) as LiveState[];

/** What a test can let happen, one after the other. */
type Step = Exclude<LiveEvent, "lose" | "forget" | "abort"> | "resume" | "restart";
const steps: Step[] = ["change", "receive", "lack", "fail", "cancel", "resume", "restart", "continue", "free"];

/** A live table whose requests a test answers, and the state that the table of states says it has. */
class Walk {
  state: LiveState = "loading";
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
  /** What is shown for good: what was shown when it was freed, unless it was loading. */
  #last: string | undefined;

  constructor() {
    this.#live.subscribe(() => this.#told.push(this.#live.getSnapshot().state));
  }

  get shown() {
    return this.#live.getSnapshot().state;
  }

  get #isLoading() {
    return SHOWN[this.state] === "loading";
  }

  /** Whether a step is possible now: without a call, nothing happens to one. */
  async can(step: Step): Promise<boolean> {
    if (["cancel", "resume", "restart", "free"].includes(step)) return true;
    if (step === "continue") return this.#partial !== undefined && /partial|failed|aborted/.test(this.state);
    if (!this.#isLoading) return false;
    await vi.waitUntil(() => this.#wire.open.length > 0);
    const isCounting = this.#wire.open.some(({ index }) => index < 0);
    if (step === "fail") return isCounting;
    return step === "receive" || this.#missing.size > 2;
  }

  /** Lets a step happen, and compares what the live table shows with what the table of states says. */
  async take(step: Step): Promise<void> {
    this.#told.length = 0;
    const before = this.#live.getSnapshot();
    const wasLoading = this.#isLoading;
    const event = this.#eventOf(step);
    const [, ...effects]: readonly string[] = event === undefined ? [] : TRANSITIONS[this.state][event];
    if (step === "free" && !wasLoading) this.#last ??= before.state;
    await this.#act(step);
    if (event !== undefined) this.#go(event);
    if (step === "cancel" && wasLoading) this.#go("abort");
    if (step === "free" || step === "restart" || effects.length === 0) await quiet();
    else await vi.waitUntil(() => this.#live.getSnapshot() !== before);
    await vi.waitFor(() => {
      const { state, table } = this.#live.getSnapshot();
      expect([state, table.partitions.length], step).toEqual([
        this.#last ?? SHOWN[this.state],
        PARTITIONS - this.#missing.size,
      ]);
    });
    const { state, error } = this.#live.getSnapshot();
    expect("error" in this.#live.getSnapshot()).toBe(state !== "loading" && state !== "complete");
    if ((error as any)?.code === "partial") this.#partial = error as FindingsError;
    if (effects.includes("tell") || (step === "cancel" && wasLoading)) expect(this.#told.at(-1)).toBe(state);
    if (!this.#isLoading) {
      await quiet();
      expect(this.#wire.open).toEqual([]);
    }
    if (step === "free") expect(this.#told).toEqual([]);
  }

  /** The event of a step: `resume()` is none while a call runs, and after `cancel()` none does. */
  #eventOf(step: Step): LiveEvent | undefined {
    if (step === "resume") return this.#isLoading ? undefined : "continue";
    return step === "restart" ? "continue" : step;
  }

  #go(event: LiveEvent) {
    [this.state] = TRANSITIONS[this.state][event];
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

/** How a live table comes to each state. */
const ways: Record<LiveState, Step[]> = {
  loading: [],
  refilling: ["lack", "resume"],
  complete: ["receive"],
  partial: ["lack"],
  failed: ["fail"],
  aborted: ["change", "cancel"],
  freed: ["free"],
};

/** The state that is shown after a step, as the guides say it; none if it stays. */
const after: Record<LiveState, Partial<Record<Step, string>>> = {
  loading: { receive: "complete", lack: "partial", fail: "failed", cancel: "aborted", free: "aborted" },
  refilling: { receive: "complete", lack: "partial", fail: "partial", cancel: "aborted", free: "aborted" },
  complete: {},
  partial: { resume: "loading", restart: "loading", continue: "loading" },
  failed: { resume: "loading", restart: "loading", continue: "loading" },
  aborted: { resume: "loading", restart: "loading", continue: "loading" },
  freed: {},
};

describe.for(states)("a live table that is %s", (state) => {
  test.for(steps)("does at %s what the table of its states says", async (step) => {
    const walk = new Walk();
    for (const before of ways[state]) await walk.take(before);
    expect(walk.state).toBe(state);
    if (await walk.can(step)) {
      await walk.take(step);
      expect(walk.shown).toBe(after[state][step] ?? SHOWN[state]);
      // No call runs, so that nothing can happen to one, or no error can continue.
    } else
      expect(TRANSITIONS[state][step as LiveEvent]).toSatisfy(
        ([to]) => to === state || step === "continue" || SHOWN[state] === "loading",
      );
  });
});

test("a live table shows the states of its table in any order of events", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...steps), { maxLength: 12 }), async (events) => {
      const walk = new Walk();
      for (const event of events) if (await walk.can(event)) await walk.take(event);
    }),
    { numRuns: timesOf(40) },
  );
});
