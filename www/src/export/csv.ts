/**
 * Findings as CSV, for spreadsheets and for readers that know RFC 4180: fields separated by commas, lines ended by CRLF.
 *
 * - It begins with a byte order mark: without one Excel takes UTF-8 for the code page of the computer.
 * - A field inside an object has a column of its own under its dotted path, as in the table; an array is its JSON text.
 * - Texts are always quoted; numbers, true and false never are. A field that is missing, is null or is an empty object is
 *   an empty cell, an empty text is `""`. Who has to tell missing from null takes NDJSON.
 * - A text that a spreadsheet could take for a formula gets an apostrophe before it, which keeps it a text. So does one
 *   that looks like that already, therefore taking one apostrophe away gives back every text. Numbers stay numbers.
 * - CSV is made of characters, so a lone surrogate becomes U+FFFD when the file is written. All others stay, NUL too.
 */

import type { Format, Writing } from "./format.js";
import { jsonText, numberText } from "./json-text.js";

export const csv: Format = {
  name: "CSV",
  extension: ".csv",
  mediaType: "text/csv",
  begin(columns): Writing {
    const outline = outlineOf(columns);
    return {
      head: byteOrderMark + line(columns.map(cell)),
      lines: (findings) => findings.map((finding) => line(cells(finding, outline, columns.length))).join(""),
    };
  },
};

/** A text that a spreadsheet could take for a formula, or that has been kept from it: what begins with = + - @ or a control. */
export const formulaLike = /^'*(?:[\t\r\n]|\s*[=+\-@\uff1d\uff0b\uff0d\uff20])/;

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
      line[outline.column] = cell(value);
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
  return `${cells.join(",")}\r\n`;
}

function cell(value: unknown): string {
  switch (typeof value) {
    case "string":
      return quoted(formulaLike.test(value) ? `'${value}` : value);
    case "number":
      return numberText(value);
    case "boolean":
      return String(value);
  }
  return isNothing(value) ? "" : quoted(jsonText(value));
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}
