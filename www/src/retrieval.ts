/** One retrieval: from the first request to all the findings, or to the reason why not, and on from there. */

import {
  FindingsClient,
  FindingsError,
  type FindingsTable,
  type Options,
  type PartitionChange,
  type PartitionFailure,
  type Progress,
  type Resume,
} from "inspection-findings";
import type { FindingsRequest } from "./request-form.js";

/** What is there of a retrieval of which some partitions failed. */
export interface Part {
  table: FindingsTable;
  failures: readonly PartitionFailure[];
}

export type Outcome =
  | { is: "complete"; table: FindingsTable }
  | { is: "partial"; part: Part }
  | { is: "cancelled" }
  | { is: "failed"; error: unknown };

interface Events {
  onProgress: (progress: Progress) => void;
  onPartition: (change: PartitionChange) => void;
}

export class Retrieval {
  #request: FindingsRequest;
  #events: Events;
  #controller = new AbortController();
  #client: FindingsClient | undefined;
  #partial: FindingsError | undefined;
  /** Where the service is; empty as long as that is not known. */
  baseUrl = "";
  /** Whether it has gone on from a part. */
  isResumed = false;

  constructor(request: FindingsRequest, events: Events) {
    this.#request = request;
    this.#events = events;
  }

  /** Resolves whatever happens: that something went wrong is an outcome, too. */
  run(): Promise<Outcome> {
    return this.#outcome(() => this.#load());
  }

  /** Gets what failed, and nothing else. */
  retry(): Promise<Outcome> {
    return this.#outcome(() => this.#resume());
  }

  cancel(): void {
    this.#controller.abort();
  }

  /** Lets go of everything but the tables that it gave. */
  free(): void {
    this.cancel();
    this.#client?.free();
  }

  async #outcome(work: () => Promise<FindingsTable>): Promise<Outcome> {
    this.#controller = new AbortController();
    try {
      return { is: "complete", table: await work() };
    } catch (error) {
      if (this.#controller.signal.aborted) {
        return { is: "cancelled" };
      }
      return this.#failed(error);
    }
  }

  #failed(error: unknown): Outcome {
    if (error instanceof FindingsError && error.code === "partial" && error.table !== undefined) {
      this.#partial = error;
      return { is: "partial", part: { table: error.table, failures: error.failures ?? [] } };
    }
    return { is: "failed", error };
  }

  async #load(): Promise<FindingsTable> {
    const { inspectionKey, kind, service } = this.#request;
    const options = this.#options;
    const asked = await service();
    this.baseUrl = String(asked.baseUrl);
    this.#client = new FindingsClient(asked);
    return this.#client.loadTable(inspectionKey, kind, options);
  }

  async #resume(): Promise<FindingsTable> {
    this.isResumed = true;
    const resume = this.#partial?.resume as Resume;
    return resume<FindingsTable>(this.#options);
  }

  get #options(): Options {
    return { ...this.#events, failurePolicy: "collect", signal: this.#controller.signal };
  }
}
