// A request that a worker sends for the page, its response, and the body that the worker keeps.

import type { ExchangeFailure } from "../engine/engine.js";
import { orUndefined } from "../host/member.js";
import { deferred } from "../host/promise.js";
import { type KeptBody, PageBody } from "./body.js";
import { bytesOf, type Exchange, FAILURES, type Head, headOf } from "./exchange.js";
import type { Channel, FromRequest, Receiver, WorkerHead, WorkerRequest } from "./protocol.js";

/** A request of a worker, its response, and the body. It gets messages as long as the worker has something of it. */
export class WorkerExchange implements Exchange, KeptBody, Receiver {
  failure: ExchangeFailure = FAILURES.connection;
  readonly arrivesByTurns = false;
  length = 0;
  readonly #channel: Channel;
  readonly #head = deferred<Head>();
  readonly #kept = deferred<KeptBody>();
  readonly #bytes = deferred<PageBody>();
  /** The pieces of a refusal that have arrived and are unread. */
  readonly #pieces: Uint8Array[] = [];
  #wake = () => {};

  constructor(
    channel: Channel,
    readonly id: number,
    request: WorkerRequest,
  ) {
    this.#channel = channel;
    channel.receivers.set(id, this);
    channel.post({ kind: "fetch", id, request });
  }

  get head(): Promise<Head> {
    return this.#head.promise;
  }

  get isThere(): boolean {
    return this.#channel.receivers.get(this.id) === this;
  }

  kept(): Promise<KeptBody> {
    return this.#kept.promise;
  }

  /** However a refusal ends, the pieces that have arrived are the beginning. */
  async read(): Promise<Uint8Array | undefined> {
    while (this.#pieces.length === 0 && this.isThere) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#pieces.shift();
  }

  toPage(): Promise<PageBody> {
    if (this.isThere) this.#channel.post({ kind: "take", id: this.id });
    return this.#bytes.promise;
  }

  /** Tells the worker, too. */
  end(): void {
    if (!this.isThere) return;
    this.#channel.post({ kind: "drop", id: this.id });
    this.lose();
  }

  /** A worker that has packed the findings no longer keeps the body. */
  decoded(isPacked: boolean): void {
    if (isPacked) this.lose();
  }

  receive(message: FromRequest): void {
    switch (message.kind) {
      case "head":
        this.#begin(message);
        break;
      case "piece": {
        const piece = bytesOf(message.bytes);
        if (piece !== undefined) this.#pieces.push(piece);
        this.#wake();
        break;
      }
      case "kept":
        this.length = Number(message.length);
        this.#kept.resolve(this);
        this.#head.reject(noHead());
        break;
      case "taken":
        this.#take(message.body);
        break;
      case "ended":
        this.#finish(noHead());
        break;
      case "broken":
        this.#finish(errorOf(message.name, message.message));
        break;
    }
  }

  lose(): void {
    this.failure = FAILURES.lost;
    this.#finish(new Error("the worker has ended"));
  }

  #begin({ status, type, headers }: WorkerHead): void {
    try {
      this.#head.resolve(headOf({ status, type, headers: orUndefined(() => new Headers(headers)) }));
    } catch (reason) {
      this.failure = FAILURES.noResponse;
      this.#head.reject(reason);
    }
  }

  #take(bytes: unknown): void {
    if (bytes instanceof ArrayBuffer && bytes.byteLength === this.length) {
      const body = new PageBody();
      body.add(new Uint8Array(bytes));
      this.#bytes.resolve(body);
    }
    this.lose();
  }

  /** Rejects what has not been resolved. */
  #finish(reason: unknown): void {
    this.#channel.receivers.delete(this.id);
    for (const { reject } of [this.#head, this.#kept, this.#bytes]) reject(reason);
    this.#wake();
  }
}

/** A caller's worker may end a response without a head. */
const noHead = () => new TypeError("the worker has sent no response");

/** An error of the worker, as the page would have it. */
function errorOf(name: string, message: string): Error {
  const error = new (name === "TypeError" ? TypeError : Error)(String(message));
  if (error.name !== name) Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
  return error;
}
