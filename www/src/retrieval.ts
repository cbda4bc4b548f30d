/** One retrieval: from the first request to all the findings, or to the reason why not. */

import { FindingsClient, type InspectionFinding, type Progress } from "inspection-findings";
import type { FindingsRequest } from "./request-form.js";

export type Outcome =
  | { is: "complete"; findings: InspectionFinding[] }
  | { is: "cancelled" }
  | { is: "failed"; error: unknown };

export class Retrieval {
  #request: FindingsRequest;
  #controller = new AbortController();
  #started = performance.now();

  constructor(request: FindingsRequest) {
    this.#request = request;
  }

  /** Milliseconds since the start. */
  get elapsed(): number {
    return performance.now() - this.#started;
  }

  /** Resolves whatever happens: that something went wrong is an outcome, too. */
  async run(onProgress: (progress: Progress) => void): Promise<Outcome> {
    try {
      return { is: "complete", findings: await this.#findings(onProgress) };
    } catch (error) {
      return this.#controller.signal.aborted ? { is: "cancelled" } : { is: "failed", error };
    }
  }

  cancel(): void {
    this.#controller.abort();
  }

  async #findings(onProgress: (progress: Progress) => void): Promise<InspectionFinding[]> {
    const { inspectionKey, kind, service } = this.#request;
    const client = new FindingsClient(await service());
    try {
      return await client.getFindings(inspectionKey, kind, { onProgress, signal: this.#controller.signal });
    } finally {
      client.free();
    }
  }
}
