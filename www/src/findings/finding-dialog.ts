/** The dialog with one finding: the whole comment, every field, and the JSON. */

import type { FindingsTable, InspectionFinding } from "inspection-findings";
import { makeButton } from "../page/button.js";
import { make } from "../page/element.js";
import { number } from "../page/format.js";
import { FindingFinder } from "./finding-finder.js";
import { described } from "./finding-row.js";
import { markedComment, textOf } from "./finding-text.js";
import { sentimentChip } from "./sentiment.js";

/** The fields with their own presentation; all others are listed as they are. */
const shown = new Set(["Comment", "Topic", "TopicGroup", "Expression", "ExpressionGroup", "Extract", "Sentiment"]);

export class FindingDialog {
  readonly element = make("dialog", { class: "finding", "aria-labelledby": "finding-heading" });
  #heading = make("h2", { id: "finding-heading" });
  #content = make("div", { class: "finding-content", tabindex: "0", role: "group", "aria-label": "The finding" });
  #previous: HTMLButtonElement;
  #next: HTMLButtonElement;
  #findings: FindingsTable | undefined;
  #finding: InspectionFinding | undefined;
  #index = 0;

  /** @param moved called with the index of the finding when the reader moves to another */
  constructor(moved: (index: number) => void) {
    const close = makeButton("quiet", "Close", () => this.element.close());
    this.#previous = makeButton("outlined", "Previous", () => this.#move(-1, moved));
    this.#next = makeButton("outlined", "Next", () => this.#move(1, moved));
    this.element.addEventListener("click", ({ target }) => {
      if (target === this.element) {
        this.element.close();
      }
    });
    this.element.append(
      make("header", {}, this.#heading, close),
      this.#content,
      make("footer", {}, this.#previous, this.#next),
    );
  }

  open(findings: FindingsTable, index: number): void {
    this.#findings = findings;
    this.#show(index);
    this.element.showModal();
  }

  /** The index of the finding. */
  get index(): number {
    return this.#index;
  }

  /** Shows where the same finding is among more. */
  grow(findings: FindingsTable): void {
    if (this.element.open && this.#finding !== undefined) {
      this.#findings = findings;
      this.#showIndex(new FindingFinder(findings).indexOf(this.#finding, this.#index));
    }
  }

  #move(step: number, moved: (index: number) => void): void {
    const index = this.#index + step;
    if (index >= 0 && index < (this.#findings?.length ?? 0)) {
      this.#show(index);
      moved(index);
    }
  }

  #show(index: number): void {
    this.#finding = this.#findings?.at(index);
    this.#showIndex(index);
    this.#content.replaceChildren(...(this.#finding === undefined ? [] : content(this.#finding)));
    this.#content.scrollTop = 0;
  }

  #showIndex(index: number): void {
    const length = this.#findings?.length ?? 0;
    this.#index = index;
    this.#heading.textContent = `Finding ${number(index + 1)} of ${number(length)}`;
    this.#previous.setAttribute("aria-disabled", String(index === 0));
    this.#next.setAttribute("aria-disabled", String(index === length - 1));
  }
}

function content(finding: InspectionFinding): Node[] {
  const { Comment, Extract, Topic, TopicGroup, Expression, ExpressionGroup, Sentiment } = finding;
  const comment = markedComment(String(Comment ?? ""), textOf(Extract));
  const others = Object.entries(finding).filter(([field]) => !shown.has(field));
  return [
    make("blockquote", { dir: "auto" }, ...comment),
    facts([
      ...(Sentiment === undefined ? [] : [["Sentiment", sentimentChip(Sentiment)] as const]),
      ["Topic", ...described(textOf(Topic), TopicGroup)],
      ["Expression", ...described(textOf(Expression), ExpressionGroup)],
      ["Extract", make("span", { dir: "auto" }, textOf(Extract))],
    ]),
    facts(others.map(([field, value]) => [field, plain(value)])),
    make("h3", {}, "JSON"),
    make("pre", { tabindex: "0" }, JSON.stringify(finding, null, 2)),
  ];
}

function facts(rows: readonly (readonly [string, ...(Node | string)[]])[]): HTMLElement {
  const entries = rows.map(([name, ...values]) => make("div", {}, make("dt", {}, name), make("dd", {}, ...values)));
  return make("dl", { class: "finding-facts" }, ...entries);
}

function plain(value: unknown): HTMLElement {
  return make("span", { dir: "auto" }, typeof value === "string" ? value : JSON.stringify(value));
}
