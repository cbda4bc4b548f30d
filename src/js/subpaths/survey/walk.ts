// What is read for a tabulation: the groups of findings by row, column and person, as codes.

import { described, refusal, typeOf } from "../../core/argument/refusal.js";
import type { CheckedBlock, NamedCondition } from "./axis.js";
import { type AnyTable, type Coded, codesOf, NOBODY, Numbering } from "./coded-table.js";
import { increase } from "./increase.js";

/** A part of an axis, and the numbering of its keys. */
export interface Block extends CheckedBlock {
  readonly numbering: Numbering;
}

/** An axis. The codes of its parts follow one another. */
export class Side {
  readonly blocks: readonly Block[];

  constructor(checked: readonly CheckedBlock[]) {
    this.blocks = checked.map((block) => ({ ...block, numbering: new Numbering() }));
    for (const { conditions, numbering } of this.blocks) for (const [name] of conditions) numbering.code(name);
  }

  /** The part that a value belongs to that no part has: the only one, or the only one of values. */
  get valued(): Block | undefined {
    const own = this.blocks.length === 1 ? this.blocks : this.blocks.filter(({ names }) => names.length > 0);
    return own.length === 1 ? own[0] : undefined;
  }

  /** Whether each finding is in one of its keys. */
  get isTotal(): boolean {
    return this.blocks.some(({ names }) => names.length > 0);
  }

  /** The number of all keys. */
  get size(): number {
    return this.offset(this.blocks.length);
  }

  /** The code of the first key of a block. */
  offset(block: number): number {
    return this.blocks.slice(0, block).reduce((sum, { numbering }) => sum + numbering.keys.length, 0);
  }
}

/** The numbers of an axis of one column, by their codes; null for none. */
export function numbersOf({ blocks }: Side): (number | null)[] {
  return blocks.flatMap(({ names, numbering: { keys } }) =>
    keys.map((value) => {
      if (value === null || typeof value === "number") return value;
      throw refusal(
        `the mean of ${described(names.join())} needs numbers, and the column has ${typeOf(value)}, such as ${described(value)}: make numbers of it`,
      );
    }),
  );
}

/** Some groups of findings, or of the table of people. The codes of rows and columns are those in their blocks. */
export interface Batch {
  readonly rows: Codes | undefined;
  readonly columns: Codes | undefined;
  /** Undefined where findings are counted. */
  readonly people: Int32Array | undefined;
  /** The number of findings of each; undefined for 1. */
  readonly counts: ArrayLike<number> | undefined;
  readonly length: number;
}

/** The codes of the keys of a block. */
export interface Codes {
  readonly block: number;
  readonly codes: Int32Array;
}

/** A part of an axis that one query reads: all values of a block, or one of its conditions. */
interface Part {
  readonly block: number;
  readonly coded: Coded | undefined;
  readonly condition: NamedCondition | undefined;
  readonly code: number;
}

const WHOLE: readonly undefined[] = [undefined];

function partsOf(side: Side): Part[] {
  return side.blocks.flatMap(({ names, isSingle, numbering, conditions }, block): Part[] =>
    names.length > 0
      ? [{ block, coded: { names, isSingle, numbering, needsValue: false }, condition: undefined, code: 0 }]
      : conditions.map((condition, code) => ({ block, coded: undefined, condition, code })),
  );
}

/**
 * Reads the groups of a table by two axes, or by one, and by people.
 *
 * @param isRead whether to read a block of the columns
 */
export function walk(
  table: AnyTable,
  rows: Side | undefined,
  columns: Side | undefined,
  people: Coded | undefined,
  isRead: (block: number) => boolean = () => true,
): Batch[] {
  const batches: Batch[] = [];
  for (const row of rows ? partsOf(rows) : WHOLE) {
    for (const column of columns ? partsOf(columns).filter(({ block }) => isRead(block)) : WHOLE) {
      within(table, [row?.condition, column?.condition], (view) => {
        const wanted = [row?.coded, column?.coded, people].filter((one) => one !== undefined);
        const { codes, counts, length } = codesOf(view, wanted, people !== undefined);
        const next = [...codes];
        const side = (part: Part | undefined): Codes | undefined => {
          if (part === undefined) return undefined;
          const own = part.coded === undefined ? new Int32Array(length).fill(part.code) : next.shift();
          return { block: part.block, codes: own as Int32Array };
        };
        const [rowCodes, columnCodes] = [side(row), side(column)];
        batches.push({ rows: rowCodes, columns: columnCodes, people: people && next[0], counts, length });
      });
    }
  }
  return batches;
}

/** Reads the findings that meet conditions. */
function within(table: AnyTable, conditions: readonly Part["condition"][], read: (view: AnyTable) => void): void {
  const [first, second] = conditions.filter((condition) => condition !== undefined);
  if (first === undefined) {
    read(table);
    return;
  }
  // Both at once: a live table then counts only what is new.
  const view = filtered(table, second === undefined ? first : [first[0], first[1].and(second[1])]);
  try {
    read(view);
  } finally {
    view.free();
  }
}

function filtered(table: AnyTable, [name, conditions]: NamedCondition): AnyTable {
  try {
    return table.filter(conditions as never);
  } catch (error) {
    if (!(error instanceof RangeError) || !conditions.areUnnamed) throw error;
    const column = described(name);
    throw refusal(`each condition needs a name: pass { name: { ${column}: … } }, not { ${column}: … }`);
  }
}

/** The findings of each person, or each group of findings where no people are counted: rows and columns, person after person. */
export class Units {
  /** The number of people, or of groups. */
  readonly count: number;
  /** The weight of each. */
  readonly weights: Float64Array;
  /** Where the items of each begin, and the end of the last one. */
  readonly starts: Int32Array;
  /** The code of the row of each item; −1 if it has none. */
  readonly rows: Int32Array;
  readonly columns: Int32Array;

  /** @param weights of the people; undefined where findings are counted */
  constructor(batches: readonly Batch[], rows: Side, columns: Side, weights: Float64Array | undefined) {
    const total = batches.reduce((sum, { length }) => sum + length, 0);
    this.count = weights === undefined ? total : weights.length;
    this.weights = weights ?? new Float64Array(total);
    this.starts = new Int32Array(this.count + 2);
    this.rows = new Int32Array(total);
    this.columns = new Int32Array(total);
    // A counting sort: how many items each has, then where they begin, then the items.
    let unit = 0;
    for (const { people, counts, length } of batches) {
      for (let at = 0; at < length; at++, unit++) {
        const who = people === undefined ? unit : (people[at] as number);
        if (weights === undefined) this.weights[unit] = counts?.[at] ?? 1;
        if (who !== NOBODY) increase(this.starts, who + 2, 1);
      }
    }
    for (let who = 2; who < this.starts.length; who++) increase(this.starts, who, this.starts[who - 1] as number);
    unit = 0;
    for (const { people, length, ...batch } of batches) {
      const [row, column] = [batch.rows?.codes, batch.columns?.codes];
      const [rowOffset, columnOffset] = [
        rows.offset(batch.rows?.block ?? 0),
        columns.offset(batch.columns?.block ?? 0),
      ];
      for (let at = 0; at < length; at++, unit++) {
        const who = people === undefined ? unit : (people[at] as number);
        if (who === NOBODY) continue;
        const place = this.starts[who + 1] as number;
        this.starts[who + 1] = place + 1;
        this.rows[place] = row === undefined ? -1 : rowOffset + (row[at] as number);
        this.columns[place] = column === undefined ? -1 : columnOffset + (column[at] as number);
      }
    }
  }
}
