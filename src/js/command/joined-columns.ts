// The columns that `--join` adds to an export: those of a CSV file, by the values of one column that the findings have, too.

import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type CsvError, type Options, parse } from "csv-parse/sync";
import { keysOf, memberAt } from "../table/column-path.js";
import type { FindingKind } from "../table/finding.js";
import { CommonColumns } from "./common-schema.js";
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

export class JoinedColumns {
  /** The names of the columns, as the file has them. */
  readonly names: readonly string[];
  /** What identifies the columns and their values. */
  readonly origin: object;
  readonly #join: Join;
  /** The members of the findings with a key, as JSON. A finding without a value lacks the member. */
  readonly #members: ReadonlyMap<string, string>;

  private constructor(join: Join, names: readonly string[], members: ReadonlyMap<string, string>, hash: string) {
    this.#join = join;
    this.names = names;
    this.#members = members;
    this.origin = { by: join.by, sha256: hash };
  }

  /** Reads the file, and rejects if its columns cannot be added to findings of this kind. */
  static async read(join: Join, kind: FindingKind): Promise<JoinedColumns> {
    const { file, by } = join;
    const content = await readFile(file).catch((cause) => {
      throw new Error(`the file of --join cannot be read: ${cause.message}`);
    });
    const text = bytesOf(content, file);
    const { header, separator } = headerOf(text, join);
    const key = header.indexOf(by);
    const names = header.filter((_, column) => column !== key);
    checkNames(header, file);
    const documented = new Set(new CommonColumns().planned(kind, false).map(({ name }) => keysOf(name)[0]));
    for (const name of names) if (documented.has(name)) throw isThere(name, file);

    const labels = header.map((name) => JSON.stringify(name));
    const members = new Map<string, string>();
    records(text, file, { delimiter: separator, from: 2 }, (fields, line) => {
      const value = fields[key];
      if (value === undefined || value === "") return;
      if (members.has(value)) {
        throw new Error(
          `${file} has ${JSON.stringify(value)} twice in the column ${JSON.stringify(by)}, the second time in the row that ends ` +
            `with line ${line}: each key can have one row`,
        );
      }
      const cells = fields.map((field, column) => {
        return column === key || field === "" ? "" : `${labels[column]}:${JSON.stringify(field)}`;
      });
      // Joined texts would keep their parts.
      members.set(value, Buffer.from(cells.filter((cell) => cell !== "").join()).toString());
    });
    return new JoinedColumns(join, names, members, createHash("sha256").update(content).digest("hex"));
  }

  /** Adds the columns to findings. */
  addTo(findings: PartitionSource): PartitionSource {
    const keys = keysOf(this.#join.by);
    return findings.withMembers((finding) => {
      const own = this.names.find((name) => Object.hasOwn(finding, name));
      if (own !== undefined) throw isThere(own, this.#join.file);
      const value = memberAt(finding, keys);
      const isKey = value !== undefined && value !== null && typeof value !== "object";
      return (isKey && this.#members.get(String(value))) || "";
    });
  }
}

/** The file in UTF-8. */
function bytesOf(content: Uint8Array, file: string): Buffer {
  try {
    return Buffer.from(textOf(content, true));
  } catch {
    throw new Error(`${file} is no text in UTF-8 or UTF-16. Excel saves one as "CSV UTF-8"`);
  }
}

/** The names of the columns, and the separator: the one that makes the most columns, one of which is the key. */
function headerOf(text: Buffer, { file, by }: Join): { header: string[]; separator: string } {
  const name = JSON.stringify(by);
  let found: { header: string[]; separator: string } | undefined;
  for (const separator of SEPARATORS) {
    let header: string[] = [];
    try {
      records(text, file, { delimiter: separator, to: 1 }, (fields) => {
        header = fields;
      });
    } catch {
      // Quotes stand beside another separator.
    }
    if (header.includes(by) && header.length > (found?.header.length ?? 0)) found = { header, separator };
  }
  if (found === undefined) {
    throw new Error(`the first line of ${file} has no column ${name}, before or after a comma, a semicolon or a tab`);
  }
  if (found.header.length === 1) throw new Error(`${file} has no column beside ${name}`);
  return found;
}

function checkNames(header: readonly string[], file: string): void {
  header.forEach((name, column) => {
    if (name === "") throw new Error(`column ${column + 1} of ${file} has no name`);
    if (header.indexOf(name) < column) throw new Error(`${file} has two columns ${JSON.stringify(name)}`);
  });
}

function isThere(name: string, file: string): Error {
  return new Error(
    `the findings have a field ${JSON.stringify(name)} already: rename or remove that column of ${file}`,
  );
}

/** Reads the records of a file, one after the other. */
function records(text: Buffer, file: string, options: Options, use: (fields: string[], line: number) => void): void {
  try {
    parse(text, {
      ...options,
      skip_empty_lines: true,
      on_record: (fields: string[], { lines }) => {
        use(fields, lines);
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
