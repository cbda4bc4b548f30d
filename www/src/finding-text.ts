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
  const start = extract === "" ? -1 : comment.indexOf(extract);
  if (start < 0 || extract.length === comment.length) {
    return [comment];
  }
  const end = start + extract.length;
  return [comment.slice(0, start), make("mark", {}, extract), comment.slice(end)];
}

/** Whether a text is a generic description such as “/PositiveSentiment/”, and not a part of the comment. */
export function isGeneric(text: string): boolean {
  return /^\/.*\/$/.test(text);
}
