// Performs what the calls of a client need, and tells the module what has become of it. It decides nothing.

import { type ListenerHandle, listenUntilStop, startTimer, type Timer } from "../host/cleanup.js";
import { now } from "../host/clock.js";
import { orUndefined } from "../host/member.js";
import { inMicrotask, nowOrSoon } from "../host/microtask.js";
import { adviceOf } from "../host/network-reason.js";
import { adopted, type Deferred, deferred, ignoreRejection, promiseOf } from "../host/promise.js";
import type { EndSignal } from "../host/signal.js";
import { pause } from "../host/slice.js";
import { weakly } from "../host/weak.js";
import { yieldNow } from "../host/yield_now.js";
import type { Instance } from "../module/instance.js";
import type { Finding } from "../table/rows/row-layout.js";
import { FAILURES } from "../worker/exchange.js";
import { WorkerUse } from "../worker/worker-use.js";
import type { Client, Settings } from "./engine.js";
import { FetchExchange } from "./fetch-exchange.js";
import { warmUp } from "./warm-up.js";
import { STOPPED, type Tell, Work } from "./work.js";

/** A partition that a stream delivers. */
export interface Delivered {
  readonly index: number;
  readonly findings?: Finding[] | undefined;
  readonly table?: unknown;
}

/** A call that begins, with its settings. Rust reads its members by their names (`src/web/{begun,settings}.rs`). */
export interface Begun extends Settings {
  /** Settles when the call has ended. */
  readonly promise: Promise<unknown>;
  /** Whether the call has ended already. */
  readonly isOver: boolean;
  readonly now: number;
  readonly hasColumns: boolean;
  /** The number of the `headers` function for one base URL, which calls in flight share; 0 for fixed headers. */
  readonly source: number;
  readonly reportsProgress: boolean;
  readonly reportsPartitions: boolean;
  readonly mapsCounts: boolean;
  /** 0 for decoding in the page, 1 for a worker if the call is large, 2 for a worker. */
  readonly workerOption: number;
}

/** The reader's end of a stream. */
export interface Reader {
  next(): Promise<Delivered | undefined>;
  free(): void;
}

/** A `headers` function. */
type AskHeaders = Extract<Settings["headers"], (...parameters: never) => unknown>;

/** The objects of the partitions that a call has received, by index. */
export type Lists = Map<number, Finding[]>;

/** A call in flight. */
interface InFlight extends Deferred<unknown> {
  readonly settings: Settings;
  readonly source: number;
  readonly listeners: ListenerHandle[];
  /** Keeps the client alive, which has the state of the call. */
  readonly client: Client | undefined;
  /** Where the objects of partitions are gathered; undefined unless they are. */
  readonly lists: Lists | undefined;
  /** The objects of a single partition. */
  list: Finding[] | undefined;
  /** The headers that were asked for before the module was ready. */
  asked: Promise<Headers> | undefined;
  worker: WorkerUse | undefined;
  /** The read of a stream that waits. */
  read: Deferred<Delivered | undefined> | undefined;
  /** The number of promises of callbacks that have not settled. */
  pending: number;
  /** Whether its promise has settled. */
  isOver: boolean;
}

/** Performs the calls of one client. Rust calls its methods by `host-functions.ts`. */
export class Performer {
  readonly #instance: Instance;
  /** The client of the module. It keeps the performer alive, so it would never be collected if the performer kept it alive, too. */
  #client: () => Client | undefined = () => undefined;
  readonly #calls = new Map<number, InFlight>();
  readonly #work = new Map<number, Work>();
  /** The number of calls whose promises have not settled. */
  #inFlight = 0;
  #lastSource = 0;
  #timer: Timer | undefined;
  /** How far the time of the calls is ahead of the clock, in milliseconds. */
  #lead = 0;
  /** The latest time of the calls. */
  #latest = 0;
  #online: ListenerHandle | undefined;
  /** Ends the streams that nobody reads any more. */
  readonly #readers = orUndefined(() => new FinalizationRegistry<number>((call) => this.#leave(call)));

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

