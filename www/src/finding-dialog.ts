/** The dialog with one finding: the whole comment, what the analysis found in it, and every field as JSON. */

import type { FindingsTable, InspectionFinding } from "inspection-findings";
import { described, markedComment, sentimentChip, textOf } from "./finding-text.js";
import { byId, make, number, onPress, setDisabled } from "./page.js";

export class FindingDialog {
  readonly #element = byId<HTMLDialogElement>("finding");
  readonly #heading = make("h2", { id: "finding-heading" });
  readonly #content = make("div", {
    class: "finding-content",
    tabindex: "0",
    role: "group",
    "aria-label": "The finding",
  });
  readonly #previous = make("button", { type: "button" }, "Previous");
  readonly #next = make("button", { type: "button" }, "Next");
  #findings: FindingsTable | undefined;
  #index = 0;

  /** @param onMove called with the index when the reader moves to another finding, and when the dialog closes */
  constructor(onMove: (index: number) => void) {
    const close = make("button", { type: "button" }, "Close");
    onPress(close, () => this.close());
    onPress(this.#previous, () => this.#show(this.#index - 1));
    onPress(this.#next, () => this.#show(this.#index + 1));
    this.#element.addEventListener("click", ({ target }) => target === this.#element && this.close());
    this.#element.addEventListener("close", () => onMove(this.#index));
    this.#element.append(
      make("header", {}, this.#heading, close),
      this.#content,
      make("footer", {}, this.#previous, this.#next),
    );
  }

  open(findings: FindingsTable, index: number): void {
    this.#findings = findings;
    this.#show(index);
    this.#element.showModal();
  }

  close(): void {
    this.#element.close();
  }

  /** Continues in another view, which may have more findings. The finding stays. */
  update(findings: FindingsTable): void {
    this.#findings = findings;
    if (this.#element.open) this.#showIndex();
  }

  #show(index: number): void {
    const finding = this.#findings?.at(index);
    if (finding === undefined) return;
    this.#index = index;
    this.#showIndex();
    this.#content.replaceChildren(...content(finding));
    this.#content.scrollTop = 0;
  }

  #showIndex(): void {
    const length = this.#findings?.length ?? 0;
    this.#heading.textContent = `Finding ${number(this.#index + 1)} of ${number(length)}`;
    setDisabled(this.#previous, this.#index === 0);
    setDisabled(this.#next, this.#index >= length - 1);
  }
}

function content(finding: InspectionFinding): Node[] {
  const { Comment, Extract, Topic, TopicGroup, Expression, ExpressionGroup, Sentiment } = finding;
  return [
    make("blockquote", { dir: "auto" }, ...markedComment(String(Comment ?? ""), textOf(Extract))),
    make("p", {}, "Topic: ", ...described(textOf(Topic), TopicGroup)),
    make("p", {}, "Expression: ", ...described(textOf(Expression), ExpressionGroup)),
    ...(Sentiment === undefined ? [] : [make("p", {}, sentimentChip(Sentiment))]),
    make("pre", { tabindex: "0", dir: "auto", "aria-label": "The finding as JSON" }, JSON.stringify(finding, null, 2)),
  ];
}
