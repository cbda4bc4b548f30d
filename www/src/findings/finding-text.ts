/** The texts of a topic, an expression or an extract, and the extract in the comment. */

import { make } from "../page/element.js";

/** Returns the text of a field: the first of its own fields that is text, because the service does not document them. */
export function textOf(field: unknown): string {
  if (typeof field === "string") {
    return field;
  }
  const text = Object.values(field ?? {}).find((value) => typeof value === "string");
  return text ?? "";
}

/** A comment in which the extract is marked, if it occurs there. */
export function markedComment(comment: string, extract: string): (Node | string)[] {
  const start = positionOf(extract, comment);
  if (start < 0) {
    return [comment];
  }
  const end = start + extract.length;
  return [comment.slice(0, start), make("mark", {}, extract), comment.slice(end)];
}

/** The number of characters before an extract in an excerpt, which has room for a few lines only. */
const lead = 48;

/** The part of a comment that begins shortly before the extract, in which the extract is marked. */
export function excerpt(comment: string, extract: string): (Node | string)[] {
  const from = positionOf(extract, comment) - lead;
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

/** The position of an extract in the comment; negative if it does not occur there, or is the whole comment. */
function positionOf(extract: string, comment: string): number {
  return extract === "" || extract.length === comment.length ? -1 : comment.indexOf(extract);
}

/** The position itself, or the next one if it is inside a surrogate pair. */
function wholeCharacter(text: string, position: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(position)) ? position + 1 : position;
}
