/** The worker that makes a Parquet file of an Arrow stream: the first message is the stream, for each one the worker posts a row group. */

import { parquetFile, type RowGroup } from "../../../src/js/command/parquet-file.js";

let groups: Iterator<RowGroup, void> | undefined;

addEventListener("message", ({ data }) => {
  groups ??= parquetFile(data);
  const { value } = groups.next();
  postMessage(value, { transfer: value === undefined ? [] : [value.bytes.buffer] });
});
