// Groups of findings as objects, from the typed arrays of the module.

import type { Rows } from "./rows.js";

/** What the module computes of groups: of all, or of those that have changed since an earlier result of a live table. */
export interface EncodedGroups {
  /** The values of each given group, group after group. */
  readonly cells: Uint32Array;
  /** The number of findings of each given group, and in a summary four more statistics. */
  readonly statistics: Float64Array;
  /** The number of the grouping; 0 if it has no later results. */
  readonly grouping: number;
  /** The number of this result. */
  readonly result: number;
  /** The number of the result that it changes; 0 if all groups are given. */
  readonly before: number;
  /** The position of each given group among all, in ascending order, unless all are given. */
  readonly positions: Uint32Array;
  /** The position of each given group in the result before, or {@link NEW}. */
  readonly formers: Uint32Array;
}

/** Computes the groups: those that have changed since the last time unless all are asked for. */
type Compute = (all: boolean) => EncodedGroups;

/** Makes the object of a group from its key and its statistics, which begin at an index. */
type Make<Group> = (key: unknown[], statistics: Float64Array, at: number) => Group;

/** The number of columns of a key, and of statistics of a group. */
type Widths = readonly [width: number, perGroup: number];

/** An object that holds a key. */
interface Keyed {
  readonly key: unknown[];
}

/** The most groups to keep. */
const MAX_KEPT = 1 << 18;

/** The former position of a group that is new. */
const NEW = 0xffff_ffff;

/** Converts groups to objects. Those of a live table are frozen, because several results share them. */
export function groupsOf<Group extends Keyed>(
  rows: Rows,
  compute: Compute,
  widths: Widths,
  make: Make<Group>,
  shared: SharedGroups | undefined,
): Group[] {
  if (shared === undefined) return newGroups(rows, compute(true), widths, make);
  const change = compute(false);
  if (change.grouping === 0) return newGroups(rows, change, widths, make).map(freeze);
  const kept = shared.of(change.grouping) as KeptGroups<Group>;
  // What an earlier result gave has been forgotten.
  const isKept = change.before === 0 || change.before === kept.result;
  kept.update(rows, isKept ? change : compute(true), widths, make);
  shared.forget();
  return kept.all(rows, make);
}

/** The groups of the last result of each grouping of a live table. */
export class SharedGroups {
  /** By the number of the grouping. The one used last is the last one. */
  readonly #groupings = new Map<number, KeptGroups<Keyed>>();

  /** Returns the groups of a grouping. */
  of(grouping: number): KeptGroups<Keyed> {
    const kept = this.#groupings.get(grouping) ?? new KeptGroups();
    this.#groupings.delete(grouping);
    this.#groupings.set(grouping, kept);
    return kept;
  }

  /** Forgets the groupings that were used longest ago, until few enough groups are left. */
  forget(): void {
    let count = 0;
    for (const [grouping, { length }] of [...this.#groupings].reverse()) {
      count += length;
      if (count > MAX_KEPT) this.#groupings.delete(grouping);
    }
  }
}

/** The groups of the last result of a grouping. */
class KeptGroups<Group extends Keyed> {
  /** The number of the result; -1 while the groups are changed. */
  result = -1;
  /** The groups in their order. A result is a copy, because the caller may change the array. */
  #groups: (Group | Unshared)[] = [];
  /** How many groups are unshared. */
  #unshared = 0;

  get length(): number {
    return this.#groups.length;
  }

  /** Changes the groups to those of a later result. */
  update(rows: Rows, change: EncodedGroups, [width, perGroup]: Widths, make: Make<Group>): void {
    const { cells, statistics, before, formers, positions, result } = change;
    this.result = -1;
    if (before === 0) {
      this.#groups = [];
      this.#unshared = 0;
    }
    const groups = this.#groups;
    // Those of known groups are loaded already.
    rows.prepare(cells);
    const given: (Group | Unshared)[] = [];
    for (let index = 0, at = 0; at < statistics.length; index++, at += perGroup) {
      const former = before === 0 ? undefined : groups[formers[index] as number];
      const known = former === undefined || former instanceof Unshared ? undefined : former.key;
      const from = index * width;
      const key = known ?? keyOf(rows, cells, from, width);
      if (former instanceof Unshared) this.#unshared--;
      if (known !== undefined || key.every(isScalar)) {
        given.push(freeze(make(key, statistics, at)));
      } else {
        given.push(new Unshared(cells.slice(from, from + width), statistics.slice(at, at + perGroup)));
        this.#unshared++;
      }
    }
    if (before === 0) this.#groups = given;
    else if (given.length > 0) place(groups, given, formers, positions);
    this.result = result;
  }

  /** Returns the groups in an array of its own. */
  all(rows: Rows, make: Make<Group>): Group[] {
    const groups = this.#groups;
    if (this.#unshared === 0) return groups.slice() as Group[];
    return groups.map((group) => {
      if (!(group instanceof Unshared)) return group;
      const { cells, statistics } = group;
      return freeze(make(keyOf(rows, cells, 0, cells.length), statistics, 0));
    });
  }
}

/** A group whose key has a value that is an object. That can be changed all the same, so each result makes its own. */
class Unshared {
  readonly cells: Uint32Array;
  readonly statistics: Float64Array;

  constructor(cells: Uint32Array, statistics: Float64Array) {
    this.cells = cells;
    this.statistics = statistics;
  }
}

/** Moves groups from their former positions to those that they have among all. */
function place<Group>(groups: Group[], given: Group[], formers: Uint32Array, positions: Uint32Array): void {
  takeOut(groups, formers);
  let from = groups.length;
  for (const group of given) groups.push(group);
  let to = groups.length;
  for (let index = given.length - 1; index >= 0; index--) {
    while (--to > (positions[index] as number)) groups[to] = groups[--from] as Group;
    groups[to] = given[index] as Group;
  }
}

/** Removes the groups at these positions, and keeps the order of the others. */
function takeOut(groups: unknown[], positions: Uint32Array): void {
  let to = groups.length;
  for (const position of positions) {
    if (position === NEW) continue;
    groups[position] = undefined;
    to = Math.min(to, position);
  }
  for (let from = to; from < groups.length; from++) {
    if (groups[from] !== undefined) groups[to++] = groups[from];
  }
  groups.length = to;
}

/** Makes the objects of groups that nobody shares. */
function newGroups<Group>(
  rows: Rows,
  { cells, statistics }: EncodedGroups,
  [width, perGroup]: Widths,
  make: Make<Group>,
): Group[] {
  rows.prepare(cells);
  const groups: Group[] = [];
  for (let index = 0, at = 0; at < statistics.length; index++, at += perGroup) {
    groups.push(make(keyOf(rows, cells, index * width, width), statistics, at));
  }
  return groups;
}

function keyOf(rows: Rows, cells: Uint32Array, from: number, width: number): unknown[] {
  const key: unknown[] = [];
  for (let cell = from; cell < from + width; cell++) key.push(rows.value(cells[cell] as number));
  return key;
}

/** Freezes a group and its key. */
function freeze<Group extends Keyed>(group: Group): Group {
  Object.freeze(group.key);
  return Object.freeze(group);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
