/** Workers of a test's own, and what workers decode. */

import { vi } from "vitest";
import { addresses } from "./realm.js";

/** @typedef {import("./realm.js").ManualPackage} ManualPackage */
/** @typedef {NonNullable<import("inspection-findings/manual").InitOptions["worker"]>} OwnWorker */

// At once, because tests replace `fetch`.
const compiled = WebAssembly.compileStreaming(fetch(addresses.wasm));

let copies = 0;

/**
 * Imports another copy of the package into this page, whose worker is the test's.
 * @param {OwnWorker} worker
 */
export async function importWithWorker(worker) {
  const copy = /** @type {ManualPackage} */ (await import(/* @vite-ignore */ `${addresses.manual}?copy=${++copies}`));
  await copy.init({ module: await compiled, worker });
  return copy;
}

/**
 * Returns a function that counts the bodies that workers of a window have been given to decode since this call.
 * @param {Window & typeof globalThis} [window]
 */
export function watchDecoding(window = globalThis.window) {
  const posted = vi.spyOn(window.Worker.prototype, "postMessage");
  const before = posted.mock.calls.length;
  return () => posted.mock.calls.slice(before).filter(([message]) => message?.kind === "decode").length;
}
