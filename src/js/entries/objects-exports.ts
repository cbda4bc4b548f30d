// The exports of the entries without tables.

export { getFindings, getPartition, getPartitionCounts } from "../core/client/functions.js";
export { FindingsClient } from "../core/client/objects-client.js";
export type {
  CountsOptions,
  FindingsOptions,
  HeadersContext,
  Options,
  PartitionOptions,
  StreamOptions,
  WithColumns,
} from "../core/client/options.js";
export type * from "../core/client/progress.js";
export type { Partition, PartitionStream } from "../core/client/stream.js";
export type { PartitionFailure, Resume } from "../core/error/error.js";
export { FindingsError, type FindingsErrorCode } from "../core/error/objects-error.js";
export { messageOf } from "../core/error/user-message.js";
export type { ColumnName, ColumnValue, Picked } from "../core/table/column-name.js";
export type * from "../core/table/counts.js";
export type * from "../core/table/finding.js";
