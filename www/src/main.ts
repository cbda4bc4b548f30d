/** The demo: loads findings by the package, and shows them as they arrive, or why there are none. */

import {
  FindingsClient,
  FindingsError,
  type FindingsTable,
  type LiveProgress,
  type LiveTable,
} from "inspection-findings";
import { Comparison } from "./comparison.js";
import { Explorer } from "./explorer.js";
import { Keeper } from "./keeper.js";
import { Notice } from "./notice.js";
import { Pacer } from "./pacer.js";
import { announce, counted, duration, megabytes, number } from "./page.js";
import { type LoadState, ProgressPanel } from "./progress.js";
import { type LoadRequest, RequestForm } from "./request-form.js";

new Comparison();
const explorer = new Explorer();
const progressPanel = new ProgressPanel();
const notice = new Notice();
const form = new RequestForm(load, () => current?.cancel());
const keeper = new Keeper(() => form.submit());
let current: Load | undefined;

/** One load: from its first request to all findings or to a failure. */
class Load {
  readonly #controller = new AbortController();
  readonly #request: LoadRequest;
  readonly #pacer = new Pacer();
  #client: FindingsClient | undefined;
  #live: LiveTable | undefined;
  /** The number of attempts. */
  #requests = 0;
  /** The milliseconds until a kept table was shown. */
  #keptAfter: number | undefined;
  /** Whether a partition has arrived that the browser has not kept. */
  #isNew = false;

  constructor(request: LoadRequest) {
    this.#request = request;
  }

  async run(): Promise<void> {
    notice.clear();
    explorer.close();
    progressPanel.clear();
    this.#begin();
    /** The partitions that the browser has kept. */
    let kept: readonly number[] | undefined;
    try {
      this.#client = new FindingsClient(this.#request.options);
      const live = await keeper.watch(this.#client, this.#request, {
        failurePolicy: "collect",
        signal: this.#controller.signal,
        onProgress: (progress) => progressPanel.show(progress, kept),
        onPartition: (change) => {
          this.#isNew ||= change.state === "received" && change.index !== null;
          if (change.state === "requested" || change.state === "retrying") this.#requests++;
          progressPanel.showPartition(change);
        },
      });
      // Another load may have begun meanwhile.
      if (this !== current) {
        live.free();
        return;
      }
      this.#live = live;
      const { table } = live.getSnapshot();
      if (table.length > 0) {
        kept = table.partitions;
        explorer.show(table, 1);
        this.#keptAfter = progressPanel.elapsed;
      }
      live.subscribe(() => this.#pacer.run(() => this.#show()));
      await this.#follow(live);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Stops the load. What has arrived stays, and the reader can fetch the rest. */
  cancel(): void {
    if (this.#live === undefined) this.#controller.abort();
    else this.#live.cancel();
  }

  /** Ends the load and frees what it has, except the table that the explorer shows. */
  end(): void {
    this.#controller.abort();
    this.#pacer.stop();
    this.#live?.free();
    this.#client?.free();
    this.#request.fake?.close();
  }

  #begin(): void {
    form.isLoading = true;
    progressPanel.begin();
    announce("Loading");
  }

  async #follow(live: LiveTable): Promise<void> {
    try {
      (await live.done).free();
    } catch (error) {
      if (error instanceof FindingsError) error.table?.free();
    }
    this.#pacer.stop();
    if (this === current) this.#settle(live);
  }

  #show(): void {
    const { table, progress } = this.#live?.getSnapshot() ?? {};
    if (table !== undefined && progress !== undefined && table.length > 0) explorer.show(table, shareOf(progress));
  }

  #settle(live: LiveTable): void {
    const { state, table, progress, error } = live.getSnapshot();
    if (state === "loading") return;
    if (state === "failed") {
      this.#fail(error);
      return;
    }
    form.isLoading = false;
    this.#show();
    this.#showEnd(state, table, progress);
    const missing = (progress.partitions ?? 0) - progress.partitionsDone;
    if (missing > 0) {
      const failures = (error instanceof FindingsError && error.failures) || [];
      notice.showMissing(missing, failures, () => this.#resume(live));
    } else if (table.length === 0) {
      const nothing = "Nobody has answered yet, or nothing has been analysed.";
      if (state === "complete") notice.showText("This inspection has no findings", nothing);
      else notice.showText("Cancelled", "No findings had arrived yet.");
    } else {
      notice.clear();
      announce(`${state === "aborted" ? "Cancelled" : "Complete"}: ${counted(table.length, "finding")}`);
    }
    keeper.showSize();
  }

  /** Fetches the missing partitions. The findings received so far stay visible. */
  #resume(live: LiveTable): void {
    this.#begin();
    live.resume();
    this.#follow(live);
  }

  #fail(error: unknown): void {
    form.isLoading = false;
    explorer.close();
    progressPanel.end("failed", []);
    notice.showFailure(error, this.#request);
  }

  /** Shows how much has arrived, how fast, and what was special about it. */
  #showEnd(state: Exclude<LoadState, "loading">, table: FindingsTable, { retries, bytes }: LiveProgress): void {
    const { fake } = this.#request;
    const findings = counted(table.length, "finding");
    const requests = counted(fake?.requests ?? this.#requests, "request");
    if (this.#keptAfter !== undefined && !this.#isNew && table.isComplete) {
      progressPanel.end(state, [findings], `From this browser, ${duration(this.#keptAfter)}, ${requests}`);
      return;
    }
    const retried = retries === 0 ? [] : [retries === 1 ? "1 retry" : `${number(retries)} retries`];
    const facts = [findings, duration(progressPanel.elapsed), requests, ...retried, megabytes(bytes)];
    const { renewals = 0, rejected = 0 } = fake ?? {};
    const times = renewals === 1 ? "once" : `${renewals} times`;
    progressPanel.end(state, facts, renewals > 0 ? `Token renewed ${times} for ${counted(rejected, "request")}` : "");
  }
}

function load(request: LoadRequest): void {
  current?.end();
  current = new Load(request);
  current.run();
}

function shareOf({ partitions, partitionsDone }: LiveProgress): number {
  return partitions === undefined || partitions === 0 ? 1 : partitionsDone / partitions;
}

if (new URLSearchParams(location.search).get("load") === "later") {
  notice.showText("Nothing loaded yet", "Choose an inspection and load it. Everything runs in this browser.");
} else {
  // The load begins in the next task, because evaluating the modules takes long enough.
  setTimeout(() => form.submit());
}
