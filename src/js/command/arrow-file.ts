// An Arrow IPC file or stream out of streams of one record batch: the schema, the batches, and in a file the footer that lists them.

import type { Schema } from "@uwdata/flechette";
import { Builder } from "@uwdata/flechette/src/encode/builder.js";
import { type Block, writeFooter } from "@uwdata/flechette/src/encode/footer.js";
import { emptyColumn } from "../arrow/arrow-columns.js";
import { encoded } from "../arrow/arrow-stream.js";

/** The beginning of a file, aligned as messages are. */
const MAGIC = new TextEncoder().encode("ARROW1\0\0");

/** The message at the end of a stream. */
const END = Uint8Array.of(255, 255, 255, 255, 0, 0, 0, 0);

/** A file or a stream in the course of writing. */
export class ArrowFile {
  readonly #schema: Schema;
  readonly #isStream: boolean;
  readonly #batches: Block[] = [];
  /** The number of bytes so far. */
  #length = 0;

  /** @param schema of all batches; its text columns are no dictionaries */
  constructor(schema: Schema, isStream = false) {
    this.#schema = schema;
    this.#isStream = isStream;
  }

  /** Begins the file. */
  *begin(): Generator<Uint8Array, void> {
    if (!this.#isStream) yield this.#counted(MAGIC);
    const schema = this.#withoutRows();
    yield this.#counted(schema.subarray(0, metadataLength(schema, 0)));
  }

  /** Adds a stream with the schema, one record batch, and the end. */
  *add(stream: Uint8Array): Generator<Uint8Array, void> {
    const start = metadataLength(stream, 0);
    const batch = stream.subarray(start, -END.length);
    const length = metadataLength(stream, start);
    this.#batches.push({ offset: this.#length, metadataLength: length, bodyLength: batch.length - length });
    yield this.#counted(batch);
  }

  /** Ends the file. It has at least one batch, because Polars reads no file without. */
  *end(): Generator<Uint8Array, void> {
    if (this.#batches.length === 0) yield* this.add(this.#withoutRows());
    yield END;
    if (this.#isStream) return;
    const parts: Uint8Array[] = [];
    writeFooter(new Builder({ write: (part) => parts.push(part) }), this.#schema, [], this.#batches, null);
    yield* parts;
  }

  /** A stream whose batch has no rows. */
  #withoutRows(): Uint8Array {
    const columns = this.#schema.fields.map(({ type }) => emptyColumn(type));
    return encoded(this.#schema, columns, 0);
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
