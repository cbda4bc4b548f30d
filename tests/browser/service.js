/** The service of a test: the fake backend behind its service worker, with responses of the test where it has some. */

import { http } from "msw";
import { afterAll, afterEach, beforeAll, vi } from "vitest";
import { FakeBackend, json } from "../fake-backend/index.js";
import { readOperation } from "../fake-backend/operation.js";
import { startWorker } from "../fake-backend/worker.js";
import { countsOf, findingsOf } from "./inspection.js";

/** @typedef {import("inspection-findings").FindingKind} FindingKind */

/**
 * A request, as the service sees it.
 * @typedef {object} Visit
 * @property {string} path from `Findings` on
 * @property {string} inspectionKey
 * @property {FindingKind} [kind] undefined for the counts
 * @property {number} index of the partition; −1 for the counts
 * @property {number} count the number of requests for this address in this test, including this one
 * @property {Headers} headers
 * @property {Request} request
 */

/**
 * @typedef {object} Inspection
 * @property {number} [partitions] of each kind
 * @property {unknown} [counts] the counts response, if it shall not match the partitions
 * @property {(visit: Visit) => Response | undefined | Promise<Response | undefined>} [respond] in place of what a service that is well would say
 */

/** @type {Visit[]} every request of this test, in the order in which they reached the service */
export const asked = [];

/** @type {(() => unknown)[]} */
const heldBack = [];

export const backend = new FakeBackend();

/** @type {Awaited<ReturnType<typeof startWorker>>} */
export let worker;

beforeAll(async () => {
  worker = await startWorker(backend);
  worker.events.on("request:start", ({ request }) => note(request));
});

afterEach(() => {
  for (const release of heldBack.splice(0)) release();
  worker.resetHandlers();
  backend.reset();
  asked.length = 0;
});

afterAll(() => worker.stop());

/** Serves an inspection under every key, from the page's own base URL. @param {Inspection} [inspection] */
export function serve({ partitions = 3, counts = countsOf(partitions), respond } = {}) {
  worker.use(
    http.get(
      ({ request }) => pathOf(request) !== undefined,
      async ({ request }) => {
        const visit = visitOf(request);
        return (
          (await respond?.(visit)) ??
          json(visit.kind === undefined ? counts : { Findings: findingsOf(visit.index), errors: null })
        );
      },
    ),
  );
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

/** @param {Request} request */
function note(request) {
  const path = pathOf(request);
  const operation = path && readOperation(path);
  if (!path || !operation) return;
  const { inspectionKey, partition } = operation;
  const count = asked.filter((earlier) => earlier.path === path).length + 1;
  const about = { path, inspectionKey, kind: partition?.kind, index: partition?.index ?? -1 };
  asked.push({ ...about, count, headers: request.headers, request });
}

/** @param {Request} request */
function visitOf(request) {
  const visit =
    asked.find((visit) => visit.request === request) ?? asked.findLast((visit) => visit.request.url === request.url);
  if (visit === undefined) throw new Error(`${request.url} was not noted.`);
  return visit;
}

/** @param {Request} request */
function pathOf({ url }) {
  return new URL(url).pathname.match(/(?:^|\/)(Findings\/.*)$/)?.[1];
}
