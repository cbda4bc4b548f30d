// A CSV file of the user, such as one that a survey tool, Excel or R has written: its rows by the values of one column.

import { readFile } from "node:fs/promises";
import { type CsvError, type Options, parse } from "csv-parse/sync";
import { orUndefined } from "../core/host/member.js";
import { textOf } from "./text-file.js";

/** A row: the text of each field by the name of its column; undefined for an empty field without quotes, which has no value. */
export type TextRow = Record<string, string | undefined>;

/** A file that has been read. */
export interface CsvFile {
  /** The names of the columns beside the key. */
  readonly names: readonly string[];
  /** The rows by their key, without it. A row without a key is none. */
  readonly rows: Map<string, TextRow>;
  readonly separator: string;
}

/** The characters that can separate the fields. */
const SEPARATORS = [",", ";", "\t"];

/** What ends a line. Without it, csv-parse takes what ends the first line for the end of every line. */
const RULES = { bom: true, record_delimiter: ["\r\n", "\n", "\r"], skip_empty_lines: true } satisfies Options;

/**
 * Reads a file.
 *
 * @param option the option that names it
 * @param by the name of the column with the keys, each of which can be in one row
 */
export async function readCsv(option: string, file: string, by: string): Promise<CsvFile> {
  const text = await contentOf(option, file);
  const rows = new Map<string, TextRow>();
  const [separator, header] = headerOf(text, file, by);
  checkNames(header, file);
  const cast = (field: string, { quoting, header }: { quoting: boolean; header: boolean }) =>
    field === "" && !quoting && !header ? undefined : field;
  try {
    parse(text, {
      ...{ ...RULES, delimiter: separator, columns: true, cast },
      on_record({ [by]: key, ...row }: TextRow, { lines }) {
        if (key !== undefined && rows.has(key)) {
          throw new Error(
            `${file} has ${JSON.stringify(key)} twice in the column ${JSON.stringify(by)}, the second time in the row that ends ` +
              `with line ${lines}: each key can have one row`,
          );
        }
        if (key !== undefined) rows.set(key, row);
        return null;
      },
    });
  } catch (error) {
    const { code, lines } = error as CsvError;
    if (code === undefined) throw error;
    const what = code.includes("INCONSISTENT")
      ? "more or fewer fields than the first line"
      : "a quote in the wrong place, or one that is not closed";
    throw new Error(`${file} is no CSV file: line ${lines} has ${what}`);
  }
  return { names: header.filter((name) => name !== by), rows, separator };
}

async function contentOf(option: string, file: string): Promise<string> {
  const bytes = await readFile(file).catch((error: Error) => {
    throw new Error(`the file of ${option} cannot be read: ${error.message}`);
  });
  try {
    return textOf(bytes, true);
  } catch {
    throw new Error(`${file} is no text in UTF-8 or UTF-16. Excel saves one as "CSV UTF-8"`);
  }
}

/** The separator that makes the most columns, one of which is the key, and their names. */
function headerOf(text: string, file: string, by: string): [separator: string, header: string[]] {
  const headers = SEPARATORS.map((delimiter): [string, string[]] => {
    // Quotes may stand beside another separator.
    return [delimiter, orUndefined(() => parse(text, { ...RULES, delimiter, to: 1 })[0]) ?? []];
  });
  headers.sort(([, one], [, other]) => other.length - one.length);
  const found = headers.find(([, header]) => header.includes(by));
  if (found !== undefined) return found;
  const others = headers[0]?.[1].map((name) => JSON.stringify(name)).join(", ");
  throw new Error(`the first line of ${file} has no column ${JSON.stringify(by)}; its columns are ${others}`);
}

/** Refuses names that DuckDB, Spark and Excel take for one, because they ignore the case. */
function checkNames(header: readonly string[], file: string): void {
  header.forEach((name, column) => {
    if (name === "") throw new Error(`column ${column + 1} of ${file} has no name`);
    const before = header.slice(0, column).find((before) => before.toLowerCase() === name.toLowerCase());
    if (before === undefined) return;
    const both = `${JSON.stringify(before)} and ${JSON.stringify(name)}`;
    throw new Error(`${file} has the columns ${both}, which many programs take for one: rename or remove one of them`);
  });
}
