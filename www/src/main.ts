/** The demo: asks for findings through the package and shows them, or why there are none. */

import type { Progress } from "inspection-findings";
import { announce } from "./announcer.js";
import { askedSentence } from "./asked.js";
import { Takeaway } from "./export-panel.js";
import { counted, number } from "./format.js";
import { messageOf } from "./message.js";
import { ProgressPanel } from "./progress-panel.js";
import { type FindingsRequest, RequestForm } from "./request-form.js";
import { ResultPanel } from "./result-panel.js";
import { type Outcome, type Part, Retrieval } from "./retrieval.js";
import { prepareFakeService } from "./service.js";

const progressPanel = new ProgressPanel();
const resultPanel = new ResultPanel();
const takeaway = new Takeaway(resultPanel.explorer);
const form = new RequestForm({ load, cancel: () => retrieval?.cancel() });
let retrieval: Retrieval | undefined;
let last: Progress | undefined;

prepareFakeService();
resultPanel.showNote(
  "Nothing loaded yet",
  "Choose a scenario and load it. Everything runs in this page: no server, no account.",
);

async function load(request: FindingsRequest): Promise<void> {
  retrieval?.free();
  const running = new Retrieval(request, {
    onProgress: (progress) => {
      last = progress;
      progressPanel.show(progress);
    },
    onPartition: (change) => progressPanel.showPartition(change),
  });
  retrieval = running;
  last = undefined;
  form.running = true;
  progressPanel.begin(askedSentence(request));
  resultPanel.showNote("On its way", "The findings are shown when all of them are there.");
  announce("Loading");
  const outcome = await running.run();
  show(outcome, running, request);
  form.running = false;
}

/** Gets the partitions that failed. What is there stays to be looked at meanwhile. */
async function retry(running: Retrieval, request: FindingsRequest): Promise<void> {
  form.running = true;
  progressPanel.goOn();
  announce("Loading what is missing");
  const outcome = await running.retry();
  if (outcome.is === "complete" || outcome.is === "partial") {
    show(outcome, running, request);
  } else {
    progressPanel.end("partial");
    resultPanel.addToPart(
      outcome.is === "failed" ? `The retry failed. ${messageOf(outcome.error)}` : "The retry was cancelled.",
    );
  }
  form.running = false;
}

function show(outcome: Outcome, running: Retrieval, request: FindingsRequest): void {
  const { inspectionKey, kind } = request;
  progressPanel.end(outcome.is);
  takeaway.source = { request, baseUrl: running.baseUrl, resumed: running.isResumed };
  if (outcome.is === "failed") {
    resultPanel.showFailure(outcome.error, request);
  } else if (outcome.is === "cancelled") {
    const there = cancelledAt(last);
    resultPanel.showNote("Cancelled", there);
    announce(`Cancelled. ${there}`);
  } else if (outcome.is === "partial") {
    showPart(outcome.part, running, request);
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

function showPart(part: Part, running: Retrieval, request: FindingsRequest): void {
  resultPanel.showPart(part, request.kind, () => {
    if (!form.running) {
      retry(running, request);
    }
  });
}

function cancelledAt(last: Progress | undefined): string {
  return last === undefined
    ? "Nothing had come yet."
    : `${number(last.partitionsDone)} of ${counted(last.partitions, "partition")} had come. A part is not the whole, so nothing of it is shown.`;
}
