/** The fake service behind an HTTP server, for programs outside this process. */

import { createServer } from "node:http";
import { Readable } from "node:stream";
import { createFakeService } from "inspection-findings/testing";

/**
 * A request as the server has seen it; times in milliseconds.
 * @typedef {object} Seen
 * @property {string} url
 * @property {number} start
 * @property {number} [end] when the response was complete, or else the connection closed
 * @property {boolean} held whether it had to wait because requests were held
 * @property {boolean} [broken] whether the connection was closed before it was complete
 */

/**
 * Starts a service on a free port.
 * @param {import("inspection-findings/testing").FakeServiceOptions} options
 */
export async function serve(options) {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const service = createFakeService({ ...options, baseUrl: `http://127.0.0.1:${port}/cxi/` });
  /** @type {Seen[]} */
  const seen = [];
  /** @type {Promise<void> | undefined} */
  let gate;
  server.on("request", async (request, response) => {
    const url = `http://127.0.0.1:${port}${request.url}`;
    /** @type {Seen} */
    const one = { url, start: performance.now(), held: false };
    seen.push(one);
    const ended = new AbortController();
    response.once("finish", () => {
      one.end = performance.now();
    });
    response.once("close", () => {
      one.end ??= performance.now();
      one.broken = !response.writableFinished;
      ended.abort();
    });
    if (gate !== undefined && isForPartition(one)) {
      one.held = true;
      await gate;
    }
    try {
      const headers = /** @type {Record<string, string>} */ (request.headers);
      const { status, headers: given, body } = await service.fetch(url, { headers, signal: ended.signal });
      response.writeHead(status, Object.fromEntries(given));
      if (body === null) response.end();
      else Readable.fromWeb(/** @type {any} */ (body)).pipe(response);
    } catch {
      response.destroy();
    }
  });
  return {
    service,
    seen,
    /**
     * Answers no request for a partition from now on until the function that it returns is called.
     * @returns {() => void}
     */
    hold() {
      const { promise, resolve } = Promise.withResolvers();
      gate = promise;
      return () => {
        gate = undefined;
        resolve(undefined);
      };
    },
    /** Behaves as in the beginning. */
    reset() {
      service.reset();
      seen.length = 0;
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @param {{ url: string }} request */
export function isForPartition({ url }) {
  return /\/(?:Sentiment|Topics)\/\d+$/.test(url);
}

/**
 * The most requests for partitions that were under way at the same time.
 * @param {Seen[]} seen
 */
export function mostAtOnce(seen) {
  const partitions = seen.filter(isForPartition);
  return Math.max(
    0,
    ...partitions.map(
      ({ start }) =>
        partitions.filter((other) => other.start <= start && (other.end ?? Number.POSITIVE_INFINITY) > start).length,
    ),
  );
}
