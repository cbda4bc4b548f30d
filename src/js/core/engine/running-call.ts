// A call that runs: its promise, the signals that end it, and the functions of its caller. It decides nothing.

import { adopted, type Deferred, deferred, promiseOf } from "../host/promise.js";
import { listen } from "../host/shared-listener.js";
import type { EndSignal } from "../host/signal.js";
import { yieldNow } from "../host/yield-now.js";
import type { Finding } from "../table/rows/row-layout.js";
import { WorkerUse } from "../worker/worker-use.js";
import type { Client, Settings } from "./engine.js";
import { FetchExchange } from "./fetch-exchange.js";
import type { Delivered, PartitionSource } from "./partition-source.js";
import { type AttemptOwner, RunningAttempt, type Tell } from "./running-attempt.js";

/** The objects of the partitions that a call has received, by index. */
export type Lists = Map<number, Finding[]>;

/** What a call needs of the client that it belongs to. */
export interface CallOwner {
  readonly module: WebAssembly.Module;
  readonly tell: Tell;
  /** Ends the streams that nobody reads any more. */
  readonly readers: FinalizationRegistry<RunningCall> | undefined;
  /** Takes note of a call that begins. */
  entered(call: RunningCall): void;
  /** Lets time that passes keep a process alive only while somebody waits for a call. */
  hold(): void;
  /** Takes note of a call that has ended, and releases what only calls in flight need, if it was the last one. */
  left(call: RunningCall): void;
}

/** A call that runs. Rust calls its methods (`src/web/performer.rs`). */
export class RunningCall implements AttemptOwner {
  worker: WorkerUse | undefined;
  /** Whether its promise has settled. */
  isOver = false;
  readonly #ended = deferred<unknown>();
  /** Its attempts that have not ended. */
  readonly #attempts = new Set<RunningAttempt>();
  /** Each removes a listener. */
  readonly #listeners: (() => void)[] = [];
  /** The objects of a single partition. */
  #list: Finding[] | undefined;
  /** The headers that were asked for before the module was ready. */
  #asked: Promise<Headers> | undefined;
  /** The read of a stream that waits. */
  #read: Deferred<Delivered | undefined> | undefined;
  #isStream = false;
  /** The number of promises of callbacks that have not settled. */
  #pending = 0;
  /** Its number in the module, once it has begun. */
  #id = 0;
  /** The errors of the partitions that are missing, by index. */
  readonly #missing = new Map<number, Error>();

  /**
   * @param lists where the objects of partitions are gathered; undefined unless they are
   * @param client kept alive, because it has the state of the call
   */
  constructor(
    readonly settings: Settings,
    readonly lists: Lists | undefined,
    readonly client: Client | undefined,
    readonly owner: CallOwner,
  ) {
    this.#asked = settings.askedHeaders;
  }

  /** Whether somebody waits for the call, or for the next partition of the stream. */
  get isAwaited(): boolean {
    return !this.#isStream || this.#read !== undefined;
  }

  /** Settles when the call has ended. */
  get promise(): Promise<unknown> {
    return this.#ended.promise;
  }

  /** Takes note of its number, and ends when one of its signals is aborted. */
  begun(id: number): void {
    this.#id = id;
    this.owner.entered(this);
    for (const signal of this.settings.signals) if (signal && !this.isOver) this.#follow(signal);
  }

