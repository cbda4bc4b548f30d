// A request and its response: the page or a worker has sent it.

import type { ExchangeFailure, NumbersOf } from "../engine/engine.js";
import { isObject, orUndefined } from "../host/member.js";
import type { KeptBody } from "./body.js";

/** A request and its response. It ends when its body has been read, or by {@link end}. */
export interface Exchange {
  /** Resolves with the head of the response. */
  readonly head: Promise<Head>;
  /** Why the last promise of it was rejected: one of {@link FAILURES}. */
  readonly failure: ExchangeFailure;
  /**
   * Whether more of a body arrives only in a later turn of the event loop, as in Node for network responses. There, a turn
   * between two reads can lose a body whose connection the server has closed right after it.
   */
  readonly arrivesByTurns: boolean;
  /** Resolves with the next piece of the body, a new view; with undefined at its end. */
  read(): Promise<Uint8Array | undefined>;
  /** Resolves with the whole body, once the worker that sent the request has received it. The page has no such body. */
  kept?(): Promise<KeptBody>;
  /** Cancels the request, unless its body has been read. */
  end(): void;
}

/** Why an exchange has failed. */
export const FAILURES = {
  /** The request was refused, or the connection broke. */
  connection: 0,
  /** The value does not have the shape of a response. */
  noResponse: 1,
  /** A framework ends the call with this value. */
  framework: 2,
  /** The worker has ended. */
  lost: 3,
  /** A worker got no response. */
  inWorker: 4,
} as const satisfies NumbersOf<typeof ExchangeFailure>;

/** The head of a response. */
export interface Head {
  readonly status: number;
  /** Whether the request has succeeded, with a whole body. */
  readonly isSuccess: boolean;
  /** The type of the response, as `Response` has it. */
  readonly type: string;
  /** The headers that Rust reads: the engine's own `Headers`, which throw nowhere. */
  readonly headers: Headers;
}

/** The headers that Rust reads. */
const HEADERS = ["content-length", "content-type", "content-encoding", "location", "retry-after"];

/** The headers of which the first has the id that the service gave the request. Rust reads it under the first name. */
const REQUEST_IDS = ["x-request-id", "request-id", "x-correlation-id"];

/** The number of characters of a header that Rust reads. */
const MAX_HEADER = 100;

/** Reads the head of a response. Throws if the value is no response. */
export function headOf(response: unknown): Head {
  const status = isObject(response) ? response.status : undefined;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 0 || status > 999) {
    throw new TypeError("it has no `status`");
  }
  const shape = response as Response;
  const headers = new Headers();
  // A caller's response may have any headers, also none, or values that are none.
  const copy = (name: string, as: string, read: (value: string) => string) =>
    orUndefined(() => {
      const value: unknown = shape.headers.get(name);
      if (typeof value === "string") headers.set(as, read(value));
    });
  for (const name of HEADERS) {
    copy(name, name, (value) => (name === "location" ? destinationOf(value) : value).slice(0, MAX_HEADER));
  }
  for (const name of REQUEST_IDS) if (!headers.get("x-request-id")) copy(name, "x-request-id", (value) => value);
  return { status, isSuccess: isSuccess(status), type: String(orUndefined(() => shape.type)), headers };
}

/** Whether a status means success with a whole body: 204 and 205 mean no body, and 206 only a part of one. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300 && !(status >= 204 && status <= 206);
}

/** Shortens the URL that a redirect leads to: to its origin, or to its path within the same origin. The rest may be secret. */
function destinationOf(location: string): string {
  return location.replace(/[?#].*/s, "").replace(/^([a-z]+:)?\/\/(?:[^/\\]*@)?([^/\\]*).*/is, "$1//$2");
}

/** Returns the bytes of a view as a new view, because others may have overridden members of the view; undefined for another value. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (!ArrayBuffer.isView(value) || (value as Uint8Array).BYTES_PER_ELEMENT !== 1) return undefined;
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
}
