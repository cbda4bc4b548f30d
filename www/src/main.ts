/** The demo: asks for findings through the package and shows them, or why there are none. */

import type { Progress } from "inspection-findings";
import { announce } from "./announcer.js";
import { counted, number } from "./figure.js";
import { ProgressPanel } from "./progress-panel.js";
import { type FindingsRequest, RequestForm } from "./request-form.js";
import { ResultPanel } from "./result-panel.js";
import { type Outcome, Retrieval } from "./retrieval.js";
import { prepareFakeService } from "./service.js";

const progressPanel = new ProgressPanel();
const resultPanel = new ResultPanel();
const form = new RequestForm({ load, cancel: () => retrieval?.cancel() });
let retrieval: Retrieval | undefined;

prepareFakeService();
resultPanel.showNote(
  "Nothing loaded yet",
  "Choose a scenario and load it. Everything runs in this page: no server, no account.",
);

async function load(request: FindingsRequest): Promise<void> {
  const running = new Retrieval(request);
  retrieval = running;
  form.running = true;
  progressPanel.clear("loading");
  resultPanel.showNote("On its way", "The findings are shown when all of them are there.");
  announce("Loading");
  const clock = setInterval(() => progressPanel.showTime(running.elapsed), 100);
  let last: Progress | undefined;
  const outcome = await running.run((progress) => {
    last = progress;
    progressPanel.show(progress);
  });
  clearInterval(clock);
  progressPanel.showTime(running.elapsed);
  progressPanel.phase = outcome.is;
  show(outcome, request, last);
  form.running = false;
}

function show(outcome: Outcome, { inspectionKey, kind }: FindingsRequest, last: Progress | undefined): void {
  if (outcome.is === "failed") {
    resultPanel.showFailure(outcome.error);
  } else if (outcome.is === "cancelled") {
    const there = cancelledAt(last);
    resultPanel.showNote("Cancelled", there);
    announce(`Cancelled. ${there}`);
  } else if (outcome.findings.length === 0) {
    resultPanel.showNote(
      "Nothing found",
      `Inspection ${inspectionKey} has no ${kind === "topics" ? "topic" : "sentiment"} findings.`,
    );
    announce("Complete: no findings");
  } else {
    resultPanel.showFindings(outcome.findings, kind);
    announce(`Complete: ${counted(outcome.findings.length, "finding")}`);
  }
}

function cancelledAt(last: Progress | undefined): string {
  return last === undefined
    ? "Nothing had come yet."
    : `${number(last.partitionsDone)} of ${counted(last.partitions, "partition")} had come. A part is not the whole, so nothing of it is shown.`;
}
