// What performs an attempt: a request with its response, the body, its decoding, and the objects that are built of it.

import { orUndefined } from "../host/member.js";
import { pause, timeLeft } from "../host/slice.js";
import { PackedRows } from "../table/rows/packed-rows.js";
import type { Finding } from "../table/rows/row-layout.js";
import { type KeptBody, PageBody } from "../worker/body.js";
import { bytesOf, type Exchange, FAILURES } from "../worker/exchange.js";
import type { WorkerUse } from "../worker/worker-use.js";
import type { Client, DelegationFailure, ExchangeFailure, NumbersOf, Settings } from "./engine.js";

/** Stands for what the module would return, because it has stopped, or the client has been freed. */
export const STOPPED = Symbol("stopped");

/** Tells the module what has happened, and when. */
export type Tell = <Result>(event: (client: Client, now: number) => Result) => Result | typeof STOPPED;

/** Why a body was not decoded by a worker. */
const NOT_DELEGATED = { pageDecodes: 0, lost: 1, noWorker: 2 } as const satisfies NumbersOf<typeof DelegationFailure>;

/** What an attempt needs of the call that it belongs to. */
export interface AttemptOwner {
  readonly settings: Settings;
  readonly worker: WorkerUse | undefined;
  /** Takes note of an attempt that begins, or has ended. */
  note(attempt: RunningAttempt, isOver: boolean): void;
}

/** What performs an attempt. Rust calls its methods (`src/web/performer.rs`). */
export class RunningAttempt {
  /** The objects of a partition that has not been delivered. */
  list: Finding[] | undefined;
  readonly #op: number;
  readonly #call: AttemptOwner;
  readonly #tell: Tell;
  #exchange: Exchange | undefined;
  #body: KeptBody | undefined;
  /** The number of bytes of the body, which may have been given away. */
  #bytes = 0;
  isOver = false;

  /** @param op its number in the module */
  constructor(op: number, call: AttemptOwner, tell: Tell) {
    this.#op = op;
    this.#call = call;
    this.#tell = tell;
    call.note(this, false);
  }

  /** Copies the first bytes of a body that the page keeps. */
  copyTo(target: Uint8Array): void {
    if (this.#body instanceof PageBody) this.#body.copyTo(target);
  }

  /** Cancels what is under way, and drops what is kept. */
  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#exchange?.end();
    this.#body?.end();
    this.#body = undefined;
    this.#call.note(this, true);
  }

  /** Reads the response to a request, and the body. */
  receive(exchange: Exchange, byWorker: boolean): void {
    // The caller's `fetch` may have ended the call.
    if (this.isOver) exchange.end();
    this.#follow(this.#receive(exchange, byWorker));
  }

  /** Lets a worker decode the body, and takes what it has made of it. */
  delegate(): void {
    this.#follow(this.#delegate());
  }

  /** Decodes the body in the page, in slices. */
  decode(): void {
    this.#follow(this.#decode());
  }

  /** Tells of what a step has thrown, such as the end of a worker that keeps the body. */
  #follow(step: Promise<void>): void {
    step.catch((reason) => this.#fail(FAILURES.lost, reason));
  }

