// The exports that all main entries of the package share.

export { FindingsClient } from "../client/client.js";
export { getFindings, getPartition, getPartitionCounts } from "../client/functions.js";
export type * from "../client/options.js";
export type * from "../client/progress.js";
export type { Partition, PartitionStream, TableStream } from "../client/stream.js";
export {
  type BytesReason,
  FindingsError,
  type FindingsErrorCode,
  type PartitionFailure,
  type Resume,
} from "../error/error.js";
export { messageOf } from "../error/user-message.js";
export type * from "../live/live-table-types.js";
export type {
  ColumnName,
  ColumnValue,
  GroupKey,
  NumberColumnName,
  Picked,
} from "../table/column-name.js";
export type * from "../table/counts.js";
export type * from "../table/finding.js";
export type { Jsonified } from "../table/jsonified.js";
export type { AddedColumn, SourceColumn } from "../table/queries/added-column.js";
export type { Aggregates } from "../table/queries/aggregates.js";
export type { Condition, Scalar } from "../table/queries/condition.js";
export type { Count, DistinctCount, DistinctOption } from "../table/queries/count-by.js";
export type { Summary } from "../table/queries/summarize.js";
export { FindingsTable } from "../table/table.js";
