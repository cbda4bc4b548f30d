// An export to an Arrow file, and the stream that the Python package reads.

import { ArrowFile } from "./arrow-file.js";
import { batchOf, type Contents, lossesOf, metadataOf, type Output } from "./format.js";

/** Returns the writer of an Arrow file, or of a stream, which may lack fields that have no column. */
export function arrow(contents: Contents, isStream = false): Output {
  // A file has room for one dictionary of each column, and each partition has others.
  const common = contents.columns.schema(contents.kind, false, metadataOf(contents));
  const file = new ArrowFile(common.schema, isStream);
  return {
    async *parts(partitions) {
      yield* file.begin();
      for await (const one of partitions) {
        if (one.table.length > 0) yield* file.add(batchOf(one, common));
      }
      yield* file.end();
    },
    losses: lossesOf(contents),
  };
}
