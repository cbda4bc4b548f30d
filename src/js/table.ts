// The table: findings in columns outside the JavaScript heap, of which rows are built when somebody asks for them.

import type { Columns, InspectionFinding } from "./inspection_findings.js";
import { OBJECT, Rows } from "./rows.js";
import { needStack } from "./stack.js";

/** What has to hold for the values of a column. */
export type Condition =
  | Scalar
  | readonly Scalar[]
  | { readonly min?: number; readonly max?: number }
  | { readonly contains: string };

/** A value that can be compared with; undefined stands for a missing field. */
export type Scalar = string | number | boolean | null | undefined;

/** How many findings have these values. */
export interface Count {
  /** A value for each column, in the order in which they were asked for. */
  key: unknown[];
  /** Number of findings. */
  count: number;
}

/** What the numbers of a group of findings are like. */
export interface Summary {
  /** A value for each column that was grouped by, in the order in which they were asked for. */
  key: unknown[];
  /** How many findings of the group have a number there; 0 where none has. Not the number of findings. */
  count: number;
  /** Their sum. */
  sum: number;
  /** The smallest; infinity where the group has no number. */
  min: number;
  /** The largest; minus infinity where the group has no number. */
  max: number;
  /** Their mean; not a number where the group has none. */
  mean: number;
}

/** Rows that an iterator builds at a time. */
const BATCH = 256;

/** The most rows whose strings are decoded one by one, so that a few rows do not keep whole blocks of text alive. */
const FEW = 64;

let create: <Finding>(columns: Columns) => FindingsTable<Finding>;

/**
 * All findings of one kind in columns, outside the JavaScript heap. Comes from {@link FindingsClient.loadTable}.
 *
 * A column has the dotted path of its values as its name, such as `"Topic.Text"`; a dot inside a key is written `\.`.
 * A missing field is `undefined` and null is null, everywhere. A name under which no finding has a value is a `RangeError`
 * that says which name is the nearest, so that a misspelt one does not look like a column without values; where an
 * inspection may lack a column, look for it in {@link columns} first. A table without findings gives empty results for any name. Queries are synchronous. A table is freed by
 * {@link free}, `using`, or with the garbage; views of it (`filter`, `sortBy`) keep the columns alive until they are
 * freed themselves. After that every use is a `TypeError`. Where the module has stopped, for want of memory, every use
 * of what it held is a `FindingsError` of code `memory`.
 */
export class FindingsTable<Finding = InspectionFinding> implements Iterable<Finding> {
  #columns: Columns | undefined;

  static {
    create = (columns) => new FindingsTable(columns);
  }

  private constructor(columns: Columns) {
    this.#columns = columns;
  }

  /** Number of findings. */
  get length(): number {
    return this.#live().length();
  }

  /** Bytes of the module's memory that it holds; a view counts what it shares as well. */
  get byteLength(): number {
    return this.#live().byteLength();
  }

  /** The dotted paths of the columns, in the order in which findings first have them. */
  get columns(): string[] {
    return this.#live().names();
  }

  /** The finding at an index; a negative one counts from the end, as for `Array.prototype.at`. Builds one row. */
  at(index: number): Finding | undefined {
    const length = this.length;
    const whole = Math.trunc(index) || 0;
    const place = whole < 0 ? length + whole : whole;
    return place < 0 || place >= length ? undefined : this.#rows(place, place + 1)[0];
  }

  /** The findings from `start` up to before `end`, as `Array.prototype.slice`. Builds these rows at once. */
  slice(start?: number, end?: number): Finding[] {
    const length = this.length;
    return this.#rows(place(start, 0, length), place(end, length, length));
  }

  /** All findings. Builds every row at once, in about a microsecond each. */
  toArray(): Finding[] {
    return this.#rows(0, this.length);
  }

  /** The findings one after the other, built a few hundred at a time. */
  *[Symbol.iterator](): Generator<Finding, undefined> {
    for (let from = 0; from < this.length; from += BATCH) {
      for (const finding of this.#rows(from, Math.min(from + BATCH, this.length))) {
        // Asking the module: the table may have been freed since, or the module stopped.
        void this.length;
        yield finding;
      }
    }
  }

  /**
   * A copy of the values of a column, in a typed array where every value is a small integer. Takes a few nanoseconds
   * for each finding, and the decoding of each distinct string once.
   *
   * @throws RangeError for a name that no finding has a value under; its message says which is the nearest
   */
  column(path: string): ArrayLike<unknown> & Iterable<unknown> {
    const columns = this.#live();
    const values: Int32Array | Uint32Array = columns.column(path);
    if (values instanceof Int32Array) return values;
    const rows = new Rows(columns);
    const keys = keysOf(path);
    const object = (row: number) => {
      const findings: Record<string, unknown>[] = [];
      rows.append(row, row + 1, findings);
      return reach(findings[0], keys);
    };
    return Array.from(values, (cell, row) => (cell === OBJECT ? object(row) : rows.value(cell)));
  }

