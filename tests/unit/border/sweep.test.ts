/** The sweep of the border: each kind of call is disturbed wherever JavaScript and Rust meet. Afterwards nothing is left, and the next calls are right. */

import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { dist } from "../../../tools/repository.js";
import { timesOf } from "../../counts.js";
import { Random } from "../../random.js";
import { CALLS, type Context, Service, size } from "./sweep-calls.ts";
import { type Disturbed, FAMILIES, type Family, THROWN } from "./sweep-families.ts";
import { beginCase, border, host, kept, mustGo, online, turn, unhandled, until, waiting } from "./sweep-world.ts";

/** What no caller may read. */
const INTERNAL = /recursive use|already (mutably )?borrowed|unreachable|null pointer|reading '/;
/** Why callers abort: anything may be a reason. */
const REASONS = [new RangeError("mine"), "a string", null, undefined];
const STOPPED = /has stopped .* All tables are lost/;

const { assign } = Object;
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
const words = (error: any) => `${error?.name} ${error?.code ?? ""}: ${String(error?.message).slice(0, 120)}`;

/** How a promise settles; undefined while it has not. */
interface Outcome {
  value?: any;
  error?: any;
  isSettled: boolean;
}

function outcomeOf(promise: Promise<unknown>): Outcome {
  const outcome: Outcome = { isSettled: false };
  promise.then(
    (value) => assign(outcome, { isSettled: true, value }),
    (error) => assign(outcome, { isSettled: true, error: error === undefined ? "nothing" : error }),
  );
  return outcome;
}

/** A copy of the package, with a client and a table that have nothing to do with the calls. */
class World {
  readonly service = new Service("https://other.test/");
  client: any;
  table: any;
  constructor(readonly api: any) {}

  static async load(file: string, pages?: number): Promise<World> {
    vi.resetModules();
    online.listeners = 0;
    border.pages = pages;
    const world = new World(await import(join(dist, file)));
    await world.start();
    return world;
  }

  async start(): Promise<void> {
    this.client = new this.api.FindingsClient({ ...this.service.options, concurrency: 4 });
    await this.client.getFindings(1, "topics");
    this.table = await this.api.FindingsTable?.from([{ id: 7 }]);
  }
}

/** A case: which call is disturbed, how, and at which occasion. */
class Case {
  readonly faults: string[] = [];
  readonly #controller = new AbortController();
  readonly #call;
  readonly #service: Service;
  readonly #client: any;
  readonly #signal: any;
  readonly #disturbed: Disturbed = { hook: () => {}, isOver: false, act: (name) => this.#act(name) };
  readonly #ends: Record<string, () => unknown> = {};
  #isFreed = false;
  #isOtherFreed = false;
  #isRead = false;
  readonly #reason;
  #outcome: Outcome | undefined;
  #context!: Context;

  constructor(
    readonly world: World,
    readonly family: Family,
    readonly name: string,
    number: number,
  ) {
    const { api } = world;
    const call = CALLS[name] as (typeof CALLS)[string];
    this.#call = call;
    this.#reason = REASONS[number % REASONS.length];
    beginCase();
    // The reason of a signal keeps what was on the stack.
    world.service.requests.length = 0;
    const base = `https://case-${number % 7}.test/`;
    this.#service = call.service?.(base) ?? new Service(base);
    for (const path of family.faults ?? []) this.#service.faults.add(path);
    const hook = (called: string) => this.#disturbed.hook(called);
    this.#service.hook = hook;
    const by = call.isInWorker ? { fetch: undefined, worker: true } : {};
    this.#client = new api.FindingsClient({ ...this.#service.options, concurrency: 3, ...by });
    const { signal } = this.#controller;
    this.#signal = {
      listeners: 0,
      get aborted() {
        hook("signal.aborted");
        return signal.aborted;
      },
      get reason() {
        hook("signal.reason");
        return signal.reason;
      },
      addEventListener(...parameters: Parameters<AbortSignal["addEventListener"]>) {
        hook("signal.add");
        this.listeners++;
        signal.addEventListener(...parameters);
      },
      removeEventListener(...parameters: Parameters<AbortSignal["removeEventListener"]>) {
        this.listeners--;
        hook("signal.remove");
        signal.removeEventListener(...parameters);
      },
    };
    const options: any = { signal: this.#signal };
    if (family.hasFunctions) {
      options.headers = async () => [hook("headers"), this.#service.headers][1];
      const report = { onProgress: () => hook("onProgress"), onPartition: () => hook("onPartition") };
      if (name !== "counts") Object.assign(options, report);
    }
    const own = { client: this.#client, signal: this.#signal, options, service: this.#service };
    for (const [what, object] of Object.entries(own)) mustGo(`the ${what} of ${name}`, object);
    this.#context = { api, client: this.#client, options, service: this.#service, ends: this.#ends, hook };
  }

  #fail(fault: string, detail: unknown = ""): void {
    this.faults.push(`${fault} ${String(detail)}`.slice(0, 250));
  }

  #act(name: string): boolean {
    const { client, service } = this.#context;
    this.#isRead ||= name === "return" || name === "next";
    const abort = () => this.#controller.abort(this.#reason);
    const free = () => {
      this.#isFreed = true;
      client.free();
    };
    const acts: Record<string, () => unknown> = {
      ...this.#ends,
      abort,
      free,
      abortFree: () => [abort(), free()],
      freeOther: () => {
        this.#isOtherFreed = true;
        this.world.client.free();
      },
      freeTable: () => this.#context.given?.free() ?? true,
      begin: () => void client.getFindings(1, "topics", { fetch: service.fetch }).catch(() => {}),
      cancelResume: () => this.#ends.cancel !== undefined && [this.#ends.cancel(), this.#ends.resumeLive?.()],
    };
    const isDone = acts[name] !== undefined && acts[name]?.() !== false;
    if (isDone && this.family.endsAtOnce) void this.#mustEnd(name);
    return isDone;
  }

