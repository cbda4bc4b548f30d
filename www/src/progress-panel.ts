/** The progress panel: how much of the findings is there, to the last partition, and how long the rest will take. */

import type { PartitionChange, Progress } from "inspection-findings";
import { announceShare } from "./announcer.js";
import { byId } from "./element.js";
import { duration, number, outOf, percent, size } from "./format.js";
import { PartitionMap } from "./partition-map.js";
import { Pace } from "./throughput.js";

export type Phase = "ready" | "loading" | "complete" | "partial" | "cancelled" | "failed";

const headings: Record<Phase, string> = {
  ready: "Ready",
  loading: "Loading",
  complete: "Complete",
  partial: "Incomplete",
  cancelled: "Cancelled",
  failed: "Failed",
};

const none = "–";

export class ProgressPanel {
  #panel = byId("progress");
  #heading = byId("progress-heading");
  #asked = byId("asked");
  #bar = byId("progress-bar");
  #share = byId("share");
  #findings = byId("figure-findings");
  #partitions = byId("figure-partitions");
  #bytes = byId("figure-bytes");
  #retries = byId("figure-retries");
  #time = byId("figure-time");
  #rate = byId("figure-rate");
  #left = byId("figure-left");
  #map = new PartitionMap();
  #pace = new Pace();
  #first: Progress | undefined;
  #last: Progress | undefined;
  #started = 0;
  #clock: ReturnType<typeof setInterval> | undefined;

  /** The panel of a retrieval that begins now, with the sentence that says what is asked of whom. */
  begin(asked: string): void {
    this.#asked.textContent = asked;
    for (const figure of this.#figures) {
      figure.textContent = none;
    }
    this.#fill(0, 0);
    this.#map.begin(0);
    this.goOn();
  }

  /** The same for a retrieval that resumes. */
  goOn(): void {
    this.#pace = new Pace();
    this.#first = undefined;
    this.#last = undefined;
    this.#started = performance.now();
    this.phase = "loading";
    this.#clock = setInterval(() => this.#tick(), 200);
  }

  /** The retrieval has ended: the pace is now that of the whole. */
  end(phase: Phase): void {
    clearInterval(this.#clock);
    const elapsed = performance.now() - this.#started;
    const came = (this.#last?.findingsDone ?? 0) - (this.#first?.findingsDone ?? 0);
    this.#time.textContent = duration(elapsed);
    this.#rate.textContent = came === 0 ? none : number(Math.round((came / elapsed) * 1000));
    this.#left.textContent = phase === "complete" ? duration(0) : none;
    this.phase = phase;
  }

  set phase(phase: Phase) {
    this.#panel.dataset.phase = phase;
    this.#heading.textContent = headings[phase];
  }

  show(progress: Progress): void {
    const { partitionsDone, partitions, findingsDone, findings, bytes, retries } = progress;
    this.#first ??= progress;
    this.#last = progress;
    if (this.#map.length !== partitions) {
      this.#map.begin(partitions);
    }
    this.#findings.textContent = outOf(findingsDone, findings);
    this.#partitions.textContent = outOf(partitionsDone, partitions);
    this.#bytes.textContent = size(bytes);
    this.#retries.textContent = number(retries);
    this.#pace.read(findingsDone, partitions === 0 ? 1 : partitionsDone / partitions, performance.now());
    this.#fill(partitionsDone, partitions);
  }

  showPartition(change: PartitionChange): void {
    this.#map.show(change);
  }

  get #figures(): HTMLElement[] {
    return [
      this.#findings,
      this.#partitions,
      this.#bytes,
      this.#retries,
      this.#time,
      this.#rate,
      this.#left,
      this.#share,
    ];
  }

  #tick(): void {
    const now = performance.now();
    const rate = this.#pace.rate(now);
    const left = this.#pace.left(now);
    this.#time.textContent = duration(now - this.#started);
    this.#rate.textContent = rate === undefined ? none : number(Math.round(rate));
    this.#left.textContent = left === undefined ? none : duration(left);
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
