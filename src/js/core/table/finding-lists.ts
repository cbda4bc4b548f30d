// The findings of partitions as one list.

import type { Finding } from "./rows/row-layout.js";

/** The number of arguments of a call: engines allow at least 65 535, and keep them on the stack. */
const MOST_ARGUMENTS = 4096;

/**
 * Joins lists. A loop takes three times as long, and `flat` makes an array with holes. `concat` is faster still, but makes a
 * sparse array in V8 if anything in the page has used `Symbol.isConcatSpreadable`.
 */
export function joinedLists(lists: Finding[][]): Finding[] {
  const all: Finding[] = [];
  for (const list of lists) {
    for (let at = 0; at < list.length; at += MOST_ARGUMENTS) all.push(...list.slice(at, at + MOST_ARGUMENTS));
  }
  return all;
}
