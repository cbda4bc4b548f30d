/** One finding as a row of the list. */

import type { FindingKind, InspectionFinding } from "inspection-findings";
import { make } from "../page/element.js";
import { number } from "../page/format.js";
import { excerpt, isGeneric, textOf } from "./finding-text.js";
import { sentimentChip } from "./sentiment.js";

/** The columns of a kind, in their order. */
export function columnsOf(kind: FindingKind): readonly string[] {
  const columns = ["No.", "Comment", "Topic", "Expression"];
  return kind === "sentiment" ? [...columns, "Sentiment"] : columns;
}

/** Creates the row of a finding; the header is row 1. */
export function findingRow(finding: InspectionFinding, index: number, kind: FindingKind): HTMLElement {
  const cells = [
    cell("ordinal", number(index + 1)),
    commentCell(finding),
    cell("topic", ...described(textOf(finding.Topic), finding.TopicGroup)),
    cell("expression", ...described(textOf(finding.Expression), finding.ExpressionGroup)),
    ...(kind === "sentiment" ? [cell("sentiment", sentimentChip(finding.Sentiment))] : []),
  ];
  return make(
    "div",
    { role: "row", class: "row", tabindex: "-1", "aria-rowindex": String(index + 2), "data-index": String(index) },
    ...cells,
  );
}

/** Shows another index in a row, after findings before it have arrived. */
export function renumber(row: HTMLElement, index: number): void {
  row.setAttribute("aria-rowindex", String(index + 2));
  row.dataset.index = String(index);
  row.querySelector(".ordinal")?.replaceChildren(number(index + 1));
}

function commentCell({ Comment, Extract }: InspectionFinding): HTMLElement {
  const text = make("div", { class: "excerpt", dir: "auto" }, ...excerpt(String(Comment ?? ""), textOf(Extract)));
  return cell("comment", text);
}

export function described(text: string, group: unknown): Node[] {
  return [
    make("span", { class: isGeneric(text) ? "generic" : "term", dir: "auto" }, text),
    ...(typeof group === "string" ? [make("span", { class: "group", dir: "auto" }, group)] : []),
  ];
}

function cell(name: string, ...children: (Node | string)[]): HTMLElement {
  return make("div", { role: "gridcell", class: `cell ${name}` }, ...children);
}
