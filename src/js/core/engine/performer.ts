// Performs the calls of a client: lets them begin and end, lets time pass, and tells the module what has happened. It decides nothing.

import { onModuleStop } from "../host/cleanup.js";
import { now } from "../host/clock.js";
import { orUndefined } from "../host/member.js";
import { ignoreRejection } from "../host/promise.js";
import { listen } from "../host/shared-listener.js";
import { weakly } from "../host/weak.js";
import type { Instance } from "../module/instance.js";
import type { Client, Settings } from "./engine.js";
import { STOPPED, type Tell } from "./running-attempt.js";
import { type CallOwner, type Lists, RunningCall } from "./running-call.js";
import { warmUp } from "./warm-up.js";

/** The longest time that timers count, in milliseconds. */
const MAX_TIME = 2 ** 31 - 1;

/** A timer of Node, which keeps the process alive unless it is told not to. */
interface NodeTimer {
  ref(): unknown;
  unref(): unknown;
}

/** What is known of a call that begins. Rust reads its members by their names (`src/web/{performer,settings}.rs`). */
export interface Beginning extends Settings {
  readonly now: number;
  readonly hasColumns: boolean;
  readonly asksHeaders: boolean;
  readonly reportsProgress: boolean;
  readonly reportsPartitions: boolean;
  readonly mapsCounts: boolean;
  readonly mayUseWorker: boolean;
}

/** Performs the calls of one client. Rust calls its methods (`src/web/performer.rs`). */
export class Performer implements CallOwner {
  readonly #instance: Instance;
  /** The client of the module. It keeps the performer alive, so it would never be collected if the performer kept it alive, too. */
  #client: () => Client | undefined = () => undefined;
  /** The calls whose promises have not settled, and those that have not been released yet. */
  readonly #running = new Set<RunningCall>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the timer rings; infinity if none runs. */
  #wake = Number.POSITIVE_INFINITY;
  /** The function that has started the timer. */
  #timers: typeof setTimeout | undefined;
  /** The latest time of the calls. */
  #latest = 0;
  /** What ends with the last call: each removes a listener. */
  #listeners: (() => void)[] = [];
  readonly readers = orUndefined(() => new FinalizationRegistry<RunningCall>((call) => call.leave()));

  constructor(instance: Instance) {
    this.#instance = instance;
  }

  /** Creates a client. */
  static clientOf(instance: Instance, concurrency: number, maxBufferedBytes: number): Client {
    const performer = new Performer(instance);
    const client = new instance.Client(concurrency, maxBufferedBytes, performer);
    performer.#client = weakly(client);
    ignoreRejection(warmUp(instance));
    return client;
  }

  get module(): WebAssembly.Module {
    return this.#instance.module;
  }

  /** Makes a call, of which nothing is under way yet. One with `lists` gathers objects. */
  callOf(settings: Settings, lists: Lists | undefined): RunningCall {
    return new RunningCall(settings, lists, this.#client(), this);
  }

  /** Returns what is known of a call that begins. */
  beginning(settings: Settings): Beginning {
    this.#renewTimer();
    return {
      ...settings,
      now: this.#now(),
      begun: this.#now() - (now() - settings.begun),
      // Every member that Rust reads is there.
      totalTimeout: settings.totalTimeout ?? Number.POSITIVE_INFINITY,
      hasColumns: settings.columns !== undefined,
      asksHeaders: typeof settings.headers === "function",
      reportsProgress: settings.onProgress !== undefined,
      reportsPartitions: settings.onPartition !== undefined,
      mapsCounts: settings.readCounts !== undefined,
      mayUseWorker: settings.worker !== false,
    };
  }

  /** Takes note that the client has been freed. */
  leave(): void {
    this.#client = () => undefined;
  }

  entered(call: RunningCall): void {
    if (this.#running.size === 0) this.#listen();
    this.#running.add(call);
  }

  left(call: RunningCall): void {
    this.#running.delete(call);
    if (this.#running.size > 0) return;
    for (const end of this.#listeners.splice(0)) end();
    this.#clearTimer();
  }

  /** Lets time pass until a moment, unless no call is in flight then. */
  wakeAt(time: number): void {
    this.#clearTimer();
    // A longer timer would ring at once.
    this.#wake = Math.min(time, this.#latest + MAX_TIME);
    this.#timers = setTimeout;
    this.#timer = setTimeout(() => this.#ring(), this.#wake - this.#latest);
    this.hold();
  }

  hold(): void {
    const isAwaited = [...this.#running].some((call) => call.isAwaited);
    // Only Node's timers are objects.
    (this.#timer as Partial<NodeTimer> | undefined)?.[isAwaited ? "ref" : "unref"]?.();
  }

  /** Tells the module what has happened. */
  readonly tell: Tell = (event) => {
    const client = this.#client();
    if (client === undefined || this.#instance.isLost) return STOPPED;
    this.#renewTimer();
    try {
      return event(client, this.#now());
    } catch {
      // The module has stopped.
      return STOPPED;
    }
  };

  /** Tells the module that the time has come. The clock may stand still: fake timers need not fake it. */
  #ring(): void {
    this.#latest = Math.max(this.#latest, this.#wake);
    this.#clearTimer();
    this.tell((client, now) => client.tick(now));
  }

  /** Starts the timer again if fake timers have been put back, which have taken it. */
  #renewTimer(): void {
    if (this.#timers !== undefined && this.#timers !== setTimeout) this.wakeAt(this.#wake);
  }

  #clearTimer(): void {
    clearTimeout(this.#timer);
    this.#timers = undefined;
  }

  /** The time of the calls, which never goes back: where fake timers are put back, it stands still until the clock is there again. */
  #now(): number {
    this.#latest = Math.max(this.#latest, now());
    return this.#latest;
  }

  /** Listens while calls are in flight. */
  #listen(): void {
    const stop = () => {
      for (const call of this.#running) call.stop();
    };
    this.#listeners.push(onModuleStop(stop));
    // Node has no events of its own.
    if (typeof addEventListener !== "function") return;
    const target = globalThis as unknown as EventTarget;
    this.#listeners.push(listen(target, "online", () => this.tell((client, now) => client.online(now))));
  }
}
