/** A service over HTTP: responds as a function or a fake service does, and records the requests. */

import { once } from "node:events";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createFakeService } from "inspection-findings/testing";

/**
 * A request that the server has received; times in milliseconds.
 * @typedef {object} Received
 * @property {string} method
 * @property {string} url its path, with the query
 * @property {import("node:http").IncomingHttpHeaders} headers
 * @property {number} start
 * @property {number} [end] when the response was complete, or else the connection closed
 * @property {boolean} [broken] whether the connection closed before the response was complete
 */

/**
 * Starts a server on a free port.
 * @param {(request: Request) => Response | Promise<Response>} respond a rejection breaks the connection; the signal of the request
 *   aborts when the connection closes
 */
export async function serve(respond) {
  /** @type {Received[]} */
  const requests = [];
  const server = createServer(async (incoming, outgoing) => {
    const { method = "GET", url = "/", headers } = incoming;
    /** @type {Received} */
    const received = { method, url, headers, start: performance.now() };
    requests.push(received);
    const closed = new AbortController();
    outgoing.once("close", () => {
      received.end = performance.now();
      received.broken = !outgoing.writableFinished;
      closed.abort();
    });
    try {
      const known = /** @type {Record<string, string>} */ (headers);
      const body = method === "POST" ? { body: /** @type {any} */ (Readable.toWeb(incoming)), duplex: "half" } : {};
      const response = await respond(
        new Request(new URL(url, origin), { method, headers: known, signal: closed.signal, ...body }),
      );
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      if (response.body === null) outgoing.end();
      else
        Readable.fromWeb(/** @type {any} */ (response.body))
          .on("error", () => outgoing.destroy())
          .pipe(outgoing);
    } catch {
      outgoing.destroy();
    }
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    requests,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/**
 * Starts a server with a fake service, whose base URL is the server's.
 * @param {import("inspection-findings/testing").FakeServiceOptions} [options]
 * @param {(request: Request) => unknown} [before] what each response waits for
 * @param {Record<string, string>} [cors] headers of every response, also of one to a preflight, which is no request of the fake service
 */
export async function serveFake(options, before = () => {}, cors) {
  const server = await serve(async (request) => {
    if (cors !== undefined && request.method === "OPTIONS") return new Response(null, { status: 204, headers: cors });
    await before(request);
    const response = await fake.fetch(request);
    for (const [name, value] of Object.entries(cors ?? {})) response.headers.set(name, value);
    return response;
  });
  const fake = createFakeService({ ...options, baseUrl: `${server.origin}/cxi/` });
  return { ...server, fake };
}

/** A free port of this machine. */
export async function freePort() {
  const { origin, close } = await serve(() => new Response());
  await close();
  return Number(new URL(origin).port);
}
