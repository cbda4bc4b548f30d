/** One retrieval: from its first request to all findings or to a failure, with retries of missing partitions. */

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

/** The result of a retrieval with missing partitions. */
export interface PartialResult {
  table: FindingsTable;
  failures: readonly PartitionFailure[];
}

export type Outcome =
  | { is: "complete"; table: FindingsTable }
  | { is: "partial"; result: PartialResult }
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
  /** The base URL of the service; empty until it is known. */
  baseUrl = "";
  /** Whether a retry has resumed the retrieval. */
  isResumed = false;

  constructor(request: FindingsRequest, events: Events) {
    this.#request = request;
    this.#events = events;
  }

  /** Runs the retrieval. Never rejects: a failure is an outcome, too. */
  run(): Promise<Outcome> {
    return this.#outcome(() => this.#load());
  }

  /** Fetches only the missing partitions. */
  retry(): Promise<Outcome> {
    return this.#outcome(() => this.#resume());
  }

  cancel(): void {
    this.#controller.abort();
  }

  /** Frees everything except the tables of its outcomes. */
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
      return { is: "partial", result: { table: error.table, failures: error.failures ?? [] } };
    }
    return { is: "failed", error };
  }

  async #load(): Promise<FindingsTable> {
    const { inspectionKey, kind, service } = this.#request;
    const options = this.#options;
    const chosen = await service();
    this.baseUrl = String(chosen.baseUrl);
    this.#client = new FindingsClient(chosen);
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
