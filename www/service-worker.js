/**
 * The service worker of the demo: that of MSW, which also responds to the workers of a page.
 *
 * MSW passes a request of a worker to any visible page that it knows, or to the network if none is visible. A ticket begins with the
 * identity of the page that issued it (src/tickets.ts), so this script makes the request one of that page.
 */

const scope = /** @type {any} */ (globalThis);

scope.addEventListener("fetch", (/** @type {any} */ event) => {
  const page = event.request.headers.get("built-in-service-ticket")?.split(" ")[0];
  if (page !== undefined) {
    Object.defineProperty(event, "clientId", { value: page });
  }
});

// A page cannot look up its own identity, nor become controlled, where it was loaded without the service worker.
scope.addEventListener("message", (/** @type {any} */ event) => {
  if (event.data === "IDENTITY_REQUEST") {
    event.ports[0].postMessage(event.source.id);
  } else if (event.data === "CONTROL_REQUEST") {
    event.waitUntil(scope.clients.claim());
  }
});

// After the listeners above, so that they run first.
scope.importScripts("./mockServiceWorker.js");
