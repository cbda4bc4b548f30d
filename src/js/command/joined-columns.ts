// The columns that `--join` adds to findings: those of a CSV file, by the values of one column that the findings have, too.

import { keysOf, nameOf } from "../core/table/column-path.js";
import type { FindingKind } from "../core/table/finding.js";
import type { FindingsTable } from "../core/table/table.js";
import { documentedColumns } from "./common-schema.js";
import { type CsvFile, readCsv } from "./csv-file.js";
import { checkSlip, Names } from "./selection.js";
import { SlipError } from "./slip-error.js";

/** What `--join` and `--on` say. */
export interface Join {
  /** The path of the CSV file. */
  readonly file: string;
  /** The name of the column in the findings and in the CSV file. */
  readonly by: string;
}

/** A number of JSON that a double keeps, with a short exponent: none is rounded to 0 or infinity. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i;

/** The digits that every double, and every cell of Excel, keeps. */
const MAX_DIGITS = 15;

/** The values of a row; undefined where it has none. */
type Row = Record<string, string | number | undefined>;

export class JoinedColumns {
  /** The name of the key. */
  readonly key: Names;
  /** What the command says about the file: columns of numbers in which some values are none. */
  readonly warnings: readonly string[];
  readonly #join: Join;
  /** The names of the columns, as the file has them. */
  readonly #names: readonly string[];
  readonly #rows: ReadonlyMap<string, Row>;
  /** The keys of the findings that have a row. */
  readonly #found = new Set<unknown>();

  private constructor(join: Join, file: CsvFile, kind: FindingKind) {
    this.#join = join;
    this.key = new Names("--on", [join.by]);
    this.#names = file.names;
    this.#checkFree(documentedColumns(kind));
    this.#rows = file.rows;
    this.warnings = withNumbers(file, join.file);
  }

  /** Reads the file, and rejects if its columns cannot be added to findings of this kind. */
  static async read(join: Join, kind: FindingKind): Promise<JoinedColumns> {
    const file = await readCsv("--join", join.file, join.by);
    if (file.names.length === 0) throw new Error(`${join.file} has no column beside ${JSON.stringify(join.by)}`);
    return new JoinedColumns(join, file, kind);
  }

  /** Adds the columns to a partition. A finding lacks a value where the file has no row or an empty field. */
  addTo(table: FindingsTable<object>): FindingsTable<object> {
    const { by } = this.#join;
    this.#checkFree(table.columns.map((name) => keysOf(name)[0] as string));
    const keys: unknown[] = table.columns.includes(by) ? table.column(by as never) : [];
    const found = [...new Set(keys)].flatMap((key) => {
      const row = this.#rowOf(key);
      return row === undefined ? [] : [[key, row] as const];
    });
    if (found.length === 0) return table;
    let joined = table;
    for (const name of this.#names) {
      const values = new Map(found.map(([key, row]) => [key, row[name]]));
      // A field that is an empty object is no column, but has its name.
      const next = checkSlip("--join", () => joined.with(name, { by: by as never, values: values as never }));
      if (joined !== table) joined.free();
      joined = next as FindingsTable<object>;
    }
    return joined;
  }

  /** The names of the columns that it adds. */
  get columns(): string[] {
    return this.#names.map((name) => nameOf([name]));
  }

  /** What the command says if none of some findings, whose columns have these names, has a value of the file. */
  unmatched(findings: number, names: ReadonlySet<string>): string | undefined {
    if (findings === 0 || this.columns.some((name) => names.has(name))) return undefined;
    const { file, by } = this.#join;
    return `no finding has a value of ${file}: compare its column ${JSON.stringify(by)} with that of the findings`;
  }

  /** Refuses columns whose names are those of fields, or differ from them only in case. */
  #checkFree(fields: readonly string[]): void {
    const known = new Map(fields.map((field) => [field.toLowerCase(), field]));
    const name = this.#names.find((name) => known.has(name.toLowerCase()));
    if (name === undefined) return;
    throw new SlipError(
      `the findings have a field ${JSON.stringify(known.get(name.toLowerCase()))} already: rename or remove the column ` +
        `${JSON.stringify(name)} of ${this.#join.file}`,
    );
  }

  /** The row of a key of the findings. */
  #rowOf(key: unknown): Row | undefined {
    // A larger integer may be rounded, and then the key of another row.
    const isKey = typeof key === "string" || (typeof key === "number" && Math.abs(key) <= Number.MAX_SAFE_INTEGER);
    const row = isKey ? this.#rows.get(`${key}`) : undefined;
    if (row === undefined) return undefined;
    this.#found.add(key);
    if (this.#found.has(typeof key === "string" ? Number(key) : `${key}`)) {
      const { file, by } = this.#join;
      throw new SlipError(
        `the findings have the number ${key} and the text "${key}" in the column ${JSON.stringify(by)}, and ${file} ` +
          "cannot say which one it means: remove its row, and add the values with table.with in a program",
      );
    }
    return row;
  }
}

/** Makes numbers of the columns that have no other values. Says which ones have others, too, so that all of their values are texts. */
function withNumbers({ names, rows, separator }: CsvFile, file: string): string[] {
  return names.flatMap((name) => {
    const values = Array.from(rows.values(), (row) => row[name]).filter((value) => value !== undefined && value !== "");
    const others = values.filter((value) => numberIn(value, separator) === undefined);
    if (others.length === 0) {
      for (const row of rows.values() as Iterable<Row>) row[name] = numberIn(row[name] as string, separator);
    }
    if (others.length === 0 || others.length === values.length) return [];
    const text = `${others.length} of ${values.length} values are no numbers, such as ${JSON.stringify(others[0])}`;
    return [`${name}: ${text}. So all values of this column of ${file} are texts`];
  });
}

/** The number of a field; undefined if it is none, or if a format could round it. */
function numberIn(field: string | undefined, separator: string): number | undefined {
  const isEnglish = separator !== ";";
  // Where semicolons separate fields, decimals follow a comma, and a point may group thousands.
  if (field === undefined || (!isEnglish && /^-?[1-9]\d{0,2}\.\d{3}$/.test(field))) return undefined;
  const text = isEnglish ? field : field.replace(",", ".");
  const [digits = ""] = text.split(/e/i);
  return NUMBER.test(text) && digits.replace(/\D/g, "").length <= MAX_DIGITS ? Number(text) : undefined;
}
