// The script of the worker, beside the package's other files.

import { type Started, startFromUrl, type WorkerParameters } from "./worker-start.js";

/** Starts a worker with the script. */
export function startWorker(): Started {
  const [url, options = {}] = parametersOf(() => {
    // Bundlers look for exactly this expression. They replace the URL with the final URL of the script, and may change
    // the options.
    return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  });
  return startFromUrl(url, options);
}

/** Returns the arguments that `start` passes to `new Worker`. Replaces the constructor meanwhile; nothing else runs. */
function parametersOf(construct: () => Worker): WorkerParameters {
  const { Worker: own } = globalThis;
  let recorded: WorkerParameters | undefined;
  function record(...parameters: WorkerParameters): void {
    recorded = parameters;
  }
  globalThis.Worker = record as unknown as typeof Worker;
  try {
    construct();
  } finally {
    globalThis.Worker = own;
  }
  if (recorded === undefined) throw new Error("the URL of its script is unknown");
  return recorded;
}
