// The formats of an export: how a file is written, partition by partition.

import type { PlannedColumn } from "../arrow/arrow-columns.js";
import { streamOf } from "../arrow/arrow-stream.js";
import type { FindingsTable } from "../table/table.js";
import { ArrowFile } from "./arrow-file.js";
import type { CommonColumns, CommonSchema } from "./common-schema.js";
import { csvOf, type Separator } from "./csv-writer.js";
import { ParquetFile } from "./parquet-file.js";
import type { PartitionSource } from "./partition-source.js";
import { PartitionWriter } from "./partition-writer.js";
import { XlsxFile } from "./xlsx-file.js";

/** The extensions of the formats. */
export const FORMATS = [".parquet", ".csv", ".xlsx", ".ndjson", ".arrow"] as const;

export type FormatName = (typeof FORMATS)[number];

type Parts = Iterable<string | Uint8Array>;

/** A file in the course of writing. Each method returns the next parts of the file. */
export interface Output {
  begin(): Parts;
  add(partition: Partition): Parts;
  end(): Parts;
  /** The columns whose integers beyond 2⁵³ are rounded. */
  readonly roundedColumns: readonly string[];
}

/** A partition to write. */
export interface Partition {
  readonly table: FindingsTable<object>;
  /** The findings as the service wrote them, if the format needs them, or if the table has rounded some of their integers. */
  readonly source: PartitionSource | undefined;
}

/** The findings of a file. */
export interface Contents {
  readonly inspectionKey: string;
  readonly kind: string;
  /** The columns of all findings. */
  readonly columns: CommonColumns;
  /** The character between the fields of a CSV file. */
  readonly separator: Separator;
}

/** The findings whose text is written at once. */
const ROWS = 2048;

/** Whether a format needs the findings of each partition as the service wrote them. */
export function needsSource(format: FormatName): boolean {
  return format === ".ndjson";
}

/** Returns the writer of a file. */
export function outputOf(format: FormatName, contents: Contents): Output {
  switch (format) {
    case ".ndjson":
      return { begin: nothing, add: ({ source }) => (source ? [source.lines] : []), end: nothing, roundedColumns: [] };
    case ".csv":
      return csv(contents);
    case ".xlsx":
      return xlsx(contents);
    case ".parquet":
      return parquet(contents);
    case ".arrow":
      return arrow(contents);
  }
}

function csv({ columns, kind, separator }: Contents): Output {
  const names = columns.planned(kind, false).map(({ name }) => name);
  const { head, lines } = csvOf(names, separator);
  return { begin: () => [head], add: (partition) => linesOf(partition, lines), end: nothing, roundedColumns: [] };
}

function xlsx({ columns, kind }: Contents): Output {
  const file = new XlsxFile(columns.planned(kind, false).map(({ name }) => name));
  return {
    begin: nothing,
    *add(partition) {
      for (const findings of findingsOf(partition)) yield* file.add(findings);
    },
    end: () => file.end(),
    roundedColumns: [],
  };
}

function parquet(contents: Contents): Output {
  const metadata = metadataOf(contents);
  const common = contents.columns.schema(contents.kind, true, metadata);
  const file = new ParquetFile(common.schema, metadata);
  return {
    begin: nothing,
    *add(partition) {
      for (const { bytes } of file.add(batchOf(partition, common))) yield bytes;
    },
    *end() {
      for (const { bytes } of file.end()) yield bytes;
    },
    roundedColumns: contents.columns.roundedColumns(contents.kind),
  };
}

/** Returns the writer of an Arrow file, or of a stream. */
function arrow(contents: Contents, isStream = false): Output {
  // A file has room for one dictionary of each column, and each partition has others.
  const common = contents.columns.schema(contents.kind, false, metadataOf(contents));
  const file = new ArrowFile(common.schema, isStream);
  return {
    begin: () => file.begin(),
    add: (partition) => (partition.table.length === 0 ? [] : file.add(batchOf(partition, common))),
    end: () => file.end(),
    roundedColumns: contents.columns.roundedColumns(contents.kind),
  };
}

/** What the schema of `toArrowIPC` says about a complete table. */
function metadataOf({ inspectionKey, kind, columns }: Contents): Map<string, string> {
  return new Map([
    ["inspection-findings.inspection", inspectionKey],
    ["inspection-findings.kind", kind],
    ["inspection-findings.complete", "true"],
    ["inspection-findings.columnsTruncated", "false"],
    ["inspection-findings.integersRounded", `${columns.roundedColumns(kind).length > 0}`],
  ]);
}

/** A stream with the findings of a partition. */
function batchOf({ table, source }: Partition, { planned }: CommonSchema): Uint8Array {
  if (table.columnsTruncated) {
    throw new Error(
      `Partition ${table.partitions} has findings with fields that have no column, such as repeated keys. ` +
        "Export to a .ndjson file instead.",
    );
  }
  return streamOf(new PartitionWriter(table, source), planned as PlannedColumn[], new Map());
}

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
