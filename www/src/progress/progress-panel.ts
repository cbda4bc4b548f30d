/** The progress panel: the share of partitions received, the statistics, and the time left. */

import type { PartitionChange, Progress } from "inspection-findings";
import { announceShare } from "../page/announcer.js";
import { byId } from "../page/element.js";
import { duration, number, outOf, percent, size } from "../page/format.js";
import type { ActualWorkLocation } from "../service/work-location.js";
import { shareOf } from "./completeness.js";
import { PartitionMap } from "./partition-map.js";
import { SmoothnessPanel } from "./smoothness-panel.js";
import { Throughput } from "./throughput.js";

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
  #summary = byId("request-summary");
  #bar = byId("progress-bar");
  #share = byId("share");
  #findings = byId("stat-findings");
  #partitions = byId("stat-partitions");
  #bytes = byId("stat-bytes");
  #retries = byId("stat-retries");
  #time = byId("stat-time");
  #rate = byId("stat-rate");
  #left = byId("stat-left");
  #map = new PartitionMap();
  #smoothness = new SmoothnessPanel();
  #subject = "";
  #throughput = new Throughput();
  #first: Progress | undefined;
  #last: Progress | undefined;
  #started = 0;
  /** When the first bytes of the service arrived, from which on the throughput is measured. */
  #began = 0;
  #clock: ReturnType<typeof setInterval> | undefined;

  /** Begins a retrieval. `summary` says what is requested from which service, and `subject` also how the service behaves. */
  begin(summary: string, subject: string): void {
    this.#summary.textContent = summary;
    this.#subject = subject;
    for (const stat of this.#stats) {
      stat.textContent = none;
    }
    this.#fill(0, 0);
    this.#map.begin(0);
    this.resume();
  }

  /** Resumes a retrieval. */
  resume(): void {
    this.#throughput = new Throughput();
    this.#first = undefined;
    this.#last = undefined;
    this.#started = performance.now();
    this.#began = this.#started;
    this.phase = "loading";
    this.#smoothness.begin(this.#subject);
    this.#clock = setInterval(() => this.#tick(), 200);
  }

  /** Ends the retrieval, and shows its average throughput. */
  end(phase: Phase): void {
    clearInterval(this.#clock);
    this.#map.end();
    this.#smoothness.end();
    const now = performance.now();
    const received = (this.#last?.findingsDone ?? 0) - (this.#first?.findingsDone ?? 0);
    this.#time.textContent = duration(now - this.#started);
    this.#rate.textContent = received === 0 ? none : number(Math.round((received / (now - this.#began)) * 1000));
    this.#left.textContent = phase === "complete" ? duration(0) : none;
    this.phase = phase;
  }

  set phase(phase: Phase) {
    this.#panel.dataset.phase = phase;
    this.#heading.textContent = headings[phase];
  }

  show(progress: Progress): void {
    const { partitionsDone, partitions, findingsDone, findings, bytes, retries } = progress;
    const now = performance.now();
    if (this.#first === undefined) {
      this.#first = progress;
      this.#began = now;
    }
    this.#last = progress;
    if (this.#map.length !== partitions) {
      this.#map.begin(partitions);
    }
    this.#findings.textContent = outOf(findingsDone, findings);
    this.#partitions.textContent = outOf(partitionsDone, partitions);
    this.#bytes.textContent = size(bytes);
    this.#retries.textContent = number(retries);
    this.#throughput.add(findingsDone, shareOf(progress), now);
    this.#fill(partitionsDone, partitions);
    this.#showThroughput(now);
  }

  showWorkLocation(workLocation: ActualWorkLocation): void {
    this.#smoothness.workLocation = workLocation;
  }

  showPartition(change: PartitionChange): void {
    if (change.index !== null) this.#map.show({ ...change, index: change.index });
  }

  /** Shows partitions that this browser has kept from an earlier visit. */
  showKept(partitions: readonly number[]): void {
    this.#map.showKept(partitions);
  }

  get #stats(): HTMLElement[] {
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
    this.#time.textContent = duration(now - this.#started);
    this.#showThroughput(now);
    this.#smoothness.show();
  }

  #showThroughput(now: number): void {
    const rate = this.#throughput.rate(now);
    const left = this.#throughput.left(now);
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
