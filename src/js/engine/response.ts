// The engine's own responses and those of a worker, and how they are best read.

import { orUndefined } from "../host/member.js";
import { WorkerBody, WorkerResponse } from "../worker/worker-requests.js";

/** Whether a value is a genuine response of this realm, whose members nobody has changed. */
export function isOwn(response: unknown): boolean {
  try {
    const { prototype } = Response;
    // Throws for a proxy of a response.
    Reflect.get(prototype, "url", response);
    return isUnchanged(response, prototype) && isUnchanged((response as Response).headers, Headers.prototype);
  } catch {
    return false;
  }
}

/**
 * Whether the body of a response stays outside of the page until it is read: a worker has it, or it is long and the
 * engine keeps its blob in another process, as Chromium does for network responses. In other engines, a reader is faster.
 */
export function offersBlob(response: unknown, isLong: boolean): boolean {
  if (response instanceof WorkerResponse) return true;
  return (
    orUndefined(() => isLong && isChromium() && !isServedByWorker() && makesBlobs() && isUnread(response)) ?? false
  );
}

/** Whether a response is the engine's, from the network, and nobody reads its body. */
function isUnread(response: unknown): boolean {
  if (!isOwn(response)) return false;
  const { url, bodyUsed, body } = response as Response;
  // A response that a script has constructed has no URL.
  return url !== "" && !bodyUsed && body?.locked === false;
}

/** Returns the body that stays outside of the page. Rejects with undefined if its worker has ended. */
export async function blobOf(response: Response | WorkerResponse): Promise<Blob | WorkerBody> {
  const blob: unknown = await response.blob();
  if (blob instanceof Blob || blob instanceof WorkerBody) return blob;
  throw new TypeError("blob() of the response did not return a Blob");
}

/** Notes that the page no longer needs a body. */
export function dropBody(body: unknown): void {
  if (body instanceof WorkerBody) body.drop();
}

/**
 * Whether more of a body arrives only in a later turn of the event loop, as in Node for network responses. There, a turn
 * between two reads can lose a body whose connection the server has closed right after it.
 */
export function arrivesByTurns(response: unknown): boolean {
  return orUndefined(() => isOwn(response) && (response as Response).url !== "" && isNode()) ?? false;
}

/** Whether an object has no members but those of its class. */
function isUnchanged(object: unknown, prototype: object): boolean {
  return Object.getPrototypeOf(object) === prototype && Object.getOwnPropertyNames(object).length === 0;
}

/**
 * Whether a service worker may have produced the response: Chromium does not notify it when the page aborts the blob.
 * In a sandboxed frame, which no service worker controls, the getter throws.
 */
function isServedByWorker(): boolean {
  return Boolean(orUndefined(() => navigator.serviceWorker?.controller));
}

/** Whether the engine itself makes blobs of responses. A patched method may return anything. */
function makesBlobs(): boolean {
  return /\[native code\]/.test(Function.prototype.toString.call(Response.prototype.blob));
}

function isNode(): boolean {
  const { process } = globalThis as { process?: { release?: { name?: unknown } } };
  // Electron's pages have a `process`, too.
  return process?.release?.name === "node" && !isChromium();
}

function isChromium(): boolean {
  return typeof navigator === "object" && /Chrom(e|ium)\//.test(navigator.userAgent);
}
