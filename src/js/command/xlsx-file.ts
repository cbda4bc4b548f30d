// Findings as a workbook of Excel (ECMA-376), in the course of writing: one sheet, or several where one has no more room.
//
// - A text is an inline string, which never runs as a formula. Numbers are numbers, but Excel keeps 15 digits: an integer
//   with more is a text, so that keys stay what they are.
// - A missing field, null and an empty object are an empty cell. Arrays and objects are JSON text.
// - XML has no control characters, so they are written as Excel does: `_x0001_`. A lone surrogate is U+FFFD.

import { jsonText, numberText } from "../arrow/json-text.js";
import { type CellReader, cellReader } from "./finding-cells.js";
import { ZipFile } from "./zip-file.js";

/** The limits of a sheet (Excel specifications and limits). */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_TEXT = 32_767;

/** The characters of a sheet after which the next one begins, because a file in an archive has at most 4 GB. */
const MAX_SHEET = 1_000_000_000;

/** The largest integer that Excel keeps. */
const MAX_INTEGER = 999_999_999_999_999;

/** The characters that XML does not allow. */
const FORBIDDEN = /(?![\t\n\r\x7f-\x9f])[\p{Cc}\ufffe\uffff]/gu;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml";

export class XlsxFile {
  readonly #zip = new ZipFile();
  readonly #names: readonly string[];
  readonly #letters: readonly string[];
  readonly #cellsOf: CellReader;
  readonly #maxRows: number;
  #sheets = 0;
  /** The rows and characters of the sheet in the course of writing. */
  #rows = 0;
  #characters = 0;

  /**
   * @param columns all columns of the findings, by their names in a table
   * @param maxRows of a sheet
   */
  constructor(columns: readonly string[], maxRows = MAX_ROWS) {
    if (columns.length > MAX_COLUMNS) {
      throw new Error(
        `A sheet has at most ${MAX_COLUMNS} columns, and the findings have ${columns.length}. ${instead()}`,
      );
    }
    this.#names = columns;
    this.#letters = columns.map((_, column) => lettersOf(column));
    this.#cellsOf = cellReader(columns);
    this.#maxRows = maxRows;
  }

  /** Adds findings. Returns the next parts of the file. */
  *add(findings: readonly object[]): Generator<Buffer, void> {
    let text = "";
    for (const finding of findings) {
      if (this.#sheets === 0 || this.#rows === this.#maxRows || this.#characters > MAX_SHEET) {
        if (text !== "") yield this.#zip.write(text);
        text = "";
        yield* this.#nextSheet();
      }
      const row = this.#row(this.#cellsOf(finding));
      this.#characters += row.length;
      text += row;
    }
    if (text !== "") yield this.#zip.write(text);
  }

  /** Ends the file, and returns its last parts. */
  *end(): Generator<Buffer, void> {
    if (this.#sheets === 0) yield* this.#nextSheet();
    yield* this.#endSheet();
    const sheets = Array.from({ length: this.#sheets }, (_, index) => index + 1);
    const type = (part: string, name: string) => `<Override PartName="${part}" ContentType="${SHEET}.${name}+xml"/>`;
    const relation = (id: number, name: string, target: string) =>
      `<Relationship Id="rId${id}" Type="${TYPES}/${name}" Target="${target}"/>`;
    const others = {
      "xl/workbook.xml":
        `<workbook xmlns="${MAIN}" xmlns:r="${TYPES}"><sheets>` +
        sheets
          .map((id) => `<sheet name="Findings${id > 1 ? ` ${id}` : ""}" sheetId="${id}" r:id="rId${id}"/>`)
          .join("") +
        "</sheets></workbook>",
      "xl/_rels/workbook.xml.rels":
        `<Relationships xmlns="${RELATIONS}">` +
        sheets.map((id) => relation(id, "worksheet", `worksheets/sheet${id}.xml`)).join("") +
        "</Relationships>",
      "_rels/.rels": `<Relationships xmlns="${RELATIONS}">${relation(1, "officeDocument", "xl/workbook.xml")}</Relationships>`,
      "[Content_Types].xml":
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">' +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        type("/xl/workbook.xml", "sheet.main") +
        sheets.map((id) => type(`/xl/worksheets/sheet${id}.xml`, "worksheet")).join("") +
        "</Types>",
    };
    for (const [name, text] of Object.entries(others)) {
      yield this.#zip.begin(name);
      yield this.#zip.write(XML + text);
      yield this.#zip.end();
    }
    yield this.#zip.close();
  }

  *#nextSheet(): Generator<Buffer, void> {
    if (this.#sheets > 0) yield* this.#endSheet();
    this.#sheets++;
    this.#rows = 0;
    this.#characters = 0;
    yield this.#zip.begin(`xl/worksheets/sheet${this.#sheets}.xml`);
    yield this.#zip.write(`${XML}<worksheet xmlns="${MAIN}"><sheetData>${this.#row(this.#names)}`);
  }

  *#endSheet(): Generator<Buffer, void> {
    yield this.#zip.write("</sheetData></worksheet>");
    yield this.#zip.end();
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
    if (text.length > MAX_TEXT) {
      throw new Error(
        `A cell has at most ${MAX_TEXT} characters, and a finding has a text of ${text.length} in the column ` +
          `${JSON.stringify(this.#names[column])}. ${instead()}`,
      );
    }
    return `${place} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  }
}

function instead(): string {
  return "Export to a .csv or .parquet file instead.";
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

/** A text as XML. A carriage return is a reference, because XML reads it as a line feed otherwise. */
function escaped(text: string): string {
  return text
    .replace(/_(?=x[\da-f]{4}_)/gi, "_x005F_")
    .replace(/[&<>\r]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(FORBIDDEN, (character) => {
      return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
    });
}
