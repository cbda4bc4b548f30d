// The script of the worker, beside the package's other files.

import { orUndefined } from "../host/member.js";
import { type Started, startFromUrl, type WorkerParameters } from "./worker-start.js";

export { lacksWorkers } from "./worker-start.js";

/** Starts a worker with the script. */
export function startWorker(): Started {
  let parameters: WorkerParameters | undefined;
  function record(...recorded: WorkerParameters): void {
    parameters = recorded;
  }
  const worker = withConstructor(record as unknown as typeof Worker, () => {
    // Bundlers look for exactly this expression. They replace the URL with the final URL of the script, and may change
    // the options.
    return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  });
  // Where the global cannot be replaced, the expression has started the worker.
  if (parameters === undefined) return { worker, release() {} };
  const [url, options = {}] = parameters;
  return startFromUrl(url, options);
}

/** Calls `construct` with another global `Worker` if the page lets it be replaced. Nothing else runs meanwhile. */
function withConstructor(replacement: typeof Worker, construct: () => Worker): Worker {
  const { Worker: own } = globalThis;
  const replace = (other: typeof Worker) =>
    orUndefined(() => {
      globalThis.Worker = other;
    });
  replace(replacement);
  try {
    return construct();
  } finally {
    replace(own);
  }
}
