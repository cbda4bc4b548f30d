/** The fake service behind an HTTP server, for programs outside this process. */

import { setTimeout } from "node:timers/promises";
import { serveFake } from "../service/http-server.js";

/** Starts a service on a free port. */
export async function serve(options: import("inspection-findings/testing").FakeServiceOptions) {
  let gate: Promise<void> | undefined;
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
      const { promise, resolve } = Promise.withResolvers<void>();
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

/** Resolves once a condition holds that nothing announces. */
export async function until(condition: () => boolean) {
  while (!condition()) await setTimeout(20);
}

export function isForPartition({ url }: { url: string }) {
  return /\/(?:Sentiment|Topics)\/\d+$/.test(url);
}
