/** The completeness strip above the explorer: whether it shows all partitions, and how many if not. It keeps its height in every state. */

import type { Progress } from "inspection-findings";
import { byId, make } from "../page/element.js";
import { counted } from "../page/format.js";
import { partitionsOf } from "../progress/completeness.js";

export type Completeness = "none" | "loading" | "complete" | "cancelled";

export class CompletenessStrip {
  #element = byId("completeness");
  #heading = make("strong", {});
  #text = make("span", {});

  constructor() {
    this.#element.append(make("p", { class: "strip-text" }, this.#heading, this.#text));
  }

  /** Shows a state in which this much is shown below. */
  show(state: Completeness, progress: Progress | undefined): void {
    this.#element.hidden = state === "none" || progress === undefined;
    if (progress !== undefined) {
      this.#element.dataset.state = state;
      this.#heading.textContent = state === "cancelled" ? `Partial: ${partitionsOf(progress)}` : partitionsOf(progress);
      this.#text.textContent = about(state, counted(progress.findingsDone, "finding"));
    }
  }

  focus(): void {
    this.#element.focus();
  }
}

function about(state: Completeness, findings: string): string {
  if (state === "complete") {
    return `${findings}, complete and in order.`;
  }
  return state === "cancelled"
    ? `Cancelled. You can still use the ${findings} received until then.`
    : `${findings} so far. You can already use charts, search and list.`;
}
