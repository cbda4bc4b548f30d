/** The dialog with one finding: the whole comment, every field, and the JSON. */

import type { FindingsTable, InspectionFinding } from "inspection-findings";
import { described, markedComment, sentimentChip, textOf } from "./finding-text.js";
import { byId, make, number, onPress, setDisabled } from "./page.js";

/** The fields that the dialog shows in its own way; it lists all others. */
const shown = new Set(["Comment", "Topic", "TopicGroup", "Expression", "ExpressionGroup", "Extract", "Sentiment"]);

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
  const others = Object.entries(finding).filter(([field]) => !shown.has(field));
  return [
    make("blockquote", { dir: "auto" }, ...markedComment(String(Comment ?? ""), textOf(Extract))),
    facts([
      ...(Sentiment === undefined ? [] : [["Sentiment", sentimentChip(Sentiment)] as const]),
      ["Topic", ...described(textOf(Topic), TopicGroup)],
      ["Expression", ...described(textOf(Expression), ExpressionGroup)],
      ...others.map(([field, value]) => [field, typeof value === "string" ? value : JSON.stringify(value)] as const),
    ]),
    make("h3", {}, "JSON"),
    make("pre", { tabindex: "0" }, JSON.stringify(finding, null, 2)),
  ];
}

function facts(rows: readonly (readonly [string, ...(Node | string)[]])[]): HTMLElement {
  const entries = rows.map(([name, ...values]) =>
    make("div", {}, make("dt", { dir: "auto" }, name), make("dd", { dir: "auto" }, ...values)),
  );
  return make("dl", {}, ...entries);
}
