/** The result: findings to explore, with their completeness, a failure, a partial result with both, or a note. */

import type { FindingKind, FindingsTable, PartitionFailure, Progress } from "inspection-findings";
import { Explorer } from "../explorer/explorer.js";
import { byId, make } from "../page/element.js";
import { createConnectionAdvice, isUnreachable } from "../real-service/connection-advice.js";
import type { FindingsRequest } from "../request/request-form.js";
import { type Completeness, CompletenessStrip } from "./completeness-strip.js";
import { failureNotice } from "./failure-notice.js";
import { PartialNotice } from "./partial-notice.js";

export class ResultPanel {
  readonly explorer = new Explorer();
  #note = byId("note");
  #failure = byId("failure");
  #strip = new CompletenessStrip();
  #completeness: Completeness = "none";
  #partial: PartialNotice | undefined;

  constructor() {
    this.explorer.onShown(() => this.#strip.show(this.#completeness, this.explorer.progress));
  }

  showNote(heading: string, text: string): void {
    this.#clear();
    this.#note.replaceChildren(make("h2", {}, heading), make("p", {}, text));
  }

  showFailure(error: unknown, { own }: FindingsRequest): void {
    this.#clear();
    this.#failure.replaceChildren(...failureNotice(error));
    if (own !== undefined && isUnreachable(error, own.baseUrl)) {
      this.#failure.append(createConnectionAdvice(own));
    }
  }

  /** Shows the findings received so far, and how complete they are. */
  showReceived(table: FindingsTable, progress: Progress, kind: FindingKind): void {
    this.#partial?.showRetry(progress);
    if (table.length > 0) {
      this.#note.replaceChildren();
      this.#completeness = this.#partial === undefined ? "loading" : "none";
      this.explorer.show(table, progress, kind);
    }
  }

  /** Shows that all findings have been received. */
  showComplete(): void {
    this.#showCompleteness("complete");
    this.#replaceFailure();
  }

  /** Shows the findings received so far as partial, or that there are none. */
  showCancelled(): void {
    if (this.explorer.progress === undefined) {
      this.showNote("Cancelled", "No findings had arrived yet.");
    } else {
      this.#showCompleteness("cancelled");
    }
  }

  /** Shows the missing partitions, and below them the findings received. */
  showPartial(failures: readonly PartitionFailure[], findings: number, retry: () => void): void {
    this.#note.replaceChildren();
    this.#showCompleteness("none");
    const notice = new PartialNotice(failures, findings, retry);
    this.#replaceFailure(...notice.elements);
    this.#partial = notice;
  }

  /** Shows that the missing partitions are being fetched. */
  showRetry(): void {
    this.#partial?.showRetry();
  }

  /** Says why a retry has changed nothing. */
  showRetryFailure(text: string): void {
    this.#partial?.showRetryFailure(text);
  }

  #clear(): void {
    this.#note.replaceChildren();
    this.#replaceFailure();
    this.explorer.close();
  }

  #showCompleteness(state: Completeness): void {
    this.#completeness = state;
    this.explorer.settle();
    this.#strip.show(state, this.explorer.progress);
  }

  /** Replaces the failure. The keyboard focus moves from its button to that of the next one, or to the completeness strip. */
  #replaceFailure(...elements: Node[]): void {
    const hasFocus = this.#failure.contains(document.activeElement);
    this.#partial = undefined;
    this.#failure.replaceChildren(...elements);
    if (hasFocus) {
      (this.#failure.querySelector<HTMLElement>(".primary") ?? this.#strip).focus();
    }
  }
}
