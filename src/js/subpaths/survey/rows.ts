// The rows of a tabulation: in which order, with which nets, and what the rest is.

import { entriesOf, itemsOf } from "../../core/argument/passed-object.js";
import { described, refusal, wrongType } from "../../core/argument/refusal.js";
import { keyIdentity, valueOfKey } from "./axis.js";
import { type AnyTable, codesOf, Numbering } from "./coded-table.js";
import { compareNumbers, type KeyOrder, ownOrder } from "./order.js";
import type { Block, Side } from "./walk.js";

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

/** Returns the table with the columns of an axis, for the order in which their values occur first. */
type TableOf = (names: readonly string[]) => AnyTable;

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
 */
export function linesOf(side: Side, order: KeyOrder, totals: Float64Array, tableOf: TableOf): Line[] {
  return side.blocks.flatMap((block, number) => {
    const offset = side.offset(number);
    const codes = sortedCodes(block, order, (code) => totals[offset + code] as number, tableOf);
    return codes.map((code): Line => ({ key: block.numbering.keys[code], block: number, codes: [offset + code] }));
  });
}

/** Sorts the codes of a block that are shown. */
export function sortedCodes(
  { numbering, names, isSingle }: Block,
  order: KeyOrder,
  totalOf: (code: number) => number,
  tableOf: TableOf,
  isShown: (code: number) => boolean = () => true,
): number[] {
  const { keys } = numbering;
  const codes = keys.map((_, code) => code).filter(isShown);
  const listed = (typeof order === "object" ? order : []).flatMap((key) => numbering.find(key) ?? []).filter(isShown);
  const isNone = (code: number) => valueOfKey(keys[code]) === null;
  if (names.length === 0) {
    if (order === "total") codes.sort((one, other) => totalOf(other) - totalOf(one));
    return [...new Set([...listed, ...codes])];
  }
  const values = codes.filter((code) => !isNone(code));
  const first = new Numbering();
  if (order === "given") codesOf(tableOf(names), [{ names, numbering: first, isSingle, needsValue: false }], true);
  const places = new Map(values.map((code) => [code, first.find(keys[code]) ?? Number.POSITIVE_INFINITY]));
  const own = order === undefined ? ownOrder(values.map((code) => valueOfKey(keys[code]))) : undefined;
  const numbers = new Map(values.map((code, at) => [code, own?.[at]]));
  values.sort((one, other) => {
    if (order === "given") return (places.get(one) as number) - (places.get(other) as number);
    const [a, b] = [numbers.get(one), numbers.get(other)];
    return (a && b && compareNumbers(a, b)) || (totalOf(other) || 0) - (totalOf(one) || 0);
  });
  return [...new Set([...listed, ...values, ...codes.filter(isNone)])];
}

/**
 * Shows the lines of the rows: each net before the first of its members, which follow it, and the lines beyond `top` together, before that of null.
 *
 * @returns the rows, and how many lines have no row of their own
 */
export function shownRows(lines: readonly Line[], { nets, top, rest }: RowWishes): { rows: Line[]; leftOut: number } {
  const taken = new Set(lines.map(({ key }) => key));
  for (const name of [...nets.map(([name]) => name), rest]) {
    if (name === undefined) continue;
    if (taken.has(name)) throw refusal(`${described(name)} is another row: give the net or the rest another name`);
    taken.add(name);
  }
  const places = new Map(lines.map(({ key }, place) => [keyIdentity(key), place]));
  // For each line the nets that it is in, each with its members in their order.
  const groups = lines.map((): (readonly [net: Line, ...members: Line[]])[] => []);
  const linesAt = (places: readonly number[]) => places.map((place) => lines[place] as Line);
  for (const [name, members] of nets) {
    const own = [...new Set(members.map((key) => places.get(keyIdentity(key ?? null)) as number))];
    const net = unionOf(name, linesAt(own));
    const group = [net, ...linesAt(own.sort((one, other) => one - other))] as const;
    for (const place of own) groups[place]?.push(group);
  }
  const rows = new Set<Line>();
  const beyond: Line[] = [];
  let left = top ?? Number.POSITIVE_INFINITY;
  for (const [place, line] of lines.entries()) {
    const own = groups[place] ?? [];
    for (const group of own) if (!rows.has(group[0])) for (const row of group) rows.add(row);
    if (own.length > 0) continue;
    if (line.key === null || left-- > 0) rows.add(line);
    else beyond.push(line);
  }
  const shown = [...rows];
  if (beyond.length > 0 && rest !== undefined)
    shown.splice(shown.at(-1)?.key === null ? -1 : shown.length, 0, unionOf(rest, beyond));
  return { rows: shown, leftOut: beyond.length };
}

/** A row that unites others. */
function unionOf(key: string, lines: readonly Line[]): Line {
  return { key, block: 0, codes: lines.flatMap(({ codes }) => codes), net: lines.map(({ key }) => key) };
}
