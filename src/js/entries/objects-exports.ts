// The exports of the entries without tables.

export { getFindings, getPartition, getPartitionCounts } from "../client/functions.js";
export { FindingsClient } from "../client/objects-client.js";
export type {
  CountsOptions,
  FindingsOptions,
  HeadersContext,
  Options,
  PartitionOptions,
  StreamOptions,
  WithColumns,
} from "../client/options.js";
export type * from "../client/progress.js";
export type { Partition, PartitionStream } from "../client/stream.js";
export type { PartitionFailure, Resume } from "../error/error.js";
export { FindingsError, type FindingsErrorCode } from "../error/objects-error.js";
export { messageOf } from "../error/user-message.js";
export type { ColumnName, ColumnValue, Picked } from "../table/column-name.js";
export type * from "../table/counts.js";
export type * from "../table/finding.js";
