// Rows as CSV, for spreadsheets and for parsers of RFC 4180: lines ended by CRLF, whose first one has the names of the columns.
//
// - Where numbers have a decimal comma, spreadsheets split lines at semicolons. So a file with semicolons has decimal commas.
// - The file begins with a byte order mark. Without one, Excel reads UTF-8 in the code page of the computer.
// - A field inside an object has its own column under its dotted path, as in the table. An array is its JSON text.
// - Texts are always quoted; numbers, true and false never are. A missing field, null and an object without a value
//   inside are an empty cell; an empty text is `""`. NDJSON distinguishes missing from null.
// - No text cell begins like a formula, whether the file is split at commas, semicolons or tabs, with or without regard to
//   quotes. guard.ts inserts apostrophes for that: at the beginning of a text like `=1`, and inside one like `good;=1`. They
//   can be removed again; nearly all texts have none.
// - Numbers stay numbers; what JSON lacks, NaN and the infinities, is an empty cell. A negative number at the beginning of a line has a space before it, because such a line is one
//   cell when split at semicolons. Parsers of numbers skip the space.
// - CSV consists of characters, so a lone surrogate is written as U+FFFD. All other characters stay, NUL too.

import { jsonText, numberText } from "../../core/host/json-text.js";
import { guarded, guardedAtEnd } from "./guard.js";
import { Share } from "./row-source.js";

/** The characters that can separate fields. */
export const SEPARATORS = [",", ";"] as const;

export type CsvSeparator = (typeof SEPARATORS)[number];

/** How a file is written. */
export interface CsvForm {
  readonly separator: CsvSeparator;
  readonly byteOrderMark: boolean;
}

/** Where spreadsheets split lines at commas, and where at semicolons. */
export function usualForm(separator: CsvSeparator = ","): CsvForm {
  return { separator, byteOrderMark: true };
}

/** CSV in the course of writing. */
export interface CsvWriting {
  /** The names of the columns, as the first line. */
  readonly head: string;
  /** Returns the lines of the next rows. */
  lines(rows: readonly (readonly unknown[])[]): string;
}

/** Begins to write rows, whose cells are undefined where they are empty. */
export function csvWriting(columns: readonly string[], form: CsvForm): CsvWriting {
  const write = (cells: readonly unknown[]) =>
    line(
      cells.map((value, column) => cell(value, column === columns.length - 1, form)),
      form,
    );
  return {
    head: (form.byteOrderMark ? "\ufeff" : "") + write(columns),
    lines: (rows) => rows.map(write).join(""),
  };
}

function line(cells: string[], { separator }: CsvForm): string {
  const space = cells.length > 1 && cells[0]?.startsWith("-") ? " " : "";
  return `${space}${cells.join(separator)}\r\n`;
}

function cell(value: unknown, isLast: boolean, form: CsvForm): string {
  switch (typeof value) {
    case "string":
      return quoted(value, isLast);
    case "number":
      if (!Number.isFinite(value)) return "";
      return form.separator === ";" ? numberText(value).replace(".", ",") : numberText(value);
    case "bigint":
    case "boolean":
      return String(value);
  }
  // Spreadsheets read a per cent as one; four decimals of it are six digits of the share.
  if (value instanceof Share) return `${cell(+(100 * value.value).toFixed(4), isLast, form)}%`;
  return value === undefined ? "" : quoted(jsonText(value), isLast);
}

function quoted(text: string, isLast: boolean): string {
  const safe = isLast ? guardedAtEnd(text) : guarded(text);
  return `"${safe.replaceAll('"', '""')}"`;
}
