/** The map of partitions: a cell for each, whose colour and form show its state, and a legend with the numbers. */

import type { PartitionChange } from "inspection-findings";
import { byId, make } from "../page/element.js";
import { counted, number, size } from "../page/format.js";

type State = "waiting" | PartitionChange["state"];

const words: Record<State, string> = {
  waiting: "Waiting",
  requested: "Requested",
  retrying: "Retrying",
  received: "Received",
  failed: "Failed",
};

/** The most cells that can be told apart. With more partitions, a cell stands for several, and shows the latest change of one of them. */
const maxCells = 6_000;

/** The side of a cell with its gap, in pixels. */
const largest = 24;
const smallest = 3;

export class PartitionMap {
  #map = byId("map");
  #legend = byId("legend");
  #cells: HTMLElement[] = [];
  #states: State[] = [];
  #counts = countsOf(0);
  #numbers = new Map<State, HTMLElement>();

  constructor() {
    for (const state of Object.keys(words) as State[]) {
      const count = make("span", { class: "legend-count" }, "0");
      this.#numbers.set(state, count);
      const swatch = make("span", { class: "partition", "data-state": state, "aria-hidden": "true" });
      this.#legend.append(make("li", {}, swatch, `${words[state]} `, count));
    }
    new ResizeObserver(() => this.#fit()).observe(this.#map);
  }

  /** Shows this number of partitions, all waiting. */
  begin(partitions: number): void {
    this.#states = new Array<State>(partitions).fill("waiting");
    this.#counts = countsOf(partitions);
    this.#cells = Array.from({ length: Math.min(partitions, maxCells) }, () =>
      make("span", { class: "partition", "data-state": "waiting" }),
    );
    this.#map.replaceChildren(...this.#cells);
    this.#fit();
    this.#count();
  }

  /** The number of partitions. */
  get length(): number {
    return this.#states.length;
  }

  /** Shows as waiting what is no longer requested, because the retrieval has ended. */
  end(): void {
    this.#states.forEach((state, index) => {
      if (state === "requested" || state === "retrying") {
        this.#change(index, "waiting");
      }
    });
    this.#count();
  }

  show({ index, state, attempt, findings, bytes }: PartitionChange & { index: number }): void {
    const what = state === "received" ? `, ${counted(findings, "finding")}, ${size(bytes)}` : "";
    const retried = attempt > 1 ? `, attempt ${attempt}` : "";
    this.#change(index, state, `${retried}${what}`);
    this.#count();
  }

  /** Shows partitions that this browser has kept from an earlier visit. */
  showKept(indexes: readonly number[]): void {
    for (const index of indexes) {
      this.#change(index, "received", ", kept in this browser");
    }
    this.#count();
  }

  /** Changes the state of a partition. */
  #change(index: number, state: State, details = ""): void {
    this.#counts[this.#states[index] ?? "waiting"]--;
    this.#counts[state]++;
    this.#states[index] = state;
    const perCell = Math.max(1, this.#states.length / maxCells);
    const cell = this.#cells[Math.floor(index / perCell)];
    if (cell !== undefined) {
      cell.dataset.state = state;
      cell.title = `Partition ${number(index)}: ${words[state].toLowerCase()}${details}`;
    }
  }

  #count(): void {
    for (const [state, count] of this.#numbers) {
      count.textContent = number(this.#counts[state]);
    }
  }

  /** Makes the cells as large as possible while all of them fit. */
  #fit(): void {
    // Not `clientWidth`, which is rounded: a column more would be counted than there is room for.
    const { width, height } = this.#map.getBoundingClientRect();
    const fits = (side: number) => Math.floor(width / side) * Math.floor(height / side) >= this.#cells.length;
    let side = largest;
    while (side > smallest && !fits(side)) {
      side -= 0.5;
    }
    this.#map.style.setProperty("--cell", `${side}px`);
  }
}

function countsOf(waiting: number): Record<State, number> {
  return { waiting, requested: 0, retrying: 0, received: 0, failed: 0 };
}