  /** Returns the reader's end of a stream. */
  reader(): PartitionSource {
    const next = async (): Promise<Delivered | undefined> => {
      if (this.isOver) return this.promise as Promise<undefined>;
      const read = deferred<Delivered | undefined>();
      this.#read = read;
      this.owner.hold();
      this.owner.tell((client, now) => client.read(now, this.#id));
      return read.promise;
    };
    this.#isStream = true;
    const reader = { next, free: () => this.leave() };
    if (!this.isOver) this.owner.readers?.register(reader, this, this);
    return reader;
  }

  /** Ends it with its result, or with an error. */
  end(value: unknown, isError: boolean): void {
    const end = () => this.#settle(({ resolve, reject }) => (isError ? reject(value) : resolve(value ?? this.#list)));
    this.settings.context.send(() => {
      // The rejection of the promise that the last callback has returned may not be known yet.
      if (this.#pending > 0) void yieldNow().then(end);
      else end();
    });
  }

  /** Keeps the error of a partition that is missing, unless there is one already. */
  lack(index: number, error: Error): void {
    if (!this.#missing.has(index)) this.#missing.set(index, error);
  }

  /** The partitions that are missing, in index order, each with its error. */
  get failures(): { partitionIndex: number; error: Error }[] {
    const missing = [...this.#missing].sort(([one], [other]) => one - other);
    return missing.map(([partitionIndex, error]) => ({ partitionIndex, error }));
  }

  /** The message of the first of them. */
  get firstFailure(): string | undefined {
    return this.failures[0]?.error.message;
  }

  /** Ends it with what a function of its caller has thrown, or with the reason of a signal. */
  abort(reason: unknown): void {
    if (this.#settle(({ reject }) => reject(reason))) this.#tellAbort();
  }

  /** Ends a stream that nobody reads any more. */
  leave(): void {
    if (this.#settle(({ resolve }) => resolve(undefined))) this.#tellAbort();
  }

  /** Releases what it has used, because the module has stopped. */
  stop(): void {
    this.#settle(() => {});
    for (const attempt of this.#attempts) attempt.end();
  }

  askHeaders(op: number, url: string, attempt: number, status: number | undefined): void {
    const { headers } = this.settings;
    const { tell } = this.owner;
    this.#call(op, async () => {
      const asked = this.#asked ?? (typeof headers === "function" ? headers({ attempt, status, url }) : headers);
      this.#asked = undefined;
      const returned = await asked;
      tell((client, now) => client.headers(now, op, returned));
    });
  }

  mapCounts(op: number, response: string): void {
    this.#call(op, async () => {
      const counts: unknown = this.settings.readCounts?.(JSON.parse(response));
      this.owner.tell((client, now) => client.mapped(now, op, counts));
    });
  }

  /** Sends a request. */
  send(op: number, url: string, ofFunction: Headers | undefined, mayBeWorker: boolean): RunningAttempt {
    const attempt = new RunningAttempt(op, this, this.owner.tell);
    const { settings, worker } = this;
    const headers = ofFunction ?? (settings.headers as Headers);
    settings.context.send(() => {
      if (attempt.isOver) return;
      const ofWorker = mayBeWorker ? worker?.send(url, headers) : undefined;
      const exchange = ofWorker ?? new FetchExchange((signal) => settings.send(url, headers, signal));
      attempt.receive(exchange, ofWorker !== undefined);
    });
    return attempt;
  }

  useWorker(): void {
    this.worker = new WorkerUse(this.owner.module, this.settings);
  }

  /** Its fixed headers; undefined if a function returns them. */
  get fixedHeaders(): Headers | undefined {
    const { headers } = this.settings;
    return typeof headers === "function" ? undefined : headers;
  }

  reportProgress(progress: never): void {
    this.#report(this.settings.onProgress, progress);
  }

  /** Reports the change of a partition, with the error of an attempt that has failed. */
  reportPartition(change: object, error: unknown): void {
    this.#report(this.settings.onPartition, (error === undefined ? change : { ...change, error }) as never);
  }

  /** Gives the reader of a stream a partition, or keeps its objects, also after the end: another call may resume it. */
  deliver(attempt: RunningAttempt, index: number, table: Delivered["table"]): void {
    const findings = attempt.list;
    attempt.end();
    if (this.#read !== undefined) {
      this.settings.context.send(() => {
        this.#read?.resolve(table === undefined ? { index, findings } : { index, table });
        this.#read = undefined;
        this.owner.hold();
      });
    } else if (findings !== undefined) {
      if (this.lists === undefined) this.#list = findings;
      else this.lists.set(index, findings);
    }
  }

  /** Calls a function whose result an attempt waits for. The call ends if that throws. */
  #call(op: number, call: () => Promise<void>): void {
    this.settings.context.send(() => {
      if (this.isOver) return;
      call().catch((thrown) => this.owner.tell((client, now) => client.thrown(now, op, thrown)));
    });
  }

  /** Calls a callback. The call ends if that throws, or if the promise that it returns is rejected. */
  #report<Report>(callback: ((report: Report) => unknown) | undefined, report: Report): void {
    this.settings.context.send(() => {
      if (this.isOver) return;
      try {
        const promise = promiseOf(callback?.(report));
        if (promise === undefined) return;
        this.#pending++;
        adopted(promise).then(
          () => this.#pending--,
          (reason) => {
            this.#pending--;
            this.abort(reason);
          },
        );
      } catch (thrown) {
        this.abort(thrown);
      }
    });
  }

  #follow(signal: EndSignal): void {
    try {
      const end = () => {
        try {
          if (signal.aborted) this.abort(signal.reason);
        } catch (thrown) {
          this.abort(thrown);
        }
      };
      const leave = listen(signal, "abort", end);
      this.#listeners.push(leave);
      // The code of the caller, which has added it, may have ended the call.
      if (this.isOver) leave();
      else end();
    } catch (thrown) {
      this.abort(thrown);
    }
  }

  #tellAbort(): void {
    this.owner.tell((client, now) => client.abort(now, this.#id));
  }

  /** Settles its promise, and the read of a stream that waits. Returns false if it has been settled before. */
  #settle(settle: (promise: Deferred<unknown>) => void): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    settle(this.#ended);
    if (this.#read !== undefined) settle(this.#read as Deferred<unknown>);
    this.owner.readers?.unregister(this);
    for (const end of this.#listeners) end();
    this.worker?.end();
    this.#leave();
    return true;
  }

  note(attempt: RunningAttempt, isOver: boolean): void {
    if (isOver) this.#attempts.delete(attempt);
    else this.#attempts.add(attempt);
    this.#leave();
  }

  /** Leaves its client once nothing of it is under way. */
  #leave(): void {
    if (this.isOver && this.#attempts.size === 0) this.owner.left(this);
  }
}
