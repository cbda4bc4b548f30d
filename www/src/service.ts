/** The service of a retrieval, as options of the client. */

import type { Options } from "inspection-findings";
import type { Settings } from "./laboratory/laboratory.js";

export type Service = Pick<Options, "baseUrl" | "headers" | "fetch">;

/** Starts the built-in service. */
export async function fakeService(settings?: Settings): Promise<Service> {
  const { startFakeService } = await import("./fake-service.js");
  return startFakeService(settings);
}

/** Starts the built-in service ahead of the first retrieval, after the page has rendered. */
export function prepareFakeService(): void {
  setTimeout(() => fakeService().catch(() => {}));
}
