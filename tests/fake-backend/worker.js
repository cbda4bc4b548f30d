/** The fake backend in a page: a service worker intercepts the requests, and the page responds to them. */

import { setupWorker } from "msw/browser";

/**
 * Resolves once the fake backend intercepts the page's requests. Await it before the first request.
 * @param {Pick<import("./index.js").FakeBackend, "handlers">} backend
 */
export async function startWorker(backend) {
  const script = new URL("mockServiceWorker.js", document.baseURI);
  const worker = setupWorker(...backend.handlers);
  // The service worker sends every body to listeners as well. There are none, and unread bodies would stay in memory.
  worker.events.on("response:mocked", ({ response }) => response.body?.cancel());
  worker.events.on("response:bypass", ({ response }) => response.body?.cancel());
  // Everything else passes through to the host, above all the .wasm.
  await worker.start({ serviceWorker: { url: String(script) }, onUnhandledFrame: "bypass", quiet: true });
  return worker;
}
