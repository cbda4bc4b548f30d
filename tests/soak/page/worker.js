/** The worker of the soak test: the package's, which shows its resources and dies in several ways. */

import "inspection-findings/worker.js";
import { pause, resources } from "./resources.js";

let isBroken = false;

const { instantiate } = WebAssembly;
WebAssembly.instantiate = /** @type {any} */ (
  async (/** @type {any} */ module, /** @type {any} */ imports) => {
    const { exports } = /** @type {any} */ (await instantiate(module, imports));
    const decodeMore = () => {
      if (isBroken) throw new WebAssembly.RuntimeError("unreachable");
      return exports.decodeMore();
    };
    return { exports: { ...exports, decodeMore } };
  }
);

addEventListener("message", ({ data: [name] }) => {
  if (name === "held") held().then((held) => /** @type {any} */ (globalThis).postMessage(["held", held]));
  if (name === "stop") isBroken = true;
  if (name === "close") globalThis.close();
  if (name === "throw") throw new Error("the worker dies");
});

/** The resources that the worker holds, after a garbage collection. */
async function held() {
  // Finalisers run between the first collections, and release more objects.
  for (let time = 0; time < 3; time++) {
    /** @type {any} */ (globalThis).gc();
    await pause(1);
  }
  const { memory, timers } = resources.held();
  return { memory, timers };
}
