// A request that a worker sends for the page, and the messages about its response.

import type { ExchangeFailure } from "../engine/engine.js";
import { orUndefined } from "../host/member.js";
import { deferred } from "../host/promise.js";
import { bytesOf, type Exchange, FAILURES, type Head, headOf } from "./exchange.js";
import type { Channel, FromRequest, Receiver, WorkerHead, WorkerRequest } from "./protocol.js";
import { WorkerBody } from "./worker-body.js";

/** A request of a worker, and its response. */
export class WorkerExchange implements Exchange, Receiver {
  failure: ExchangeFailure = FAILURES.connection;
  readonly arrivesByTurns = false;
  readonly #channel: Channel;
  readonly #id: number;
  readonly #head = deferred<Head>();
  readonly #body = deferred<WorkerBody>();
  /** The body that the worker keeps, until {@link kept} has resolved with it. */
  #unclaimed: WorkerBody | undefined;
  /** The pieces of a refusal that have arrived and are unread. */
  readonly #pieces: Uint8Array[] = [];
  #isAtEnd = false;
  #wake = () => {};

  constructor(channel: Channel, id: number, request: WorkerRequest) {
    this.#channel = channel;
    this.#id = id;
    channel.receivers.set(id, this);
    channel.post({ kind: "fetch", id, request });
  }

  get head(): Promise<Head> {
    return this.#head.promise;
  }

  /** However the response ends, the pieces that have arrived are the beginning. */
  async read(): Promise<Uint8Array | undefined> {
    while (this.#pieces.length === 0 && !this.#isAtEnd) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#pieces.shift();
  }

  async kept(): Promise<WorkerBody> {
    const body = await this.#body.promise;
    this.#unclaimed = undefined;
    return body;
  }

  end(): void {
    this.#unclaimed?.drop();
    if (this.#isAtEnd) return;
    this.#channel.post({ kind: "drop", id: this.#id });
    this.lose();
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
        this.#finish();
        this.#unclaimed = new WorkerBody(this.#channel, this.#id, Number(message.length));
        this.#body.resolve(this.#unclaimed);
        break;
      case "ended":
        this.#finish();
        break;
      case "broken":
        this.#fail(errorOf(message.name, message.message));
        break;
    }
  }

  lose(): void {
    this.failure = FAILURES.lost;
    this.#fail(new Error("the worker has ended"));
  }

  #begin({ status, type, headers }: WorkerHead): void {
    try {
      this.#head.resolve(headOf({ status, type, headers: orUndefined(() => new Headers(headers)) }));
    } catch (reason) {
      this.failure = FAILURES.noResponse;
      this.#head.reject(reason);
    }
  }

  #fail(reason: unknown): void {
    this.#head.reject(reason);
    this.#body.reject(reason);
    this.#finish();
  }

  #finish(): void {
    this.#isAtEnd = true;
    this.#channel.receivers.delete(this.#id);
    // A caller's worker may end a response without a head.
    this.#head.reject(new TypeError("the worker has sent no response"));
    this.#wake();
  }
}

/** An error of the worker, as the page would have it. */
function errorOf(name: string, message: string): Error {
  const error = new (name === "TypeError" ? TypeError : Error)(String(message));
  if (error.name !== name) Object.defineProperty(error, "name", { value: name, configurable: true, writable: true });
  return error;
}
