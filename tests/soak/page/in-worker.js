/** The service of retrievals whose attempts a worker makes: its `fetch`, which tells the retrievals apart by their base URLs. */

import { getPartitionCounts } from "inspection-findings";
import { resources } from "./page-resources.js";
import { pause } from "./resources.js";
import { addressOf } from "./service.js";

/** @typedef {import("./worker-service.js").WorkerHeld} WorkerHeld */

/** @type {Map<string, Set<string>>} codes of the errors that the faults so far may cause, by base URL */
const codesOf = new Map();

/** @type {{ worker: Worker, isReady: boolean, isEnded: boolean } | undefined} */
let latest;
let started = 0;

/** @type {(held: WorkerHeld) => void} */
let hearHeld = () => {};

/** The option `worker`. */
function startWorker() {
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  const own = { worker, isReady: false, isEnded: false };
  latest = own;
  started += 1;
  // Before the package's listener, so that the codes of a fault are known when its error is.
  worker.addEventListener("message", ({ data: [name, first, second] }) => {
    if (name === "ready") own.isReady = true;
    if (name === "may cause") codesOf.get(first)?.add(second);
    if (name === "held") hearHeld(first);
  });
  // The error that it dies of is no error of the page.
  worker.addEventListener("error", (event) => event.preventDefault());
  worker.terminate = () => {
    if (!own.isEnded) inWorker.deaths += 1;
    own.isEnded = true;
    Worker.prototype.terminate.call(worker);
  };
  return worker;
}

/** @type {import("./retrievals.js").Place} */
export const inWorker = {
  deaths: 0,
  options: { baseUrl: addressOf({ seeds: [0, 0], probability: 0 }), worker: startWorker },
  serve({ seeds, probability }) {
    const baseUrl = addressOf({ seeds, probability });
    /** @type {Set<string>} */
    const codes = new Set();
    codesOf.set(baseUrl, codes);
    const end = () => {
      codesOf.delete(baseUrl);
      if (latest?.isEnded === false) latest.worker.postMessage(["end", baseUrl]);
    };
    return { options: { baseUrl }, codes, end };
  },
  async kill(way) {
    const dying = latest;
    // An error of a worker that is not ready concerns its start, of which a call reports the failure.
    if (!dying?.isReady || dying.isEnded) return;
    dying.worker.postMessage([way]);
    if (way !== "close") return;
    // The package looks at its worker every few seconds.
    while (!dying.isEnded) {
      await pause(10);
      resources.ringIntervals();
    }
  },
  async held() {
    // A worker may have died since the last call.
    await getPartitionCounts(1, inWorker.options);
    const worker = /** @type {Worker} */ (latest?.worker);
    const held = await new Promise((/** @type {(held: WorkerHeld) => void} */ resolve) => {
      hearHeld = resolve;
      worker.postMessage(["held"]);
    });
    return { requests: held.requests, worker: { ...held, started, deaths: inWorker.deaths } };
  },
};
