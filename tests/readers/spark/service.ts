/** The fake service behind an HTTP server, which can hold its responses back. */

import { setTimeout } from "node:timers/promises";
import { serveFake } from "../../wire/service/http-server.js";

/** Starts a service on a free port. */
export async function serve(options: import("inspection-findings/testing").FakeServiceOptions) {
  let gate: Promise<void> | undefined;
  let held = 0;
  const server = await serveFake(options, (request) => {
    if (gate === undefined || !isForPartition(request)) return undefined;
    held++;
    return gate;
  });
  return {
    ...server,
    /** The number of requests that have waited since `hold()`. */
    held: () => held,
    /** Responds to no request for a partition from now on until the function that it returns is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
  };
}

/** Resolves once a condition holds that nothing announces. */
export async function until(condition: () => boolean) {
  while (!condition()) await setTimeout(20);
}

export function isForPartition({ url }: { url: string }) {
  return /\/(?:Sentiment|Topics)\/\d+$/.test(url);
}
