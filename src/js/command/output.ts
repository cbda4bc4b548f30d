// The formats of an export: how a file is written, partition by partition.

import { arrow } from "./arrow-output.js";
import { csvOf, type Separator } from "./csv-writer.js";
import {
  batchOf,
  type Contents,
  type Losses,
  lossesOf,
  metadataOf,
  type Output,
  type Partition,
  withAllFields,
} from "./format.js";
import { ParquetFile } from "./parquet-file.js";
import { checkRows, checkTexts, XlsxFile } from "./xlsx-file.js";

/** The extensions of the formats. */
export const FORMATS = [".parquet", ".csv", ".xlsx", ".ndjson", ".arrow"] as const;

export type FormatName = (typeof FORMATS)[number];

/** The findings whose text is written at once. */
const ROWS = 2048;

/** Whether a format needs the findings of each partition as the service wrote them. */
export function needsSource(format: FormatName): boolean {
  return format === ".ndjson";
}

/** Refuses more findings than a file can have; null if the service does not say how many there are. */
export function checkTotal(format: FormatName, findings: number | null): void {
  if (format === ".xlsx" && findings !== null) checkRows(findings);
}

/** Refuses a partition that a file cannot hold, as soon as that is known: the file is written when all have arrived. */
export function checkPartition(format: FormatName, partition: Partition): void {
  if (format === ".parquet" || format === ".arrow") withAllFields(partition);
  if (format === ".xlsx") checkTexts(partition);
}

/**
 * Returns the writer of a file.
 *
 * @param separator the character between the fields of a CSV file
 */
export function outputOf(format: FormatName, separator: Separator, contents: Contents): Output {
  switch (format) {
    case ".ndjson":
      return { begin: nothing, add: ({ source }) => (source ? [source.lines] : []), end: nothing, losses: NONE };
    case ".csv":
      return csv(contents, separator);
    case ".xlsx":
      return xlsx(contents);
    case ".parquet":
      return parquet(contents);
    case ".arrow":
      return arrow(contents);
  }
}

function csv(contents: Contents, separator: Separator): Output {
  const names = contents.columns.planned(contents.kind, false).map(({ name }) => name);
  const { head, lines } = csvOf(names, separator);
  return {
    begin: () => [head],
    add: (partition) => linesOf(partition, lines),
    end: nothing,
    losses: { ...lossesOf(contents), roundedColumns: [] },
  };
}

function xlsx(contents: Contents): Output {
  const file = new XlsxFile(contents.columns.planned(contents.kind, false).map(({ name }) => name));
  return {
    begin: () => file.begin(),
    *add(partition) {
      for (const findings of findingsOf(partition)) yield* file.add(findings);
    },
    end: () => file.end(),
    losses: { ...lossesOf(contents), roundedColumns: [] },
  };
}

function parquet(contents: Contents): Output {
  const metadata = metadataOf(contents);
  const common = contents.columns.schema(contents.kind, true, metadata);
  const file = new ParquetFile(common.schema, metadata);
  return {
    begin: nothing,
    *add(partition) {
      for (const { bytes } of file.add(batchOf(withAllFields(partition), common))) yield bytes;
    },
    *end() {
      for (const { bytes } of file.end()) yield bytes;
    },
    losses: lossesOf(contents),
  };
}

const NONE: Losses = { roundedColumns: [], replacedColumns: [] };

function* linesOf(partition: Partition, write: (findings: object[]) => string): Generator<string, void> {
  for (const findings of findingsOf(partition)) yield write(findings);
}

/** The findings of a partition, a few at a time. */
function* findingsOf({ table, source }: Partition): Generator<object[], void> {
  for (let start = 0; start < table.length; start += ROWS) {
    const findings = table.slice(start, start + ROWS);
    yield findings.map((finding, index) => source?.finding(start + index) ?? finding);
  }
}

function nothing(): [] {
  return [];
}
