// The columns that `--join` adds to findings: those of a CSV file, by the values of one column that the findings have, too.

import { Buffer, isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { type CsvError, type Options, parse } from "csv-parse/sync";
import { keysOf, nameOf } from "../table/column-path.js";
import type { FindingKind } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { documentedColumns } from "./common-schema.js";
import type { Partition } from "./format.js";
import { Names } from "./selection.js";
import { SlipError } from "./slip-error.js";
import { textOf } from "./text-file.js";

/** What `--join` and `--on` say. */
export interface Join {
  /** The path of the CSV file. */
  readonly file: string;
  /** The name of the column in the findings and in the CSV file. */
  readonly by: string;
}

/** The characters that can separate the fields of the file. */
const SEPARATORS = [",", ";", "\t"];

/** What ends a line. Without it, csv-parse takes what ends the first line for the end of every line. */
const LINE_ENDS = ["\r\n", "\n", "\r"];

/** A number of JSON that a double keeps, with a short exponent: none is rounded to 0 or infinity. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i;

/** The digits that every double, and every cell of Excel, keeps. */
const MAX_DIGITS = 15;

/** A value of a column of the file; undefined where it has none. */
type Value = string | number | undefined;

export class JoinedColumns {
  /** The names of the columns, as the file has them. */
  readonly names: readonly string[];
  /** The name of the key. */
  readonly key: Names;
  readonly #join: Join;
  /** The values of each row by its key, as JSON, which takes less memory than an array. */
  readonly #rows: ReadonlyMap<string, string>;
  /** The type that the findings have for each key that is in the file. */
  readonly #types = new Map<string, "number" | "string">();

  private constructor(join: Join, names: readonly string[], rows: ReadonlyMap<string, string>) {
    this.#join = join;
    this.key = new Names("--on", [join.by]);
    this.names = names;
    this.#rows = rows;
  }

  /** Reads the file, and rejects if its columns cannot be added to findings of this kind. */
  static async read(join: Join, kind: FindingKind): Promise<JoinedColumns> {
    const { file, by } = join;
    const text = bytesOf(await contentOf(file), file);
    const { header, separator } = headerOf(text, join);
    const key = header.indexOf(by);
    checkNames(header, file);
    const names = header.filter((_, column) => column !== key);
    checkFree(names, documentedColumns(kind), file);

    const fields = new Map<string, Field[]>();
    /** The columns whose values are all numbers. */
    const numeric = names.map(() => true);
    records<Field>(text, file, { delimiter: separator, from: 2, cast: fieldOf }, (row, line) => {
      const [value] = row.splice(key, 1);
      if (value == null) return;
      if (fields.has(value)) {
        throw new Error(
          `${file} has ${JSON.stringify(value)} twice in the column ${JSON.stringify(by)}, the second time in the row that ends ` +
            `with line ${line}: each key can have one row`,
        );
      }
      fields.set(value, row);
      row.forEach((field, column) => {
        if (numeric[column] && field) numeric[column] = numberIn(field, separator) !== undefined;
      });
    });
    const rows = new Map<string, string>();
    for (const [value, row] of fields) {
      // No number is an empty text.
      const typed = (field: Field, column: number) =>
        numeric[column] ? (numberIn(field ?? "", separator) ?? null) : field;
      rows.set(value, JSON.stringify(row.map(typed)));
      fields.delete(value);
    }
    return new JoinedColumns(join, names, rows);
  }

  /** Adds the columns to a partition. A finding lacks a value where the file has no row or an empty field. */
  addTo({ index, table }: Partition): Partition {
    const rows = new Map([...new Set(this.#keysIn(table))].map((key) => [key, this.#rowOf(key)] as const));
    const found = [...rows].filter((entry): entry is [string | number, Value[]] => entry[1] !== undefined);
    if (found.length === 0) return { index, table };
    let joined = table;
    for (const [at, name] of this.names.entries()) {
      const values = new Map(found.map(([key, row]) => [key, row[at] ?? undefined]));
      const next = this.#added(joined, name, values);
      if (joined !== table) joined.free();
      joined = next;
    }
    return { index, table: joined };
  }

  /** Adds a column. A field that is an empty object is no column, but has its name. */
  #added(
    table: FindingsTable<object>,
    name: string,
    values: ReadonlyMap<string | number, Value>,
  ): FindingsTable<object> {
    const { by, file } = this.#join;
    try {
      return table.with(name, { by: by as never, values: values as never }) as FindingsTable<object>;
    } catch (error) {
      throw new SlipError(`the column ${JSON.stringify(name)} of ${file} cannot be added: ${(error as Error).message}`);
    }
  }

  /** The names of the columns that it adds. */
  get columns(): string[] {
    return this.names.map((name) => nameOf([name]));
  }

  /** What the command says if none of some findings, whose columns have these names, has a value of the file. */
  unmatched(findings: number, names: ReadonlySet<string>): string | undefined {
    if (findings === 0 || this.columns.some((name) => names.has(name))) return undefined;
    const { file, by } = this.#join;
    return `no finding has a value of ${file}: compare its column ${JSON.stringify(by)} with that of the findings`;
  }

  /** The value of the key of each finding. */
  #keysIn(table: FindingsTable<object>): readonly unknown[] {
    const { by, file } = this.#join;
    checkFree(
      this.names,
      table.columns.map((name) => keysOf(name)[0] as string),
      file,
    );
    return table.columns.includes(by) ? table.column(by as never) : [];
  }

  /** The values of a key of the findings; undefined if it is in no row. */
  #rowOf(key: unknown): Value[] | undefined {
    // A larger integer may be rounded, and then the key of another row.
    const isKey =
      typeof key === "string" || (Number.isFinite(key) && Math.abs(key as number) <= Number.MAX_SAFE_INTEGER);
    const text = String(key);
    const row = isKey ? this.#rows.get(text) : undefined;
    if (row === undefined) return undefined;
    const type = typeof key === "string" ? "string" : "number";
    if ((this.#types.get(text) ?? type) !== type) {
      const { by, file } = this.#join;
      throw new SlipError(
        `the findings have the number ${text} and the text ${JSON.stringify(text)} in the column ${JSON.stringify(by)}, and ${file} ` +
          "cannot say which one it means: remove its row, and add the values with table.with in a program",
      );
    }
    this.#types.set(text, type);
    return JSON.parse(row);
  }
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new Error(`the file of --join cannot be read: ${(error as Error).message}`);
  }
}

/** The file in UTF-8: its own bytes, unless it is in UTF-16. */
function bytesOf(content: Buffer, file: string): Buffer {
  if (isUtf8(content)) return content;
  try {
    return Buffer.from(textOf(content, true));
  } catch {
    throw new Error(`${file} is no text in UTF-8 or UTF-16. Excel saves one as "CSV UTF-8"`);
  }
}

/** The names of the columns, and the separator: the one that makes the most columns, one of which is the key. */
function headerOf(text: Buffer, { file, by }: Join): { header: string[]; separator: string } {
  let found: { header: string[]; separator: string } | undefined;
  /** The names that there seem to be, if none of them is the key. */
  let others: string[] = [];
  for (const separator of SEPARATORS) {
    let header: string[] = [];
    try {
      records(text, file, { delimiter: separator, to: 1 }, (fields) => {
        header = fields;
      });
    } catch {
      // Quotes stand beside another separator.
    }
    if (header.length > others.length) others = header;
    if (header.includes(by) && header.length > (found?.header.length ?? 0)) found = { header, separator };
  }
  const name = JSON.stringify(by);
  if (found === undefined) {
    throw new Error(
      `the first line of ${file} has no column ${name}; its columns are ${others.map((other) => JSON.stringify(other)).join(", ")}`,
    );
  }
  if (found.header.length === 1) throw new Error(`${file} has no column beside ${name}`);
  return found;
}

/** A name without its case, which DuckDB, Spark and Excel ignore: they take names for one that differ by it alone. */
function folded(name: string): string {
  return name.toLowerCase();
}

function checkNames(header: readonly string[], file: string): void {
  header.forEach((name, column) => {
    if (name === "") throw new Error(`column ${column + 1} of ${file} has no name`);
    const before = header.slice(0, column).find((before) => folded(before) === folded(name));
    if (before === name) throw new Error(`${file} has two columns ${JSON.stringify(name)}`);
    if (before !== undefined) {
      throw new Error(
        `${file} has the columns ${JSON.stringify(before)} and ${JSON.stringify(name)}, which many programs take for one: ` +
          "rename or remove one of them",
      );
    }
  });
}

/** Refuses columns whose names are those of fields, or differ from them only in case. */
function checkFree(names: readonly string[], fields: readonly string[], file: string): void {
  for (const name of names) {
    const field = fields.find((field) => folded(field) === folded(name));
    if (field === undefined) continue;
    throw new SlipError(
      `the findings have a field ${JSON.stringify(field)} already: rename or remove the column ${JSON.stringify(name)} of ${file}`,
    );
  }
}

/** The number of a field; undefined if it is none, or if a format could round it. */
function numberIn(field: string, separator: string): number | undefined {
  const isEnglish = separator !== ";";
  // Where semicolons separate fields, decimals follow a comma, and a point may group thousands.
  if (!isEnglish && /^-?[1-9]\d{0,2}\.\d{3}$/.test(field)) return undefined;
  const text = isEnglish ? field : field.replace(",", ".");
  const [digits = ""] = text.split(/e/i);
  return NUMBER.test(text) && digits.replace(/\D/g, "").length <= MAX_DIGITS ? Number(text) : undefined;
}

/** A field of the file. As in the file that an export writes, one without a value has no quotes, and an empty text has. */
type Field = string | null;

function fieldOf(text: string, { quoting }: { quoting: boolean }): Field {
  return text === "" && !quoting ? null : text;
}

/** Reads the records of a file, one after the other. */
function records<Each = string>(
  text: Buffer,
  file: string,
  options: Options,
  use: (fields: Each[], line: number) => void,
): void {
  try {
    parse(text, {
      ...options,
      bom: true,
      record_delimiter: LINE_ENDS,
      skip_empty_lines: true,
      on_record: (fields, { lines }) => {
        use(fields as unknown as Each[], lines);
        return null;
      },
    });
  } catch (error) {
    const { code, lines } = error as CsvError;
    if (typeof code !== "string" || !code.includes("_")) throw error;
    const what =
      code === "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH"
        ? "more or fewer fields than the first line"
        : "a quote in the wrong place, or one that is not closed";
    throw new Error(`${file} is no CSV file: line ${lines} has ${what}`);
  }
}
