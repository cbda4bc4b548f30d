/** A Parquet file out of an Arrow stream, row group by row group. */

import { type Column, type Table, Type, tableFromIPC } from "@uwdata/flechette";
import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";

export interface RowGroup {
  /** The bytes of the file that follow those of the row group before. */
  bytes: Uint8Array<ArrayBuffer>;
  /** The number of rows up to its end. */
  rows: number;
}

/** The rows of a row group: enough that readers read long runs, few enough that an export shows its progress. */
const groupSize = 50_000;

/**
 * Makes a file of an Arrow stream of the package. Texts are taken as the bytes that they are in the stream. The metadata of the
 * stream's schema become those of the file.
 */
export function* parquetFile(stream: Uint8Array, rowsInGroup = groupSize): Generator<RowGroup, void> {
  const table = tableFromIPC(stream);
  const columns = columnsOf(table);
  const writer = new ByteWriter();
  const file = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData: columns.map(({ name, type }) => ({ name, type, data: [] })) }),
    kvMetadata: Array.from(table.schema.metadata ?? [], ([key, value]) => ({ key, value })),
  });
  let rows = 0;
  while (rows < table.numRows) {
    const end = Math.min(rows + rowsInGroup, table.numRows);
    const columnData = columns.map(({ name, valueAt }) => ({ name, data: valuesOf(valueAt, rows, end) }));
    file.write({ columnData, rowGroupSize: rowsInGroup });
    rows = end;
    yield { bytes: takenFrom(writer), rows };
  }
  file.finish();
  yield { bytes: takenFrom(writer), rows };
}

/** A column of the file. */
interface FileColumn {
  name: string;
  type: BasicType;
  /** The value of a row; null where it has none. */
  valueAt(row: number): unknown;
}

function columnsOf(table: Table): FileColumn[] {
  return table.schema.fields.map(({ name, type: { typeId } }, index) => {
    const column: Column<unknown> = table.getChildAt(index);
    if (typeId === Type.Dictionary) {
      return { name, type: "STRING", valueAt: textsOf(column) };
    }
    return { name, type: typeOf(typeId), valueAt: (row) => column.at(row) };
  });
}

function typeOf(arrowType: number): BasicType {
  if (arrowType === Type.Int) {
    return "INT32";
  }
  return arrowType === Type.Bool ? "BOOLEAN" : "DOUBLE";
}

/**
 * The texts of a column, as UTF-8. Flechette would decode them, and remove a byte order mark at their beginning. Equal texts are the
 * same object, by which the writer recognises them fastest.
 */
function textsOf(column: Column<unknown>): FileColumn["valueAt"] {
  // The package writes one batch, and one dictionary.
  const [batch] = column.data as unknown as [DictionaryBatch] | [];
  if (batch === undefined) {
    return () => null;
  }
  const [dictionary] = batch.dictionary.data;
  const texts = Array.from({ length: dictionary?.length ?? 0 }, (_, id) =>
    dictionary?.values.subarray(dictionary.offsets[id], dictionary.offsets[id + 1]),
  );
  // Without nulls a batch has no bitmap.
  return (row) => (batch.nullCount > 0 && !batch.isValid(row) ? null : texts[batch.key(row)]);
}

/** The members of Flechette's batches that their exported types lack. */
interface DictionaryBatch {
  nullCount: number;
  isValid(row: number): boolean;
  key(row: number): number;
  dictionary: { data: readonly { length: number; values: Uint8Array; offsets: Int32Array }[] };
}

function valuesOf(valueAt: FileColumn["valueAt"], start: number, end: number): unknown[] {
  return Array.from({ length: end - start }, (_, row) => valueAt(start + row));
}

/** The bytes that a writer has, which are removed from it. */
function takenFrom(writer: ByteWriter): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(writer.getBuffer());
  writer.index = 0;
  return bytes;
}
