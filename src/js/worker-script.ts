// The script of the worker, beside the package's other files.

/** Starts a worker with the script. */
export function startWorker(): Worker {
  // Bundlers look for exactly this expression.
  return new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
}

/** The address of the script where no bundler has moved it. */
export function workerAddress(): URL {
  const base = import.meta.url;
  return new URL("worker.js", base);
}
