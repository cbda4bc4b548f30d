// Groups of findings as objects, from the typed arrays of the module.

import type { Rows } from "./rows.js";

/** What the module computes of groups. */
export interface EncodedGroups {
  /** The values of each group, group after group. */
  readonly cells: Uint32Array;
  /** The number of findings of each group, and in a summary four more statistics. */
  readonly statistics: Float64Array;
  /** The number of the grouping, if its groups have ids. */
  readonly grouping: number;
  /** The id of each group. It keeps its id, and while it has as many findings also its statistics. */
  readonly ids: Uint32Array | undefined;
}

/** Makes the object of a group from its key and its statistics. */
type Make<Group> = (
  key: unknown[],
  findings: number,
  count: number,
  sum: number,
  min: number,
  max: number,
) => Group & { readonly key: unknown[] };

/** The most groups to keep. */
const MAX_KEPT = 1 << 18;

/** Converts groups to objects. Those of a live table are frozen, because several results share them. */
export function groupsOf<Group>(
  rows: Rows,
  { cells, statistics, grouping, ids }: EncodedGroups,
  [width, perGroup]: readonly [width: number, perGroup: number],
  make: Make<Group>,
  shared: SharedGroups | undefined,
): Group[] {
  const kept = ids && shared?.of(grouping, ids.length);
  const found: Group[] = [];
  const missing: number[] = [];
  const missingCells: number[] = [];
  for (let index = 0, at = 0; at < statistics.length; index++, at += perGroup) {
    const id = ids?.[index] as number;
    const isKept = kept !== undefined && kept.findings[id] === statistics[at];
    found.push((isKept ? kept.groups[id] : undefined) as Group);
    if (isKept) continue;
    missing.push(index);
    for (let cell = index * width; cell < (index + 1) * width; cell++) missingCells.push(cells[cell] as number);
  }
  rows.prepare(missingCells);
  let cell = 0;
  for (const index of missing) {
    const key: unknown[] = [];
    for (const end = cell + width; cell < end; cell++) key.push(rows.value(missingCells[cell] as number));
    const number = (offset: number) => statistics[index * perGroup + offset] as number;
    const group = make(key, number(0), number(1), number(2), number(3), number(4));
    found[index] = group;
    if (shared !== undefined) Object.freeze(Object.freeze(group).key);
    // A value that is an object can be changed all the same, so each result has its own.
    if (kept !== undefined && key.every(isScalar)) {
      const id = ids?.[index] as number;
      kept.findings[id] = number(0);
      kept.groups[id] = group;
    }
  }
  return found;
}

/** The groups of the last result of each grouping of a live table. */
export class SharedGroups {
  /** By the number of the grouping. The one used last is the last one. */
  readonly #groupings = new Map<number, KeptGroups>();

  /** Returns the groups of a grouping, with room for this number. */
  of(grouping: number, length: number): KeptGroups {
    const kept = this.#groupings.get(grouping) ?? { findings: [], groups: [] };
    // An array with gaps would be slow.
    while (kept.groups.length < length) {
      kept.findings.push(-1);
      kept.groups.push(undefined);
    }
    this.#groupings.delete(grouping);
    this.#groupings.set(grouping, kept);
    this.#forget();
    return kept;
  }

  /** Forgets the groupings that were used longest ago, until few enough groups are left. */
  #forget(): void {
    let count = 0;
    for (const [grouping, { groups }] of [...this.#groupings].reverse()) {
      count += groups.length;
      if (count > MAX_KEPT) this.#groupings.delete(grouping);
    }
  }
}

/** The groups of a grouping by id. */
interface KeptGroups {
  /** The number of findings of each group when it was kept; -1 if it is not. */
  readonly findings: number[];
  readonly groups: unknown[];
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
