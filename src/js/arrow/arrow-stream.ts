// An Arrow stream with one record batch, out of the columns of a table.

import { Endianness, Table, tableToIPC, Version } from "@uwdata/flechette";
import type { ArrowWriter, PlannedColumn } from "./arrow-columns.js";
import { fieldOf } from "./arrow-schema.js";

/** Writes columns as one stream. */
export function streamOf(
  writer: ArrowWriter,
  planned: readonly PlannedColumn[],
  metadata: Map<string, string>,
): Uint8Array<ArrayBuffer> {
  const written = planned.map((one) => writer.write(one));
  const fields = planned.map((one, index) => fieldOf(one, written[index]?.type));
  const arrow = new Table({ version: Version.V5, endianness: Endianness.Little, fields, metadata }, written);
  return tableToIPC(arrow, { format: "stream", sink: new StreamSink(writer) }) as Uint8Array<ArrayBuffer>;
}

/** Joins the parts of a stream in a new buffer. */
class StreamSink {
  readonly #writer: ArrowWriter;
  readonly #parts: Uint8Array[] = [];

  constructor(writer: ArrowWriter) {
    this.#writer = writer;
  }

  write(part: Uint8Array): void {
    this.#parts.push(part);
  }

  pad(count: number): void {
    this.write(new Uint8Array(count));
  }

  finish(): Uint8Array<ArrayBuffer> {
    const stream = new Uint8Array(this.#parts.reduce((length, part) => length + part.length, 0));
    let start = 0;
    for (const part of this.#parts) {
      if (!this.#writer.locate(part, stream.buffer, start)) stream.set(part, start);
      start += part.length;
    }
    this.#writer.flush();
    return stream;
  }
}
