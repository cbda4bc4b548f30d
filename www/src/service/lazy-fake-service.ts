/** The built-in service, which is loaded when it is first needed. */

import type { Settings } from "../laboratory/laboratory.js";
import type { Service } from "./service.js";

/** Starts the built-in service. */
export async function fakeService(settings?: Settings): Promise<Service> {
  const { startFakeService } = await import("./fake-service.js");
  return startFakeService(settings);
}

/** Starts the built-in service ahead of the first retrieval, after the page has rendered. */
export function prepareFakeService(): void {
  setTimeout(() => fakeService().catch(() => {}));
}
