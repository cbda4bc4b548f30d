/**
 * Findings as CSV, for spreadsheets and for readers that know RFC 4180: fields separated by commas, lines ended by CRLF.
 *
 * - It begins with a byte order mark: without one Excel takes UTF-8 for the code page of the computer.
 * - A field inside an object has a column of its own under its dotted path, as in the table; an array is its JSON text.
 * - Texts are always quoted; numbers, true and false never are. A field that is missing, is null or is an empty object is
 *   an empty cell, an empty text is `""`. Who has to tell missing from null takes NDJSON.
 * - No cell with text begins as a formula does, whether the file is split at commas, semicolons or tabs, with regard to
 *   quotes or without. For that apostrophes stand in texts, as guard.ts says: at the beginning of one like `=1`, and in the
 *   middle of one like `good;=1`. They can be taken away again, and nearly every text has none.
 * - Numbers stay numbers. One below zero has a space before it at the beginning of a line, as split at semicolons such a
 *   line is one cell; readers of numbers leave the space out.
 * - CSV is made of characters, so a lone surrogate becomes U+FFFD when the file is written. All others stay, NUL too.
 */

import type { Format, Writing } from "./format.js";
import { guarded, guardedAtEnd } from "./guard.js";
import { jsonText, numberText } from "./json-text.js";

export const csv: Format = {
  name: "CSV",
  extension: ".csv",
  mediaType: "text/csv",
  begin(columns): Writing {
    const outline = outlineOf(columns);
    return {
      head: byteOrderMark + line(columns.map((name, column) => cell(name, column === columns.length - 1))),
      lines: (findings) => findings.map((finding) => line(cells(finding, outline, columns.length))).join(""),
    };
  },
};

const byteOrderMark = "\ufeff";

/** Where the values under a key go. */
interface Outline {
  /** The column of a value that is no object with columns of its own. */
  column?: number;
  /** The fields of an object that have columns of their own. */
  fields: Map<string, Outline>;
}

function outlineOf(columns: readonly string[]): Outline {
  const whole: Outline = { fields: new Map() };
  columns.forEach((path, column) => {
    let outline = whole;
    for (const key of keysOf(path)) {
      const inner = outline.fields.get(key) ?? { fields: new Map() };
      outline.fields.set(key, inner);
      outline = inner;
    }
    outline.column = column;
  });
  return whole;
}

/** The keys of a dotted path, in which a backslash stands before a dot or a backslash that is part of a key. */
function keysOf(path: string): string[] {
  const keys = [""];
  for (const part of path.match(/\\.|\.|[^\\.]+/gs) ?? []) {
    keys.push(part === "." ? "" : keys.pop() + part.replace(/^\\/, ""));
  }
  return keys;
}

function cells(finding: object, outline: Outline, width: number): string[] {
  const line = new Array<string>(width).fill("");
  fill(line, finding, outline);
  return line;
}

function fill(line: string[], object: object, { fields }: Outline): void {
  for (const [key, value] of Object.entries(object)) {
    const outline = fields.get(key);
    if (outline !== undefined && hasFieldsIn(value, outline)) {
      fill(line, value, outline);
    } else if (outline?.column !== undefined) {
      line[outline.column] = cell(value, outline.column === line.length - 1);
    } else if (!isNothing(value)) {
      // The table has a column for every field, unless there are thousands of them. To leave one out is no choice.
      throw new Error(`CSV has no column for the field ${JSON.stringify(key)}. Export the findings as NDJSON instead.`);
    }
  }
}

/** Whether a value is an object of which every field has a place of its own. */
function hasFieldsIn(value: unknown, { fields }: Outline): value is object {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    fields.size > 0 &&
    Object.keys(value).every((key) => fields.has(key))
  );
}

/** Whether nothing of a value is lost where it has no cell. */
function isNothing(value: unknown): boolean {
  return typeof value === "object" && !Array.isArray(value) && Object.keys(value ?? {}).length === 0;
}

function line(cells: string[]): string {
  const space = cells.length > 1 && cells[0]?.startsWith("-") ? " " : "";
  return `${space}${cells.join(",")}\r\n`;
}

function cell(value: unknown, isLast: boolean): string {
  switch (typeof value) {
    case "string":
      return quoted(value, isLast);
    case "number":
      return numberText(value);
    case "boolean":
      return String(value);
  }
  return isNothing(value) ? "" : quoted(jsonText(value), isLast);
}

function quoted(text: string, isLast: boolean): string {
  const safe = isLast ? guardedAtEnd(text) : guarded(text);
  return `"${safe.replaceAll('"', '""')}"`;
}
