/** The result: findings to explore, a failure, a part of both, or a word about why there is neither. */

import type { FindingKind, FindingsTable } from "inspection-findings";
import { byId, make } from "./element.js";
import { Explorer } from "./explorer.js";
import { failureNotice } from "./failure-notice.js";
import { partNotice } from "./partial-notice.js";
import { createConnectionAdvice, isUnreachable } from "./real-service/connection-advice.js";
import type { FindingsRequest } from "./request-form.js";
import type { Part } from "./retrieval.js";

export class ResultPanel {
  readonly explorer = new Explorer();
  #note = byId("note");
  #failure = byId("failure");

  showNote(heading: string, text: string): void {
    this.clear();
    this.#note.replaceChildren(make("h2", {}, heading), make("p", {}, text));
  }

  showFailure(error: unknown, { own }: FindingsRequest): void {
    this.clear();
    this.#failure.replaceChildren(...failureNotice(error));
    if (own !== undefined && isUnreachable(error, own.baseUrl)) {
      this.#failure.append(createConnectionAdvice(own));
    }
  }

  /** Shows what there is, above it what is missing. */
  showPart(part: Part, kind: FindingKind, retry: () => void): void {
    this.clear();
    this.#failure.replaceChildren(...partNotice(part, retry));
    if (part.table.length > 0) {
      this.explorer.open(part.table, kind);
    } else {
      part.table.free();
    }
  }

  /** Says how a retry ended that has changed nothing. */
  addToPart(text: string): void {
    this.#failure.querySelector(".part-retried")?.remove();
    this.#failure.append(make("p", { class: "part-retried" }, text));
  }

  showFindings(table: FindingsTable, kind: FindingKind): void {
    this.clear();
    this.explorer.open(table, kind);
  }

  clear(): void {
    this.#note.replaceChildren();
    this.#failure.replaceChildren();
    this.explorer.close();
  }
}
