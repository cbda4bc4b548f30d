/** The thread that decodes bodies, the page or a worker that can die, and the option `fetch` of each retrieval. */

import { getFindings } from "inspection-findings";
import { Traffic } from "../../browser/traffic.js";
import { pause, resources } from "./resources.js";
import { baseUrl, faultyFetch } from "./service.js";

/** The ways in which a worker dies: by an error of its script, in silence, or because its module stops. */
export const waysOfDeath = /** @type {const} */ (["throw", "close", "stop"]);

/** @type {Traffic[]} of retrievals with requests in flight */
let traffics = [];

/** @type {{ worker: Worker, isReady: boolean, isEnded: boolean } | undefined} */
let latest;
let started = 0;
let deaths = 0;

/** @type {(held: { memory: number, timers: number }) => void} */
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
    if (!own.isEnded) deaths += 1;
    own.isEnded = true;
    Worker.prototype.terminate.call(worker);
  };
  return worker;
}

const hasWorker = new URL(location.href).searchParams.has("worker");

/** The number of workers that have died. */
export function deathsSoFar() {
  return deaths;
}

/** The options of all clients. */
export const clientOptions = { baseUrl, worker: hasWorker ? startWorker : /** @type {const} */ (false) };

/**
 * Prepares the service for a retrieval.
 * @param {{ seeds: number[], probability: number }} faults
 */
export function serve({ seeds, probability }) {
  /** The codes of the errors that its faults so far may cause. @type {Set<string>} */
  const codes = new Set();
  const traffic = new Traffic(faultyFetch({ seeds, probability, mayCause: (code) => codes.add(code) }));
  traffics.push(traffic);
  return { fetch: traffic.fetch, codes };
}

/**
 * Lets the worker die, if there is one.
 * @param {typeof waysOfDeath[number]} way
 */
export async function kill(way) {
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
}

/** The requests in flight, and what the worker holds. */
export async function held() {
  const worker = hasWorker ? await heldByWorker() : undefined;
  traffics = traffics.filter(({ open }) => open > 0);
  return { requests: traffics.reduce((sum, { open }) => sum + open, 0), worker };
}

async function heldByWorker() {
  // A worker may have died since the last call.
  while (latest?.isReady !== true || latest.isEnded) {
    const { fetch } = serve({ seeds: [0, 0], probability: 0 });
    await getFindings(2, "topics", { ...clientOptions, fetch });
  }
  const { promise, resolve } = Promise.withResolvers();
  hearHeld = resolve;
  latest.worker.postMessage(["held"]);
  return { .../** @type {Parameters<typeof hearHeld>[0]} */ (await promise), started, deaths };
}
