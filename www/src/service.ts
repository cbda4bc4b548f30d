/** The service that is asked: where it is, and which headers it wants. */

import type { Options } from "inspection-findings";

export type Service = Pick<Options, "baseUrl" | "headers">;

/** What the page is told about a service of the reader's own. */
export interface RealService {
  baseUrl: string;
  tokenHeader: string;
  token: string;
}

export function realService({ baseUrl, tokenHeader, token }: RealService): Service {
  return tokenHeader === "" ? { baseUrl } : { baseUrl, headers: { [tokenHeader]: token } };
}

/** The service that comes with the page. */
export async function fakeService(): Promise<Service> {
  const { startFakeService } = await import("./fake-service.js");
  return startFakeService();
}

/**
 * Makes the service ready before it is wanted, once the page is there to be seen. After a forced reload that takes one
 * more reload, which must not come in the middle of a retrieval. Should it fail, the first retrieval tries again and tells.
 */
export function prepareFakeService(): void {
  setTimeout(() => fakeService().catch(() => {}));
}
