/** The fake backend in a page: a service worker takes the requests, the page answers them. */

import { setupWorker } from "msw/browser";

/**
 * Resolves once the page's requests are answered by the fake backend; only then is it safe to ask for anything.
 * @param {Pick<import("./index.js").FakeBackend, "handlers">} backend
 * @param {object} [options]
 * @param {string | URL} [options.script] where the page's host has the `mockServiceWorker.js` of MSW
 */
export async function startWorker(backend, { script = new URL("mockServiceWorker.js", document.baseURI) } = {}) {
  const worker = setupWorker(...backend.handlers);
  // The service worker sends every body back as well, for whoever listens. Nobody does, and unread it would be kept.
  worker.events.on("response:mocked", ({ response }) => response.body?.cancel());
  worker.events.on("response:bypass", ({ response }) => response.body?.cancel());
  // Everything else, the .wasm above all, goes on to the real host.
  await worker.start({ serviceWorker: { url: String(script) }, onUnhandledFrame: "bypass", quiet: true });
  return worker;
}