  /** Takes note of a call that begins. A call with `lists` gathers objects. */
  enter(id: number, settings: Settings, lists: Lists | undefined): Begun {
    const { worker } = settings;
    const call: InFlight = {
      ...deferred<unknown>(),
      settings,
      source: this.#sourceOf(settings),
      listeners: [],
      client: this.#client(),
      lists,
      list: undefined,
      asked: settings.askedHeaders,
      worker: undefined,
      read: undefined,
      pending: 0,
      isOver: false,
    };
    this.#calls.set(id, call);
    this.#inFlight++;
    for (const signal of settings.signals) if (signal && !call.isOver) this.#follow(id, call, signal);
    if (!call.isOver) this.#online ??= this.#listenOnline();
    this.#renewTimer();
    return {
      ...settings,
      promise: call.promise,
      isOver: call.isOver,
      now: this.#now(),
      begun: settings.begun + this.#lead,
      // Every member that Rust reads is there.
      totalTimeout: settings.totalTimeout ?? Number.POSITIVE_INFINITY,
      hasColumns: settings.columns !== undefined,
      source: call.source,
      reportsProgress: settings.onProgress !== undefined,
      reportsPartitions: settings.onPartition !== undefined,
      mapsCounts: settings.readCounts !== undefined,
      workerOption: worker === false ? 0 : worker === "auto" ? 1 : 2,
    };
  }

  /** Returns the reader's end of a stream. */
  readerOf(id: number, { promise }: Begun): Reader {
    const next = async (): Promise<Delivered | undefined> => {
      const call = this.#running(id);
      if (call === undefined) return promise as Promise<undefined>;
      const read = deferred<Delivered | undefined>();
      call.read = read;
      this.#tell((client, now) => client.read(now, id));
      return read.promise;
    };
    const reader = { next, free: () => this.#leave(id) };
    const call = this.#running(id);
    if (call !== undefined) this.#readers?.register(reader, id, call);
    return reader;
  }

  /** Takes note that the client has been freed. */
  leave(): void {
    this.#client = () => undefined;
  }

  /** Ends a call with its result, or with an error. */
  endCall(id: number, value: unknown, isError: boolean): void {
    const end = () => {
      this.#settle(id, ({ resolve, reject }, list) => (isError ? reject(value) : resolve(value ?? list)));
      this.forgetCall(id);
    };
    const pending = this.#running(id)?.pending ?? 0;
    // The rejection of the promise that the last callback has returned may not be known yet.
    if (pending > 0) void yieldNow().then(() => nowOrSoon(end));
    else nowOrSoon(end);
  }

  /** Ends a call with the error that lists its failures, which the module makes in slices. */
  failCall(id: number): void {
    const end = (reason: unknown) => reason !== STOPPED && nowOrSoon(() => this.endCall(id, reason, true));
    void this.#partialError(id).then(end, end);
  }

  /** Forgets a call, of which nothing comes any more. */
  forgetCall(id: number): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    // Near the end of the stack, it may not have been released when it ended.
    if (call?.isOver) this.#release(call);
  }

  askHeaders(id: number, op: number, url: string, attempt: number, status: number | undefined): void {
    const call = this.#needed(id);
    if (call === undefined) return;
    const { asked, settings } = call;
    call.asked = undefined;
    const ask = async () => asked ?? (settings.headers as AskHeaders)({ attempt, status, url });
    ask().then(
      (headers) => this.#tell((client, now) => client.headers(now, op, headers)),
      (thrown) => this.#tell((client, now) => client.headersFailed(now, op, thrown)),
    );
  }

