/** The service inside a worker: its global `fetch`, its answers to the page, and the ways in which it dies. */

import { pause, watchResources } from "./resources.js";
import { faultyFetch, retrievalAt } from "./service.js";

/** @typedef {Awaited<ReturnType<typeof held>>} WorkerHeld */

/** @type {Map<string, (href: string, init: { signal: AbortSignal }) => Promise<Response>>} by base URL */
const services = new Map();

/** @type {Set<Request>} */
const open = new Set();

let isStrange = false;

/** @type {ReturnType<typeof watchResources>} */
let resources;

/** Replaces the global `fetch`. Must be called before the package's worker is told to start. */
export function startService() {
  resources = watchResources();
  Object.assign(globalThis, { fetch: answer });
  addEventListener("message", hear);
}

/** @param {MessageEvent} message */
function hear({ data: [name, baseUrl] }) {
  switch (name) {
    case "end":
      services.delete(baseUrl);
      break;
    case "held":
      held().then((held) => post(["held", held]));
      break;
    case "throw":
      throw new Error("the worker dies");
    case "close":
      globalThis.close();
      break;
    case "stop":
      isStrange = true;
      break;
  }
}

/** The resources that the worker holds, after a garbage collection. */
async function held() {
  // Finalisers run between the first collections, and release more objects.
  for (let time = 0; time < 3; time++) {
    /** @type {any} */ (globalThis).gc();
    await pause(1);
  }
  const { memory, timers, objects } = resources.held();
  return { memory, timers, objects, requests: open.size };
}

/**
 * @param {Request} request
 * @returns {Promise<any>}
 */
async function answer(request) {
  // The module stops at what no host gives.
  if (isStrange) return {};
  const { baseUrl, href, seeds, probability } = retrievalAt(request.url);
  const mayCause = (/** @type {string} */ code) => post(["may cause", baseUrl, code]);
  const service = services.get(baseUrl) ?? faultyFetch({ seeds, probability, mayCause, isHost: true });
  services.set(baseUrl, service);
  open.add(request);
  const close = () => open.delete(request);
  request.signal.addEventListener("abort", close);
  try {
    const { body, status, headers } = await service(href, { signal: request.signal });
    if (body === null) close();
    return new Response(body && watched(body, close), { status, headers });
  } catch (cause) {
    close();
    throw cause;
  }
}

/**
 * @param {ReadableStream<Uint8Array>} body
 * @param {() => void} close called at its end
 */
function watched(body, close) {
  const reader = body.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read().catch((cause) => {
          close();
          throw cause;
        });
        if (done) {
          close();
          controller.close();
        } else {
          controller.enqueue(value);
        }
      },
      cancel(reason) {
        close();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** @param {unknown} message */
function post(message) {
  /** @type {any} */ (globalThis).postMessage(message);
}
