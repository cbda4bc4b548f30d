/** A counter of the work that the package does: time would depend on the machine. */

import { cdp } from "vitest/browser";
import { addresses } from "./realm.js";

/**
 * The work of some calls: steps in JavaScript, which are of each function how often its busiest block was executed, such as the body of a
 * loop; crossings of the border between JavaScript and the module, in either direction; and decodings of bytes to text.
 * @typedef {{ steps: number, crossings: number, decodings: number, bytes: number }} Work
 */

export class WorkCounter {
  /**
   * The address from which to import the package. It is a new one, because the engine keeps the code that it has compiled for an address, also for
   * other realms, and that code does not count its blocks.
   */
  entry = `${addresses.entry}?counted=${crypto.randomUUID()}`;
  #crossings = 0;
  #decodings = 0;
  #bytes = 0;

  /**
   * Counts from now on what the package does in a realm. It must not have been imported yet, because only code that is compiled later counts
   * its blocks.
   * @param {import("./realm.js").RealmWindow} window
   */
  async watch(window) {
    const session = /** @type {any} */ (cdp());
    await session.send("Profiler.enable");
    await session.send("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
    const { instantiate } = window.WebAssembly;
    window.WebAssembly.instantiate = /** @type {any} */ (
      async (/** @type {any} */ module, /** @type {Record<string, any>} */ imports) => {
        const watched = Object.entries(imports).map(([from, named]) => [from, this.#counted(named)]);
        const { exports } = /** @type {any} */ (await instantiate(module, Object.fromEntries(watched)));
        return { exports: this.#counted(exports) };
      }
    );
    const { decode } = window.TextDecoder.prototype;
    const counter = this;
    window.TextDecoder.prototype.decode = /** @this {TextDecoder} */ function (bytes, options) {
      counter.#decodings++;
      counter.#bytes += bytes?.byteLength ?? 0;
      return decode.call(this, bytes, options);
    };
  }

  /** Counts the work of a call. @param {() => unknown} call which may return a promise @returns {Promise<Work>} */
  async workOf(call) {
    const session = /** @type {any} */ (cdp());
    await session.send("Profiler.takePreciseCoverage");
    const [crossings, decodings, bytes] = [this.#crossings, this.#decodings, this.#bytes];
    await call();
    const { result } = await session.send("Profiler.takePreciseCoverage");
    return {
      steps: stepsOf(result, this.entry),
      crossings: this.#crossings - crossings,
      decodings: this.#decodings - decodings,
      bytes: this.#bytes - bytes,
    };
  }

  /** Ends the counting. */
  async stop() {
    await /** @type {any} */ (cdp()).send("Profiler.disable");
  }

  /** @param {Record<string, any>} functions */
  #counted(functions) {
    return Object.fromEntries(
      Object.entries(functions).map(([name, called]) => {
        if (typeof called !== "function") return [name, called];
        const counted = (/** @type {any[]} */ ...parameters) => {
          this.#crossings++;
          return called(...parameters);
        };
        return [name, counted];
      }),
    );
  }
}

/**
 * The steps of the package. Of blocks with the same count the engine lists one, so that their sum says less than the highest count.
 * @param {{ url: string, functions: { ranges: { count: number }[] }[] }[]} scripts
 * @param {string} entry
 */
function stepsOf(scripts, entry) {
  const own = scripts.filter(({ url }) => url === entry);
  if (own.length !== 1) {
    throw new Error(`the package is not among the scripts: ${scripts.map(({ url }) => url).join(", ")}`);
  }
  const busiest = own[0].functions.map(({ ranges }) => Math.max(...ranges.map(({ count }) => count)));
  return busiest.reduce((sum, count) => sum + count, 0);
}
