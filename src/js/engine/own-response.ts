// The engine's own responses, and how they are best read.

import { orUndefined } from "../host/member.js";

/**
 * Whether the engine keeps the blob of a response in another process, as Chromium does for responses from the network. In
 * other engines, a reader is faster.
 */
export function keepsBlob(response: unknown): boolean {
  return isChromium() && !isServedByWorker() && makesBlobs() && isOfNetwork(response) && isUnread(response);
}

/**
 * Whether more of a body arrives only in a later turn of the event loop, as in Node for network responses. There, a turn
 * between two reads can lose a body whose connection the server has closed right after it.
 */
export function arrivesByTurns(response: unknown): boolean {
  return isNode() && isOfNetwork(response);
}

/** Whether a value is the engine's response to a request: a response that a script has constructed has no URL. */
function isOfNetwork(response: unknown): response is Response {
  return isOwn(response) && response.url !== "";
}

/** Whether a value is a genuine response of this realm, whose members nobody has changed. */
function isOwn(response: unknown): response is Response {
  const { prototype } = Response;
  // Throws for a proxy of a response.
  Reflect.get(prototype, "url", response);
  return isUnchanged(response, prototype) && isUnchanged((response as Response).headers, Headers.prototype);
}

/** Whether an object has no members but those of its class. */
function isUnchanged(object: unknown, prototype: object): boolean {
  return Object.getPrototypeOf(object) === prototype && Object.getOwnPropertyNames(object).length === 0;
}

/** Whether nobody reads the body. */
function isUnread({ bodyUsed, body }: Response): boolean {
  return !bodyUsed && body?.locked === false;
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
