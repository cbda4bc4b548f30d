/** The engine that runs the tests, and what a test cannot have in it. */

import { inject, test } from "vitest";
import { server } from "vitest/browser";

/** @typedef {import("../../tools/engine.js").EngineName} EngineName */

const engine = /** @type {EngineName} */ (server.browser);

/** Whether a worker makes the attempts. */
export const inWorker = inject(/** @type {never} */ ("inWorker")) === true;

/**
 * What some tests need, and why an engine does not have it.
 * @type {Record<string, Partial<Record<EngineName, string>>>}
 */
const missing = {
  "garbage collection": {
    firefox: "Firefox's driver has no command that collects garbage",
    webkit: "WebKit's driver has no command that collects garbage",
  },
  "counts of executed code": {
    firefox: "Firefox's driver has no command that counts executed code",
    webkit: "WebKit's driver has no command that counts executed code",
  },
  "a stack that ends as V8's does": {
    firefox: "Firefox's own functions run out of stack in ways of their own, which hide the error from the package",
    webkit: "WebKit's own functions run out of stack in ways of their own, which hide the error from the package",
  },
  "pipes that a signal ends": {
    webkit: "WebKit ends no pipe by a signal while the pipe waits for its source",
  },
  "promises that settle as odd ones do": {
    webkit: "WebKit never settles a promise that is resolved with one whose constructor throws",
  },
  "blobs outside of the page": {
    firefox: "Firefox reads a body faster piece by piece than as a blob",
    webkit: "WebKit reads a body faster piece by piece than as a blob",
  },
  "streams to the service worker": {
    webkit: "WebKit transfers no stream to the service worker of the tests, which so has a body only as a whole",
  },
  "a service worker that sees cancelled bodies": {
    webkit: "WebKit transfers no stream to the service worker of the tests, which so has a body only as a whole",
    ...(inWorker && {
      firefox: "Firefox does not tell the service worker of the tests that a worker's request is cancelled",
    }),
  },
  "headers before a body from the service worker": {
    webkit: "WebKit transfers no stream to the service worker of the tests, which so has a body only as a whole",
    firefox: "Firefox gives no response of a service worker before the first byte of its body",
  },
};

/**
 * Whether the engine has what some tests need.
 * @param {keyof typeof missing} need
 */
export function has(need) {
  return missing[need][engine] === undefined;
}

/**
 * The `test` of those that need something. In an engine that does not have it, such a test is skipped, and its name has the reason.
 * @param {keyof typeof missing} need
 */
export function testWith(need) {
  const skip = (/** @type {string} */ name) => test.skip(skippedName(name, need), () => {});
  return has(need) ? test : /** @type {typeof test} */ (/** @type {unknown} */ (skip));
}

/**
 * @param {string} name
 * @param {keyof typeof missing} need
 */
function skippedName(name, need) {
  return `${name} (not in this engine: ${missing[need][engine]})`;
}
