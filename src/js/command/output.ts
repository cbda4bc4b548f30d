// The formats of an export: how a file is written, partition by partition.

import { Duplex } from "node:stream";
import { createDeflateRaw } from "node:zlib";
import { jsonText } from "../core/host/json-text.js";
import { type CsvSeparator, csvWriting, usualForm } from "../subpaths/export/csv-writer.js";
import { cellReader } from "../subpaths/export/finding-cells.js";
import { checkCell, checkRows, isDate, workbook } from "../subpaths/export/workbook.js";
import type { Compressor } from "../subpaths/export/zip-file.js";
import { FinalError } from "./final-error.js";
import { type Contents, metadataOf, type Partition, type Partitions } from "./format.js";
import { ParquetFile } from "./parquet-file.js";

/** The extensions of the formats. */
export const FORMATS = [".parquet", ".csv", ".xlsx", ".ndjson"] as const;

export type FormatName = (typeof FORMATS)[number];

/** The findings whose text is written at once. */
const ROWS = 2048;

/** Refuses more findings than a file can have; null if the service does not say how many there are. */
export function checkTotal(format: FormatName, findings: number | null): void {
  if (format === ".xlsx" && findings !== null) checkRows(findings);
}

/**
 * Refuses a partition that a file cannot hold, as soon as that is known: the file is written when all have arrived.
 *
 * @param dates is told of the values, if the file has dates
 */
export function checkPartition(format: FormatName, partition: Partition, dates: DateColumns): void {
  if (format === ".parquet" && partition.table.columnsTruncated)
    throw new FinalError(
      `Partition ${partition.index} has findings with fields that have no column, such as repeated keys. Export to a .ndjson file instead.`,
    );
  if (format === ".xlsx") checkCells(partition, dates);
}

function checkCells({ index: partition, table }: Partition, dates: DateColumns): void {
  for (const name of table.columns) {
    const values = table.column(name);
    dates.add(name, values);
    values.forEach((value, index) => {
      // The fields of an object have columns of their own.
      if (typeof value !== "string" && !Array.isArray(value)) return;
      checkCell(value, () => `finding ${index} of partition ${partition}`, name);
    });
  }
}

/** The columns of dates: those with values that are all dates, or missing. */
export class DateColumns {
  readonly #dates = new Set<string>();
  readonly #others = new Set<string>();

  /** Adds the values of a partition. */
  add(name: string, values: readonly unknown[]): void {
    if (this.#others.has(name)) return;
    const found = values.filter((value) => value !== undefined && value !== null);
    if (found.length > 0) (found.every(isDate) ? this.#dates : this.#others).add(name);
  }

  get names(): string[] {
    return [...this.#dates].filter((name) => !this.#others.has(name));
  }
}

/** Writes partitions. Returns the parts of the file. */
export type Writer = (partitions: Partitions) => AsyncIterable<string | Uint8Array>;

/**
 * Returns the writer of a file.
 *
 * @param separator the character between the fields of a CSV file
 */
export function writerOf(format: FormatName, separator: CsvSeparator, contents: Contents): Writer {
  const names = contents.columns.planned(contents.kind, false).map(({ name }) => name);
  switch (format) {
    case ".ndjson":
      return lines;
    case ".csv":
      return (partitions) => csv(partitions, names, separator);
    case ".xlsx":
      return (partitions) =>
        workbook({ columns: names, dates: contents.dates ?? [] }, rowsOf(partitions, names), compressor);
    case ".parquet":
      return (partitions) => parquet(partitions, contents);
  }
}

/** Node has CompressionStream("deflate-raw") since version 20.12. */
const compressor = () => Duplex.toWeb(createDeflateRaw()) as Compressor;

async function* lines(partitions: Partitions): AsyncGenerator<string, void> {
  for await (const findings of findingsOf(partitions)) {
    yield findings.map((finding) => `${jsonText(finding)}\n`).join("");
  }
}

async function* csv(partitions: Partitions, names: string[], separator: CsvSeparator): AsyncGenerator<string, void> {
  const { head, lines } = csvWriting(names, usualForm(separator));
  yield head;
  for await (const rows of rowsOf(partitions, names)) yield lines(rows);
}

async function* parquet(partitions: Partitions, contents: Contents): AsyncGenerator<Uint8Array, void> {
  const file = new ParquetFile(contents.columns.planned(contents.kind, false), metadataOf(contents));
  for await (const { table } of partitions) yield* file.add(table);
  yield* file.end();
}

/** The cells of findings, some findings at a time. */
async function* rowsOf(partitions: Partitions, columns: readonly string[]): AsyncGenerator<unknown[][], void> {
  const cellsOf = cellReader(columns);
  for await (const findings of findingsOf(partitions)) yield findings.map(cellsOf);
}

async function* findingsOf(partitions: Partitions): AsyncGenerator<object[], void> {
  for await (const { table } of partitions) {
    for (let start = 0; start < table.length; start += ROWS) yield table.slice(start, start + ROWS);
  }
}
