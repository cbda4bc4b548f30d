/** A counter of the work that the package does: time would depend on the machine. */

import { cdp } from "vitest/browser";
import { addresses } from "./realm.js";

/**
 * The work of some calls: steps in JavaScript, which are of each function how often its busiest block was executed, such as the body of a
 * loop; crossings of the border between JavaScript and the module, in either direction; and decodings of bytes to text.
 * @typedef {{ steps: number, crossings: number, decodings: number, bytes: number }} Work
 */

/**
 * Counts from now on what the package does in a realm. It must not have been imported yet, because only code that is compiled later counts its
 * blocks. It is imported from a new address, because the engine keeps the code that it has compiled for an address, also for other realms.
 * @param {import("./realm.js").RealmWindow} window
 */
export async function countWork(window) {
  const entry = `${addresses.entry}?counted=${crypto.randomUUID()}`;
  const session = /** @type {any} */ (cdp());
  await session.send("Profiler.enable");
  await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const counts = { crossings: 0, decodings: 0, bytes: 0 };
  const counted = (/** @type {[string, any]} */ [name, called]) => {
    if (typeof called !== "function") return [name, called];
    const call = (/** @type {any[]} */ ...parameters) => {
      counts.crossings++;
      return called(...parameters);
    };
    return [name, call];
  };
  const countedAll = (/** @type {object} */ functions) => Object.fromEntries(Object.entries(functions).map(counted));
  const { instantiate } = window.WebAssembly;
  window.WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any} */ module, /** @type {Record<string, any>} */ imports) => {
      const watched = Object.entries(imports).map(([from, named]) => [from, countedAll(named)]);
      const { exports } = /** @type {any} */ (await instantiate(module, Object.fromEntries(watched)));
      return { exports: countedAll(exports) };
    }
  );
  const { decode } = window.TextDecoder.prototype;
  window.TextDecoder.prototype.decode = /** @this {TextDecoder} */ function (bytes, options) {
    counts.decodings++;
    counts.bytes += bytes?.byteLength ?? 0;
    return decode.call(this, bytes, options);
  };
  return {
    entry,

    /** Counts the work of a call. @param {() => unknown} call which may return a promise @returns {Promise<Work>} */
    async workOf(call) {
      await session.send("Profiler.takePreciseCoverage");
      Object.assign(counts, { crossings: 0, decodings: 0, bytes: 0 });
      await call();
      const done = { ...counts };
      const { result } = await session.send("Profiler.takePreciseCoverage");
      return { steps: stepsOf(result, entry), ...done };
    },

    /** Ends the counting. */
    stop: () => session.send("Profiler.disable"),
  };
}

/**
 * The steps of the package. Of blocks with the same count the engine lists one, so that their sum says less than the highest count.
 * @param {{ url: string, functions: { ranges: { count: number }[] }[] }[]} scripts
 * @param {string} entry
 */
function stepsOf(scripts, entry) {
  const own = scripts.filter(({ url }) => url === entry);
  if (own.length !== 1) throw new Error("the package is not among the scripts");
  const busiest = own[0].functions.map(({ ranges }) => Math.max(...ranges.map(({ count }) => count)));
  return busiest.reduce((sum, count) => sum + count, 0);
}
