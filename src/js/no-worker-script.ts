// The script of the worker, as the entry without other files has it: none.

/** Fails: the caller has to say where the script is. */
export function startWorker(): Worker {
  throw new Error(
    "this entry has no worker script beside it: give the option worker the address of the package's worker.js",
  );
}

/** Fails likewise. */
export function workerAddress(): URL {
  return startWorker() as never;
}
