/** The texts of a finding, and the extract in its comment. */

import { colourOf, sentimentWord } from "./dimension.js";
import { make } from "./page.js";

/** The text of a field: the first of its members that is text, because the service does not document them. */
export function textOf(field: unknown): string {
  if (typeof field === "string") return field;
  return Object.values(field ?? {}).find((value) => typeof value === "string") ?? "";
}

/** A comment in which the extract is marked. `lead` is the most characters before it. */
export function markedComment(comment: string, extract: string, lead = Number.POSITIVE_INFINITY): (Node | string)[] {
  const start = extract === "" || extract === comment ? -1 : comment.indexOf(extract);
  if (start < 0) return [comment];
  const space = start > lead ? comment.indexOf(" ", start - lead) + 1 : 0;
  const before = `${space > 0 ? "… " : ""}${comment.slice(Math.min(space, start), start)}`;
  return [before, make("mark", {}, extract), comment.slice(start + extract.length)];
}

/** A topic or expression with its group. */
export function described(text: string, group: unknown): (Node | string)[] {
  const term = make("span", { class: /^\/.*\/$/.test(text) ? "soft" : "term", dir: "auto" }, text);
  return typeof group === "string" ? [term, " ", make("span", { class: "soft", dir: "auto" }, group)] : [term];
}

/** A sentiment as a word with its colour. */
export function sentimentChip(sentiment: unknown): HTMLElement {
  const chip = make("span", { class: "chip" }, sentimentWord(sentiment));
  const colour = colourOf(sentiment);
  chip.style.setProperty("--tone", `var(--${colour})`);
  chip.style.setProperty("--soft", `var(--${colour}-soft)`);
  return chip;
}
