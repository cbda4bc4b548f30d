// The columns that `--join` adds to an export: those of a CSV file, by the values of one column that the findings have, too. Keys and values
// follow the rules of `FindingsTable.with`, as far as a CSV file can tell its values apart.

import { Buffer, constants, isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { type CsvError, type Options, parse } from "csv-parse/sync";
import { keysOf, memberAt } from "../table/column-path.js";
import type { FindingKind } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { CommonColumns } from "./common-schema.js";
import { errorCode } from "./file-system.js";
import { FinalError } from "./final-error.js";
import { folded, hintOf } from "./name-hint.js";
import type { PartitionSource } from "./partition-source.js";
import { textOf } from "./text-file.js";

/** What `--join` and `--by` say. */
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

/** The largest file, in bytes: the text of a file in UTF-16 is one string. */
const { MAX_STRING_LENGTH: MAX_SIZE } = constants;

const MIB = 2 ** 20;

/** A number of JSON that a double keeps, with a short exponent: none is rounded to 0 or infinity. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i;

/** The digits that every double, and every cell of Excel, keeps. */
const MAX_DIGITS = 15;

export class JoinedColumns {
  /** The names of the columns, as the file has them. */
  readonly names: readonly string[];
  /** What identifies the columns and their values. */
  readonly origin: object;
  readonly #join: Join;
  /** The fields of each row by its key, as JSON, which takes less memory than an array. */
  readonly #rows: ReadonlyMap<string, string>;
  /** Returns the member that a field becomes, as JSON; an empty text if it becomes none. */
  readonly #memberOf: (field: Field, column: number) => string;
  /** The type that the findings have for each key that is in the file. */
  readonly #types = new Map<string, "number" | "string">();

  private constructor(
    join: Join,
    names: readonly string[],
    hash: string,
    rows: ReadonlyMap<string, string>,
    memberOf: (field: Field, column: number) => string,
  ) {
    this.#join = join;
    this.names = names;
    this.origin = { by: join.by, sha256: hash };
    this.#rows = rows;
    this.#memberOf = memberOf;
  }

  /** Reads the file, and rejects if its columns cannot be added to findings of this kind. */
  static async read(join: Join, kind: FindingKind): Promise<JoinedColumns> {
    const { file, by } = join;
    const content = await contentOf(file);
    const text = bytesOf(content, file);
    const { header, separator } = headerOf(text, join);
    const key = header.indexOf(by);
    checkNames(header, file);
    const names = header.filter((_, column) => column !== key);
    const documented = new CommonColumns().planned(kind, false).map(({ name }) => name);
    for (const name of names) {
      const known = documented.find((known) => folded(known) === folded(name));
      if (known !== undefined) throw isThere(known, name, file);
    }

    const rows = new Map<string, string>();
    /** The columns whose values are all numbers. */
    const numeric = header.map(() => true);
    records<Field>(text, file, { delimiter: separator, from: 2, cast: fieldOf }, (fields, line) => {
      const value = fields[key];
      if (value == null) return;
      if (rows.has(value)) {
        throw new Error(
          `${file} has ${JSON.stringify(value)} twice in the column ${JSON.stringify(by)}, the second time in the row that ends ` +
            `with line ${line}: each key can have one row`,
        );
      }
      rows.set(value, JSON.stringify(fields));
      fields.forEach((field, column) => {
        if (numeric[column] && field) numeric[column] = numberIn(field, separator) !== undefined;
      });
    });
    const labels = header.map((name) => JSON.stringify(name));
    const memberOf = (field: Field, column: number) => {
      // A finding without a value lacks the member. No number is an empty text.
      if (column === key || field === null || (numeric[column] && field === "")) return "";
      return `${labels[column]}:${numeric[column] ? numberIn(field, separator) : JSON.stringify(field)}`;
    };
    const hash = createHash("sha256").update(content).digest("hex");
    return new JoinedColumns(join, names, hash, rows, memberOf);
  }

  /** Adds the columns to findings. */
  addTo(findings: PartitionSource): PartitionSource {
    const { by, file } = this.#join;
    const names = new Map(this.names.map((name) => [folded(name), name]));
    const keys = keysOf(by);
    const outer = folded(keys[0] ?? "");
    return findings.withMembers((finding) => {
      const value = memberAt(finding, keys);
      for (const own of Object.keys(finding)) {
        const name = names.get(folded(own));
        if (name !== undefined) throw isThere(own, name, file);
        if (value === undefined && folded(own) === outer && own !== keys[0]) throw isSpelledOtherwise(own, by, file);
      }
      return this.#membersFor(value);
    });
  }

  /**
   * Refuses findings that have a key of the file both as a number and as a text, in this partition or in one before: they differ, and the file
   * cannot say which one it means.
   */
  checkKeys(findings: FindingsTable<object>): void {
    const { by, file } = this.#join;
    if (!findings.columns.includes(by)) return;
    for (const {
      key: [value],
    } of findings.countBy(by)) {
      const text = String(value);
      const type = typeof value;
      if ((type !== "number" && type !== "string") || !this.#rows.has(text)) continue;
      // A table rounds larger ones, and no text of a finding is the same as the rounded one by more than chance.
      if (type === "number" && !Number.isSafeInteger(value) && Number.isInteger(value)) continue;
      if ((this.#types.get(text) ?? type) !== type) {
        throw new FinalError(
          `the findings have the number ${text} and the text ${JSON.stringify(text)} in the column ${JSON.stringify(by)}, and ${file} ` +
            "cannot say which one it means: remove its row, and add the values with table.with in a program",
        );
      }
      this.#types.set(text, type);
    }
  }

  /** The members of the findings with a key, as JSON. */
  #membersFor(key: unknown): string {
    const isKey = typeof key === "string" || typeof key === "number" || typeof key === "bigint";
    const row = isKey ? this.#rows.get(String(key)) : undefined;
    if (row === undefined) return "";
    const fields: Field[] = JSON.parse(row);
    return fields
      .map(this.#memberOf)
      .filter((member) => member !== "")
      .join();
  }
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    // A pipe has no size.
    checkSize((await stat(file)).size, file);
    const content = await readFile(file);
    checkSize(content.length, file);
    return content;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    throw new Error(`the file of --join cannot be read: ${(error as Error).message}`);
  }
}

function checkSize(size: number, file: string): void {
  if (size <= MAX_SIZE) return;
  throw new Error(
    `${file} has ${Math.ceil(size / MIB)} MiB, and --join reads at most ${Math.floor(MAX_SIZE / MIB)} MiB: remove the columns ` +
      "and rows that the export does not need",
  );
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
    throw new Error(`the first line of ${file} has no column ${name}${hintOf(by, others, "its columns")}`);
  }
  if (found.header.length === 1) throw new Error(`${file} has no column beside ${name}`);
  return found;
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

/** A field of the findings keeps a column of the file from being added. */
function isThere(field: string, column: string, file: string): Error {
  return new FinalError(
    `the findings have a field ${JSON.stringify(field)} already: rename or remove the column ${JSON.stringify(column)} of ${file}`,
  );
}

function isSpelledOtherwise(field: string, by: string, file: string): Error {
  return new FinalError(
    `the findings have a field ${JSON.stringify(field)}, not ${JSON.stringify(by)}: rename that column of ${file}, and name it after --by`,
  );
}

/** The number of a field as JSON; undefined if it is none, or if a format could round it. */
function numberIn(field: string, separator: string): string | undefined {
  const isEnglish = separator !== ";";
  // Where semicolons separate fields, decimals follow a comma, and a point may group thousands.
  if (!isEnglish && /^-?[1-9]\d{0,2}\.\d{3}$/.test(field)) return undefined;
  const text = isEnglish ? field : field.replace(",", ".");
  const [digits = ""] = text.split(/e/i);
  return NUMBER.test(text) && digits.replace(/\D/g, "").length <= MAX_DIGITS ? text : undefined;
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
