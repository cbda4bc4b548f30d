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
import { PageRequests } from "./page-requests.js";
import { optionOf } from "./place.js";
import type { FindingsRequest } from "./request-form.js";
import type { Service } from "./service.js";

/** Where the work is done, and, if that was not chosen, why. */
export type Observed = "worker" | "page" | "no worker" | "only the page";

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
  /** Called once it is known where the work is done. */
  onObserved: (observed: Observed) => void;
}

export class Retrieval {
  #request: FindingsRequest;
  #events: Events;
  #controller = new AbortController();
  #client: FindingsClient | undefined;
  #service: Service | undefined;
  #pageRequests: PageRequests | undefined;
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
      if (error instanceof FindingsError && error.status !== undefined) {
        this.#observe();
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
    const { signal } = this.#controller;
    const table = this.#loadOnce(await this.#request.service());
    await table.catch(() => {});
    if (signal.aborted || !this.#service?.isMissed?.()) {
      return table;
    }
    table.then((table) => table.free()).catch(() => {});
    this.#client?.free();
    return this.#loadOnce(await this.#request.service());
  }

  async #loadOnce(service: Service): Promise<FindingsTable> {
    const { inspectionKey, kind, place } = this.#request;
    this.#service = service;
    this.baseUrl = String(service.options.baseUrl);
    this.#client = new FindingsClient({ ...this.#watched(service.options), worker: optionOf(place) });
    return this.#client.loadTable(inspectionKey, kind, this.#options);
  }

  /** The options, with a note of each request that they make. */
  #watched(options: Service["options"]): Service["options"] {
    const { fetch } = options;
    const requests = new PageRequests(this.baseUrl);
    this.#pageRequests = requests;
    if (fetch === undefined) {
      return options;
    }
    return {
      ...options,
      fetch(href, init) {
        requests.note(href);
        return fetch(href, init);
      },
    };
  }

  /** Reports where the work is done. A response has arrived, so the request for it was sent. */
  #observe(): void {
    this.#events.onObserved(this.#observed);
  }

  get #observed(): Observed {
    if (!this.#pageRequests?.isAny) {
      return "worker";
    }
    if (this.#request.place === "page") {
      return "page";
    }
    return this.#service?.options.fetch === undefined ? "no worker" : "only the page";
  }

  async #resume(): Promise<FindingsTable> {
    this.isResumed = true;
    const resume = this.#partial?.resume as Resume;
    return resume<FindingsTable>(this.#options);
  }

  get #options(): Options {
    return {
      onProgress: (progress) => {
        this.#observe();
        this.#events.onProgress(progress);
      },
      onPartition: this.#events.onPartition,
      failurePolicy: "collect",
      signal: this.#controller.signal,
    };
  }
}
