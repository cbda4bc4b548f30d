/** The fake backend in Node, which intercepts the global `fetch`. */

import { setupServer } from "msw/node";

/** @param {import("./index.js").FakeBackend} backend */
export function startServer(backend) {
  const server = setupServer(...backend.handlers);
  server.listen({ onUnhandledFrame: "bypass" });
  return server;
}