  /**
   * How many findings have each combination of values in these columns, most frequent first, then the first seen.
   * Takes a few nanoseconds for each finding and column. An object whose fields have columns of their own counts as
   * `{}`.
   *
   * @throws RangeError for a name that no finding has a value under
   */
  countBy(...paths: string[]): Count[] {
    const columns = this.#live();
    return groups(columns, columns.groups(paths, []), paths.length, (count) => ({ count }));
  }

  /**
   * The numbers in the column `value` for each combination of values in the other columns, in the order of
   * {@link countBy}; `count` is how many findings of the group have a number there. Takes a few nanoseconds for each
   * finding and column.
   *
   * @throws RangeError for a name that no finding has a value under
   */
  summarize(groupBy: string[], value: string): Summary[] {
    const paths = [...groupBy];
    const columns = this.#live();
    return groups(columns, columns.groups(paths, [value]), paths.length, (_, count, sum, min, max) => {
      return { count, sum, min, max, mean: sum / count };
    });
  }

  /**
   * A view of the findings for which all conditions hold, in the order in which they are here: a value, one of several
   * values, a number from `min` to `max` inclusive, or a text that contains another, upper and lower case being the
   * same. Takes a few nanoseconds for each finding and condition, and `contains` a look into each distinct text.
   *
   * @throws RangeError for a name that no finding has a value under; TypeError for what is no condition
   */
  filter(where: Record<string, Condition>): FindingsTable<Finding> {
    const conditions = copyOf(where);
    return create(this.#live().filter(conditions));
  }

  /**
   * A view of the findings ordered by a column; those with the same value stay in the order in which they are here.
   * Numbers come first, then strings by their code units, booleans, arrays and objects; null and missing come last in
   * both directions. Sorts the distinct values, and takes a few nanoseconds for each finding.
   *
   * @throws RangeError for a name that no finding has a value under
   */
  sortBy(path: string, direction?: "asc" | "desc"): FindingsTable<Finding> {
    return create(this.#live().sortBy(path, direction));
  }

  /** Gives the columns back to the module's memory, unless a view still holds them. May be called again. */
  free(): void {
    needStack();
    const columns = this.#columns;
    this.#columns = undefined;
    columns?.free();
  }

  /** The same as {@link free}, for `using`. */
  [Symbol.dispose](): void {
    this.free();
  }

  #live(): Columns {
    if (this.#columns === undefined) throw new TypeError("this FindingsTable has been freed");
    return this.#columns;
  }

  #rows(from: number, to: number): Finding[] {
    const findings: Record<string, unknown>[] = [];
    const rows = new Rows(this.#live(), to - from <= FEW);
    for (let next = from; next < to; next += BATCH) rows.append(next, Math.min(next + BATCH, to), findings);
    return findings as Finding[];
  }
}

/**
 * The table of these columns.
 *
 * @internal
 */
export function tableOf<Finding>(columns: Columns): FindingsTable<Finding> {
  return create(columns);
}

/** Groups as plain objects: their cells as values, and their figures by name. */
function groups<Figures>(
  columns: Columns,
  { cells, figures }: { cells: Uint32Array; figures: Float64Array },
  width: number,
  figuresOf: (findings: number, count: number, sum: number, min: number, max: number) => Figures,
): ({ key: unknown[] } & Figures)[] {
  const rows = new Rows(columns, true);
  return Array.from({ length: figures.length / 5 }, (_, group) => {
    const [findings = 0, count = 0, sum = 0, min = 0, max = 0] = figures.subarray(group * 5, (group + 1) * 5);
    return {
      key: Array.from(cells.subarray(group * width, (group + 1) * width), (cell) => rows.value(cell)),
      ...figuresOf(findings, count, sum, min, max),
    };
  });
}

/** The keys of a dotted path. */
function keysOf(path: string): string[] {
  const keys = [""];
  for (let at = 0; at < path.length; at++) {
    if (path[at] === ".") keys.push("");
    else keys.push(`${keys.pop()}${path[at] === "\\" ? path[++at] : path[at]}`);
  }
  return keys;
}

/** Conditions as they are now: whatever code of the caller reading them runs, it has run before the query begins. */
function copyOf(where: Record<string, Condition>): Record<string, Condition> {
  if (typeof where !== "object" || where === null || Array.isArray(where)) return where;
  return Object.fromEntries(Object.entries(where).map(([path, condition]) => [path, copyOfCondition(condition)]));
}

function copyOfCondition(condition: Condition): Condition {
  if (Array.isArray(condition)) return [...condition];
  return typeof condition === "object" && condition !== null ? { ...condition } : condition;
}

/** What lies in an object under these keys. */
function reach(value: unknown, keys: string[]): unknown {
  return keys.reduce((object, key) => (object as Record<string, unknown>)[key], value);
}

/** A relative index as `Array.prototype.slice` takes it. */
function place(index: number | undefined, missing: number, length: number): number {
  const whole = index === undefined ? missing : Math.trunc(index) || 0;
  return whole < 0 ? Math.max(length + whole, 0) : Math.min(whole, length);
}
