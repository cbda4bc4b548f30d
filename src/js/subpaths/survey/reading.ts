// What a tabulation reads of the tables: people and their weights, rows and columns as codes.

import { described, refusal, wrongType } from "../../core/argument/refusal.js";
import { keyIdentity, plainKey } from "./axis.js";
import { type AnyTable, type Coded, checkBase, lacks, Numbering, whoIs } from "./coded-table.js";
import type { Question } from "./crosstab-options.js";
import type { KeyOrder } from "./order.js";
import { type Batch, Side, Units, walk } from "./walk.js";
import { weightsOf } from "./weights.js";

/** What is read of the tables: people and their weights, rows and columns as codes. */
export class Reading {
  readonly rows: Side;
  readonly columns: Side;
  readonly people: Coded | undefined;
  readonly units: Units;
  readonly asked: Units | undefined;
  /** Returns the table that has some columns. */
  readonly tableOf: (names: readonly string[]) => AnyTable;

  constructor(table: AnyTable, { rows, columns, distinct, asked, weight, wishes, columnOrder, given }: Question) {
    [this.rows, this.columns] = [new Side(rows), new Side(columns)];
    const numbering = new Numbering();
    this.people = distinct && { names: distinct, numbering, isSingle: distinct.length === 1, needsValue: true };
    const { people } = this;
    checkBase(asked, distinct ?? []);
    // Those who were asked first: their columns are those of findings that lack them.
    const base = asked && walk(asked, undefined, this.columns, people);
    if (asked !== undefined && !this.columns.isTotal) base?.push(...walk(asked, undefined, undefined, people));
    const lacking = this.columns.blocks.flatMap(({ names }, block) => (isLacking(table, asked, names) ? [block] : []));
    const read = (rows: Side | undefined) => [
      ...walk(table, rows, this.columns, people, (block) => !lacking.includes(block)),
      ...lacking.flatMap((block) => joined(walk(table, rows, undefined, people), base ?? [], block, people as Coded)),
    ];
    const batches = read(this.rows);
    // Where findings are counted, each is in one group only: of a row and a column, or of one of them, or of neither.
    const isEach = people === undefined;
    if (isEach || !this.columns.isTotal) batches.push(...walk(table, this.rows, undefined, people));
    if (isEach || !this.rows.isTotal) batches.push(...read(undefined));
    if (isEach || !(this.rows.isTotal || this.columns.isTotal))
      batches.push(...walk(table, undefined, undefined, people));
    const { order, nets } = wishes;
    const members = nets.flatMap(([, members]) => members);
    if (typeof order === "object" && "column" in order) know("order", this.columns, [order.column]);
    else know("order", this.rows, order);
    know("nets", this.rows, members);
    know("columnOrder", this.columns, columnOrder);
    const { valued } = this.columns;
    if (valued?.isSingle) for (const key of basesOf(given, this.columns).keys()) valued.numbering.code(key);
    const weights = this.people && weightsOf(asked ?? table, this.people, weight);
    this.units = new Units(batches, this.rows, this.columns, weights);
    this.asked = base && new Units(base, this.rows, this.columns, weights);
    this.tableOf = (names) => (isLacking(table, asked, names) ? (asked as AnyTable) : table);
  }
}

/** The findings of each person, in the column of a block in which the table of those who were asked has the person. */
function joined(findings: readonly Batch[], base: readonly Batch[], block: number, people: Coded): Batch[] {
  const known = new Int32Array(people.numbering.keys.length).fill(-1);
  for (const { columns, people: codes } of base) {
    if (columns?.block !== block) continue;
    codes?.forEach((person, at) => {
      if (person < 0) return;
      if (known[person] !== -1 && known[person] !== columns.codes[at])
        throw refusal(`the findings need the column, because base has ${whoIs(people, person)} in two of its values`);
      known[person] = columns.codes[at] as number;
    });
  }
  return findings.map((batch) => {
    const codes = (batch.people as Int32Array).map((person) => {
      if (person >= 0 && (known[person] ?? -1) < 0) throw lacks(people, person);
      return known[person] ?? 0;
    });
    return { ...batch, columns: { block, codes } };
  });
}

/**
 * Lets an axis have listed keys that nobody has: a scale has all its steps. Refuses one that is only written otherwise than a key that nobody lists.
 *
 * @param what the option that lists them
 */
export function know(what: string, side: Side, listed: KeyOrder): void {
  if (typeof listed !== "object") return;
  const isListed = new Set(listed.map(keyIdentity));
  const keys = side.blocks.flatMap(({ numbering }) => numbering.keys);
  const others = new Map(keys.flatMap((key) => (isListed.has(keyIdentity(key)) ? [] : [[plainKey(key), key]])));
  for (const key of listed) {
    if (side.blocks.some(({ numbering }) => numbering.find(key) !== undefined)) continue;
    const meant = others.get(plainKey(key));
    if (meant !== undefined)
      throw new RangeError(`${what} has ${described(key)}, and no finding has it: did you mean ${described(meant)}?`);
    const { numbering, names, isSingle } = side.valued ?? {};
    if (names?.length === 0)
      throw new RangeError(
        `${what} has ${described(key)}, which is none of the conditions: ${keys.map(described).join(", ")}`,
      );
    if (names?.length && !isSingle && !(Array.isArray(key) && key.length === names.length))
      throw wrongType(`each value of ${what}`, `a list of ${names.length} values`, key);
    numbering?.code(key);
  }
}

/** Whether only the table of those who were asked has a column. */
function isLacking(table: AnyTable, asked: AnyTable | undefined, names: readonly string[]): boolean {
  if (asked === undefined || names.length === 0) return false;
  const [own, others] = [table.columns, asked.columns];
  return names.some((name) => !own.includes(name)) && names.every((name) => others.includes(name));
}

/** The numbers that were given, by the keys of the columns. */
export function basesOf(given: Question["given"], { blocks }: Side): Map<unknown, number> {
  const keys = blocks.flatMap(({ numbering }) => numbering.keys);
  const byText = new Map(keys.map((key) => [String(key), key]));
  const isKey = new Set(keys);
  const isNumber = keys.some((key) => typeof key === "number");
  return new Map(
    given?.map(([key, base]) => {
      // An object has only texts as keys.
      const own = typeof key !== "string" || isKey.has(key) ? (key ?? null) : byText.get(key);
      return [
        own ?? (isNumber && /\d/.test(String(key)) && Number.isFinite(Number(key)) ? Number(key) : (key ?? null)),
        base,
      ];
    }),
  );
}
