/** A plain static server, without knowledge of packages. */

import { once } from "node:events";
import { createServer } from "node:http";
import sirv from "sirv";

/**
 * Serves a folder on a free port.
 * @param {string} folder
 * @param {Record<string, string>} headers of every response
 */
export async function serveFolder(folder, headers = {}) {
  const files = sirv(folder, { dev: true });
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    files(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close().closeAllConnections() };
}
