// One Arrow stream out of several of one record batch: what the Python package reads.

import { SOURCE } from "../core/table/table-source.js";
import { ArrowWriter, emptyColumn } from "../subpaths/arrow/arrow-columns.js";
import { encoded, streamOf } from "../subpaths/arrow/arrow-stream.js";
import { type Contents, metadataOf, type Partitions } from "./format.js";

/** The message at the end of a stream. */
const END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** Yields the parts of a stream with a record batch for each partition that has findings. It may lack fields that have no column. */
export async function* arrowStream(contents: Contents, partitions: Partitions): AsyncGenerator<Uint8Array, void> {
  const common = contents.columns.schema(contents.kind, metadataOf(contents));
  const columns = common.schema.fields.map(({ type }) => emptyColumn(type));
  const empty = encoded(common.schema, columns, 0);
  yield empty.subarray(0, metadataLength(empty));
  for await (const one of partitions) {
    if (one.table.length === 0) continue;
    const stream = streamOf(new ArrowWriter(one.table[SOURCE]()), common.planned, new Map());
    yield stream.subarray(metadataLength(stream), -END.length);
  }
  yield END;
}

/** The bytes of the first message, that with the schema: a marker, the length of the rest, and the rest. */
function metadataLength(stream: Uint8Array): number {
  return 8 + new DataView(stream.buffer, stream.byteOffset).getInt32(4, true);
}
