/** The progress panel: how much of the findings is there, to the last partition. */

import type { Progress } from "inspection-findings";
import { announceShare } from "./announcer.js";
import { byId } from "./element.js";
import { duration, number, outOf, percent, size } from "./figure.js";

export type Phase = "ready" | "loading" | "complete" | "cancelled" | "failed";

const headings: Record<Phase, string> = {
  ready: "Ready",
  loading: "Loading",
  complete: "Complete",
  cancelled: "Cancelled",
  failed: "Failed",
};

export class ProgressPanel {
  #panel = byId("progress");
  #heading = byId("progress-heading");
  #bar = byId("progress-bar");
  #share = byId("share");
  #findings = byId("figure-findings");
  #partitions = byId("figure-partitions");
  #bytes = byId("figure-bytes");
  #retries = byId("figure-retries");
  #time = byId("figure-time");

  /** The panel of a retrieval that has just begun, or of none. */
  clear(phase: "ready" | "loading"): void {
    for (const figure of [this.#findings, this.#partitions, this.#bytes, this.#retries, this.#time, this.#share]) {
      figure.textContent = "–";
    }
    this.#fill(0, 0);
    this.phase = phase;
  }

  set phase(phase: Phase) {
    this.#panel.dataset.phase = phase;
    this.#heading.textContent = headings[phase];
  }

  show({ partitionsDone, partitions, findingsDone, findings, bytes, retries }: Progress): void {
    this.#findings.textContent = outOf(findingsDone, findings);
    this.#partitions.textContent = outOf(partitionsDone, partitions);
    this.#bytes.textContent = size(bytes);
    this.#retries.textContent = number(retries);
    this.#fill(partitionsDone, partitions);
  }

  showTime(milliseconds: number): void {
    this.#time.textContent = duration(milliseconds);
  }

  #fill(done: number, total: number): void {
    const share = total === 0 ? 0 : done / total;
    this.#bar.style.setProperty("--done", String(share));
    this.#bar.setAttribute("aria-valuenow", String(done));
    this.#bar.setAttribute("aria-valuemax", String(Math.max(total, 1)));
    this.#bar.setAttribute("aria-valuetext", `${outOf(done, total)} partitions`);
    if (total > 0) {
      this.#share.textContent = `${percent(share)} %`;
      announceShare(percent(share));
    }
  }
}
