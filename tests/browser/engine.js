/** The engine that runs the tests, and what a test cannot have in it. */

import { describe, inject, test } from "vitest";
import { server } from "vitest/browser";

/** @typedef {import("../../tools/engine.js").EngineName} EngineName */

const engine = /** @type {EngineName} */ (server.browser);

/** Whether a worker makes the attempts. */
const inWorker = inject(/** @type {never} */ ("inWorker")) === true;

/**
 * What some tests need, and why an engine does not have it.
 * @type {Record<string, Partial<Record<EngineName, string>>>}
 */
const missing = {
  "garbage collection": {
    firefox: "Firefox's driver has no command that collects garbage",
    webkit: "WebKit's driver has no command that collects garbage",
  },
  "recursions that end soon": {
    firefox: "Firefox takes minutes for some recursions into the module until the stack ends",
  },
  "pipes that a signal ends": {
    webkit: "WebKit ends no pipe by a signal while the pipe waits for its source",
  },
  "promises that settle as odd ones do": {
    webkit: "WebKit never settles a promise that is resolved with one whose constructor throws",
  },
  "async functions at the end of the stack": {
    webkit: "WebKit also rejects a promise that nobody has where an async function is called at the end of the stack",
  },
  "streams to the service worker": {
    webkit: "WebKit transfers no stream to the service worker of the tests, which so has a body only as a whole",
  },
  "the worker's script from Vite's development server": {
    firefox: "Firefox does not run the worker's script as Vite's development server changes it",
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
 * The `describe` of tests that need something, as {@link testWith} is the `test`.
 * @param {keyof typeof missing} need
 * @returns {(name: string, tests: () => void) => void}
 */
export function describeWith(need) {
  return has(need) ? describe : (name, tests) => describe.skip(skippedName(name, need), tests);
}

/**
 * @param {string} name
 * @param {keyof typeof missing} need
 */
function skippedName(name, need) {
  return `${name} (not in this engine: ${missing[need][engine]})`;
}
