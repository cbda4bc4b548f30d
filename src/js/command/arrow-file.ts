// An Arrow IPC file out of Arrow streams: each stream becomes a record batch, and the footer lists them.

import type { Schema } from "@uwdata/flechette";
import { Builder } from "@uwdata/flechette/src/encode/builder.js";
import { type Block, writeFooter } from "@uwdata/flechette/src/encode/footer.js";

/** The beginning of a file, aligned as messages are. */
const MAGIC = new TextEncoder().encode("ARROW1\0\0");

/** The message at the end of a stream. */
const END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** A file in the course of writing. */
export class ArrowFile {
  readonly #schema: Schema;
  readonly #batches: Block[] = [];
  /** The number of bytes so far. */
  #length = 0;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  /**
   * Begins the file.
   *
   * @param schema a stream that begins with the schema
   */
  *begin(schema: Uint8Array): Generator<Uint8Array, void> {
    yield this.#counted(MAGIC);
    yield this.#counted(schema.subarray(0, metadataLength(schema, 0)));
  }

  /** Adds a stream of {@link toArrowIPC}: the schema, one record batch without dictionaries, and the end. */
  *add(stream: Uint8Array): Generator<Uint8Array, void> {
    const start = metadataLength(stream, 0);
    const batch = stream.subarray(start, -END.length);
    const length = metadataLength(stream, start);
    this.#batches.push({ offset: this.#length, metadataLength: length, bodyLength: batch.length - length });
    yield this.#counted(batch);
  }

  /** Ends the file. */
  *end(): Generator<Uint8Array, void> {
    yield END;
    const parts: Uint8Array[] = [];
    writeFooter(new Builder({ write: (part) => parts.push(part) }), this.#schema, [], this.#batches, null);
    yield* parts;
  }

  #counted(part: Uint8Array): Uint8Array {
    this.#length += part.length;
    return part;
  }
}

/** The bytes of a message before its body: a marker, the length of the rest, and the rest. */
function metadataLength(stream: Uint8Array, start: number): number {
  return 8 + new DataView(stream.buffer, stream.byteOffset + start).getInt32(4, true);
}
