// Files that a page hands over: rows as CSV, or as a workbook of Excel. They are made in time slices.

import { itemsOf, membersOf } from "../../core/argument/passed-object.js";
import { described, refusal, typeName, wrongType } from "../../core/argument/refusal.js";
import { callStackOf, functionOfCaller, ofCaller, stacked } from "../../core/error/call-stack.js";
import { CallerContext } from "../../core/host/caller-context.js";
import { pause } from "../../core/host/slice.js";
import type { CrosstabResult } from "../survey/crosstab-result.js";
import { type CsvForm, type CsvSeparator, csvWriting, SEPARATORS } from "./csv-writer.js";
import { type Exportable, exportedRows } from "./exported-rows.js";
import type { CellValues, ExportedRows } from "./row-source.js";
import { checkColumns, checkRows, type Rows, workbook } from "./workbook.js";
import type { Compressor } from "./zip-file.js";

/** How far a file is. */
export interface ExportProgress {
  /** The rows that are written. */
  readonly rowsDone: number;
  /** The rows of the file, without that of the names. */
  readonly rows: number;
}

/** Options of {@link csvOf} and {@link xlsxOf}. */
export interface ExportOptions {
  /**
   * The names of the columns to write, in this order. The name of an object, such as `Topic`, stands for all fields below it. Not for cross
   * tabulations.
   *
   * @default undefined, which means all
   */
  readonly columns?: readonly string[] | undefined;
  /**
   * What the cells of a cross tabulation show: counts, shares, or shares and beside each the ends of its interval. Only for those; intervals only where
   * people are counted.
   *
   * @default what the tabulation was asked for: shares, with one of the options `share`, `base`, `weight` and `compare`, otherwise counts
   */
  readonly values?: CellValues | undefined;
  /** Ends the work: the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Is called with 0 rows first, at most once for each time slice, and after the last row. What it throws, or what its promise rejects with, ends the work. */
  readonly onProgress?: ((progress: ExportProgress) => void) | undefined;
}

/** Options of {@link csvOf}. */
export interface CsvOptions extends ExportOptions {
  /**
   * The character between the fields of a line. Excel in countries with a decimal comma needs `";"`, with which numbers have one.
   *
   * @default ","
   */
  readonly separator?: CsvSeparator | undefined;
  /**
   * Whether the file begins with a byte order mark, without which Excel takes it for text of an old code page.
   *
   * @default true
   */
  readonly byteOrderMark?: boolean | undefined;
}

/** Options of {@link xlsxOf}. */
export interface XlsxOptions extends ExportOptions {
  /**
   * The name of the sheet: 1 to 31 characters, none of them one of `[]:*?/\`.
   *
   * @default "Findings"
   */
  readonly sheetName?: string | undefined;
  /**
   * The names of the columns whose texts are dates: days and times of ISO 8601, such as `2026-03-01` or `2026-03-01T12:00:00Z`. Excel knows no time
   * zones, so a time that has one is written in UTC. Other texts in these columns stay texts.
   *
   * @default []
   */
  readonly dates?: readonly string[] | undefined;
}

/** What the options lack: a cross tabulation is written whole. */
export type OptionsFor<What> = What extends CrosstabResult ? { readonly columns?: undefined } : unknown;

/** The rows that are written at once, and the cells. */
const ROWS_AT_ONCE = 128;
const CELLS_AT_ONCE = 4_096;

/** The bytes of text that the page holds before it hands them to a blob. */
const PIECE = 1 << 20;

const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/**
 * Writes rows as CSV, in time slices. Texts are in quotes, and none of them runs as a formula in a spreadsheet: see the guide.
 *
 * @param what a table or a view, a result of `crosstab`, or a list of objects
 * @returns the file. Rejects with a `TypeError` if an option is invalid or the table has been freed, with a `RangeError` if no row has one of the
 * `columns`, and with the reason of the signal
 * @example
 * import { csvOf } from "inspection-findings/export";
 *
 * const file = await csvOf(table.filter({ Sentiment: -2 }), { columns: ["TopicGroup", "Comment"] });
 * console.log(file.size, file.type);
 */
export function csvOf<What extends Exportable>(what: What, options: CsvOptions & OptionsFor<What> = {}): Promise<Blob> {
  return stacked(csv(what, options), callStackOf(csvOf));
}

/**
 * Writes rows as a workbook of Excel with one sheet, in time slices: its first row stays in view and has a filter. Texts never run as formulas, and
 * integers of more than 15 digits, which Excel would round, are texts.
 *
 * @param what a table or a view, a result of `crosstab`, or a list of objects
 * @returns the file. Rejects as that of {@link csvOf}, and with a `RangeError` for more than 1 048 575 rows, 16 384 columns, or 32 767 characters of a
 * text, whose row it names
 * @example
 * import { xlsxOf } from "inspection-findings/export";
 *
 * const link = document.createElement("a");
 * link.href = URL.createObjectURL(await xlsxOf(table));
 * link.download = "findings.xlsx";
 * link.click();
 * URL.revokeObjectURL(link.href);
 */
export function xlsxOf<What extends Exportable>(
  what: What,
  options: XlsxOptions & OptionsFor<What> = {},
): Promise<Blob> {
  return stacked(xlsx(what, options), callStackOf(xlsxOf));
}

const COMMON = ["columns", "values", "signal", "onProgress"] as const;

