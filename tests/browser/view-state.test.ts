/** What a component shows, in any order of events: both views over live tables and a store that a test answers for, against a plain model. */

import fc from "fast-check";
import { createFindingsView, createTableView } from "inspection-findings/view";
import { describe, expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";

/** What can happen, with the number of an alternative. */
const events = {
  /** The component is rendered with a key, or without one. */
  show: ["one", "two", null],
  /** The component is hidden. */
  stop: [0],
  cancel: [0],
  resume: [0],
  reload: [0],
  /** The store answers for the latest load. */
  answer: [0],
  /** The latest live table gets more, all, all but some partitions, or an error. */
  live: ["more", "all", "lack", "failure", "refusal"],
} as const;

type Event = { [Name in keyof typeof events]: [Name, (typeof events)[Name][number]] }[keyof typeof events];

/** A load goes on in half of the events. */
const anyEvent = fc.oneof(
  ...Object.entries(events).map(([name, values]) => ({
    weight: name === "answer" || name === "live" ? 5 : 2,
    arbitrary: fc.constantFrom(...values.map((value) => [name, value] as Event)),
  })),
);

/** The number of the next table: each is another one. */
let tables = 0;

/** A live table that does only what a live table may do. */
class FakeLive {
  #snapshot: any = Object.freeze({ state: "loading", table: tableOf(), progress: {} });
  #subscribers = new Set<() => void>();
  readonly done = new Promise<any>(() => {});
  freed = false;

  readonly getSnapshot = () => this.#snapshot;
  readonly subscribe = (onChange: () => void) => {
    this.#subscribers.add(onChange);
    return () => this.#subscribers.delete(onChange);
  };
  readonly cancel = () => {
    if (this.#snapshot.state === "loading") this.become("aborted", "cancelled");
  };
  readonly resume = () => {
    if (!["loading", "complete"].includes(this.#snapshot.state) && !this.freed)
      this.#set("loading", this.#snapshot.table);
  };
  readonly free = () => {
    if (this.#snapshot.state === "loading") this.become("aborted", "freed");
    this.freed = true;
  };

  get hasSubscribers() {
    return this.#subscribers.size > 0;
  }

  become(state: string, error?: unknown) {
    const isNew = state === "complete" || state === "partial" || error === undefined;
    this.#set(state, isNew ? tableOf() : this.#snapshot.table, error);
  }

  #set(state: string, table: unknown, error?: unknown) {
    this.#snapshot = Object.freeze({ state, table, progress: {}, ...(error !== undefined && { error }) });
    for (const subscriber of [...this.#subscribers]) subscriber();
  }
}

/** A table of one finding. */
function tableOf() {
  const findings = [tables++];
  return { length: 1, slice: () => findings, free() {} };
}

/** A service and a store that answers when the test says so. */
class World {
  readonly lives: FakeLive[] = [];
  readonly reloads: boolean[] = [];
  readonly answers: (() => void)[] = [];
  readonly client: any = { watchTable: () => this.#begun() };
  readonly store: any = {
    load: async (_client: unknown, _key: unknown, _kind: unknown, { reload }: { reload: boolean }) => {
      this.reloads.push(reload);
      await new Promise<void>((resolve) => this.answers.push(resolve));
      return this.#begun();
    },
  };

  #begun() {
    const live = new FakeLive();
    this.lives.push(live);
    return live;
  }
}

/** What has to be shown, as the guides say it. */
class Model {
  key: string | null = null;
  isVisible = false;
  /** What is shown of before while a reload is not complete. */
  earlier: any;
  /** The latest table that was shown as a result. */
  #whole: unknown;
  /** The load: whether it waits for the store, is cancelled meanwhile, and what its live table says. */
  load: { isReload: boolean; isOpening: boolean; isCancelled: boolean; live: FakeLive | undefined } | undefined;

  get #isComplete() {
    return this.load?.live?.getSnapshot().state === "complete";
  }

  get isRunning() {
    return this.isVisible && this.load !== undefined && !this.#isComplete;
  }

  get shown() {
    if (this.load === undefined) return { state: "loading", table: undefined, findings: undefined };
    const { state = "loading", table: received } = this.load.live?.getSnapshot() ?? {};
    const table = this.earlier ?? received;
    if (state === "complete" || state === "partial") this.#whole = table;
    // Objects are only built of a result, and shown until its table is another one.
    return { state, table, findings: table === undefined || table !== this.#whole ? undefined : table.slice() };
  }

  begin(isReload: boolean) {
    this.load = { isReload, isOpening: true, isCancelled: false, live: undefined };
  }

  take([name, value]: Event, live: FakeLive | undefined) {
    if (name === "show") {
      const isOther = value !== this.key;
      const wasVisible = this.isVisible;
      this.isVisible = true;
      this.key = value;
      if (isOther) {
        this.earlier = undefined;
        if (value === null) this.load = undefined;
        else this.begin(false);
      } else if (!wasVisible && this.load !== undefined && !this.#isComplete) this.begin(this.load.isReload);
      return;
    }
    if (name === "stop") {
      this.isVisible = false;
      return;
    }
    const { load } = this;
    if (!this.isVisible || load === undefined) return;
    if (name === "reload") {
      if (this.#isComplete) this.earlier = load.live?.getSnapshot().table;
      this.begin(true);
    } else if (name === "cancel" || name === "resume") load.isCancelled = load.isOpening && name === "cancel";
    else if (name === "answer" && load.isOpening && live !== undefined) Object.assign(load, { isOpening: false, live });
    else if (name === "live" && (value === "all" || value === "refusal")) this.earlier = undefined;
  }
}

/** Waits until nothing goes on without an event: here, only promises do. */
async function settled() {
  for (let turn = 0; turn < 20; turn++) await undefined;
}

const views = { table: createTableView, findings: createFindingsView };
type Shown = keyof typeof views;

/** Lets events happen to a view and to the model, and compares both after each. */
async function walk(shown: Shown, walked: readonly Event[], visited: Set<string>) {
  const world = new World();
  const view = views[shown]<any>();
  const shownNow = () => (view.getSnapshot() as any)[shown];
  const model = new Model();
  let told = 0;
  view.subscribe(() => told++);
  const { cancel, resume, reload } = view.getSnapshot();
  for (const [index, event] of walked.entries()) {
    const [name, value] = event;
    const before = shownNow();
    const toldBefore = told;
    const begun = world.lives.length;
    const wasRunning = model.isRunning;
    let opened: FakeLive | undefined;
    if (name === "show") view.show(world.client, value as any, "topics", { store: world.store });
    else if (name === "stop") view.stop();
    else if (name === "answer") {
      for (const answer of world.answers.splice(0)) answer();
      await settled();
      opened = world.lives.slice(begun).find(({ freed }) => !freed);
    } else if (name !== "live") ({ cancel, resume, reload })[name]();
    else {
      const { live } = model.load ?? {};
      // Only a live table that loads gets anything.
      if (!wasRunning || live?.getSnapshot().state !== "loading") continue;
      if (value === "more") live.become("loading");
      else if (value === "all") live.become("complete");
      else if (value === "lack") live.become("partial", { code: "partial" });
      else live.become("failed", { code: value === "refusal" ? "unauthorized" : "network" });
    }
    model.take(event, opened);
    await settled();
    const text = walked.slice(0, index + 1).join(" ");
    if (model.isVisible) {
      const { state, ...others } = view.getSnapshot();
      const { state: expected, [shown]: result } = model.shown;
      expect(state, text).toBe(expected);
      expect(shownNow()?.[0] ?? shownNow(), text).toBe(result?.[0] ?? result);
      expect(others).toMatchObject({ cancel, resume, reload });
      if (["partial", "failed", "aborted"].includes(state)) expect(others.error, text).toBeDefined();
    }
    // A change is told, and what is the same is the same object.
    if (told === toldBefore && model.isVisible) expect(shownNow(), text).toBe(before);
    expect(view.getSnapshot()).toBe(view.getSnapshot());
    // At most one load runs, and none while nothing is to be loaded.
    const running = world.lives.filter(({ freed }) => !freed);
    expect(running.length, text).toBeLessThanOrEqual(model.isVisible && model.load?.live !== undefined ? 1 : 0);
    expect(world.lives.filter((live) => live.hasSubscribers).length, text).toBe(running.length);
    if (model.load?.isOpening && model.isVisible) expect(world.reloads.at(-1), text).toBe(model.load.isReload);
    const begins = model.load?.isCancelled ? "aborted" : "loading";
    if (opened !== undefined) expect(opened.getSnapshot().state, text).toBe(begins);
    visited.add(model.isVisible ? view.getSnapshot().state : "hidden");
  }
  view.stop();
  for (const answer of world.answers.splice(0)) answer();
  await settled();
  expect(world.lives.filter(({ freed }) => !freed)).toEqual([]);
}

describe("a view", () => {
  test.for(Object.keys(views) as Shown[])(
    "of %s shows what the guides say in any order of events, and leaves no load behind",
    async (shown) => {
      const visited = new Set<string>();
      await fc.assert(
        fc.asyncProperty(fc.array(anyEvent, { maxLength: 16, size: "max" }), (walked) =>
          walk(shown, [["show", "one"], ...walked], visited),
        ),
        { numRuns: timesOf(4_000) },
      );
      expect([...visited].toSorted()).toEqual(["aborted", "complete", "failed", "hidden", "loading", "partial"]);
    },
  );

  test("notifies a function that subscribed twice until both have left", () => {
    const { client } = new World();
    const view = createTableView<any>();
    const onChange = vi.fn();
    const leave = view.subscribe(onChange);
    view.subscribe(onChange);
    leave();
    view.show(client, 1, "topics");
    expect(onChange).toHaveBeenCalledOnce();
    expect(() => view.subscribe(undefined as never)).toThrow(TypeError);
    view.stop();
  });
});
