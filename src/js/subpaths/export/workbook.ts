// A workbook of Excel (ECMA-376) in the course of writing: one sheet, whose first row stays in view and has a filter.
//
// - A text is an inline string, which never runs as a formula. Numbers are numbers, but Excel keeps 15 digits: an integer
//   with more is a text, so that keys stay what they are.
// - A missing field, null, a number that JSON lacks and an object without a value inside are an empty cell. Arrays and objects are JSON text.
// - Texts are dates only in columns that are named as such, and only in the form of ISO 8601.
// - XML has no control characters, so they are written as Excel does: `_x0001_`. A lone surrogate is U+FFFD.
// - What a sheet has no room for is an error: programs read the first sheet, and would miss the rows of a second one.

import { jsonText, numberText } from "../../core/host/json-text.js";
import { LimitError } from "./limit-error.js";
import { Share } from "./row-source.js";
import { type Compressor, ZipFile } from "./zip-file.js";

/** What the rows of a sheet are. */
export interface Sheet {
  /** The names of the columns, in the first row. */
  readonly columns: readonly string[];
  readonly sheetName?: string;
  /** The names of the columns whose texts are dates. */
  readonly dates?: readonly string[];
  /** The rows of a sheet. Excel has 1 048 576. */
  readonly maxRows?: number;
}

/** Some rows, each with its cells. */
export type Rows = readonly (readonly unknown[])[];

/** The limits of a sheet (Excel specifications and limits). */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;
const MAX_TEXT = 32_767;

/** The largest integer that Excel keeps. */
const MAX_INTEGER = 999_999_999_999_999;

/** The width of a column, in characters, and the rows whose texts decide it. */
const MIN_WIDTH = 8;
const MAX_WIDTH = 60;
const SAMPLE = 100;

/** The characters that XML does not allow. */
const FORBIDDEN = /(?![\t\n\r\x7f-\x9f])[\p{Cc}\ufffe\uffff]/gu;

/** The styles of cells, by their place among `cellXfs`. */
const HEADER = 1;
const DAY = 2;
const MINUTE = 3;
const PERCENT = 4;

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships";
const TYPES = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Begins with the cell below the first row, so that this row stays in view. */
const FROZEN =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
  "</sheetView></sheetViews>";

