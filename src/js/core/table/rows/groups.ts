// Groups of findings as objects, built from typed arrays.

import type { Groups } from "../../engine/engine.js";
import { isObject } from "../../host/member.js";
import { listOf } from "./list.js";

/** Makes the object of a group from its key, its count, and its index among the statistics. */
type Make<Group> = (key: readonly unknown[], count: number, index: number, statistics: Float64Array) => Group;

/** The object of a group. In later results of a live table, a group with the same count is the same group. */
interface Counted {
  readonly key: readonly unknown[];
  readonly count: number;
}

/** Reads the values of keys. */
interface Values {
  values(cells: Uint32Array): unknown[];
}

/** The maximum number of groups to keep. */
const MAX_KEPT = 1 << 18;

/** Converts groups to objects. The groups of a live table are frozen, because several results share them. */
export function groupsOf<Group extends Counted>(
  rows: Values,
  { grouping, keys, counts, numbers, statistics }: Groups,
  width: number,
  make: Make<Group>,
  shared: SharedGroups | undefined,
): Group[] {
  const known = grouping === 0 ? undefined : (shared?.of(grouping) as Map<number, Group> | undefined);
  const before = listOf(counts.length, (index) => known?.get(numbers[index] as number));
  const isNew = (_cell: number, at: number) => before[Math.floor(at / width)] === undefined;
  const values = rows.values(known?.size ? keys.filter(isNew) : keys);
  let next = 0;
  const groups = before.map((previous, index) => {
    const count = counts[index] as number;
    if (previous?.count === count) return previous;
    const key = previous?.key ?? values.slice(next, next + width);
    if (previous === undefined) next += width;
    const group = make(key, count, index, statistics);
    if (shared === undefined) return group;
    Object.freeze(group.key);
    Object.freeze(group);
    // Freezing is shallow, so each result gets fresh copies of objects.
    if (known !== undefined && !key.some(isObject)) known.set(numbers[index] as number, group);
    return group;
  });
  shared?.forget();
  return groups;
}

/** The groups of the last results of a live table, by grouping number, then group number. */
export class SharedGroups {
  /** In the order of their last use. */
  readonly #groupings = new Map<number, Map<number, Counted>>();

  /** Returns the groups of a grouping. */
  of(grouping: number): Map<number, Counted> {
    const groups = this.#groupings.get(grouping) ?? new Map();
    this.#groupings.delete(grouping);
    this.#groupings.set(grouping, groups);
    return groups;
  }

  /** Drops the least recently used groupings, until few enough groups are left. */
  forget(): void {
    let count = 0;
    for (const [grouping, { size }] of [...this.#groupings].reverse()) {
      count += size;
      if (count > MAX_KEPT) this.#groupings.delete(grouping);
    }
  }
}
