/** The fake service behind an HTTP server, for programs outside this process. */

import { setTimeout } from "node:timers/promises";
import { serveFake } from "../service/http-server.js";

/**
 * Starts a service on a free port.
 * @param {import("inspection-findings/testing").FakeServiceOptions} options
 */
export async function serve(options) {
  /** @type {Promise<void> | undefined} */
  let gate;
  let held = 0;
  const { fake, requests, close } = await serveFake(options, (request) => {
    if (gate === undefined || !isForPartition(request)) return undefined;
    held++;
    return gate;
  });
  return {
    service: fake,
    seen: requests,
    /** The number of requests that have waited since the last `hold()`. */
    held: () => held,
    /** Answers no request for a partition from now on until the function that it returns is called. */
    hold() {
      /** @type {PromiseWithResolvers<void>} */
      const { promise, resolve } = Promise.withResolvers();
      gate = promise;
      held = 0;
      return () => {
        gate = undefined;
        resolve();
      };
    },
    /** Behaves as in the beginning. */
    reset() {
      fake.reset();
      requests.length = 0;
    },
    close,
  };
}

/**
 * Resolves once a condition holds that nothing announces.
 * @param {() => boolean} condition
 */
export async function until(condition) {
  while (!condition()) await setTimeout(20);
}

/** @param {{ url: string }} request */
export function isForPartition({ url }) {
  return /\/(?:Sentiment|Topics)\/\d+$/.test(url);
}

/**
 * The most requests for partitions that were under way at the same time.
 * @param {import("../service/http-server.js").Received[]} seen
 */
export function mostAtOnce(seen) {
  const partitions = seen.filter(isForPartition);
  const openAt = (/** @type {number} */ time) =>
    partitions.filter(({ start, end = Number.POSITIVE_INFINITY }) => start <= time && end > time).length;
  return Math.max(0, ...partitions.map(({ start }) => openAt(start)));
}