async function csv(what: unknown, options: CsvOptions): Promise<Blob> {
  const given = membersOf(options, "options", [...COMMON, "separator", "byteOrderMark"]);
  const form = formOf(given);
  const work = workOf(given);
  const rows = await exportedRows(what, work.columns, work.values, () => throwIfAborted(work));
  const { head, lines } = csvWriting(rows.columns, form);
  const blob = new BlobBuilder();
  blob.add(head);
  for await (const some of batches(rows, work)) blob.add(lines(some));
  return blob.end("text/csv;charset=utf-8");
}

async function xlsx(what: unknown, options: XlsxOptions): Promise<Blob> {
  const given = membersOf(options, "options", [...COMMON, "sheetName", "dates"]);
  const sheetName = sheetNameOf(given.sheetName);
  const dates = given.dates === undefined ? [] : namesOf("dates", given.dates);
  const work = workOf(given);
  if (typeof CompressionStream !== "function")
    throw refusal("this browser has no CompressionStream: use csvOf instead");
  const rows = await exportedRows(what, work.columns, work.values, () => throwIfAborted(work));
  const { columns } = rows;
  checkColumns(columns.length);
  checkRows(rows.length);
  const unknown = dates.find((name) => !columns.includes(name));
  if (unknown !== undefined && rows.length > 0)
    throw refusal(`dates names ${described(unknown)}, which is no column of the file`);
  const blob = new BlobBuilder();
  const compressor = () => new CompressionStream("deflate-raw") as unknown as Compressor;
  for await (const bytes of workbook({ columns, sheetName, dates }, batches(rows, work), compressor)) blob.add(bytes);
  return blob.end(XLSX);
}

/** What both functions read of their options. */
interface Work {
  readonly columns: readonly string[] | undefined;
  readonly values: CellValues | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: ExportProgress) => unknown) | undefined;
}

/** Checks the common options. Throws the reason of a signal that is aborted. */
function workOf({
  columns,
  values,
  signal,
  onProgress,
}: { readonly [Name in (typeof COMMON)[number]]: unknown }): Work {
  if (values !== undefined && values !== "count" && values !== "share" && values !== "interval")
    throw wrongType("values", '"count", "share" or "interval"', values);
  if (signal !== undefined && typeName(signal) !== "AbortSignal") throw wrongType("signal", "an AbortSignal", signal);
  if (onProgress !== undefined && typeof onProgress !== "function")
    throw wrongType("onProgress", "a function", onProgress);
  const report = functionOfCaller(onProgress as (progress: ExportProgress) => unknown);
  const context = new CallerContext();
  const work = {
    columns: columns === undefined ? undefined : namesOf("columns", columns),
    values,
    signal,
    onProgress: onProgress && ((progress: ExportProgress) => context.run(() => report(progress))),
  } as Work;
  throwIfAborted(work);
  return work;
}

/** Reads rows, a few at a time, and yields the thread between time slices. */
async function* batches(rows: ExportedRows, work: Work): AsyncGenerator<Rows, void> {
  const { length, columns } = rows;
  const report = async (rowsDone: number) => work.onProgress?.({ rowsDone, rows: length });
  const atOnce = Math.max(1, Math.min(ROWS_AT_ONCE, Math.floor(CELLS_AT_ONCE / columns.length)));
  await report(0);
  let isReported = length === 0;
  for (let from = 0; from < length; from += atOnce) {
    const to = Math.min(from + atOnce, length);
    yield rows.rows(from, to);
    const paused = pause();
    isReported = paused !== undefined && to === length;
    if (paused === undefined) continue;
    await paused;
    throwIfAborted(work);
    await report(to);
  }
  if (!isReported) await report(length);
}

function throwIfAborted({ signal }: Work): void {
  if (signal?.aborted) throw ofCaller(signal.reason);
}

/** Collects the parts of a file in blobs, which a browser may keep outside the memory of the page. */
class BlobBuilder {
  readonly #blobs: Blob[] = [];
  #parts: (string | Uint8Array<ArrayBuffer>)[] = [];
  #size = 0;

  add(part: string | Uint8Array): void {
    this.#parts.push(part as string | Uint8Array<ArrayBuffer>);
    this.#size += part.length;
    if (this.#size < PIECE) return;
    this.#blobs.push(new Blob(this.#parts));
    this.#parts = [];
    this.#size = 0;
  }

  end(type: string): Blob {
    return new Blob([...this.#blobs, ...this.#parts], { type });
  }
}

function formOf({ separator = ",", byteOrderMark = true }: { separator: unknown; byteOrderMark: unknown }): CsvForm {
  if (!SEPARATORS.some((one) => one === separator)) throw wrongType("separator", '"," or ";"', separator);
  if (typeof byteOrderMark !== "boolean") throw wrongType("byteOrderMark", "true or false", byteOrderMark);
  return { separator, byteOrderMark } as CsvForm;
}

/** Copies a list of names. */
function namesOf(option: string, given: unknown): string[] {
  return itemsOf(given, option, "a list of names of columns").map((name) => {
    if (typeof name !== "string") throw wrongType(`each name of ${option}`, "a string", name);
    return name;
  });
}

function sheetNameOf(name: unknown = "Findings"): string {
  const isName =
    typeof name === "string" &&
    /^(?!')[^[\]:*?/\\\p{Cc}]{1,31}$/u.test(name) &&
    !name.endsWith("'") &&
    name.length <= 31;
  if (isName) return name;
  throw wrongType(
    "sheetName",
    "a text of 1 to 31 characters without []:*?/\\, and without an apostrophe at its ends",
    name,
  );
}
