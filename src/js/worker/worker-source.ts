// Where a worker comes from: the package's script, the URL of a script, or the caller.

import { startWorker } from "./worker-script.js";
import { type Started, startFromUrl } from "./worker-start.js";

/** The source of a worker: `true` for the package's script, the script's URL, or a function that returns the worker. */
export type WorkerSource = true | string | (() => Worker);

/** Starts a worker. */
export function startedFrom(source: WorkerSource): Started {
  if (typeof source === "function") return { worker: checked(source()), release() {} };
  return source === true ? startWorker() : startFromUrl(source);
}

/**
 * Whether a service worker may see the requests of a worker with this script although it does not control the page, as
 * after a reload past the cache. A worker with a script from a blob has the page's service worker.
 */
export async function isSeen(script: string | undefined): Promise<boolean> {
  try {
    const { serviceWorker } = navigator;
    if (script === undefined) return (await serviceWorker.getRegistrations()).length > 0;
    const { href, protocol } = new URL(script, document.baseURI);
    // Chromium ends a page that asks about a blob.
    return /^https?:$/.test(protocol) && (await serviceWorker.getRegistration(href)) !== undefined;
  } catch {
    // There are no service workers here, or there is no document.
    return false;
  }
}

/** Checks what a caller's function returns, which may be a promise of a worker. */
function checked(worker: Worker | undefined): Worker {
  if (typeof worker?.postMessage !== "function" || typeof worker.terminate !== "function") {
    throw new TypeError("the function must return a Worker, not a promise or another value");
  }
  return worker;
}
