/** One retrieval: from its first request to all findings or to a failure, with snapshots meanwhile and retries of missing partitions. */

import {
  FindingsClient,
  FindingsError,
  type FindingsTable,
  type LiveTable,
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

/** What has been received at one moment. */
export interface Received {
  /** The findings received so far. Valid until the next ones are reported. */
  table: FindingsTable;
  progress: Progress;
}

export type Outcome =
  | { is: "complete" }
  | { is: "partial"; failures: readonly PartitionFailure[] }
  | { is: "cancelled" }
  | { is: "failed"; error: unknown };

interface Events {
  /** Called at most once in each frame, and before every outcome. */
  onReceived: (received: Received) => void;
  onPartition: (change: PartitionChange) => void;
  /** Called once it is known where the work is done. */
  onObserved: (observed: Observed) => void;
}

export class Retrieval {
  #request: FindingsRequest;
  #events: Events;
  #controller = new AbortController();
  #client: FindingsClient | undefined;
  #live: LiveTable | undefined;
  #service: Service | undefined;
  #pageRequests: PageRequests | undefined;
  #partial: FindingsError | undefined;
  #last: Received | undefined;
  /** Whether another service has answered a request for a partition. What it has answered is never shown. */
  #isMissed = false;
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

  /** Ends the retrieval and frees everything except the tables received. */
  free(): void {
    this.cancel();
    this.#live?.free();
    this.#client?.free();
  }

  async #outcome(work: () => Promise<void>): Promise<Outcome> {
    try {
      await work();
      return { is: "complete" };
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
    if (error instanceof FindingsError && error.code === "partial") {
      this.#partial = error;
      return { is: "partial", failures: error.failures ?? [] };
    }
    return { is: "failed", error };
  }

  /** Loads once, or twice if another service has answered a request of the first time. */
  async #load(): Promise<void> {
    const { signal } = this.#controller;
    const service = await this.#request.service();
    const first = this.#watch(service);
    await first.catch(() => {});
    if (signal.aborted || !service.isMissed?.()) {
      return first;
    }
    this.#client?.free();
    return this.#watch(await this.#request.service());
  }

  #watch(service: Service): Promise<void> {
    const { inspectionKey, kind, place } = this.#request;
    this.#service = service;
    this.baseUrl = String(service.options.baseUrl);
    this.#client = new FindingsClient({ ...this.#watched(service.options), worker: optionOf(place) });
    const live = this.#client.watchTable(inspectionKey, kind, {
      onPartition: (change) => {
        this.#isMissed = change.state === "received" && (service.isMissed?.(change.index) ?? false);
        if (this.#isMissed) {
          live.free();
        } else {
          this.#events.onPartition(change);
        }
      },
      // Reported before the first change of a partition, and not only at the next frame.
      onProgress: (progress) => progress.partitionsDone === 0 && this.#report({ ...live.getSnapshot(), progress }),
      failurePolicy: "collect",
      signal: this.#controller.signal,
    });
    this.#live = live;
    return this.#follow(live);
  }

  /** Reports the snapshots of a live table until it ends, the last one included. */
  async #follow(live: LiveTable): Promise<void> {
    const report = () => this.#report(live.getSnapshot());
    const unsubscribe = live.subscribe(report);
    try {
      // The snapshots have the same findings.
      (await live.done).free();
    } catch (error) {
      freeTable(error);
      throw error;
    } finally {
      unsubscribe();
      report();
    }
  }

  #report({ table, progress }: Received): void {
    const hasCounts = progress.partitions > 0 || progress.findings !== null;
    if (hasCounts && !this.#isMissed) {
      this.#last = { table, progress };
      this.#observe();
      this.#events.onReceived(this.#last);
    }
  }

  async #resume(): Promise<void> {
    this.isResumed = true;
    const live = this.#live;
    if (live?.getSnapshot().state === "partial") {
      live.resume();
      return this.#follow(live);
    }
    return this.#resumeAlone();
  }

  /** Resumes after a cancelled retry, which has ended the live table: what is missing arrives at the end, in another table. */
  async #resumeAlone(): Promise<void> {
    this.#controller = new AbortController();
    let { table, progress } = this.#last as Received;
    const onProgress = (now: Progress) => {
      progress = now;
      this.#report({ table, progress });
    };
    try {
      const resume = this.#partial?.resume as Resume;
      table = await resume<FindingsTable>({ signal: this.#controller.signal, onProgress });
    } catch (error) {
      table = (error instanceof FindingsError && error.table) || table;
      throw error;
    } finally {
      this.#report({ table, progress });
    }
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
}

/** Frees the table of an error: the snapshots have the same findings. */
function freeTable(error: unknown): void {
  if (error instanceof FindingsError) {
    error.table?.free();
  }
}
