/** The retrieval in a page, whose address names the service and how to retrieve. */

import { retrieve } from "./retrieve.js";

/** Retrieves, in the project's own worker if the address says so, and leaves the result where the test looks for it. */
export function retrieveInPage(getFindings, startOwnWorker) {
  const parameters = new URLSearchParams(location.search);
  const options = { baseUrl: parameters.get("service") ?? undefined, worker: parameters.has("worker") || undefined };
  const result =
    startOwnWorker && parameters.has("own") ? responseOf(startOwnWorker(), options) : retrieve(getFindings, options);
  result.then(
    (findings) => Object.assign(globalThis, { result: { findings } }),
    (error) => Object.assign(globalThis, { result: { error: String(error) } }),
  );
}

/** Retrieves in the project's own worker, at the page's request. */
export function retrieveInOwnWorker(getFindings) {
  addEventListener("message", async ({ data }) => {
    postMessage(await retrieve(getFindings, data).catch((error) => ({ error: String(error) })));
  });
}

function responseOf(worker, options) {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => (data.error === undefined ? resolve(data) : reject(data.error));
    worker.onerror = ({ message }) => reject(message || "the worker's script could not be loaded");
    worker.postMessage(options);
  });
}
