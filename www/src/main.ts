/** The demo: fetches findings by the package, and shows them or why there are none. */

import type { Progress } from "inspection-findings";
import { announce } from "./announcer.js";
import { ExportPanel } from "./export-panel.js";
import { counted, number } from "./format.js";
import { messageOf } from "./message.js";
import { ProgressPanel } from "./progress-panel.js";
import { type FindingsRequest, RequestForm } from "./request-form.js";
import { requestSummary } from "./request-summary.js";
import { ResultPanel } from "./result-panel.js";
import { type Outcome, type PartialResult, Retrieval } from "./retrieval.js";
import { prepareFakeService } from "./service.js";

const progressPanel = new ProgressPanel();
const resultPanel = new ResultPanel();
const exportPanel = new ExportPanel(resultPanel.explorer);
const form = new RequestForm({ load, cancel: () => retrieval?.cancel() });
let retrieval: Retrieval | undefined;
let last: Progress | undefined;

prepareFakeService();
resultPanel.showNote(
  "Nothing loaded yet",
  "Choose a scenario and load it. Everything runs in this browser: no server, no account.",
);

async function load(request: FindingsRequest): Promise<void> {
  const previous = retrieval;
  previous?.cancel();
  const running = new Retrieval(request, {
    onProgress: (progress) => {
      last = progress;
      progressPanel.show(progress);
    },
    onPartition: (change) => progressPanel.showPartition(change),
    onObserved: (observed) => progressPanel.showObserved(observed),
  });
  retrieval = running;
  last = undefined;
  form.running = true;
  progressPanel.begin(requestSummary(request), request.subject);
  resultPanel.showNote("Loading", "The findings appear once all of them have arrived.");
  announce("Loading");
  const outcome = await running.run();
  // Only now: the worker of the package ends with its last client.
  previous?.free();
  show(outcome, running, request);
  form.running = false;
}

/** Fetches the missing partitions. The findings received so far stay visible meanwhile. */
async function retry(running: Retrieval, request: FindingsRequest): Promise<void> {
  form.running = true;
  progressPanel.resume();
  announce("Loading the missing partitions");
  const outcome = await running.retry();
  if (outcome.is === "complete" || outcome.is === "partial") {
    show(outcome, running, request);
  } else {
    progressPanel.end("partial");
    resultPanel.showRetryFailure(
      outcome.is === "failed" ? `The retry failed. ${messageOf(outcome.error)}` : "The retry was cancelled.",
    );
  }
  form.running = false;
}

function show(outcome: Outcome, running: Retrieval, request: FindingsRequest): void {
  const { inspectionKey, kind } = request;
  progressPanel.end(outcome.is);
  exportPanel.source = { request, baseUrl: running.baseUrl, resumed: running.isResumed };
  if (outcome.is === "failed") {
    resultPanel.showFailure(outcome.error, request);
  } else if (outcome.is === "cancelled") {
    const extent = cancelledAt(last);
    resultPanel.showNote("Cancelled", extent);
    announce(`Cancelled. ${extent}`);
  } else if (outcome.is === "partial") {
    showPartial(outcome.result, running, request);
  } else if (outcome.table.length === 0) {
    outcome.table.free();
    resultPanel.showNote(
      "Nothing found",
      `Inspection ${inspectionKey} has no ${kind === "topics" ? "topic" : "sentiment"} findings.`,
    );
    announce("Complete: no findings");
  } else {
    const { length } = outcome.table;
    resultPanel.showFindings(outcome.table, kind);
    announce(`Complete: ${counted(length, "finding")}`);
  }
}

function showPartial(result: PartialResult, running: Retrieval, request: FindingsRequest): void {
  resultPanel.showPartial(result, request.kind, () => {
    if (!form.running) {
      retry(running, request);
    }
  });
}

function cancelledAt(last: Progress | undefined): string {
  return last === undefined
    ? "Nothing had arrived yet."
    : `${number(last.partitionsDone)} of ${counted(last.partitions, "partition")} had arrived. The page shows no findings of a cancelled retrieval.`;
}
