/** Findings as NDJSON and Parquet, in pieces. */

import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import type { FindingsTable } from "inspection-findings";

/** The findings in a piece of the file. */
const pieceLength = 2_000;

/** What a file consists of, and how many findings have been written with it. */
export type Piece = [content: string | Blob | Uint8Array<ArrayBuffer>, done: number];

/** One finding per line, without loss: `JSON.stringify` alone changes −0 and infinities. */
export function* ndjson(table: FindingsTable): Generator<Piece> {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  const replacer = (_: string, value: unknown) => {
    if (Object.is(value, -0)) return rawJSON("-0");
    return value === Infinity || value === -Infinity ? rawJSON(value > 0 ? "1e999" : "-1e999") : value;
  };
  for (let start = 0; start < table.length; start += pieceLength) {
    const findings = table.slice(start, start + pieceLength);
    yield [findings.map((finding) => `${JSON.stringify(finding, replacer)}\n`).join(""), start + findings.length];
  }
}

/** A Parquet file with one row group for each piece. */
export function* parquet(table: FindingsTable): Generator<Piece> {
  const columns = table.columns.map((name) => ({ name, ...typed(table.column(name)) }));
  const writer = new ByteWriter();
  const schema = schemaFromColumnData({ columnData: columns.map(({ name, type }) => ({ name, type, data: [] })) });
  const file = new ParquetWriter({ writer, schema });
  for (let start = 0; start < table.length; start += pieceLength) {
    const end = Math.min(start + pieceLength, table.length);
    const columnData = columns.map(({ name, values }) => ({ name, data: values.slice(start, end) }));
    file.write({ columnData, rowGroupSize: pieceLength });
    yield [taken(writer), end];
  }
  file.finish();
  yield [taken(writer), table.length];
}

/** The values of a column with their type. Values of several types become JSON texts; a missing value is null. */
function typed(given: readonly unknown[]): { type: BasicType; values: unknown[] } {
  const values = given.map((value) => value ?? null);
  const types = new Set(values.filter((value) => value !== null).map((value) => typeof value));
  if (types.size === 1 && types.has("number")) return { type: "DOUBLE", values };
  if (types.size === 1 && types.has("boolean")) return { type: "BOOLEAN", values };
  const text = (value: unknown) => (value === null || typeof value === "string" ? value : JSON.stringify(value));
  return { type: "STRING", values: values.map(text) };
}

/** Takes the bytes that have been written. */
function taken(writer: ByteWriter): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(writer.getBuffer());
  writer.index = 0;
  return bytes;
}