  /** Checks that the call ends at once. Tables of a caller are no call. */
  async #mustEnd(name: string): Promise<void> {
    for (const _ of [1, 2, 3]) await turn();
    if (/^(abort|free|abortFree|freeLive|return)$/.test(name) && !this.#outcome?.isSettled)
      this.#fail("it does not end at once");
  }

  /** Disturbs the call at the k-th occasion. Returns whether there was one. */
  async run(target: string, k: number): Promise<boolean> {
    const { world, family } = this;
    this.#context.given = await this.#call.setUp?.(this.#context);
    const timers = new host.Set(waiting.timers.keys());
    const { instances } = border;
    const others = outcomeOf(world.client.getFindings(1, "topics"));
    const { stop, hasCome } = family.arm(target, k, this.#disturbed);
    const outcome = outcomeOf((async () => this.#call.run(this.#context))());
    this.#outcome = outcome;
    const isOver = () => outcome.isSettled && others.isSettled;
    await until(isOver);
    this.#disturbed.isOver = true;
    stop();
    if (!(await until(() => outcome.isSettled))) this.#fail("never settles");
    if (!(await until(() => others.isSettled))) this.#fail("the call of another client never settles");
    const { length } = this.#service.requests;
    this.#checkOutcome(outcome, border.instances > instances);
    // What a function of the caller has thrown is what the call rejects with.
    if (/^(on|headers|readCounts).* throw$/.test(target) && hasCome() && outcome.error !== THROWN)
      this.#fail("another error than the caller's:", words(outcome.error));
    const isRight = same(others.value, CALLS.findings?.value(world.service.base));
    const isStopped = family.mayFail === "stopped" && STOPPED.test(others.error?.message);
    const mayFail = family.mayFail === "all" || isStopped || this.#isOtherFreed || target.endsWith(" throw");
    if (others.isSettled && !isRight && !mayFail) this.#fail("another call is wrong:", words(others.error));
    // Beside calls that its functions have begun.
    const isAlone = !/begin|next|resume|Resume/.test(target) && outcome.isSettled;
    await this.#checkLeft(timers, isAlone);
    // A worker learns of a request before it learns of the end.
    if (isAlone && !this.#call.isInWorker && this.#service.requests.length > length)
      this.#fail("it sends requests after its end");
    this.#checkTable();
    await this.#checkNext();
    // What a subscriber throws is reported, as that of an event listener.
    const isReported = (one: string) => target === "subscriber throw" && one === `uncaught: ${THROWN}`;
    const left = unhandled.splice(0).filter((one) => !isReported(one));
    if (left.length > 0) this.#fail("nobody handles", left.join(", "));
    this.#client.free();
    this.#context.given?.free?.();
    await turn();
    if (this.#isOtherFreed || this.#isLost) await world.start();
    if (!hasCome() && outcome.error !== undefined) this.#fail("fails undisturbed:", words(outcome.error));
    return hasCome();
  }

  #checkOutcome({ value, error, isSettled }: Outcome, isOther: boolean): void {
    const wanted = this.#call.value(this.#service.base) as unknown[];
    // A stream that is left early, or read by others, too, returns a part.
    const isPart =
      this.#isRead && Array.isArray(value) && value.every((one) => wanted.some((other) => same(one, other)));
    if (isSettled && error === undefined && !same(value, wanted) && !isPart)
      this.#fail("returns", JSON.stringify(value)?.slice(0, 60));
    const isEnded =
      Object.is(error, this.#controller.signal.reason) ||
      this.#isFreed ||
      this.#isOtherFreed ||
      error instanceof this.world.api.FindingsError;
    if (error !== undefined && this.#controller.signal.aborted && !isEnded && !this.family.mayFail)
      this.#fail("another reason:", words(error));
    const isByFree = this.family.endsAtOnce && this.#isFreed && !this.#controller.signal.aborted;
    if (isByFree && error !== undefined && !/^this FindingsClient has been freed: /.test(error.message))
      this.#fail("another error than that of free():", words(error));
    if (INTERNAL.test(words(error)) && !STOPPED.test(error?.message) && !this.family.mayStop)
      this.#fail("an internal error:", words(error));
    if (STOPPED.test(error?.message) && !this.family.mayStop && !isOther) this.#fail("the module stops:", words(error));
  }

  /** Checks what the call has left. */
  async #checkLeft(timers: ReadonlySet<number>, isAlone: boolean): Promise<void> {
    const left = () => [...waiting.timers.keys()].filter((timer) => !timers.has(timer)).length;
    const isClean = () =>
      online.listeners === 0 && this.#signal.listeners <= 0 && left() === 0 && waiting.messages === 0;
    for (let turns = 0; turns < 20 && !isClean(); turns++) await turn();
    if (isAlone && left() > 0) this.#fail("a timer is left");
    await until(isClean);
    if (online.listeners > 0) this.#fail("a listener for online is left");
    if (this.#signal.listeners > 0) this.#fail("a listener on the caller's signal is left");
    if (left() > 0) this.#fail("a timer is left");
    if (waiting.messages > 0) this.#fail("it runs on");
    const open = this.#service.requests.filter(({ isOver, signal }) => !isOver && !signal.aborted);
    for (const { href } of open) this.#fail("a request is left:", href);
    const wrong = [...this.#service.wrong.splice(0), ...this.world.service.wrong.splice(0)];
    if (wrong.length > 0) this.#fail("a request goes elsewhere:", wrong);
  }

  get #isLost(): boolean {
    try {
      return this.world.table !== undefined && this.world.table.length < 0;
    } catch {
      return true;
    }
  }

  #checkTable(): void {
    const { table } = this.world;
    try {
      if (table !== undefined && table.at(0).id !== 7) this.#fail("a table is wrong");
    } catch (error: any) {
      if (!this.family.mayStop) this.#fail("the table is lost:", words(error));
      if (!STOPPED.test(error.message)) this.#fail("a lost table does not say so:", words(error));
    }
  }

  /** Checks that the next calls of the same and of another client are right, with all their places. */
  async #checkNext(): Promise<void> {
    const { world } = this;
    const again = new Service(this.#service.base);
    const nexts = [
      ["this client", this.#isFreed, this.#client, again, 3],
      ["another client", this.#isOtherFreed, world.client, world.service, 4],
    ] as const;
    for (const [who, isFreed, client, service, places] of nexts) {
      if (isFreed) continue;
      service.most = 0;
      const next = outcomeOf(client.getFindings(1, "topics", { fetch: service.fetch }));
      await until(() => next.isSettled);
      const { value, error, isSettled } = next;
      if (!isSettled) this.#fail(`the next call of ${who} never settles`);
      else if (error !== undefined) this.#fail(`the next call of ${who} fails:`, words(error));
      else if (!same(value, CALLS.findings?.value(service.base))) this.#fail(`the next call of ${who} is wrong`);
      else if (service.most < places) this.#fail(`the next call of ${who} has not all places:`, service.most);
      const wrong = service.wrong.splice(0);
      if (wrong.length > 0) this.#fail("a later request goes elsewhere:", wrong);
    }
  }
}

/** Repeats the cases of one call, or of one target, or runs all cases, by `SWEEP=all`. */
const { SWEEP, SWEEP_CALL: onlyCall, SWEEP_TARGET: onlyTarget } = process.env;
/** The step from one occasion of a target to the next: 100 in the quick tier, 10 in the full one. */
const step = SWEEP === "all" || onlyTarget !== undefined ? 1 : Math.round(1000 / timesOf(100));
const cases = Object.keys(FAMILIES).flatMap((family) =>
  ["inline.js", "objects-inline.js"].map((file) => ({ family, file })),
);
let count = 0;

// P27
test.for(cases)(
  "the border is left as it was: $family, $file",
  { timeout: 1_800_000 },
  async ({ family: familyName, file }) => {
    const family = FAMILIES[familyName] as Family;
    size.findings = family.findings ?? 6;
    const faults = new Map<string, { hits: number; first: string }>();
    let world = await World.load(file);
    for (const [name, { isOfTables }] of Object.entries(CALLS)) {
      if ((isOfTables && file !== "inline.js") || (onlyCall ?? name) !== name) continue;
      for (const target of family.targets()) {
        if ((onlyTarget ?? target) !== target) continue;
        const first = step === 1 ? 1 : new Random(familyName, name, target).integer(1, step);
        let hasCome = true;
        for (let k = first; hasCome && k <= (family.most ?? Number.POSITIVE_INFINITY); k += step) {
          count++;
          if (family.pages !== undefined) world = await World.load(file, family.pages(k));
          const one = new Case(world, family, name, count);
          hasCome = await one.run(target, k);
          for (const fault of one.faults) {
            const kind = fault.replaceAll(/\d+/g, "N");
            const known = faults.get(kind) ?? { hits: 0, first: `${name}/${target}/${k}` };
            known.hits++;
            faults.set(kind, known);
          }
          if (one.faults.length > 0) world = await World.load(file);
        }
      }
    }
    const left = await kept();
    for (const object of new Set(left)) faults.set(`something keeps ${object}`, { hits: 1, first: "" });
    expect(Object.fromEntries(faults)).toEqual({});
  },
);
