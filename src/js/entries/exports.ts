// The exports that all main entries of the package share.

export { FindingsClient } from "../core/client/client.js";
export { getFindings, getPartition, getPartitionCounts } from "../core/client/functions.js";
export type * from "../core/client/options.js";
export type * from "../core/client/progress.js";
export type { Partition, PartitionStream, TableStream } from "../core/client/stream.js";
export {
  type BytesReason,
  FindingsError,
  type FindingsErrorCode,
  type PartitionFailure,
  type Resume,
} from "../core/error/error.js";
export { messageOf } from "../core/error/user-message.js";
export type * from "../core/live/live-table-types.js";
export type {
  ColumnName,
  ColumnValue,
  GroupKey,
  NumberColumnName,
  Picked,
} from "../core/table/column-name.js";
export type * from "../core/table/counts.js";
export type * from "../core/table/finding.js";
export type { Jsonified } from "../core/table/jsonified.js";
export type { AddedColumn, SourceColumn } from "../core/table/queries/added-column.js";
export type { Aggregates } from "../core/table/queries/aggregates.js";
export type { Condition, Scalar } from "../core/table/queries/condition.js";
export type { Count, DistinctCount, DistinctOption } from "../core/table/queries/count-by.js";
export type { Summary } from "../core/table/queries/summarize.js";
export { FindingsTable } from "../core/table/table.js";
