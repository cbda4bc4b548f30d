// The rows of a tabulation: in which order, with which nets, and what the rest is.

import { entriesOf, itemsOf } from "../argument/passed-object.js";
import { described, refusal, wrongType } from "../argument/refusal.js";
import { hintOf, keyIdentity } from "./axis.js";
import { compareNumbers, ownOrder, valueOfKey } from "./order.js";
import type { Block, Side } from "./walk.js";

/** The order of the keys of an axis: by their totals, as given, or a list of keys that come first. */
export type KeyOrder = "total" | "given" | readonly unknown[] | undefined;

/** What the caller wants of the rows, checked. */
export interface RowWishes {
  readonly order: KeyOrder | { readonly column: unknown };
  readonly nets: readonly (readonly [name: string, members: readonly unknown[]])[];
  readonly top: number | undefined;
  readonly rest: string | undefined;
}

/** A row, or a column. */
export interface Line {
  readonly key: unknown;
  readonly block: number;
  /** The codes of the keys that are counted in it. */
  readonly codes: readonly number[];
  /** The keys of the members of a net, or of the rest. */
  readonly net?: readonly unknown[];
}

/** Reads the order of an axis. */
export function orderOf(what: string, given: unknown): KeyOrder {
  if (given === undefined || given === "total" || given === "given") return given;
  return itemsOf(given, what, '"total", "given" or a list of keys');
}

/** Reads the nets: unions of values. */
export function netsOf(given: unknown): RowWishes["nets"] {
  if (given === undefined) return [];
  return entriesOf(given, "nets", "an object of lists of values by the name of their net").map(([name, members]) => {
    const values = itemsOf(members, `the net ${described(name)}`, "a list of values");
    if (values.length === 0) throw refusal(`the net ${described(name)} must have at least one value`);
    return [name, values];
  });
}

/** Reads how many rows stay, and the name of the others together. */
export function topOf(top: unknown, rest: unknown): Pick<RowWishes, "top" | "rest"> {
  if (top !== undefined && !(typeof top === "number" && Number.isInteger(top) && top > 0))
    throw wrongType("top", "an integer of at least 1", top);
  if (rest !== undefined && typeof rest !== "string") throw wrongType("rest", "the name of a row", rest);
  if (rest !== undefined && top === undefined) throw refusal("rest needs top: the number of rows that are not in it");
  return { top, rest } as Pick<RowWishes, "top" | "rest">;
}

/**
 * The lines of an axis, block by block. Null is the last of its block, unless a list says where.
 *
 * @param totals of the codes
 * @param wishes of the rows: nets and top need rows of one name
 */
export function linesOf(
  side: Side,
  order: KeyOrder,
  totals: Float64Array,
  firstOf: (name: string) => readonly unknown[],
  wishes?: RowWishes,
): Line[] {
  return side.blocks.flatMap((block, number) => {
    const offset = side.offset(number);
    const codes = sorted(block, order, (code) => totals[offset + code] as number, firstOf);
    const lines = codes.map(
      (code): Line => ({ key: block.numbering.keys[code], block: number, codes: [offset + code] }),
    );
    return wishes === undefined ? lines : withNets(lines, wishes);
  });
}

/** Sorts the codes of a block. */
function sorted(
  { numbering, names, isSingle }: Block,
  order: KeyOrder,
  totalOf: (code: number) => number,
  firstOf: (name: string) => readonly unknown[],
): number[] {
  const { keys } = numbering;
  const listed = typeof order === "object" ? order.flatMap((key) => numbering.find(key) ?? []) : [];
  const codes = keys.map((_, code) => code);
  const plainOf = (code: number) => valueOfKey(keys[code]);
  const isNone = (code: number) => plainOf(code) === null;
  if (names.length === 0) {
    if (order === "total") codes.sort((one, other) => totalOf(other) - totalOf(one));
    return [...new Set([...listed, ...codes])];
  }
  const values = codes.filter((code) => !isNone(code));
  const places = order === "given" ? placesOf(keys, names.map(firstOf), isSingle) : undefined;
  const own = order === undefined ? ownOrder(values.map(plainOf)) : undefined;
  const numbers = new Map(values.map((code, at) => [code, own?.[at]]));
  values.sort((one, other) => {
    if (places !== undefined) return (places[one] as number) - (places[other] as number);
    const [a, b] = [numbers.get(one), numbers.get(other)];
    return (a && b && compareNumbers(a, b)) || (totalOf(other) || 0) - (totalOf(one) || 0);
  });
  return [...new Set([...listed, ...values, ...codes.filter(isNone)])];
}

/** For each key the place of its first occurrence in the values of a column, or of several. */
function placesOf(keys: readonly unknown[], lists: readonly (readonly unknown[])[], isSingle: boolean): number[] {
  const places = new Map<string, number>();
  lists[0]?.forEach((value, at) => {
    const identity = keyIdentity(isSingle ? (value ?? null) : lists.map((list) => list[at]));
    if (!places.has(identity)) places.set(identity, at);
  });
  return keys.map((key) => places.get(keyIdentity(key)) ?? Number.POSITIVE_INFINITY);
}

/** Puts each net before its members, and the lines beyond the first ones into the rest. */
function withNets(lines: readonly Line[], { nets, top, rest }: RowWishes): Line[] {
  const keys = lines.map(({ key }) => key);
  const taken = new Set<unknown>(keys);
  for (const name of [...nets.map(([name]) => name), rest]) {
    if (name !== undefined && taken.has(name))
      throw refusal(`${described(name)} is another row: give the net or the rest another name`);
    taken.add(name);
  }
  const known = new Map(lines.map((line) => [keyIdentity(line.key), line]));
  const places = new Map(lines.map((line, place) => [line, place]));
  const made = nets.map(([name, members]): Line & { members: Line[] } => {
    const own = members.map((member) => {
      const line = known.get(keyIdentity(member ?? null));
      if (line !== undefined) return line;
      throw new RangeError(
        `the net ${described(name)} has a member that is no value of the rows: ${described(member)}${hintOf(member, keys)}`,
      );
    });
    return {
      key: name,
      block: 0,
      codes: own.flatMap(({ codes }) => codes),
      net: own.map(({ key }) => key),
      members: own,
    };
  });
  const isMember = new Set(made.flatMap(({ members }) => members));
  const single = lines.filter((line) => !isMember.has(line));
  const beyond = top === undefined ? [] : single.filter(({ key }) => key !== null).slice(top);
  const isBeyond = new Set(beyond);
  const placed = new Set<Line>();
  // A net stands where the first of its members would stand, and its members follow.
  const groups = [
    ...made.map(({ members, ...net }) => {
      const sorted = members.map((line) => places.get(line) as number).sort((one, other) => one - other);
      const own = new Set(sorted.map((place) => lines[place] as Line).filter((line) => !placed.has(line)));
      for (const line of own) placed.add(line);
      return { place: (sorted[0] as number) - 0.5, lines: [net as Line, ...own] };
    }),
    ...single
      .filter((line) => !isBeyond.has(line))
      .map((line) => ({ place: places.get(line) as number, lines: [line] })),
  ];
  const all = groups.sort((one, other) => one.place - other.place).flatMap(({ lines }) => lines);
  if (beyond.length === 0 || rest === undefined) return all;
  const none = all.findIndex(({ key }) => key === null);
  const line: Line = {
    key: rest,
    block: 0,
    codes: beyond.flatMap(({ codes }) => codes),
    net: beyond.map(({ key }) => key),
  };
  all.splice(none === all.length - 1 && none >= 0 ? none : all.length, 0, line);
  return all;
}
