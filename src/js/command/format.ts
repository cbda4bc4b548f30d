// What the formats of an export share: a file in the course of writing, and the batches of those that have columns.

import { ArrowWriter } from "../arrow/arrow-columns.js";
import { streamOf } from "../arrow/arrow-stream.js";
import type { FindingsTable } from "../table/table.js";
import { SOURCE } from "../table/table-source.js";
import type { CommonColumns, CommonSchema } from "./common-schema.js";
import { FinalError } from "./final-error.js";

/** A file in the course of writing. */
export interface Output {
  /** Writes the partitions. Returns the parts of the file. */
  parts(partitions: Partitions): AsyncIterable<string | Uint8Array>;
  readonly losses: Losses;
}

/** Partitions, one after the other. Each is freed when the next one is asked for. */
export type Partitions = AsyncIterable<Partition>;

/** What a file cannot keep. */
export interface Losses {
  /** The columns with integers beyond 2⁵³, which are rounded as in JavaScript, and how many; empty for none. */
  readonly rounded: string;
  /** The columns whose lone surrogates are replaced. */
  readonly replacedColumns: readonly string[];
}

/** A partition to write. */
export interface Partition {
  readonly index: number;
  readonly table: FindingsTable<object>;
}

/** The findings of a file. */
export interface Contents {
  readonly inspectionKey: string;
  readonly kind: string;
  /** The columns of all findings. */
  readonly columns: CommonColumns;
  /** The names of the columns of dates, in a format that has dates. */
  readonly dates?: readonly string[];
}

/** What the columns of a file cannot keep. */
export function lossesOf({ columns, kind }: Contents): Losses {
  return { rounded: columns.rounded(false), replacedColumns: columns.replacedColumns(kind) };
}

/** What the schema of `toArrowIPC` says about a complete table. */
export function metadataOf({ inspectionKey, kind, columns }: Contents): Map<string, string> {
  return new Map([
    ["inspection-findings.inspection", inspectionKey],
    ["inspection-findings.kind", kind],
    ["inspection-findings.complete", "true"],
    ["inspection-findings.columnsTruncated", `${columns.isTruncated}`],
    ["inspection-findings.integersRounded", `${columns.rounded(true) !== ""}`],
    ["inspection-findings.roundedColumns", columns.rounded(true)],
    ["inspection-findings.surrogatesReplaced", `${columns.replacedColumns(kind).length > 0}`],
  ]);
}

/** Refuses a partition of which the file would lack fields. */
export function withAllFields(partition: Partition): Partition {
  const { index, table } = partition;
  if (!table.columnsTruncated) return partition;
  throw new FinalError(
    `Partition ${index} has findings with fields that have no column, such as repeated keys. Export to a .ndjson file instead.`,
  );
}

/** A stream with the findings of a partition. */
export function batchOf({ table }: Partition, { planned }: CommonSchema): Uint8Array {
  return streamOf(new ArrowWriter(table[SOURCE]()), planned, new Map());
}
