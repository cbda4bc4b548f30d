/** The service of a retrieval, as options of the client. */

import type { Options } from "inspection-findings";
import type { Settings } from "./laboratory/laboratory.js";
import type { Place } from "./place.js";

export interface Service {
  /** With `fetch`, only the page can send the requests. */
  options: Pick<Options, "baseUrl" | "headers" | "fetch">;
  /**
   * Whether another service has answered the request for a partition, or without an index any of the requests. They must be over. The next
   * start of the service avoids that.
   */
  isMissed?(partitionIndex?: number): boolean;
}

/** Starts the built-in service. */
export async function fakeService(place: Place, settings?: Settings): Promise<Service> {
  const { startFakeService } = await import("./fake-service.js");
  return startFakeService(place, settings);
}

/** Starts the built-in service ahead of the first retrieval, after the page has rendered. */
export function prepareFakeService(): void {
  setTimeout(() => fakeService("page").catch(() => {}));
}
