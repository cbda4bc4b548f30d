// The formats of an export: how a file is written, partition by partition.

import { jsonText } from "../arrow/json-text.js";
import { toArrowIPC } from "../entries/arrow.js";
import type { FindingsTable } from "../table/table.js";
import { ArrowFile } from "./arrow-file.js";
import type { CommonColumns } from "./common-schema.js";
import { csvOf } from "./csv-writer.js";
import { ParquetFile } from "./parquet-file.js";

/** The extensions of the formats. */
export const FORMATS = [".parquet", ".csv", ".ndjson", ".arrow"] as const;

export type FormatName = (typeof FORMATS)[number];

type Parts = Iterable<string | Uint8Array>;

/** A file in the course of writing. Each method returns the next parts of the file. */
export interface Output {
  begin(): Parts;
  add(table: FindingsTable<object>): Parts;
  end(): Parts;
}

/** The findings of a file. */
export interface Contents {
  readonly inspectionKey: string;
  readonly kind: string;
  /** The columns of all findings. */
  readonly columns: CommonColumns;
}

/** The findings whose text is written at once. */
const ROWS = 2048;

/** Returns the writer of a file. */
export function outputOf(format: FormatName, contents: Contents): Output {
  switch (format) {
    case ".ndjson":
      return { begin: nothing, add: (table) => linesOf(table, ndjson), end: nothing };
    case ".csv":
      return csv(contents);
    case ".parquet":
      return parquet(contents);
    case ".arrow":
      return arrow(contents);
  }
}

function csv({ columns, kind }: Contents): Output {
  const { fields } = columns.schema(kind, false, new Map()).schema;
  const { head, lines } = csvOf(fields.map(({ name }) => name));
  return { begin: () => [head], add: (table) => linesOf(table, lines), end: nothing };
}

function parquet({ columns, ...contents }: Contents): Output {
  const metadata = metadataOf(contents);
  const { schema, stream } = columns.schema(contents.kind, true, metadata);
  const file = new ParquetFile(schema, metadata);
  return {
    begin: nothing,
    *add(table) {
      for (const { bytes } of file.add(streamOf(table, stream))) yield bytes;
    },
    *end() {
      for (const { bytes } of file.end()) yield bytes;
    },
  };
}

function arrow({ columns, ...contents }: Contents): Output {
  // A file has room for one dictionary of each column, and each partition has others.
  const { schema, stream } = columns.schema(contents.kind, false, metadataOf(contents));
  const file = new ArrowFile(schema);
  return {
    begin: () => file.begin(stream),
    add: (table) => (table.length === 0 ? [] : file.add(streamOf(table, stream))),
    end: () => file.end(),
  };
}

/** What the schema of {@link toArrowIPC} says about a complete table. */
function metadataOf({ inspectionKey, kind }: Omit<Contents, "columns">): Map<string, string> {
  return new Map([
    ["inspection-findings.inspection", inspectionKey],
    ["inspection-findings.kind", kind],
    ["inspection-findings.complete", "true"],
    ["inspection-findings.columnsTruncated", "false"],
  ]);
}

function streamOf(table: FindingsTable<object>, schema: Uint8Array): Uint8Array {
  if (table.columnsTruncated) {
    throw new Error(
      `Partition ${table.partitions} has findings with fields that have no column, such as repeated keys. ` +
        "Export to a .ndjson file instead.",
    );
  }
  return toArrowIPC(table, { schema });
}

function* linesOf(table: FindingsTable<object>, write: (findings: object[]) => string): Generator<string, void> {
  for (let start = 0; start < table.length; start += ROWS) yield write(table.slice(start, start + ROWS));
}

function ndjson(findings: object[]): string {
  return findings.map((finding) => `${jsonText(finding)}\n`).join("");
}

function nothing(): [] {
  return [];
}
