// The formats of an export: how a file is written, partition by partition.

import { Duplex } from "node:stream";
import { createDeflateRaw } from "node:zlib";
import { type CsvSeparator, csvWriting, usualForm } from "../export/csv-writer.js";
import { cellReader } from "../export/finding-cells.js";
import { checkCell, checkRows, isDate, workbook } from "../export/workbook.js";
import type { Compressor } from "../export/zip-file.js";
import { jsonText } from "../host/json-text.js";
import {
  batchOf,
  type Contents,
  lossesOf,
  metadataOf,
  type Output,
  type Partition,
  type Partitions,
  withAllFields,
} from "./format.js";
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
  if (format === ".parquet") withAllFields(partition);
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

/**
 * Returns the writer of a file.
 *
 * @param separator the character between the fields of a CSV file
 */
export function outputOf(format: FormatName, separator: CsvSeparator, contents: Contents): Output {
  switch (format) {
    case ".ndjson":
      return { parts: lines, losses: { ...lossesOf(contents), replacedColumns: [] } };
    case ".csv":
      return csv(contents, separator);
    case ".xlsx":
      return xlsx(contents);
    case ".parquet":
      return parquet(contents);
  }
}

async function* lines(partitions: Partitions): AsyncGenerator<string, void> {
  for await (const findings of findingsOf(partitions)) {
    yield findings.map((finding) => `${jsonText(finding)}\n`).join("");
  }
}

function csv(contents: Contents, separator: CsvSeparator): Output {
  const names = namesOf(contents);
  const { head, lines } = csvWriting(names, usualForm(separator));
  return {
    async *parts(partitions) {
      yield head;
      for await (const rows of rowsOf(partitions, names)) yield lines(rows);
    },
    losses: lossesOf(contents),
  };
}

function xlsx(contents: Contents): Output {
  const columns = namesOf(contents);
  // Node has CompressionStream("deflate-raw") since version 20.12.
  const compressor = () => Duplex.toWeb(createDeflateRaw()) as Compressor;
  return {
    parts: (partitions) => workbook({ columns, dates: contents.dates ?? [] }, rowsOf(partitions, columns), compressor),
    losses: lossesOf(contents),
  };
}

function parquet(contents: Contents): Output {
  const metadata = metadataOf(contents);
  const common = contents.columns.schema(contents.kind, true, metadata);
  const file = new ParquetFile(common.schema, metadata);
  return {
    async *parts(partitions) {
      for await (const partition of partitions) {
        yield* file.add(batchOf(partition, common));
      }
      yield* file.end();
    },
    losses: { ...lossesOf(contents), rounded: contents.columns.rounded(true) },
  };
}

function namesOf({ columns, kind }: Contents): string[] {
  return columns.planned(kind, false).map(({ name }) => name);
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
