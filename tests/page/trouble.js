/** Trouble: console output and unhandled errors, which no test may cause unexpectedly. */

/** @type {string[]} errors that nobody handled */
const unhandled = [];

/** @type {string[]} words on the console */
const said = [];

const speaking = ["debug", "log", "info", "warn", "error", "trace", "dir", "table", "group", "assert"];

/** Starts to watch a window. @param {Window & typeof globalThis} window */
export function watch(window) {
  window.addEventListener("error", (event) => unhandled.push(`error event: ${event.message}`));
  window.addEventListener("unhandledrejection", (event) => unhandled.push(`unhandled rejection: ${event.reason}`));
  for (const method of speaking) {
    const say = (/** @type {unknown[]} */ ...words) => void said.push(`${method}: ${words.join(" ")}`);
    Object.assign(window.console, { [method]: say });
  }
}

/** The console output since the last call. */
export function takeSaid() {
  return said.splice(0);
}

/** All trouble since the last call. A rejection counts as unhandled only after its task. */
export async function takeTrouble() {
  await new Promise((resolve) => setTimeout(resolve));
  await new Promise((resolve) => setTimeout(resolve));
  return [...unhandled.splice(0), ...takeSaid()];
}
