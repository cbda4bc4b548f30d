/** The engine that runs the tests, and what a test cannot have in it. */

import { inject, test } from "vitest";
import { server } from "vitest/browser";

/** @typedef {import("../../tools/engine.ts").EngineName} EngineName */

const engine = /** @type {EngineName} */ (server.browser);

/** Whether the tests run with `worker: true`. */
export const inWorker = inject(/** @type {never} */ ("inWorker")) === true;

/** Why Firefox and WebKit both lack something. */
function inBoth(/** @type {(engine: string) => string} */ reason) {
  return { firefox: reason("Firefox"), webkit: reason("WebKit") };
}

/**
 * What some tests need, and why an engine does not have it.
 * @type {Record<string, Partial<Record<EngineName, string>>>}
 */
const missing = {
  "garbage collection": inBoth((engine) => `${engine}'s driver has no command that collects garbage`),
  "counts of executed code": inBoth((engine) => `${engine}'s driver has no command that counts executed code`),
  "promises that settle as odd ones do": {
    webkit: "WebKit never settles a promise that is resolved with one whose constructor throws",
  },
  "connections that end a request": {
    firefox: "Firefox itself repeats a request whose connection ends, more often than two times",
  },
  "pipes that end while they read": {
    webkit: "WebKit looks at the signal of pipeTo only once a read has ended",
  },
  "readers into memory of the caller": { webkit: "WebKit's bodies have no such readers" },
  "local network access": inBoth((engine) => `${engine} cannot treat a page of this device as one of the internet`),
  "cancelled bodies that stop at once": {
    webkit: "WebKit goes on receiving for a while, which may be over 64 MiB on a fast connection",
  },
};

/** Whether the engine has what some tests need. */
export function has(/** @type {keyof typeof missing} */ need) {
  return missing[need][engine] === undefined;
}

/** Returns a `test` that is skipped in an engine that lacks something. The name of the skipped test gives the reason. */
export function testWith(/** @type {keyof typeof missing} */ need) {
  const skip = (/** @type {string} */ name) =>
    test.skip(`${name} (not in this engine: ${missing[need][engine]})`, () => {});
  return has(need) ? test : /** @type {typeof test} */ (/** @type {unknown} */ (skip));
}
