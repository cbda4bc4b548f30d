/** The fake backend in Node: the global `fetch` is answered in the process. */

import { setupServer } from "msw/node";

/** @param {import("./index.js").FakeBackend} backend */
export function startServer(backend) {
  const server = setupServer(...backend.handlers);
  server.listen({ onUnhandledFrame: "bypass" });
  return server;
}