  async #receive(exchange: Exchange, byWorker: boolean): Promise<void> {
    this.#exchange = exchange;
    let hasHead = false;
    try {
      const head = await exchange.head;
      if (this.isOver) return;
      hasHead = true;
      this.#tell((client, now) => client.head(now, this.#op, head, head.headers, byWorker));
      if (this.isOver) return;
      if (exchange.kept !== undefined && head.isSuccess) await this.#keep(exchange.kept());
      else await this.#read(exchange);
    } catch (reason) {
      if (this.isOver) return;
      const { failure } = exchange;
      this.#exchange = undefined;
      exchange.end();
      // A `fetch` that fails at once would keep all other tasks waiting.
      await pause();
      // A policy does not end a worker, so the next one may send.
      const isInWorker = byWorker && !hasHead && failure === FAILURES.connection;
      this.#fail(isInWorker ? FAILURES.inWorker : failure, reason);
    }
  }

  async #delegate(): Promise<void> {
    const { worker, settings } = this.#call;
    const body = this.#body as KeptBody;
    try {
      const decoded = worker === undefined ? { body } : await worker.decode(body);
      if (this.isOver) return;
      this.#body = decoded.body;
      // A caller's worker may post anything.
      const packed = orUndefined(() => bytesOf(decoded.packed));
      if (packed !== undefined && (await this.#take(packed, settings.asTable))) return worker?.takeBack(packed);
      this.#giveBack(this.#body === undefined ? NOT_DELEGATED.lost : NOT_DELEGATED.pageDecodes);
    } catch (reason) {
      this.#giveBack(NOT_DELEGATED.noWorker, reason);
    }
  }

  async #decode(): Promise<void> {
    this.#body = await this.#body?.toPage();
    while (!this.isOver) {
      const rows = this.#tell((client, now) => client.decode(now, this.#op));
      // The module has copied it.
      this.#body = undefined;
      // The module has told itself how the decoding ended.
      if (rows === null) return this.end();
      if (rows === STOPPED) return this.#fail(FAILURES.lost, undefined);
      await pause();
      if (rows !== undefined) return this.#finish(rows);
    }
  }

  /** Takes a body that a worker keeps. */
  async #keep(kept: Promise<KeptBody>): Promise<void> {
    const body = await kept;
    if (this.isOver) return;
    this.#exchange = undefined;
    this.#body = body;
    this.#bytes = body.length;
    this.#tell((client, now) => client.piece(now, this.#op, body.length));
    if (!this.isOver) this.#tell((client, now) => client.bodyEnd(now, this.#op));
  }

  /** Reads a body piece by piece. */
  async #read(exchange: Exchange): Promise<void> {
    const body = new PageBody();
    this.#body = body;
    while (!this.isOver) {
      const piece = await exchange.read();
      if (this.isOver) return;
      if (piece === undefined) {
        this.#exchange = undefined;
        // Here, too: the bodies of many refusals are empty.
        await pause();
        if (!this.isOver) this.#tell((client, now) => client.bodyEnd(now, this.#op));
        return;
      }
      body.add(piece);
      this.#bytes = body.length;
      this.#tell((client, now) => client.piece(now, this.#op, piece.length));
      if (!exchange.arrivesByTurns) await pause();
    }
  }

  /** Takes the findings of a worker. Returns false if they are malformed, or there is no memory for them. */
  async #take(packed: Uint8Array, asTable: boolean): Promise<boolean> {
    if (asTable) {
      const isTaken = await this.#tell((client) => client.takeChunk(this.#op, packed));
      if (isTaken) this.end();
      return isTaken !== false;
    }
    try {
      await this.#build(packed);
      return true;
    } catch {
      return false;
    }
  }

  /** Builds the objects of a body that the page has decoded. */
  async #finish(rows: Uint8Array): Promise<void> {
    try {
      await this.#build(rows);
    } catch (reason) {
      this.#tell((client, now) => client.unbuilt(now, this.#op, reason));
    }
  }

  /** Builds objects in slices, and tells of them. Throws if the rows are malformed. */
  async #build(packed: Uint8Array): Promise<void> {
    const list: Finding[] = [];
    const rows = new PackedRows(packed);
    for (let isDone = false; !isDone && !this.isOver; ) {
      isDone = rows.append(list, timeLeft());
      // At the end, too: many short partitions may wait, whose rows are built one after the other in one task.
      await pause();
    }
    if (this.isOver) return;
    this.list = list;
    this.#tell((client, now) => client.built(now, this.#op, list, list.length, this.#bytes));
  }

  /** Tells that no worker has decoded the body. */
  #giveBack(why: DelegationFailure, reason?: unknown): void {
    if (this.isOver) return;
    this.#tell((client, now) => client.notDelegated(now, this.#op, why, reason));
  }

  #fail(failure: ExchangeFailure, reason: unknown): void {
    if (!this.isOver) this.#tell((client, now) => client.failed(now, this.#op, failure, reason));
  }
}
