/** The demo: fetches findings by the package, and shows them as they arrive, or why there are none. */

import type { PartitionChange } from "inspection-findings";
import { ExportPanel } from "./export/export-panel.js";
import { KeepingPanel } from "./keeping/keeping-panel.js";
import { announce } from "./page/announcer.js";
import { byId } from "./page/element.js";
import { counted } from "./page/format.js";
import { messageOf } from "./page/message.js";
import { isLoadedOnOpening } from "./page/opening.js";
import { partitionsOf } from "./progress/completeness.js";
import { ProgressPanel } from "./progress/progress-panel.js";
import { type FindingsRequest, RequestForm } from "./request/request-form.js";
import { requestSummary } from "./request/request-summary.js";
import { ResultPanel } from "./result/result-panel.js";
import { type Outcome, type Received, Retrieval } from "./retrieval/retrieval.js";
import { prepareFakeService } from "./service/lazy-fake-service.js";
import type { ActualWorkLocation } from "./service/work-location.js";
import { showSqlPanel } from "./sql/sql-panel.js";

const progressPanel = new ProgressPanel();
const resultPanel = new ResultPanel();
const exportPanel = new ExportPanel(resultPanel.explorer);
const keepingPanel = new KeepingPanel();
byId("export-panel").append(keepingPanel.element);
showSqlPanel(resultPanel.explorer);
const form = new RequestForm({ load, cancel: () => retrieval?.cancel() });
let retrieval: Retrieval | undefined;
let last: Received | undefined;
/** Whether a partition has arrived that this browser has not kept. */
let isNew = false;

// Only now: what is visible before the script has run would move.
byId("main").dataset.ready = "";
prepareFakeService();
if (isLoadedOnOpening()) {
  form.submit();
} else {
  resultPanel.showNote(
    "Nothing loaded yet",
    "Choose a scenario and load it. Everything runs in this browser: no server, no account.",
  );
}

async function load(request: FindingsRequest): Promise<void> {
  const previous = retrieval;
  previous?.cancel();
  const events = {
    onReceived: (received: Received) => showReceived(received, running, request),
    onPartition: (change: PartitionChange) => {
      isNew ||= change.index !== null;
      progressPanel.showPartition(change);
    },
    onKept: (partitions: readonly number[]) => progressPanel.showKept(partitions),
    onWorkLocation: (workLocation: ActualWorkLocation) => progressPanel.showWorkLocation(workLocation),
  };
  const running = new Retrieval(request, events, () => keepingPanel.open(request.subject));
  retrieval = running;
  last = undefined;
  isNew = false;
  keepingPanel.clear();
  form.running = true;
  progressPanel.begin(requestSummary(request), request.subject);
  resultPanel.showNote("Loading", "The first findings appear as soon as they arrive.");
  announce("Loading");
  const outcome = await running.run();
  previous?.free();
  show(outcome, running, request);
  form.running = false;
}

/** Fetches the missing partitions. The findings received so far stay visible meanwhile. */
async function retry(running: Retrieval, request: FindingsRequest): Promise<void> {
  form.running = true;
  progressPanel.resume();
  resultPanel.showRetry();
  keepingPanel.clear();
  announce("Loading the missing partitions");
  const outcome = await running.retry();
  if (outcome.is === "complete" || outcome.is === "partial") {
    show(outcome, running, request);
  } else {
    progressPanel.end("partial");
    resultPanel.showRetryFailure(
      outcome.is === "failed" ? `The retry failed. ${messageOf(outcome.error)}` : "The retry was cancelled.",
    );
    if (last !== undefined) {
      keepingPanel.show({ subject: request.subject, table: last.table }, isNew);
    }
  }
  form.running = false;
}

function showReceived(received: Received, running: Retrieval, request: FindingsRequest): void {
  const { table, progress } = received;
  last = received;
  progressPanel.show(progress);
  exportPanel.source = { request, baseUrl: running.baseUrl, resumed: running.isResumed };
  resultPanel.showReceived(table, progress, request.kind);
}

function show(outcome: Outcome, running: Retrieval, request: FindingsRequest): void {
  const { inspectionKey, kind } = request;
  const findings = last?.progress.findingsDone ?? 0;
  progressPanel.end(outcome.is);
  if (last !== undefined && (outcome.is === "complete" || outcome.is === "partial")) {
    keepingPanel.show({ subject: request.subject, table: last.table }, isNew);
  }
  if (outcome.is === "failed") {
    resultPanel.showFailure(outcome.error, request);
  } else if (outcome.is === "partial") {
    resultPanel.showPartial(outcome.failures, findings, () => {
      if (!form.running) {
        retry(running, request);
      }
    });
  } else if (outcome.is === "cancelled") {
    resultPanel.showCancelled();
    announce(`Cancelled. ${last === undefined ? "Nothing has arrived." : `Partial: ${partitionsOf(last.progress)}`}`);
  } else if (findings === 0) {
    resultPanel.showNote(
      "Nothing found",
      `Inspection ${inspectionKey} has no ${kind === "topics" ? "topic" : "sentiment"} findings.`,
    );
    announce("Complete: no findings");
  } else {
    resultPanel.showComplete();
    announce(`Complete: ${counted(findings, "finding")}`);
  }
}
