/** The service of retrievals whose bodies a worker decodes: the page's, and the option `worker`. */

import { getFindings } from "inspection-findings";
import { inPage } from "./in-page.js";
import { resources } from "./page-resources.js";
import { pause } from "./resources.js";

/** @typedef {{ memory: number, timers: number, objects: number }} WorkerHeld */

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
  worker.addEventListener("message", ({ data: [name, held] }) => {
    if (name === "ready") own.isReady = true;
    if (name === "held") hearHeld(held);
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

/** @type {import("./retrievals.js").Runtime} */
export const inWorker = {
  deaths: 0,
  options: { ...inPage.options, worker: startWorker },
  serve: inPage.serve,
  async kill(way) {
    const dying = latest;
    // An error of a worker that is not ready concerns its start, of which a call reports the failure.
    if (!dying?.isReady || dying.isEnded) return;
    dying.worker.postMessage([way]);
    if (way !== "close") return;
    // The package looks at its worker every few seconds.
    for (let look = 0; look < 20 && !dying.isEnded; look++) {
      await pause(10);
      resources.ringIntervals();
    }
  },
  async held() {
    // A worker may have died since the last call.
    const { options } = inPage.serve({ seeds: [0, 0], probability: 0 });
    while (latest?.isReady !== true || latest.isEnded)
      await getFindings(2, "topics", { ...inWorker.options, ...options });
    const { worker } = latest;
    const held = await new Promise((/** @type {(held: WorkerHeld) => void} */ resolve) => {
      hearHeld = resolve;
      worker.postMessage(["held"]);
    });
    return { ...(await inPage.held()), worker: { ...held, started, deaths: inWorker.deaths } };
  },
};
