/** The text of a topic, an expression or an extract, and its place in the comment. */

import { make } from "./element.js";

/** The text, whatever the field looks like: its own fields are documented nowhere, so the first that is text is taken. */
export function textOf(field: unknown): string {
  if (typeof field === "string") {
    return field;
  }
  const text = Object.values(field ?? {}).find((value) => typeof value === "string");
  return text ?? "";
}

/** A comment in which the extract is marked, where it can be found. */
export function markedComment(comment: string, extract: string): (Node | string)[] {
  const start = placeOf(extract, comment);
  if (start < 0) {
    return [comment];
  }
  const end = start + extract.length;
  return [comment.slice(0, start), make("mark", {}, extract), comment.slice(end)];
}

/** So much is shown before an extract, so that it is seen where there is room for a few lines only. */
const lead = 48;

/** The same, beginning not far before the extract. */
export function excerpt(comment: string, extract: string): (Node | string)[] {
  const from = placeOf(extract, comment) - lead;
  if (from <= lead / 2) {
    return markedComment(comment, extract);
  }
  const space = comment.indexOf(" ", from);
  const cut = space >= 0 && space < from + lead / 2 ? space + 1 : wholeCharacter(comment, from);
  return ["… ", ...markedComment(comment.slice(cut), extract)];
}

/** Whether a text is a generic description such as “/PositiveSentiment/”, and not a part of the comment. */
export function isGeneric(text: string): boolean {
  return /^\/.*\/$/.test(text);
}

/** Where a part of the comment begins; negative where it is not a part, or the whole. */
function placeOf(extract: string, comment: string): number {
  return extract === "" || extract.length === comment.length ? -1 : comment.indexOf(extract);
}

/** The place itself, or the one behind it where that would break a character in two. */
function wholeCharacter(text: string, place: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(place)) ? place + 1 : place;
}
