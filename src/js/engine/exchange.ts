// A request and its response. Any `fetch` may have returned the response, so it is read by its shape.

import { offModuleStop, onModuleStop } from "../host/cleanup.js";
import { isObject, memberOf, orUndefined } from "../host/member.js";
import { isOfFramework } from "../host/network-reason.js";
import { adopted, ignoreRejection } from "../host/promise.js";
import { isSuccess } from "../worker/success.js";
import { WorkerBody, WorkerResponse } from "../worker/worker-requests.js";
import { arrivesByTurns, keepsBlob } from "./own-response.js";

/** A body that is complete: the browser or a worker keeps it, or it is in the memory of the page. */
export type KeptBody = Blob | WorkerBody | ArrayBuffer;

/** Why an exchange has failed, as `src/transport/fetch.rs` reads it. */
const FAILURES = {
  /** The request was refused, or the connection broke. */
  connection: 0,
  /** The value does not have the shape of a response. */
  noResponse: 1,
  /** A framework ends the call with this value. */
  framework: 2,
  /** The worker has ended. */
  lost: 3,
} as const;

/** The head of a response. It has the members of a `Response` that Rust reads, and none of them throws. */
export interface Head {
  readonly status: number;
  /** Whether the request has succeeded. */
  readonly ok: boolean;
  readonly type: string;
  readonly headers: { get(name: string): string | null };
}

/** The number of characters of a header that Rust reads. */
const MAX_HEADER = 100;

/** A request and its response. It ends when its body has been read, or by {@link end}. */
export class Exchange {
  /** Resolves with the head of the response. */
  readonly head: Promise<Head>;
  /** Why the last promise of it was rejected: one of {@link FAILURES}. */
  failure: number = FAILURES.connection;
  #controller: AbortController | undefined;
  /** What `fetch` has returned, then the response. */
  #response: unknown;
  #reader: ReadableStreamDefaultReader<unknown> | undefined;
  #isOver = false;
  /** Settles the promise that is awaited: Rust would wait for one that never settles. */
  #release = () => {};

  /** @param send sends the request; the signal cancels it */
  constructor(send: (signal: AbortSignal) => unknown) {
    onModuleStop(this, () => this.end());
    this.head = this.#send(send);
  }

  /** Whether the body stays outside of the page until it is read: a worker has it, or it is long and the engine keeps its blob in another process. */
  staysOutside(isLong: boolean): boolean {
    return this.#response instanceof WorkerResponse || (isLong && keepsBlob(this.#response));
  }

  /**
   * Whether more of a body arrives only in a later turn of the event loop, as in Node for network responses. There, a turn
   * between two reads can lose a body whose connection the server has closed right after it.
   */
  get arrivesByTurns(): boolean {
    return arrivesByTurns(this.#response);
  }

  /** Resolves with the next piece of the body, a new view; with undefined at its end. */
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
    const result = await this.#settled(this.#reader.read());
    this.#need(isObject(result), "read() of its `body` did not return an object");
    if (result.done) {
      this.#finish();
      return undefined;
    }
    const piece = result.value;
    this.#need(isViewOfBytes(piece), "a piece of its `body` is not a Uint8Array");
    return bytesOf(piece);
  }

  /** Resolves with the whole body, which stays outside of the page. */
  async keep(): Promise<KeptBody> {
    this.failure = FAILURES.connection;
    try {
      const body = await this.#settled((this.#response as Response | WorkerResponse).blob());
      if (body instanceof WorkerBody || isBlob(body)) return body;
      throw new TypeError("blob() of the response did not return a Blob");
    } catch (reason) {
      if (reason === undefined) this.failure = FAILURES.lost;
      throw reason;
    } finally {
      // Neither success nor failure leaves a body to cancel.
      this.#finish();
    }
  }

  /** Cancels the request, unless its body has been read. The body too, because the caller's `fetch` may ignore the signal. */
  end(): void {
    if (this.#isOver) return;
    this.#finish();
    if (this.#reader === undefined) cancelBody(this.#response);
    else ignoreRejection(orUndefined(() => this.#reader?.cancel()));
    this.#controller?.abort();
    this.#release();
  }

  /** Sends the request, and reads the head of the response. */
  async #send(send: (signal: AbortSignal) => unknown): Promise<Head> {
    try {
      this.#controller = new AbortController();
      this.#response = send(this.#controller.signal);
      this.#response = await this.#settled(this.#response);
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
    const buffer = await this.#settled(response.arrayBuffer());
    this.#finish();
    // A mock may return a `Buffer`.
    if (isViewOfBytes(buffer)) return bytesOf(buffer);
    const isBuffer = Object.prototype.toString.call(buffer) === "[object ArrayBuffer]";
    this.#need(isBuffer, "arrayBuffer() returned neither an ArrayBuffer nor bytes");
    return new Uint8Array(buffer as ArrayBuffer);
  }

  /** Checks what every response has. */
  #need(holds: boolean, otherwise: string): asserts holds {
    if (holds) return;
    this.failure = FAILURES.noResponse;
    throw new TypeError(otherwise);
  }

  /** Follows a promise, which any code may have made. Resolves with undefined if the exchange ends first. */
  #settled(promise: unknown): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#release = () => resolve(undefined);
      adopted(promise).then(resolve, reject);
    });
  }

  #finish(): void {
    this.#isOver = true;
    offModuleStop(this);
  }
}

/** Reads the head of a response; the headers when Rust asks for them. Throws if the value is no response. */
function headOf(response: unknown): Head {
  const status = isObject(response) ? response.status : undefined;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 0 || status > 999) {
    throw new TypeError("it has no `status`");
  }
  const shape = response as Response;
  return {
    status,
    ok: isSuccess(status),
    type: String(orUndefined(() => shape.type)),
    headers: {
      get(name) {
        const value: unknown = orUndefined(() => shape.headers.get(name));
        if (typeof value !== "string") return null;
        return (name === "location" ? destinationOf(value) : value).slice(0, MAX_HEADER);
      },
    },
  };
}

/** Shortens the URL that a redirect leads to: to its origin, or to its path within the same origin. The rest may be secret. */
function destinationOf(location: string): string {
  return location.replace(/[?#].*/s, "").replace(/^([a-z]+:)?\/\/(?:[^/\\]*@)?([^/\\]*).*/is, "$1//$2");
}

/** Cancels the body of a response, or of the response that a promise resolves with. The value may be anything. */
export function cancelBody(response: unknown): void {
  ignoreRejection((adopted(response) as Promise<Response>).then(({ body }) => body?.cancel()));
}

/** Whether a value has a method of this name. A member that throws is none. */
function hasMethod<Name extends string>(value: unknown, name: Name): value is { [Method in Name]: () => unknown } {
  return isObject(value) && typeof memberOf(value, name) === "function";
}

/** Whether a value is a blob, also where the page lacks the global `Blob` or has replaced it. */
function isBlob(value: unknown): value is Blob {
  return Object.prototype.toString.call(value) === "[object Blob]";
}

/** Whether a value is a view of single bytes, from any realm. */
function isViewOfBytes(value: unknown): boolean {
  return ArrayBuffer.isView(value) && (value as Uint8Array).BYTES_PER_ELEMENT === 1;
}

/** Returns the bytes of a view as a new view, because the caller may have overridden members of the view. */
export function bytesOf(view: unknown): Uint8Array {
  const { buffer, byteOffset, byteLength } = view as Uint8Array;
  return new Uint8Array(buffer, byteOffset, byteLength);
}
