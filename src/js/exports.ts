// The exports that all main entries of the package share.

export { FindingsClient, getFindings, getPartition, getPartitionCounts, preload } from "./client.js";
export type { ColumnName, ColumnValue, GroupKey, NumberColumnName } from "./column-name.js";
export type { Condition, Scalar } from "./condition.js";
export type { KindCounts, PartitionCounts } from "./counts.js";
export {
  FindingsError,
  type FindingsErrorCode,
  type FindingsErrorDetails,
  type FindingsErrorJSON,
  type PartialFindingsError,
  type PartialTableError,
  type PartitionFailure,
  type Resume,
} from "./error.js";
export type { FindingKind, FindingText, InspectionFinding } from "./finding.js";
export type { LiveSnapshot, LiveTable } from "./live-table-types.js";
export type {
  CountsOptions,
  FindingsOptions,
  HeadersContext,
  Options,
  PartitionOptions,
  StreamOptions,
} from "./options.js";
export type { PartitionChange, Progress } from "./progress.js";
export type { Partition, PartitionStream, TableStream } from "./stream.js";
export { type Count, FindingsTable, type Summary } from "./table.js";
