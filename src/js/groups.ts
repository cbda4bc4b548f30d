// Groups of findings as objects, from the typed arrays of the module.

import type { Columns } from "./inspection_findings.js";
import type { RowBuilder } from "./row-builder.js";

/** Computes the groups: those that have changed since the last time unless all are asked for. */
type Compute = (all: boolean) => ReturnType<Columns["groups"]>;

/** Makes the object of a group from its key, its number of findings, and its index among the statistics. */
type Make<Group> = (key: unknown[], findings: number, index: number, statistics: Float64Array) => Group;

/** An object that holds a key. */
interface Keyed {
  readonly key: unknown[];
}

/** The most groups to keep. */
const MAX_KEPT = 1 << 18;

/** The former position of a group that is new. */
const NEW = 0xffff_ffff;

/** The words before those of the groups. */
const HEAD = 4;

/** Converts groups to objects. Those of a live table are frozen, because several results share them. */
export function groupsOf<Group extends Keyed>(
  builder: RowBuilder,
  compute: Compute,
  width: number,
  make: Make<Group>,
  shared: SharedGroups | undefined,
): Group[] {
  const given = new GivenGroups(compute(shared === undefined), width, make);
  if (shared === undefined) return given.toArray(builder);
  if (given.grouping === 0) return given.toArray(builder).map(freeze);
  const kept = shared.of(given.grouping) as KeptGroups<Group>;
  // What an earlier result gave may have been forgotten.
  const isKnown = given.before === 0 || given.before === kept.result;
  kept.update(builder, isKnown ? given : new GivenGroups(compute(true), width, make));
  shared.forget();
  return kept.toArray(builder);
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
    for (const { length } of this.#groupings.values()) count += length;
    if (count <= MAX_KEPT) return;
    count = 0;
    for (const [grouping, { length }] of [...this.#groupings].reverse()) {
      count += length;
      if (count > MAX_KEPT) this.#groupings.delete(grouping);
    }
  }
}

/** The groups that the module gives. */
class GivenGroups<Group extends Keyed> {
  /** The number of the grouping; 0 if it has no later results. */
  readonly grouping: number;
  /** The number of the result. */
  readonly result: number;
  /** The number of the result that these groups change; 0 if they are all. */
  readonly before: number;
  readonly length: number;
  /** The position of each group among all, in ascending order, unless they are all. */
  readonly positions: Uint32Array;
  /** The position of each group in the result before, or {@link NEW}, unless they are all. */
  readonly formers: Uint32Array;
  readonly #width: number;
  readonly #make: Make<Group>;
  /** The values of the keys, group after group. */
  readonly #cells: Uint32Array;
  readonly #findings: Uint32Array;
  readonly #statistics: Float64Array;

  constructor({ words, statistics }: ReturnType<Compute>, width: number, make: Make<Group>) {
    this.grouping = words[0] as number;
    this.result = words[1] as number;
    this.before = words[2] as number;
    const length = words[3] as number;
    const end = HEAD + width * length;
    this.length = length;
    this.positions = words.subarray(end + length, end + 2 * length);
    this.formers = words.subarray(end + 2 * length);
    this.#width = width;
    this.#make = make;
    this.#cells = words.subarray(HEAD, end);
    this.#findings = words.subarray(end, end + length);
    this.#statistics = statistics;
  }

  /** Makes the groups, with keys that nobody shares. */
  toArray(builder: RowBuilder): Group[] {
    const groups: Group[] = [];
    for (let index = 0; index < this.length; index++) groups.push(this.group(index, this.key(builder, index)));
    return groups;
  }

  /** Makes a group with a key. */
  group(index: number, key: unknown[]): Group {
    return this.#make(key, this.#findings[index] as number, index, this.#statistics);
  }

  /** Makes the key of a group. */
  key(builder: RowBuilder, index: number): unknown[] {
    // An array that grows takes several times the memory.
    const key = new Array(this.#width);
    const from = index * key.length;
    for (let column = 0; column < key.length; column++) {
      const value = builder.value(this.#cells, from + column);
      key[column] = isObject(value) ? unified(value) : value;
    }
    return key;
  }
}

/** The groups of the last result of a grouping. */
class KeptGroups<Group extends Keyed> {
  /** The number of the result; -1 while the groups are changed. */
  result = -1;
  /** The groups in their order. A result is a copy, because the caller may change the array. */
  #groups: (Group | Unshared<Group>)[] = [];
  /** How many groups are unshared. */
  #unshared = 0;

  get length(): number {
    return this.#groups.length;
  }

  /** Changes the groups to those of a later result. */
  update(builder: RowBuilder, given: GivenGroups<Group>): void {
    this.result = -1;
    if (given.before === 0) {
      this.#groups = [];
      this.#unshared = 0;
    }
    const before = this.#groups;
    const { formers } = given;
    const groups: (Group | Unshared<Group>)[] = [];
    for (let index = 0; index < given.length; index++) {
      const position = given.before === 0 ? NEW : formers[index];
      const former = position === NEW ? undefined : before[position as number];
      if (former instanceof Unshared) this.#unshared--;
      const known = former === undefined || former instanceof Unshared ? undefined : former.key;
      const key = known ?? given.key(builder, index);
      if (known === undefined && key.some(isObject)) {
        this.#unshared++;
        groups.push(new Unshared(given, index));
      } else {
        groups.push(freeze(given.group(index, key)));
      }
    }
    if (given.before === 0) this.#groups = groups;
    else if (groups.length > 0) place(before, groups, given);
    this.result = given.result;
  }

  /** Returns the groups in an array of its own. */
  toArray(builder: RowBuilder): Group[] {
    const groups = this.#groups;
    if (this.#unshared === 0) return groups.slice() as Group[];
    return groups.map((group) => (group instanceof Unshared ? group.toGroup(builder) : group));
  }
}

/** A group whose key has a value that is an object. That can be changed all the same, so each result makes its own. */
class Unshared<Group extends Keyed> {
  readonly #given: GivenGroups<Group>;
  readonly #index: number;

  constructor(given: GivenGroups<Group>, index: number) {
    this.#given = given;
    this.#index = index;
  }

  toGroup(builder: RowBuilder): Group {
    return freeze(this.#given.group(this.#index, this.#given.key(builder, this.#index)));
  }
}

/** Moves groups from their former positions to those that they have among all. */
function place<Group>(
  all: Group[],
  groups: Group[],
  { formers, positions }: { readonly formers: Uint32Array; readonly positions: Uint32Array },
): void {
  takeOut(all, formers);
  let from = all.length;
  for (const group of groups) all.push(group);
  let to = all.length;
  for (let index = groups.length - 1; index >= 0; index--) {
    while (--to > (positions[index] as number)) all[to] = all[--from] as Group;
    all[to] = groups[index] as Group;
  }
}

/** Removes the groups at these positions, and keeps the order of the others. */
function takeOut(groups: unknown[], positions: Uint32Array): void {
  let to = groups.length;
  for (let index = 0; index < positions.length; index++) {
    const position = positions[index] as number;
    if (position === NEW) continue;
    groups[position] = undefined;
    to = Math.min(to, position);
  }
  if (to === groups.length) return;
  for (let from = to; from < groups.length; from++) {
    if (groups[from] !== undefined) groups[to++] = groups[from];
  }
  groups.length = to;
}

/** Freezes a group and its key. */
function freeze<Group extends Keyed>(group: Group): Group {
  Object.freeze(group.key);
  return Object.freeze(group);
}

/** Gives all equal values of a key one form, whichever of them came first: `0` for `-0`, and null for infinity. Changes an object. */
function unified(value: unknown): unknown {
  if (typeof value === "number") return Number.isFinite(value) ? value + 0 : null;
  if (isObject(value)) for (const name of Object.keys(value)) value[name] = unified(value[name]);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
