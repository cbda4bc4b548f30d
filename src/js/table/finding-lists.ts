// The findings of partitions as one list.

import type { Finding } from "./row-layout.js";

/** The number of lists to join at once. Engines limit the number of arguments. */
const LISTS = 4096;

/** Joins lists. `concat` copies the elements of a list at once, unlike `flat`. */
export function joined(lists: Finding[][]): Finding[] {
  let rest = lists;
  while (rest.length > LISTS) {
    const groups: Finding[][] = [];
    for (let at = 0; at < rest.length; at += LISTS) groups.push(joined(rest.slice(at, at + LISTS)));
    rest = groups;
  }
  return ([] as Finding[]).concat(...rest);
}
