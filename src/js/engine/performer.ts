// Performs the calls of a client: lets them begin and end, lets time pass, and tells the module what has happened. It decides nothing.

import { type ListenerHandle, listenUntilStop, startTimer, type Timer } from "../host/cleanup.js";
import { now } from "../host/clock.js";
import { orUndefined } from "../host/member.js";
import { ignoreRejection } from "../host/promise.js";
import { weakly } from "../host/weak.js";
import type { Instance } from "../module/instance.js";
import type { Client, Settings } from "./engine.js";
import { type AskHeaders, type CallOwner, type Lists, RunningCall } from "./running-call.js";
import { warmUp } from "./warm-up.js";
import { STOPPED, type Tell } from "./work.js";

/** A call that begins, with its settings. Rust reads its members by their names (`src/web/{performer,settings}.rs`). */
export interface EnteredCall extends Settings {
  readonly now: number;
  readonly hasColumns: boolean;
  /** The number of the `headers` function for one base URL, which calls share; 0 for fixed headers. */
  readonly source: number;
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
  readonly #sources = new WeakMap<AskHeaders, Map<string, number>>();
  #lastSource = 0;
  #timer: Timer | undefined;
  /** How far the time of the calls is ahead of the clock, in milliseconds. */
  #lead = 0;
  /** The latest time of the calls. */
  #latest = 0;
  #online: ListenerHandle | undefined;
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
  callOf(id: number, settings: Settings, lists: Lists | undefined): RunningCall {
    return new RunningCall(id, settings, lists, this.#client(), this);
  }

  /** Lets a call begin. */
  enter(call: RunningCall): EnteredCall {
    const { settings } = call;
    this.#running.add(call);
    call.followSignals();
    if (!call.isOver) this.#online ??= this.#listenOnline();
    this.#renewTimer();
    return {
      ...settings,
      now: this.#now(),
      begun: settings.begun + this.#lead,
      // Every member that Rust reads is there.
      totalTimeout: settings.totalTimeout ?? Number.POSITIVE_INFINITY,
      hasColumns: settings.columns !== undefined,
      source: this.#sourceOf(settings),
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

  left(call: RunningCall): void {
    this.#running.delete(call);
    if (this.#running.size > 0) return;
    this.#online?.end();
    this.#online = undefined;
    this.#timer?.clear();
    this.#timer = undefined;
  }

  /** Lets time pass until a moment, unless no call is in flight then. */
  wakeAt(time: number): void {
    // That of the event that the module handles: the page's own clock could end the calls.
    const from = this.#latest;
    const timer = startTimer(Math.max(0, time - from));
    const ring = () => {
      if (this.#timer !== timer) return;
      const lead = (timer.milliseconds < time - from ? from + timer.milliseconds : time) - this.#now();
      if (lead > 0) this.#lead += lead;
      this.#renewTimer();
    };
    void timer.over.then(ring);
    this.#timer?.clear();
    this.#timer = timer;
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

  /** Tells the module that time has passed if its timer no longer runs, so that it asks for another one. */
  #renewTimer(): void {
    if (this.#timer?.isRunning !== false) return;
    this.#timer.clear();
    this.#timer = undefined;
    this.tell((client, now) => client.tick(now));
  }

  /** The time of the calls, which has passed where a timer has: the clock of a host may stand still, or be put back. */
  #now(): number {
    const time = now() + this.#lead;
    if (time < this.#latest) this.#lead += this.#latest - time;
    else this.#latest = time;
    return this.#latest;
  }

  /** The number of a `headers` function for one base URL; 0 for fixed headers. */
  #sourceOf({ headers, baseUrl }: Settings): number {
    if (typeof headers !== "function") return 0;
    const ofFunction = this.#sources.get(headers) ?? new Map<string, number>();
    const source = ofFunction.get(baseUrl) ?? ++this.#lastSource;
    this.#sources.set(headers, ofFunction.set(baseUrl, source));
    return source;
  }

  #listenOnline(): ListenerHandle | undefined {
    const target = globalThis as unknown as EventTarget;
    return orUndefined(() => listenUntilStop(target, "online", () => this.tell((client, now) => client.online(now))));
  }
}
