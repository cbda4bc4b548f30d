// The script of the worker, beside the package's other files.

import { orUndefined } from "../host/member.js";
import { type Started, startFromUrl, type WorkerParameters } from "./worker-start.js";

export { lacksWorkers } from "./worker-start.js";

/** Starts a worker with the script. */
export function startWorker(): Started {
  const { Worker: own } = globalThis;
  let recorded: WorkerParameters | undefined;
  const replace = (other: unknown) => orUndefined(() => Object.assign(globalThis, { Worker: other }));
  replace(function record(...parameters: WorkerParameters) {
    recorded = parameters;
  });
  let worker: Worker;
  try {
    // Bundlers look for exactly this expression. They replace the URL with the final URL of the script, and may change
    // the options. No other expression tells that URL in all of them.
    worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  } finally {
    replace(own);
  }
  // Where the global cannot be replaced, the expression has started the worker.
  return recorded === undefined ? { worker, release() {} } : startFromUrl(recorded[0], recorded[1] ?? {});
}
