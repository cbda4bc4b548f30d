/** What a component shows and asks for, in any order of events: both views over live tables and a store that a test answers for, against a plain model. */

import fc from "fast-check";
import { FindingsClient } from "inspection-findings";
import { openStore } from "inspection-findings/keep";
import { createFindingsView, createTableView } from "inspection-findings/view";
import { describe, expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";
import { upTo } from "./inspection.js";

/** The options of a render, by what they have. */
const renders = ["", "store", "from", "signal", "from signal", "store signal"];

/** What can happen, with the number of an alternative. */
const events = {
  /** The component is rendered with a key, or without one; with one of two clients, or a new one; with options. */
  show: ["one", "two", null].flatMap((key) =>
    [0, 1, "new"].flatMap((client) => renders.map((options) => ({ key, client, options }))),
  ),
  /** It is rendered again with the same arguments, or several times, each with a new client. */
  again: ["same", 4, 7],
  /** The signal of the latest render is aborted. */
  abort: [0],
  /** The table `from` of the latest render is freed. */
  free: [0],
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
  #snapshot: any = Object.freeze({ state: "loading", table: tableOf(), progress: { bytes: 0 } });
  #signal: AbortSignal | null | undefined;
  #subscribers = new Set<() => void>();
  readonly done = new Promise<any>(() => {});
  freed = false;

  constructor(signal: AbortSignal | null | undefined) {
    this.#signal = signal;
    if (signal?.aborted) queueMicrotask(this.#onAbort);
    signal?.addEventListener("abort", this.#onAbort);
  }

  readonly getSnapshot = () => this.#snapshot;
  readonly subscribe = (onChange: () => void) => {
    this.#subscribers.add(onChange);
    return () => this.#subscribers.delete(onChange);
  };
  readonly cancel = () => {
    if (this.#snapshot.state === "loading") this.become("aborted", "cancelled");
  };
  readonly resume = () => {
    if (["loading", "complete"].includes(this.#snapshot.state) || this.freed) return;
    this.#signal = undefined;
    this.#set("loading", this.#snapshot.table);
  };
  readonly free = () => {
    if (this.#snapshot.state === "loading") this.become("aborted", "freed");
    this.freed = true;
  };

  readonly #onAbort = () => {
    if (this.#signal?.aborted) this.cancel();
  };

  get hasSubscribers() {
    return this.#subscribers.size > 0;
  }

  become(state: string, error?: unknown) {
    const isNew = state === "complete" || state === "partial" || error === undefined;
    this.#set(state, isNew ? tableOf() : this.#snapshot.table, error);
  }

  #set(state: string, table: unknown, error?: unknown) {
    const progress = { bytes: table === this.#snapshot.table ? 0 : 1 };
    this.#snapshot = Object.freeze({ state, table, progress, ...(error !== undefined && { error }) });
    for (const subscriber of [...this.#subscribers]) subscriber();
  }
}

/** A table of one finding. */
function tableOf() {
  const findings = [tables++];
  return { length: 1, slice: () => findings, free() {} };
}

/** The options that a call may have, as it reads them when it begins. */
const read = (options: any) =>
  Object.fromEntries(["from", "signal", "reload", "retries"].map((name) => [name, options?.[name]]));

/** A service, and a store that answers when the test says so. */
class World {
  readonly lives: FakeLive[] = [];
  /** The calls that have begun, and what they ask for. */
  readonly calls: Record<string, unknown>[] = [];
  readonly answers: (() => void)[] = [];
  /** The signal and the table of the latest render. */
  controller = new AbortController();
  from = { freed: false };
  readonly #clients = [this.#client(), this.#client()];
  readonly #store: any = {
    load: async (client: object, key: unknown, _kind: unknown, options: object) => {
      const asked = { client, key, ...read(options) };
      this.calls.push(asked);
      await new Promise<void>((resolve) => this.answers.push(resolve));
      return this.#begun(asked);
    },
  };

  /** The arguments of a render, which may have the table and the signal of the one before. */
  render({ key, client, options }: (typeof events.show)[number], isSame: boolean) {
    if (/signal/.test(options) && !isSame) this.controller = new AbortController();
    if (/from/.test(options) && !isSame) this.from = { freed: false };
    return {
      key,
      client: client === "new" ? this.#client() : this.#clients[client as number],
      options: {
        retries: 1,
        ...(/store/.test(options) && { store: this.#store }),
        ...(/from/.test(options) && { from: this.from }),
        ...(/signal/.test(options) && { signal: this.controller.signal }),
      } as any,
    };
  }

  #client(): any {
    const client = {
      watchTable: (key: unknown, _kind: unknown, options: object) => {
        const asked = { client, key, ...read(options) };
        this.calls.push(asked);
        return this.#begun(asked);
      },
    };
    return client;
  }

  #begun({ signal }: any) {
    const live = new FakeLive(signal);
    this.lives.push(live);
    return live;
  }
}

type Rendered = ReturnType<World["render"]>;

/** What has to be shown and asked for, as the guides say it. */
class Model {
  /** The latest render. */
  wanted: Rendered | undefined;
  isVisible = false;
  /** What is shown of before while a reload is not complete. */
  earlier: any;
  /** The latest table that was shown as a result. */
  #whole: unknown;
  readonly #clients = new Set<unknown>();
  #newClients = 0;
  /** The load: whether every render had a new client, it waits for the store, is cancelled meanwhile, and what its live table says. */
  load:
    | (Record<"isReload" | "isRefused" | "isOpening" | "isCancelled", boolean> & {
        asked: any;
        live: FakeLive | undefined;
      })
    | undefined;

  get #isComplete() {
    return this.load?.live?.getSnapshot().state === "complete";
  }

  get isRunning() {
    return this.isVisible && this.load !== undefined && !this.#isComplete;
  }

  get shown() {
    if (this.load === undefined) return { state: "loading", table: undefined, findings: undefined };
    if (this.load.isRefused) return { state: "failed" };
    const { state = "loading", table: received } = this.load.live?.getSnapshot() ?? {};
    const table = this.earlier ?? received;
    if (state === "complete" || state === "partial") this.#whole = table;
    // Objects are only built of a result, and shown until its table is another one.
    return { state, table, findings: table === undefined || table !== this.#whole ? undefined : table.slice() };
  }

  begin(manner: "first" | "again" | "reload") {
    const { client, key, options } = this.wanted as Rendered;
    const { store, from, signal } = options;
    const isReload = manner === "reload";
    const isFrom = from !== undefined && !isReload && !(manner === "again" && from.freed);
    const asked = {
      ...{ client, key, retries: 1, reload: store && isReload, from: isFrom ? from : undefined },
      signal: isReload && signal?.aborted ? null : signal,
    };
    const isRefused = this.#newClients > 5;
    this.load = { asked, isReload, isRefused, isOpening: !isRefused, isCancelled: false, live: undefined };
  }

  render(rendered: Rendered) {
    const { client, key } = rendered;
    const { asked, isRefused } = this.load ?? {};
    const isSeen = this.#clients.has(client);
    // Once every render has a new client, nothing begins until one comes again.
    const isSame = asked?.key === key && (isRefused ? !isSeen : asked?.client === client);
    const wasVisible = this.isVisible;
    this.isVisible = true;
    this.wanted = rendered;
    this.#newClients = isSeen ? 0 : this.#newClients + 1;
    this.#clients.add(client);
    if (key === null) this.load = this.earlier = undefined;
    else if (!isSame) {
      this.earlier = undefined;
      this.begin("first");
    } else if (!wasVisible && !this.#isComplete) this.begin(this.load?.isReload ? "reload" : "again");
  }

  take([name, value]: Event, live: FakeLive | undefined) {
    if (name === "stop") this.isVisible = false;
    const { load } = this;
    if (!this.isVisible || load === undefined) return;
    if (name === "reload") {
      if (this.#isComplete) this.earlier = load.live?.getSnapshot().table;
      this.begin("reload");
    } else if (name === "cancel" || name === "resume") load.isCancelled = load.isOpening && name === "cancel";
    else if (name === "live" && (value === "all" || value === "refusal")) this.earlier = undefined;
    if (this.load?.isOpening && live !== undefined) Object.assign(this.load, { isOpening: false, live });
    if (this.load?.live?.getSnapshot().progress.bytes) this.#newClients = 0;
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
  let last = walked[0]?.[1] as (typeof events.show)[number];
  let told = 0;
  view.subscribe(() => told++);
  const { cancel, resume, reload } = view.getSnapshot();
  for (const [index, event] of walked.entries()) {
    const [name, value] = event;
    const before = shownNow();
    const toldBefore = told;
    const begun = world.lives.length;
    const wasRunning = model.isRunning;
    if (name === "show" || name === "again") {
      if (name === "show") last = value;
      const each = name === "show" || value === "same" ? [last] : upTo(value).map(() => ({ ...last, client: "new" }));
      for (const rendered of each.map((render) => world.render(render, value === "same"))) {
        const { client, key, options } = rendered;
        view.show(client, key as any, "topics", options);
        model.render(rendered);
        // What is read later may have been freed.
        if (!options.store && model.load?.isOpening) expect(world.calls.at(-1)?.from).toBe(model.load.asked.from);
      }
    } else if (name === "stop") view.stop();
    else if (name === "abort") world.controller.abort("of the page");
    else if (name === "free") world.from.freed = true;
    else if (name === "answer") for (const answer of world.answers.splice(0)) answer();
    else if (name !== "live") ({ cancel, resume, reload })[name]();
    else {
      const { live } = model.load ?? {};
      // Only a live table that loads gets anything.
      if (!wasRunning || live?.getSnapshot().state !== "loading") continue;
      if (value === "more") live.become("loading");
      else if (value === "all") live.become("complete");
      else if (value === "lack") live.become("partial", { code: "partial" });
      else live.become("failed", { code: value === "refusal" ? "unauthorized" : "network" });
    }
    await settled();
    const opened = world.lives.slice(begun).find(({ freed }) => !freed);
    model.take(event, opened);
    // An `expect` for each of so many takes most of the time.
    const same = (actual: unknown, expected: unknown, what: string) => {
      if (!Object.is(actual, expected))
        expect(actual, `${what} after ${JSON.stringify(walked.slice(0, index + 1))}`).toBe(expected);
    };
    const { asked, isRefused, isCancelled } = model.load ?? {};
    if (model.isVisible) {
      const snapshot = view.getSnapshot();
      const { state, [shown]: result } = model.shown;
      same(snapshot.state, state, "the state");
      if (!isRefused) same(shownNow()?.[0] ?? shownNow(), result?.[0] ?? result, shown);
      same(
        snapshot.cancel === cancel && snapshot.resume === resume && snapshot.reload === reload,
        true,
        "the controls",
      );
      if (["partial", "failed", "aborted"].includes(state))
        same((snapshot as any).error === undefined, false, "no error");
      // A change is told, and what is the same is the same object.
      if (told === toldBefore) same(shownNow(), before, "what is shown without a notification");
      if (isRefused === false)
        for (const option of Object.keys(asked)) same(world.calls.at(-1)?.[option], asked[option], option);
    }
    same(view.getSnapshot(), view.getSnapshot(), "the snapshot");
    // At most one load runs, and none while nothing is to be loaded.
    const running = world.lives.filter(({ freed }) => !freed);
    const most = model.isVisible && model.load?.live !== undefined ? 1 : 0;
    same(running.length <= most, true, "as many loads as may run");
    same(world.lives.filter((live) => live.hasSubscribers).length, running.length, "the live tables with subscribers");
    const begins = isCancelled || asked?.signal?.aborted ? "aborted" : "loading";
    if (opened !== undefined) same(opened.getSnapshot().state, begins, "the state of the live table at first");
    visited.add(!model.isVisible ? "hidden" : isRefused ? "refused" : view.getSnapshot().state);
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
          walk(shown, [["show", { key: "one", client: 0, options: "store" }], ...walked], visited),
        ),
        { numRuns: timesOf(5_000) },
      );
      const states = ["aborted", "complete", "failed", "hidden", "loading", "partial", "refused"];
      expect([...visited].toSorted()).toEqual(states);
    },
  );

  test.for(Object.entries(views))("of %s is not created with the arguments of show()", ([, create]) => {
    const { client, key } = new World().render({ key: "one", client: 0, options: "" }, false);
    expect(() => (create as any)(client, key, "topics")).toThrow(/\(\) takes no arguments: pass them to show\(\)/);
  });

  test("refuses an unknown option, also where a store keeps the table", async () => {
    for (const options of [{}, { store: await openStore() }]) {
      const view = createTableView<any>();
      view.show(new FindingsClient(), 1, "topics", { ...options, concurency: 2 } as never);
      await vi.waitFor(() => expect(view.getSnapshot().error).toBeInstanceOf(TypeError));
      view.stop();
    }
  });

  test("notifies a function that subscribed twice until both have left", async () => {
    const { client } = new World().render({ key: "one", client: 0, options: "" }, false);
    const view = createTableView<any>();
    const onChange = vi.fn();
    const leave = view.subscribe(onChange);
    view.subscribe(onChange);
    leave();
    view.show(client, 1, "topics");
    await undefined;
    expect(onChange).toHaveBeenCalledOnce();
    expect(() => view.subscribe(undefined as never)).toThrow(TypeError);
    view.stop();
  });
});
