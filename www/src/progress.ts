/** The progress of a load: its state, a strip with a cell for each partition, and the number of partitions in each state. */

import type { PartitionChange, Progress } from "inspection-findings";
import { byId, duration, make, number } from "./page.js";

export type LoadState = "loading" | "complete" | "partial" | "failed" | "aborted";

const cellStates = ["waiting", "requested", "retrying", "received", "failed"] as const;

type CellState = (typeof cellStates)[number];

const words: Record<LoadState, string> = {
  loading: "Loading",
  complete: "Complete",
  partial: "Incomplete",
  failed: "Failed",
  aborted: "Cancelled",
};

/** The most cells. With more partitions, a cell stands for several, and shows the latest change of one of them. */
const maxCells = 200;

export class ProgressPanel {
  readonly #map = byId("map");
  #states: CellState[] = [];
  #cells: HTMLElement[] = [];
  #begun = 0;

  /** Begins a load, or the load of what is missing. */
  begin(): void {
    this.#begun = performance.now();
    this.#showState("loading");
    byId("facts").textContent = "";
  }

  /** Shows the cells of a load that has only begun. */
  clear(): void {
    this.#makeCells(0);
    this.#showCells();
  }

  /** The milliseconds since the begin. */
  get elapsed(): number {
    return performance.now() - this.#begun;
  }

  showPartition({ index, state, attempt }: PartitionChange): void {
    if (index === null) return;
    this.#change(index, state, attempt > 1 ? `, attempt ${attempt}` : "");
  }

  /** Shows the progress, which precedes the first change of a partition. */
  show(progress: Progress, kept: readonly number[] = []): void {
    if (progress.partitions !== this.#states.length) {
      this.#makeCells(progress.partitions);
      if (progress.partitionsDone > 0)
        for (const index of kept) this.#change(index, "received", ", kept in this browser");
    }
    const { findingsDone, findings, partitionsDone, partitions } = progress;
    const total = findings === null ? "" : ` of ${number(findings)}`;
    byId("facts").textContent = `${number(findingsDone)}${total} findings · ${duration(this.elapsed)}`;
    this.#map.ariaValueMax = String(Math.max(partitions, 1));
    this.#map.ariaValueNow = String(partitionsDone);
    this.#map.ariaValueText = `${number(partitionsDone)} of ${number(partitions)} partitions`;
    this.#showCells();
  }

  /** Ends the load. `highlight` says what is special about it. */
  end(state: Exclude<LoadState, "loading">, facts: readonly string[], highlight = ""): void {
    this.#states.forEach((cell, index) => {
      if (cell === "requested" || cell === "retrying") this.#change(index, "waiting", "");
    });
    this.#showState(state);
    this.#showCells();
    const highlighted = highlight === "" ? [] : [" ", make("strong", { class: "highlight" }, highlight)];
    byId("facts").replaceChildren(facts.join(" · "), ...highlighted);
  }

  #showState(state: LoadState): void {
    byId("progress").dataset.state = state;
    byId("state").textContent = words[state];
  }

  #makeCells(partitions: number): void {
    this.#states = new Array<CellState>(partitions).fill("waiting");
    const cells = Math.min(partitions, maxCells);
    this.#cells = Array.from({ length: cells }, () => make("span", { class: "cell", "data-state": "waiting" }));
    this.#map.replaceChildren(...this.#cells);
  }

  #change(index: number, state: CellState, details: string): void {
    this.#states[index] = state;
    const cell = this.#cells[Math.floor(index / Math.max(1, this.#states.length / maxCells))];
    if (cell === undefined) return;
    cell.dataset.state = state;
    cell.title = `Partition ${number(index)}: ${state}${details}`;
  }

  #showCells(): void {
    const counts = Object.groupBy(this.#states, (state) => state);
    const entries = cellStates.flatMap((state) => {
      const { length = 0 } = counts[state] ?? [];
      const swatch = make("span", { class: "cell", "data-state": state, "aria-hidden": "true" });
      return length === 0 ? [] : [make("li", {}, swatch, `${number(length)} ${state}`)];
    });
    byId("legend").replaceChildren(...entries);
  }
}
