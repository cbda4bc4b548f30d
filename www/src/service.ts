/** The service that is asked: where it is, and how it is asked. */

import type { Options } from "inspection-findings";
import type { Settings } from "./laboratory/laboratory.js";

export type Service = Pick<Options, "baseUrl" | "headers" | "fetch">;

/** The service that comes with the page. */
export async function fakeService(settings?: Settings): Promise<Service> {
  const { startFakeService } = await import("./fake-service.js");
  return startFakeService(settings);
}

/** Makes the service ready before it is wanted, once the page is there to be seen. */
export function prepareFakeService(): void {
  setTimeout(() => fakeService().catch(() => {}));
}
