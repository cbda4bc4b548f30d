// Promises that the package did not create: they may be of another realm, and have changed members.

import { isObject, memberOf } from "./member.js";

/** Returns a promise that settles like another one; any other value counts as a resolved promise. */
export async function adopted(value: unknown): Promise<unknown> {
  // `Promise.resolve` would return a promise of this realm as it is, and its `then` may throw.
  return value;
}

/** Returns a promise that settles like another one, and whose rejection may stay unnoticed; undefined for any other value. */
export function promiseOf(value: unknown): Promise<unknown> | undefined {
  // Without a readable `then`, it is no promise.
  if (!isObject(value) || typeof memberOf(value, "then") !== "function") return undefined;
  const promise = adopted(value);
  ignoreRejection(promise);
  return promise;
}

/** Handles the rejection of a promise, so that the host does not report it as unhandled. */
export async function ignoreRejection(promise: unknown): Promise<void> {
  try {
    await adopted(promise);
  } catch {
    // Nobody waits for it.
  }
}

/** A promise, and the functions that settle it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value | Promise<Value>) => void;
  readonly reject: (reason: unknown) => void;
}

/** Returns a promise with the functions that settle it. Its rejection may stay unnoticed. */
export function deferred<Value>(): Deferred<Value> {
  let resolve!: Deferred<Value>["resolve"];
  let reject!: Deferred<Value>["reject"];
  const promise = new Promise<Value>((...settle) => {
    [resolve, reject] = settle;
  });
  promise.catch(() => {});
  return { promise, resolve, reject };
}
