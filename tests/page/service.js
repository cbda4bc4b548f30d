/** The service of a test in the network of its page: a wire behind the service worker of MSW. */

import { http } from "msw";
import { setupWorker } from "msw/browser";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { Wire } from "./wire.js";

/** @type {import("./wire.js").Asked[]} every request of this test, in the order in which they reached the service */
export const asked = [];

/** @type {(() => unknown)[]} */
const heldBack = [];

export const worker = setupWorker(handlerOf(new URL("Findings/*", document.baseURI).href));

beforeAll(async () => {
  // The service worker sends every body to listeners as well. There are none, and unread bodies would stay in memory.
  worker.events.on("response:mocked", ({ response }) => response.body?.cancel());
  worker.events.on("response:bypass", ({ response }) => response.body?.cancel());
  const script = new URL("mockServiceWorker.js", document.baseURI);
  // Everything else passes through to the host, above all the .wasm.
  await worker.start({ serviceWorker: { url: String(script) }, onUnhandledFrame: "bypass", quiet: true });
});

afterEach(() => {
  for (const release of heldBack.splice(0)) release();
  worker.resetHandlers();
  asked.length = 0;
});

afterAll(() => worker.stop());

/** Serves an inspection under every key, from every base URL. @param {import("./wire.js").Inspection} inspection */
export function serve(inspection = {}) {
  worker.use(handlerOf(/\/Findings\/[^?#]*$/, inspection));
}

/** @param {string | RegExp} address @param {import("./wire.js").Inspection} [inspection] */
function handlerOf(address, inspection) {
  const wire = new Wire(inspection, { asked, responseOf: Response.json });
  return http.get(address, ({ request }) => wire.fetch(request.url, request));
}

/** Makes the responses of a window count as those of the network, until mocks are restored. @param {Window} window */
export function withoutServiceWorker(window = globalThis.window) {
  const { serviceWorker } = window.navigator;
  vi.spyOn(serviceWorker, "controller", "get").mockReturnValue(null);
  vi.spyOn(serviceWorker, "getRegistration").mockResolvedValue(undefined);
  vi.spyOn(serviceWorker, "getRegistrations").mockResolvedValue([]);
}

/**
 * A response that does not arrive during the test. It arrives afterwards, because the worker waits for it before it stops.
 * @returns {Promise<Response>}
 */
export function noResponse() {
  return new Promise((resolve) => {
    heldBack.push(() => resolve(Response.error()));
  });
}

/** The paths of all requests so far. */
export function askedPaths() {
  return asked.map(({ path }) => path);
}
