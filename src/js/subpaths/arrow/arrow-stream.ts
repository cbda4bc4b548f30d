// An Arrow stream with one record batch, out of the columns of a table.

import { bool, Column, Endianness, field, type Schema, Table, tableToIPC, Version } from "@uwdata/flechette";
import { type ArrowWriter, batchOf, type PlannedColumn } from "./arrow-columns.js";
import { fieldOf } from "./arrow-schema.js";
import { BUFFERS, FIELDS, FlatBuffer, HEADER, METADATA, NODES } from "./flat-buffer.js";

/** Writes columns as one stream. */
export function streamOf(
  writer: ArrowWriter,
  planned: readonly PlannedColumn[],
  metadata: Map<string, string>,
): Uint8Array<ArrayBuffer> {
  const written = planned.map((one) => writer.write(one));
  const fields = planned.map((one, index) => fieldOf(one, written[index]?.type));
  const schema = { version: Version.V5, endianness: Endianness.Little, fields, metadata };
  return encoded(schema, written, writer.length, new StreamSink(writer));
}

/** Encodes columns of a length as one stream. */
export function encoded(
  schema: Schema,
  columns: Column<unknown>[],
  length: number,
  sink?: StreamSink,
): Uint8Array<ArrayBuffer> {
  const encode = (schema: Schema, columns: Column<unknown>[]) =>
    tableToIPC(new Table(schema, columns), { format: "stream", ...(sink && { sink }) }) as Uint8Array<ArrayBuffer>;
  if (columns.length > 0) return encode(schema, columns);
  // Flechette leaves out empty vectors, which readers require, and a batch without columns. So one column is written, and then taken away.
  const type = bool();
  const values = new Uint8Array(Math.ceil(length / 8));
  const column = new Column([batchOf(type, length, { nullCount: 0, validity: new Uint8Array(), values })], type);
  const stream = encode({ ...schema, fields: [field("", type)] }, [column]);
  const start = emptyVectors(stream, 0, [FIELDS]);
  emptyVectors(stream, start, [NODES, BUFFERS]);
  return stream;
}

/** Empties vectors in the header of the message that begins here. Returns where its metadata ends. */
function emptyVectors(stream: Uint8Array, start: number, members: readonly number[]): number {
  const buffer = new FlatBuffer(stream);
  const header = memberAt(buffer, buffer.follow(start + METADATA), HEADER);
  for (const member of members) buffer.empty(memberAt(buffer, header, member));
  return start + METADATA + new DataView(stream.buffer, stream.byteOffset).getInt32(start + 4, true);
}

/** Where that lies to which a member of a table leads. Flechette writes each. */
function memberAt(buffer: FlatBuffer, table: number, index: number): number {
  return buffer.follow(buffer.memberOf(table, index) as number);
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
