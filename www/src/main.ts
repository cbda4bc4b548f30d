/** The demo: loads findings by the package, and shows them as they arrive, or why there are none. */

import { FindingsClient, FindingsError, type FindingsTable, type LiveProgress } from "inspection-findings";
import { createTableView } from "inspection-findings/view";
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
  readonly #view = createTableView();
  readonly #request: LoadRequest;
  readonly #client: FindingsClient;
  readonly #pacer = new Pacer();
  /** The number of attempts. */
  #requests = 0;
  /** The partitions that the browser has kept; undefined until it is known. */
  #kept: readonly number[] | undefined;
  /** The milliseconds until a kept table was shown. */
  #keptAfter: number | undefined;
  /** Whether a partition has arrived that the browser has not kept. */
  #isNew = false;

  constructor(request: LoadRequest) {
    this.#request = request;
    this.#client = new FindingsClient(request.options);
    notice.clear();
    explorer.close();
    progressPanel.clear();
    this.#begin();
    this.#view.subscribe(() => this.#change());
    this.#view.show(this.#client, request.inspectionKey, request.kind, {
      store: keeper.store,
      failurePolicy: "collect",
      onProgress: (progress) => progressPanel.show(progress, this.#kept),
      onPartition: (change) => {
        this.#isNew ||= change.state === "received" && change.index !== null;
        if (change.state === "requested" || change.state === "retrying") this.#requests++;
        progressPanel.showPartition(change);
      },
    });
  }

  /** Stops the load. What has arrived stays, and the reader can fetch the rest. */
  cancel(): void {
    this.#view.getSnapshot().cancel();
  }

  /** Ends the load. */
  end(): void {
    this.#pacer.stop();
    this.#view.stop();
    this.#client.free();
    this.#request.fake?.close();
  }

  #begin(): void {
    form.isLoading = true;
    progressPanel.begin();
    announce("Loading");
  }

  #change(): void {
    const { state, table } = this.#view.getSnapshot();
    this.#kept ??= table?.partitions;
    if (state === "loading") this.#pacer.run(() => this.#show());
    else this.#settle();
  }

  #show(): void {
    const { table, progress } = this.#view.getSnapshot();
    if (table === undefined || table.length === 0) return;
    explorer.show(table, shareOf(progress));
    if (this.#kept?.length) this.#keptAfter ??= progressPanel.elapsed;
  }

  #settle(): void {
    this.#pacer.stop();
    const { state, table, progress, error, resume } = this.#view.getSnapshot();
    form.isLoading = false;
    if (state === "loading") return;
    if (state === "failed") {
      explorer.close();
      progressPanel.end("failed", []);
      notice.showFailure(error, this.#request);
      return;
    }
    this.#show();
    this.#showEnd(state, table, progress);
    const missing = (progress.partitions ?? 0) - progress.partitionsDone;
    if (missing > 0) {
      const failures = (error instanceof FindingsError && error.failures) || [];
      notice.showMissing(missing, failures, () => {
        this.#begin();
        resume();
      });
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
