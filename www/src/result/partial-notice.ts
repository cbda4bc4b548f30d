/** The notice of a partial result: the missing partitions, why they are missing, and the button that fetches them. */

import type { PartitionFailure, Progress } from "inspection-findings";
import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { counted, number } from "../page/format.js";
import { messageOf } from "../page/message.js";
import { partitionsOf } from "../progress/completeness.js";

/** The most reasons in the list. */
const maxReasons = 50;

export class PartialNotice {
  readonly elements: readonly Node[];
  #about: string;
  #text = make("p", {});
  #button: HTMLButtonElement;

  /** @param findings the number of findings received */
  constructor(failures: readonly PartitionFailure[], findings: number, retry: () => void) {
    const missing = counted(failures.length, "partition");
    this.#about = about(findings);
    this.#text.textContent = this.#about;
    this.#button = makeButton("primary", `Retry ${missing}`, retry);
    const heading = make("h2", {}, `${missing} missing`);
    const why = make("details", {}, make("summary", {}, "Why"), reasons(failures));
    this.elements = [make("div", { class: "partial" }, heading, this.#text, why, this.#button)];
  }

  /** Shows that the missing partitions are being fetched, and what has been received. */
  showRetry(progress?: Progress): void {
    this.#button.setAttribute("aria-disabled", "true");
    this.#text.textContent = progress === undefined ? "Retrying." : `Retrying. ${partitionsOf(progress)}.`;
  }

  /** Says why a retry has not fetched them. */
  showRetryFailure(text: string): void {
    this.#button.setAttribute("aria-disabled", "false");
    this.#text.textContent = `${text} ${this.#about}`;
  }
}

function about(received: number): string {
  return received === 0
    ? "No findings have arrived. A retry requests only what is missing."
    : `${counted(received, "finding")} received. A retry requests only what is missing.`;
}

function reasons(failures: readonly PartitionFailure[]): HTMLElement {
  const listed = failures
    .slice(0, maxReasons)
    .map(({ partitionIndex, error }) =>
      make(
        "li",
        {},
        make("strong", {}, `Partition ${number(partitionIndex)}: `),
        make("span", { dir: "auto" }, messageOf(error)),
      ),
    );
  const rest = failures.length - listed.length;
  return make("ul", {}, ...listed, ...(rest > 0 ? [make("li", {}, `and ${number(rest)} more`)] : []));
}
