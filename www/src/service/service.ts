/** The service of a retrieval, as options of the client. */

import type { Options } from "inspection-findings";

export interface Service {
  options: Pick<Options, "baseUrl" | "headers" | "fetch">;
}
