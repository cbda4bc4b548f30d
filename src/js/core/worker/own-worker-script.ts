// The script of the worker where the caller loads the `.wasm` file: the caller's, or the inlined one.

import * as inlined from "./embedded-worker-script.js";
import { type Started, startFromUrl } from "./worker-start.js";

/** Where a worker comes from: the URL of its script, or a function that returns the worker. */
export type OwnWorker = string | (() => Worker);

let own: OwnWorker | undefined;

/** Sets where workers come from. */
export function setWorker(source: OwnWorker | undefined): void {
  own = source;
}

/** Whether no worker can be started, because the environment has none. */
export function lacksWorkers(): boolean {
  return typeof own !== "function" && inlined.lacksWorkers();
}

/** Starts a worker. */
export function startWorker(): Started {
  if (typeof own === "function") return { worker: checked(own()), release() {} };
  return own === undefined ? inlined.startWorker() : startFromUrl(own);
}

/** Checks what a caller's function returns, which may be a promise of a worker. */
function checked(worker: Worker | undefined): Worker {
  if (typeof worker?.postMessage !== "function" || typeof worker.terminate !== "function") {
    throw new TypeError("the function must return a Worker, not a promise or another value");
  }
  return worker;
}