/** The parts of a workbook beside its sheet. Some readers refuse one without styles. */
function partsOf(sheetName: string): Record<string, string> {
  const style = (font: number, format: number) =>
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyFont="1" applyNumberFormat="1"/>`;
  // The formats 14 and 22 are a day and a minute, as the computer's region writes them.
  const styles = [style(0, 0), style(1, 0), style(0, 14), style(0, 22), style(0, 164)];
  return {
    "xl/styles.xml":
      `<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0.0 %"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>` +
      '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
      '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
      '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
      '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
      `<cellXfs count="${styles.length}">${styles.join("")}</cellXfs>` +
      '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
    "xl/workbook.xml":
      `<workbook xmlns="${MAIN}" xmlns:r="${TYPES}"><bookViews><workbookView/></bookViews>` +
      `<sheets><sheet name="${escaped(sheetName).replaceAll('"', "&#34;")}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
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
}

/**
 * Writes a workbook. Returns its bytes, part by part.
 *
 * @param rows in the order of the sheet
 * @param compressor returns the compressor of a file
 */
export async function* workbook(
  sheet: Sheet,
  rows: AsyncIterable<Rows>,
  compressor: () => Compressor,
): AsyncGenerator<Uint8Array, void> {
  const zip = new ZipFile(compressor);
  yield* zip.file("xl/worksheets/sheet1.xml", new SheetWriter(sheet).pieces(rows));
  for (const [name, text] of Object.entries(partsOf(sheet.sheetName ?? "Findings")))
    yield* zip.file(name, [XML + text]);
  yield zip.close();
}

/** Refuses more rows than a sheet has beside that of the names. */
export function checkRows(count: number, maxRows = MAX_ROWS): void {
  if (count < maxRows) return;
  throw new LimitError(`a sheet has room for ${maxRows - 1} rows, and there are at least ${count}: use CSV instead`);
}

/** Refuses more columns than a sheet has. */
export function checkColumns(count: number): void {
  if (count <= MAX_COLUMNS) return;
  throw new LimitError(`a sheet has at most ${MAX_COLUMNS} columns, and there are ${count}: use CSV instead`);
}

/**
 * Refuses a value that no cell can hold.
 *
 * @param place of the value, such as `row 2`
 */
export function checkCell(value: unknown, place: () => string, column: string): void {
  if (typeof value === "string" || typeof value === "object") checkText(textOf(value), place, column);
}

/** The XML of a sheet. */
class SheetWriter {
  readonly #columns: readonly string[];
  readonly #letters: readonly string[];
  readonly #dates: ReadonlySet<number>;
  readonly #maxRows: number | undefined;
  #rows = 0;

  constructor({ columns, dates = [], maxRows }: Sheet) {
    checkColumns(columns.length);
    this.#columns = columns;
    this.#letters = columns.map((_, column) => lettersOf(column));
    this.#dates = new Set(columns.flatMap((name, column) => (dates.includes(name) ? [column] : [])));
    this.#maxRows = maxRows;
  }

  async *pieces(batches: AsyncIterable<Rows>): AsyncGenerator<string, void> {
    for await (const rows of batches) {
      if (this.#rows === 0) yield this.#begin(rows);
      checkRows(this.#rows - 1 + rows.length, this.#maxRows);
      if (rows.length > 0) yield rows.map((row) => this.#row(row)).join("");
    }
    if (this.#rows === 0) yield this.#begin([]);
    const last = this.#letters.at(-1);
    yield `</sheetData>${last === undefined ? "" : `<autoFilter ref="A1:${last}${this.#rows}"/>`}</worksheet>`;
  }

  /** @param first the first rows, whose texts decide how wide the columns are */
  #begin(first: Rows): string {
    const widths = this.#columns.map((name, column) => {
      const texts = [
        name,
        ...first.slice(0, SAMPLE).map((row) => (row[column] === undefined ? "" : textOf(row[column]))),
      ];
      const width = Math.min(
        MAX_WIDTH,
        texts.reduce((most, text) => Math.max(most, text.length + 2), MIN_WIDTH),
      );
      return `<col min="${column + 1}" max="${column + 1}" width="${width}" customWidth="1"/>`;
    });
    const columns = widths.length === 0 ? "" : `<cols>${widths.join("")}</cols>`;
    return `${XML}<worksheet xmlns="${MAIN}">${FROZEN}${columns}<sheetData>${this.#row(this.#columns, HEADER)}`;
  }

  #row(values: readonly unknown[], style?: number): string {
    const number = ++this.#rows;
    const cells = values.map((value, column) => this.#cell(value, column, number, style));
    return `<row r="${number}">${cells.join("")}</row>`;
  }

  #cell(value: unknown, column: number, row: number, style: number | undefined): string {
    const place = (style?: number) =>
      `<c r="${this.#letters[column]}${row}"${style === undefined ? "" : ` s="${style}"`}`;
    switch (typeof value) {
      case "undefined":
        return "";
      case "boolean":
        return `${place()} t="b"><v>${Number(value)}</v></c>`;
      case "number":
        if (!Number.isFinite(value)) return "";
        if (!(Number.isInteger(value) && Math.abs(value) > MAX_INTEGER)) {
          return `${place()}><v>${value}</v></c>`;
        }
        break;
      case "string": {
        const date = style === undefined && this.#dates.has(column) ? dateOf(value) : undefined;
        if (date !== undefined) return `${place(date.style)}><v>${date.days}</v></c>`;
      }
    }
    if (value instanceof Share) return `${place(PERCENT)}><v>${value.value}</v></c>`;
    const text = textOf(value);
    checkText(text, () => `row ${row}`, this.#columns[column] as string);
    return `${place(style)} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
  }
}

function checkText(text: string, place: () => string, column: string): void {
  if (text.length <= MAX_TEXT) return;
  throw new LimitError(
    `a cell has at most ${MAX_TEXT} characters, and the text of ${place()} in the column ${JSON.stringify(column)} ` +
      `has ${text.length}: use CSV instead`,
  );
}

/** A date of ISO 8601: a day, or a day and a time, in UTC if it says how far it is from there. */
const DATES = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d(?:\.\d+)?))?(?:Z|([+-])(\d\d):?(\d\d))?)?$/;

/** The milliseconds of a day. */
const PER_DAY = 86_400_000;

/** The days before 1970 in a sheet, and the first one since which Excel counts correctly: 1 March 1900. */
const EPOCH = 25_569;
const FIRST = 61;

/** A date as a sheet has it: the days since the end of 1899, and their style. Undefined for a text that is no date, or too early for Excel. */
function dateOf(text: string): { days: number; style: number } | undefined {
  const [, year, month, day, hours, minutes = 0, seconds = 0, sign, ...offset] = DATES.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Of a year below 100, `Date.UTC` makes one of the twentieth century.
  const isDay = date.toISOString().startsWith(`${year}-${month}-${day}`);
  const [hour, minute, second] = [hours ?? 0, minutes, seconds].map(Number) as [number, number, number];
  if (!isDay || hour > 23 || minute > 59 || second >= 60) return undefined;
  const [east, more] = offset.map((part) => Number(part ?? 0)) as [number, number];
  const ahead = sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (60 * east + more);
  const time = 60_000 * (60 * hour + minute - ahead) + 1000 * second;
  const days = EPOCH + (date.getTime() + time) / PER_DAY;
  return days < FIRST ? undefined : { days, style: hours === undefined ? DAY : MINUTE };
}

/** Whether a value is the text of a date that a sheet can have. */
export function isDate(value: unknown): boolean {
  return typeof value === "string" && dateOf(value) !== undefined;
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
  if (value instanceof Share) return "100.0 %";
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
