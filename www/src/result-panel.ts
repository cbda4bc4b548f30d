/** The result: findings to explore, a failure, a partial result with both, or a note. */

import type { FindingKind, FindingsTable } from "inspection-findings";
import { byId, make } from "./element.js";
import { Explorer } from "./explorer.js";
import { failureNotice } from "./failure-notice.js";
import { partialNotice } from "./partial-notice.js";
import { createConnectionAdvice, isUnreachable } from "./real-service/connection-advice.js";
import type { FindingsRequest } from "./request-form.js";
import type { PartialResult } from "./retrieval.js";

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

  /** Shows the missing partitions, and below them the findings received. */
  showPartial(result: PartialResult, kind: FindingKind, retry: () => void): void {
    this.clear();
    this.#failure.replaceChildren(...partialNotice(result, retry));
    if (result.table.length > 0) {
      this.explorer.open(result.table, kind);
    } else {
      result.table.free();
    }
  }

  /** Says why a retry has changed nothing. */
  showRetryFailure(text: string): void {
    this.#failure.querySelector(".retry-failure")?.remove();
    this.#failure.append(make("p", { class: "retry-failure" }, text));
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
