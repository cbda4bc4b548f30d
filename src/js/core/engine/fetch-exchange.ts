// A request by `fetch`, and its response. Any `fetch` may have returned the response, so it is read by its shape.

import { isObject, memberOf } from "../host/member.js";
import { isOfFramework } from "../host/network-reason.js";
import { isNode } from "../host/runtime.js";
import { bytesOf, type Exchange, FAILURES, type Head, headOf } from "../worker/exchange.js";
import type { ExchangeFailure } from "./engine.js";

/** A request by `fetch`, and its response. */
export class FetchExchange implements Exchange {
  readonly head: Promise<Head>;
  failure: ExchangeFailure = FAILURES.connection;
  readonly #controller = new AbortController();
  /** What `fetch` has returned, then the response. */
  #response: unknown;
  #reader: ReadableStreamDefaultReader<unknown> | undefined;
  #isOver = false;

  /** @param send sends the request; the signal cancels it */
  constructor(send: (signal: AbortSignal) => unknown) {
    this.head = this.#send(send);
  }

  get arrivesByTurns(): boolean {
    return isNode() && this.#isOfNetwork;
  }

  async read(): Promise<Uint8Array | undefined> {
    this.failure = FAILURES.connection;
    if (this.#isOver) return undefined;
    if (this.#reader === undefined) {
      const { body } = this.#response as { body: unknown };
      // The `body` of node-fetch is a stream of Node.
      if (!hasMethod(body, "getReader")) return this.#readWhole();
      const reader = body.getReader();
      this.#need(hasMethod(reader, "read"), "the reader of its `body` has no read()");
      this.#reader = reader as unknown as ReadableStreamDefaultReader<unknown>;
    }
    const result: unknown = await this.#reader.read();
    this.#need(isObject(result), "read() of its `body` did not return an object");
    if (result.done) {
      this.#isOver = true;
      return undefined;
    }
    const piece = bytesOf(result.value);
    this.#need(piece !== undefined, "a piece of its `body` is not a Uint8Array");
    return this.#owned(piece);
  }

  /** The body is cancelled, too, because the caller's `fetch` may ignore the signal. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    void cancelBody(this.#response, this.#reader);
    this.#controller.abort();
  }

  /** Sends the request, and reads the head of the response. */
  async #send(send: (signal: AbortSignal) => unknown): Promise<Head> {
    try {
      this.#response = send(this.#controller.signal);
      this.#response = await this.#response;
    } catch (reason) {
      if (isOfFramework(reason)) this.failure = FAILURES.framework;
      throw reason;
    }
    this.failure = FAILURES.noResponse;
    return headOf(this.#response);
  }

  /** Reads the body of a response without a web stream. */
  async #readWhole(): Promise<Uint8Array> {
    const response = this.#response;
    const otherwise = "it has neither a `body` with getReader() nor arrayBuffer()";
    this.#need(hasMethod(response, "arrayBuffer"), otherwise);
    const buffer: unknown = await response.arrayBuffer();
    this.#isOver = true;
    // A mock may return a `Buffer`.
    const bytes = bytesOf(buffer);
    if (bytes !== undefined) return this.#owned(bytes);
    const isBuffer = Object.prototype.toString.call(buffer) === "[object ArrayBuffer]";
    this.#need(isBuffer, "arrayBuffer() returned neither an ArrayBuffer nor bytes");
    return this.#owned(new Uint8Array(buffer as ArrayBuffer));
  }

  /** Returns bytes that nothing changes any more: a script may use the buffers of a response that it has constructed again. */
  #owned(bytes: Uint8Array): Uint8Array {
    return this.#isOfNetwork ? bytes : bytes.slice();
  }

  /** Whether the engine has made the response: one that a script has constructed has no URL. */
  get #isOfNetwork(): boolean {
    const response = this.#response;
    return (
      typeof Response === "function" &&
      response instanceof Response &&
      response.url !== "" &&
      !Object.hasOwn(response, "url")
    );
  }

  /** Checks what every response has. */
  #need(holds: boolean, otherwise: string): asserts holds {
    if (holds) return;
    this.failure = FAILURES.noResponse;
    throw new TypeError(otherwise);
  }
}

/** Cancels the body of a response, or of the response that a promise resolves with, or what reads it. The value may be anything. */
export async function cancelBody(response: unknown, reader?: ReadableStreamDefaultReader<unknown>): Promise<void> {
  try {
    await (reader ?? ((await response) as Response).body)?.cancel();
  } catch {
    // Nobody waits for it.
  }
}

/** Whether a value has a method of this name. A member that throws is none. */
function hasMethod<Name extends string>(value: unknown, name: Name): value is { [Method in Name]: () => unknown } {
  return isObject(value) && typeof memberOf(value, name) === "function";
}
