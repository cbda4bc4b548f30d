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
import type { FindingsRequest } from "../request/request-form.js";
import { type ActualWorkLocation, optionsOf } from "../service/work-location.js";

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
  /** Called for the partitions of the earlier table that are not requested again, before any other report of them. */
  onKept: (partitions: readonly number[]) => void;
  /** Called at most once in each frame, and before every outcome. */
  onReceived: (received: Received) => void;
  onPartition: (change: PartitionChange) => void;
  /** Called once it is known where the work is done. */
  onWorkLocation: (workLocation: ActualWorkLocation) => void;
}

export class Retrieval {
  #request: FindingsRequest;
  #events: Events;
  #earlier: () => Promise<FindingsTable | undefined>;
  #controller = new AbortController();
  #client: FindingsClient | undefined;
  #live: LiveTable | undefined;
  #partial: FindingsError | undefined;
  #last: Received | undefined;
  /** The base URL of the service; empty until it is known. */
  baseUrl = "";
  /** Whether a retry has resumed the retrieval. */
  isResumed = false;

  /** `earlier` opens a table of an earlier visit, if there is one. */
  constructor(request: FindingsRequest, events: Events, earlier: () => Promise<FindingsTable | undefined>) {
    this.#request = request;
    this.#events = events;
    this.#earlier = earlier;
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

  async #load(): Promise<void> {
    const { inspectionKey, kind, service, workLocation } = this.#request;
    const [{ options }, from] = await Promise.all([service(), this.#earlier()]);
    this.baseUrl = String(options.baseUrl);
    this.#client = new FindingsClient({ ...options, ...optionsOf(workLocation) });
    const kept = from?.partitions ?? [];
    let isBegun = false;
    const live = this.#client.watchTable(inspectionKey, kind, {
      ...(from && { from }),
      onPartition: this.#events.onPartition,
      // Reported before the first change of a partition, and not only at the next frame.
      onProgress: (progress) => {
        if (!isBegun) {
          isBegun = true;
          this.#report({ ...live.getSnapshot(), progress });
          // None if the counts have changed.
          this.#events.onKept(progress.partitionsDone === 0 ? [] : kept);
        }
      },
      failurePolicy: "collect",
      signal: this.#controller.signal,
    });
    from?.free();
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
    if (hasCounts) {
      this.#last = { table, progress };
      this.#reportWorkLocation();
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
      const resume = this.#partial?.resume as Resume<FindingsTable>;
      table = await resume({ signal: this.#controller.signal, onProgress });
    } catch (error) {
      table = (error instanceof FindingsError && error.table) || table;
      throw error;
    } finally {
      this.#report({ table, progress });
    }
  }

  /** Reports where the work is done, once that is known. */
  #reportWorkLocation(): void {
    const decodedIn = this.#last?.progress.decodedIn;
    if (decodedIn !== undefined) {
      this.#events.onWorkLocation(decodedIn === this.#request.workLocation ? decodedIn : "page after all");
    }
  }
}

/** Frees the table of an error: the snapshots have the same findings. */
function freeTable(error: unknown): void {
  if (error instanceof FindingsError) {
    error.table?.free();
  }
}
