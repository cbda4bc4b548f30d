/** The control of a worker: its resources, and the ways in which it dies. */

import { pause, watchResources } from "./resources.js";

/** @type {ReturnType<typeof watchResources>} */
let resources;
let isBroken = false;

/** Must be called before the package's worker is told to start. */
export function takeControl() {
  resources = watchResources();
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
  addEventListener("message", hear);
}

/** @param {MessageEvent} message */
function hear({ data: [name] }) {
  switch (name) {
    case "held":
      held().then((held) => /** @type {any} */ (globalThis).postMessage(["held", held]));
      break;
    case "throw":
      throw new Error("the worker dies");
    case "close":
      globalThis.close();
      break;
    case "stop":
      isBroken = true;
      break;
  }
}

/** The resources that the worker holds, after a garbage collection. */
async function held() {
  // Finalisers run between the first collections, and release more objects.
  for (let time = 0; time < 3; time++) {
    /** @type {any} */ (globalThis).gc();
    await pause(1);
  }
  const { memory, timers, objects } = resources.held();
  return { memory, timers, objects };
}
