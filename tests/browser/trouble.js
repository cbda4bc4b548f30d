/** Trouble: what a page must never see of the package, so that every test can say that there was none. */

/** @type {string[]} errors that nobody handled */
const unhandled = [];

/** @type {string[]} words on the console */
const said = [];

const speaking = /** @type {const} */ ([
  "debug",
  "log",
  "info",
  "warn",
  "error",
  "trace",
  "dir",
  "table",
  "group",
  "assert",
]);

/**
 * Watches a window from now on.
 * @param {Window & typeof globalThis} window
 */
export function watch(window) {
  window.addEventListener("error", (event) => unhandled.push(`error event: ${event.message}`));
  window.addEventListener("unhandledrejection", (event) => unhandled.push(`unhandled rejection: ${event.reason}`));
  for (const method of speaking) {
    window.console[method] = (/** @type {unknown[]} */ ...words) => void said.push(`${method}: ${words.join(" ")}`);
  }
}

/** What was said on the console since this was asked last. */
export function takeSaid() {
  return said.splice(0);
}

/** All the trouble since this was asked last. A rejection counts as unhandled only after the task that it happened in. */
export async function takeTrouble() {
  await new Promise((resolve) => setTimeout(resolve));
  await new Promise((resolve) => setTimeout(resolve));
  return [...unhandled.splice(0), ...takeSaid()];
}