  sendRequest(id: number, op: number, url: string, ofFunction: Headers | undefined, mayBeWorker: boolean): void {
    const call = this.#needed(id);
    if (call === undefined) return;
    const { settings, worker } = call;
    const headers = ofFunction ?? (settings.headers as Headers);
    const from = now();
    const ofWorker = mayBeWorker ? worker?.send(url, headers) : undefined;
    const exchange = ofWorker ?? new FetchExchange((signal) => settings.send(url, headers, signal));
    const work = new Work(op, settings.baseUrl, this.#tell, () => this.#work.delete(op));
    this.#work.set(op, work);
    work.receive(exchange, ofWorker !== undefined, from);
  }

  /** Cancels what is under way under a number, and drops what is kept. */
  cancel(op: number): void {
    this.#work.get(op)?.end();
  }

  /** Drops what is under way under a number, and tells that it is lost. */
  lose(op: number, reason: unknown): void {
    this.#work.get(op)?.end();
    this.#tell((client, now) => client.failed(now, op, FAILURES.lost, reason));
  }

  useWorker(id: number): void {
    const call = this.#needed(id);
    if (call === undefined) return;
    const { worker, asTable, columns, inWorker, maxPartitionBytes } = call.settings;
    const { module } = this.#instance;
    call.worker = new WorkerUse(worker === true, module, !asTable, columns, inWorker, maxPartitionBytes);
  }

  /** The number of bytes of a body that have arrived. */
  bodyLength(op: number): number {
    return this.#work.get(op)?.length ?? 0;
  }

  /** Copies the first bytes of a body to a target. Returns true, which tells that it has not thrown. */
  copyBody(op: number, target: Uint8Array): true {
    this.#work.get(op)?.copyTo(target);
    return true;
  }

  delegate(id: number, op: number): void {
    const call = this.#needed(id);
    if (call !== undefined) this.#work.get(op)?.delegate(call.worker, call.settings.asTable);
  }

  decode(op: number): void {
    this.#work.get(op)?.decode();
  }

  /** The caller's `readCounts`. */
  readCounts(id: number): unknown {
    return this.#calls.get(id)?.settings.readCounts;
  }

  /** The fixed headers of a call; undefined if a function returns them. */
  fixedHeaders(id: number): Headers | undefined {
    const headers = this.#calls.get(id)?.settings.headers;
    return typeof headers === "function" ? undefined : headers;
  }

  /** The number of an advice about a request that got no response; 0 for none. */
  adviceOf(op: number, cause: unknown): number {
    return adviceOf(cause, this.#work.get(op)?.baseUrl ?? "");
  }

  reportProgress(id: number, progress: never): void {
    const call = this.#running(id);
    if (call !== undefined) this.#report(id, call, call.settings.onProgress, progress);
  }

  /** Reports the change of a partition, with the error of an attempt that has failed. */
  reportPartition(id: number, change: object, error: unknown): void {
    const call = this.#running(id);
    const report = error === undefined ? change : { ...change, error };
    if (call !== undefined) this.#report(id, call, call.settings.onPartition, report as never);
  }

  /** Gives the reader of a stream a partition, or keeps its objects, also after the call: another one may resume it. */
  deliver(id: number, op: number, index: number, table: unknown): void {
    const call = this.#calls.get(id);
    const work = this.#work.get(op);
    const findings = work?.list;
    work?.end();
    if (call === undefined) return;
    if (call.read !== undefined) {
      call.read.resolve(table === undefined ? { index, findings } : { index, table });
      call.read = undefined;
    } else if (findings !== undefined) {
      if (call.lists === undefined) call.list = findings;
      else call.lists.set(index, findings);
    }
  }

  /** Lets time pass until a moment, unless no call is in flight then. Returns true, which tells that it has not thrown. */
  wakeAt(time: number): true {
    const from = this.#now();
    const timer = startTimer(Math.max(0, time - from));
    const ring = () => {
      if (this.#timer !== timer) return;
      const lead = (timer.milliseconds < time - from ? from + timer.milliseconds : time) - this.#now();
      if (lead > 0) this.#lead += lead;
      this.#renewTimer();
    };
    void timer.over.then(() => orUndefined(ring));
    this.#timer?.clear();
    this.#timer = timer;
    return true;
  }

  /** Tells the module that time has passed if its timer no longer runs, so that it asks for another one. */
  #renewTimer(): void {
    if (this.#timer?.isRunning !== false) return;
    this.#timer.clear();
    this.#timer = undefined;
    this.#tell((client, now) => client.tick(now));
  }

  /** Tells the module what has happened. */
  readonly #tell: Tell = (event) => {
    const client = this.#client();
    if (this.#instance.isLost) this.#instance.arrangeStop();
    if (client === undefined || this.#instance.isLost) return STOPPED;
    this.#renewTimer();
    try {
      return event(client, this.#now());
    } catch {
      // The stack of the caller is exhausted, and the module has not been called. In a microtask, the stack is empty.
      if (!this.#instance.isLost) inMicrotask(() => event(client, this.#now()));
      return STOPPED;
    }
  };

  /** The time of the calls, which has passed where a timer has: the clock of a host may stand still, or be put back. */
  #now(): number {
    const time = now() + this.#lead;
    if (time < this.#latest) this.#lead += this.#latest - time;
    else this.#latest = time;
    return this.#latest;
  }

  /** Makes the error of a call that lists its failures. */
  async #partialError(id: number): Promise<unknown> {
    const failures: unknown[] = [];
    const make = () => this.#tell((client) => client.makeFailures(id, failures));
    while (this.#running(id) !== undefined && make() === false) await pause();
    return this.#running(id) && this.#tell((client) => client.partialError(id, failures));
  }

  /** Calls a callback. Its call ends if that throws, or if the promise that it returns is rejected. */
  #report<Report>(
    id: number,
    call: InFlight,
    callback: ((report: Report) => unknown) | undefined,
    report: Report,
  ): void {
    try {
      const promise = promiseOf(callback?.(report));
      if (promise === undefined) return;
      call.pending++;
      adopted(promise).then(
        () => call.pending--,
        (reason) => {
          call.pending--;
          this.abort(id, reason);
        },
      );
    } catch (thrown) {
      this.abort(id, thrown);
    }
  }

  /** The number of a `headers` function for one base URL; 0 for fixed headers. */
  #sourceOf({ headers, baseUrl }: Settings): number {
    if (typeof headers !== "function") return 0;
    for (const { settings, source } of this.#calls.values()) {
      if (settings.headers === headers && settings.baseUrl === baseUrl) return source;
    }
    return ++this.#lastSource;
  }

  /** Ends a call when a signal is aborted. */
  #follow(id: number, call: InFlight, signal: EndSignal): void {
    const { listeners } = call;
    try {
      const end = () => {
        try {
          if (signal.aborted) this.abort(id, signal.reason);
        } catch (thrown) {
          this.abort(id, thrown);
        }
      };
      const listener = listenUntilStop(signal, "abort", end);
      // Without a call, which the page could have replaced.
      listeners[listeners.length] = listener;
      // The code of the caller, which has added it, may have ended the call.
      if (call.isOver) listener.end();
      else end();
    } catch (thrown) {
      this.abort(id, thrown);
    }
  }

  #listenOnline(): ListenerHandle | undefined {
    const target = globalThis as unknown as EventTarget;
    return orUndefined(() => listenUntilStop(target, "online", () => this.#tell((client, now) => client.online(now))));
  }

  /** Ends a call with what a function of its caller has thrown, or with the reason of a signal. */
  abort(id: number, reason: unknown): void {
    if (this.#settle(id, ({ reject }) => reject(reason))) this.#tell((client, now) => client.abort(now, id));
  }

  /** Ends a stream that nobody reads any more. */
  #leave(id: number): void {
    if (this.#settle(id, ({ resolve }) => resolve(undefined))) this.#tell((client, now) => client.abort(now, id));
  }

  /** A call for which the module needs something. One that has ended while it began, or near the end of the stack, ends in the module, too. */
  #needed(id: number): InFlight | undefined {
    const call = this.#running(id);
    if (call === undefined) this.#tell((client, now) => client.abort(now, id));
    return call;
  }

  /** A call whose promise has not settled. */
  #running(id: number): InFlight | undefined {
    const call = this.#calls.get(id);
    return call?.isOver ? undefined : call;
  }

  /** Settles the promise of a call, and the read of a stream that waits. Returns false if it has been settled before. */
  #settle(id: number, settle: (promise: Deferred<unknown>, list?: Finding[]) => void): boolean {
    const call = this.#running(id);
    if (call === undefined) return false;
    // First of all: where the stack ends here, the call goes on, and can be ended again.
    settle(call, call.list);
    if (call.read !== undefined) settle(call.read as Deferred<unknown>);
    // The promise may have read its value by code of the page.
    if (call.isOver) return false;
    call.isOver = true;
    this.#inFlight--;
    nowOrSoon(() => this.#release(call));
    return true;
  }

  /** Releases what a call has used that has ended. */
  #release(call: InFlight): void {
    this.#readers?.unregister(call);
    for (const listener of call.listeners) listener.end();
    call.worker?.end();
    if (this.#inFlight > 0) return;
    this.#online?.end();
    this.#online = undefined;
    this.#timer?.clear();
    this.#timer = undefined;
  }
}
