/** The result: findings, a failure, or a word about why there is neither. */

import type { FindingKind, InspectionFinding } from "inspection-findings";
import { byId, make } from "./element.js";
import { failureNotice } from "./failure-notice.js";
import { FindingsGrid } from "./findings-grid.js";

export class ResultPanel {
  #note = byId("note");
  #failure = byId("failure");
  #grid = new FindingsGrid();

  constructor() {
    byId("result").append(this.#grid.element);
  }

  showNote(heading: string, text: string): void {
    this.#clear();
    this.#note.replaceChildren(make("h2", {}, heading), make("p", {}, text));
  }

  showFailure(error: unknown): void {
    this.#clear();
    this.#failure.replaceChildren(...failureNotice(error));
  }

  showFindings(findings: readonly InspectionFinding[], kind: FindingKind): void {
    this.#clear();
    this.#grid.show(findings, kind);
  }

  #clear(): void {
    this.#note.replaceChildren();
    this.#failure.replaceChildren();
    this.#grid.clear();
  }
}
