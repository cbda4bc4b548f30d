// The script of the worker, inlined into the package's script.

import { type Started, startFromText } from "./worker-start.js";
import { SCRIPT } from "./worker-text.js";

export { lacksWorkers } from "./worker-start.js";

/** Starts a worker with the script. */
export function startWorker(): Started {
  return startFromText(SCRIPT);
}
