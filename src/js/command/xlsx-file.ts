// Findings as a workbook of Excel (ECMA-376), in the course of writing: one sheet.
//
// - A text is an inline string, which never runs as a formula. Numbers are numbers, but Excel keeps 15 digits: an integer
//   with more is a text, so that keys stay what they are.
// - A missing field, null and an object without a value inside are an empty cell. Arrays and objects are JSON text.
// - XML has no control characters, so they are written as Excel does: `_x0001_`. A lone surrogate is U+FFFD.
// - What a sheet has no room for is an error: programs read the first sheet, and would miss the rows of a second one.

import { jsonText, numberText } from "../arrow/json-text.js";
import { FinalError } from "./final-error.js";
import { type CellReader, cellReader } from "./finding-cells.js";
import type { Partition } from "./format.js";
import { ZipFile } from "./zip-file.js";

/** The limits of a sheet (Excel specifications and limits). */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_TEXT = 32_767;

/** The largest integer that Excel keeps. */
const MAX_INTEGER = 999_999_999_999_999;

/** The characters that XML does not allow. */
const FORBIDDEN = /(?![\t\n\r\x7f-\x9f])[\p{Cc}\ufffe\uffff]/gu;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The parts of a workbook beside its sheet. Some readers refuse one without styles. */
const PARTS = {
  "xl/styles.xml":
    `<styleSheet xmlns="${MAIN}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>` +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    '<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>' +
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
  "xl/workbook.xml": `<workbook xmlns="${MAIN}" xmlns:r="${TYPES}"><sheets><sheet name="Findings" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels": relations({ worksheet: "worksheets/sheet1.xml", styles: "styles.xml" }),
  "_rels/.rels": relations({ officeDocument: "xl/workbook.xml" }),
  "[Content_Types].xml":
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    Object.entries({ "workbook.xml": "sheet.main", "worksheets/sheet1.xml": "worksheet", "styles.xml": "styles" })
      .map(([part, name]) => `<Override PartName="/xl/${part}" ContentType="${SHEET}.${name}+xml"/>`)
      .join("") +
    "</Types>",
};

export class XlsxFile {
  readonly #zip = new ZipFile();
  readonly #names: readonly string[];
  readonly #letters: readonly string[];
  readonly #cellsOf: CellReader;
  readonly #maxRows: number;
  #rows = 0;

  /**
   * @param columns all columns of the findings, by their names in a table
   * @param maxRows of a sheet
   */
  constructor(columns: readonly string[], maxRows = MAX_ROWS) {
    if (columns.length > MAX_COLUMNS) {
      throw noRoom(`A sheet has at most ${MAX_COLUMNS} columns, and the findings have ${columns.length}.`);
    }
    this.#names = columns;
    this.#letters = columns.map((_, column) => lettersOf(column));
    this.#cellsOf = cellReader(columns);
    this.#maxRows = maxRows;
  }

  /** Begins the file. Returns its next parts, as each method does. */
  *begin(): Generator<Buffer, void> {
    yield this.#zip.begin("xl/worksheets/sheet1.xml");
    yield this.#zip.write(`${XML}<worksheet xmlns="${MAIN}"><sheetData>${this.#row(this.#names)}`);
  }

  /** Adds findings. */
  *add(findings: readonly object[]): Generator<Buffer, void> {
    checkRows(this.#rows - 1 + findings.length, this.#maxRows);
    if (findings.length > 0) yield this.#zip.write(findings.map((one) => this.#row(this.#cellsOf(one))).join(""));
  }

  /** Ends the file. */
  *end(): Generator<Buffer, void> {
    yield this.#zip.write("</sheetData></worksheet>");
    yield this.#zip.end();
    for (const [name, text] of Object.entries(PARTS)) {
      yield this.#zip.begin(name);
      yield this.#zip.write(XML + text);
      yield this.#zip.end();
    }
    yield this.#zip.close();
  }

  #row(values: readonly unknown[]): string {
    const number = ++this.#rows;
    const cells = values.map((value, column) => this.#cell(value, column, number));
    return `<row r="${number}">${cells.join("")}</row>`;
  }

  #cell(value: unknown, column: number, row: number): string {
    const place = `<c r="${this.#letters[column]}${row}"`;
    switch (typeof value) {
      case "undefined":
        return "";
      case "boolean":
        return `${place} t="b"><v>${Number(value)}</v></c>`;
      case "number":
        if (Number.isFinite(value) && !(Number.isInteger(value) && Math.abs(value) > MAX_INTEGER)) {
          return `${place}><v>${value}</v></c>`;
        }
    }
    const text = textOf(value);
    checkText(text, () => `row ${row}`, this.#names[column] as string);
    return `${place} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  }
}

/** Refuses more findings than the rows of a sheet, the first of which has the names of the columns. */
export function checkRows(findings: number, maxRows = MAX_ROWS): void {
  if (findings < maxRows) return;
  throw noRoom(`A sheet has rows for ${maxRows - 1} findings, and there are at least ${findings}.`);
}

/** Refuses a partition with a text that no cell can hold. */
export function checkTexts({ index: partition, table }: Partition): void {
  for (const name of table.columns) {
    table.column(name).forEach((value, index) => {
      // The fields of an object have columns of their own.
      if (typeof value !== "string" && !Array.isArray(value)) return;
      checkText(textOf(value), () => `finding ${index} of partition ${partition}`, name);
    });
  }
}

function checkText(text: string, place: () => string, column: string): void {
  if (text.length <= MAX_TEXT) return;
  throw noRoom(
    `A cell has at most ${MAX_TEXT} characters, and the text of ${place()} in the column ${JSON.stringify(column)} ` +
      `has ${text.length}.`,
  );
}

function noRoom(message: string): Error {
  return new FinalError(`${message} Export to a .csv or .parquet file instead.`);
}

/** The relations to parts, by their types. */
function relations(targets: Record<string, string>): string {
  const items = Object.entries(targets).map(
    ([type, target], index) => `<Relationship Id="rId${index + 1}" Type="${TYPES}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${RELATIONS}">${items.join("")}</Relationships>`;
}

/** The letters of a column: A to Z, AA and so on. */
function lettersOf(column: number): string {
  const last = String.fromCharCode(65 + (column % 26));
  return column < 26 ? last : lettersOf(Math.floor(column / 26) - 1) + last;
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "bigint") return String(value);
  return typeof value === "number" ? numberText(value) : jsonText(value);
}

/**
 * A text as XML. A carriage return is a reference, because XML reads it as a line feed otherwise. A text that looks like the
 * beginning of a written control character would be one, if such a character followed.
 */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[\da-f]{4})/gi, "_x005F_")
    .replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(FORBIDDEN, (character) => {
      return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
    });
}
