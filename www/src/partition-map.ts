/** The map of partitions: a cell for each, which shows its state by colour and by form, and a legend that counts them. */

import type { PartitionChange } from "inspection-findings";
import { byId, make } from "./element.js";
import { counted, number, size } from "./format.js";

type State = "waiting" | PartitionChange["state"];

const words: Record<State, string> = {
  waiting: "Waiting",
  requested: "Requested",
  retrying: "Retrying",
  received: "Received",
  failed: "Failed",
};

/** More cells than this nobody can tell apart: then one stands for several partitions, and shows the last that happened to one of them. */
const mostCells = 6_000;

/** The sides of a cell with the gap behind it, in pixels. */
const largest = 24;
const smallest = 3;

export class PartitionMap {
  #map = byId("map");
  #legend = byId("legend");
  #cells: HTMLElement[] = [];
  #states: State[] = [];
  #counts = countsOf(0);
  #figures = new Map<State, HTMLElement>();

  constructor() {
    for (const state of Object.keys(words) as State[]) {
      const figure = make("span", { class: "legend-count" }, "0");
      this.#figures.set(state, figure);
      const swatch = make("span", { class: "partition", "data-state": state, "aria-hidden": "true" });
      this.#legend.append(make("li", {}, swatch, `${words[state]} `, figure));
    }
    new ResizeObserver(() => this.#fit()).observe(this.#map);
  }

  /** Shows that number of partitions, of which nothing is known yet. */
  begin(partitions: number): void {
    this.#states = new Array<State>(partitions).fill("waiting");
    this.#counts = countsOf(partitions);
    this.#cells = Array.from({ length: Math.min(partitions, mostCells) }, () =>
      make("span", { class: "partition", "data-state": "waiting" }),
    );
    this.#map.replaceChildren(...this.#cells);
    this.#fit();
    this.#count();
  }

  /** How many partitions are shown. */
  get length(): number {
    return this.#states.length;
  }

  show({ index, state, attempt, findings, bytes }: PartitionChange): void {
    this.#counts[this.#states[index] ?? "waiting"]--;
    this.#counts[state]++;
    this.#states[index] = state;
    const perCell = Math.max(1, this.#states.length / mostCells);
    const cell = this.#cells[Math.floor(index / perCell)];
    if (cell !== undefined) {
      cell.dataset.state = state;
      const what = state === "received" ? `, ${counted(findings, "finding")}, ${size(bytes)}` : "";
      const again = attempt > 1 ? `, attempt ${attempt}` : "";
      cell.title = `Partition ${number(index)}: ${words[state].toLowerCase()}${again}${what}`;
    }
    this.#count();
  }

  #count(): void {
    for (const [state, figure] of this.#figures) {
      figure.textContent = number(this.#counts[state]);
    }
  }

  /** As large as the cells can be when all of them are to be seen. */
  #fit(): void {
    const { clientWidth, clientHeight } = this.#map;
    const fits = (side: number) =>
      Math.floor(clientWidth / side) * Math.floor(clientHeight / side) >= this.#cells.length;
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
