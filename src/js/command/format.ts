// The parts that all export formats share.

import type { FindingsTable } from "../core/table/table.js";
import type { CommonColumns } from "./common-schema.js";

/** Partitions, one after the other. Each is freed when the next one is asked for. */
export type Partitions = AsyncIterable<Partition>;

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

/** What the schema of `toArrowIPC` says about a complete table, and which columns have integers that are rounded. */
export function metadataOf({ inspectionKey, kind, columns }: Contents): Map<string, string> {
  const entries = {
    inspection: inspectionKey,
    kind,
    complete: "true",
    columnsTruncated: `${columns.isTruncated}`,
    integersRounded: `${columns.rounded !== ""}`,
    roundedColumns: columns.rounded,
    surrogatesReplaced: `${columns.replacedColumns(kind).length > 0}`,
  };
  return new Map(Object.entries(entries).map(([name, value]) => [`inspection-findings.${name}`, value]));
}
