// A Parquet file out of Arrow streams, row group by row group.

import { type Column, type DataType, type Schema, Type, tableFromIPC } from "@uwdata/flechette";
import { type BasicType, ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";

/** The rows of a row group: enough that readers read long runs, few enough that an export shows its progress. */
const groupSize = 50_000;

/** The number of distinct values from which integers count as keys. */
const leastKeys = 1_000;

/** A file in the course of writing. */
export class ParquetFile {
  readonly #bytes = new ByteWriter();
  readonly #file: ParquetWriter;
  readonly #names: string[];
  /** Whether the values of a column are integers. */
  readonly #areIntegers: boolean[];
  readonly #rowsInGroup: number;
  /** The values of the next row group, by column. */
  #values: unknown[][];

  /**
   * @param schema of all streams
   * @param metadata of the file
   */
  constructor({ fields }: Schema, metadata: ReadonlyMap<string, string>, rowsInGroup = groupSize) {
    const columns = fields.map(({ name, type }) => ({ name, type: typeOf(type), data: [] }));
    this.#names = fields.map(({ name }) => name);
    this.#areIntegers = fields.map(({ type }) => type.typeId === Type.Int);
    this.#values = fields.map(() => []);
    this.#rowsInGroup = rowsInGroup;
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({ columnData: columns }),
      kvMetadata: Array.from(metadata, ([key, value]) => ({ key, value })),
    });
  }

  /** Adds the rows of a stream. Yields the bytes of each row group that is full. Texts are taken as the bytes that they are in the stream. */
  *add(stream: Uint8Array): Generator<Uint8Array, void> {
    const table = tableFromIPC(stream, { useBigInt: true });
    const columns = table.schema.fields.map((_, index) => valuesOf(table.getChildAt(index)));
    for (let row = 0; row < table.numRows; ) {
      const end = Math.min(row + this.#rowsInGroup - this.#pending, table.numRows);
      columns.forEach((valueAt, column) => {
        const values = this.#values[column];
        for (let at = row; at < end; at++) values?.push(valueAt(at));
      });
      row = end;
      if (this.#pending === this.#rowsInGroup) yield this.#group();
    }
  }

  /** Ends the file, after the rows that wait for a row group. */
  *end(): Generator<Uint8Array, void> {
    if (this.#pending > 0) yield this.#group();
    this.#file.finish();
    yield this.#taken();
  }

  get #pending(): number {
    return this.#values[0]?.length ?? 0;
  }

  #group(): Uint8Array {
    const columnData = this.#names.map((name, column) => {
      const data = this.#values[column] ?? [];
      // Readers that look for one key skip the row groups that lack it. A column of integers is a single page, without an index.
      return { name, data, bloomFilter: this.#areIntegers[column] === true && areKeys(data) };
    });
    this.#file.write({ columnData, rowGroupSize: this.#rowsInGroup });
    copyStatistics(this.#file.row_groups.at(-1));
    this.#values = this.#names.map(() => []);
    return this.#taken();
  }

  /** The bytes that have been written since the last ones. */
  #taken(): Uint8Array {
    const bytes = new Uint8Array(this.#bytes.getBuffer());
    this.#bytes.index = 0;
    return bytes;
  }
}

function areKeys(values: readonly unknown[]): boolean {
  return new Set(values).size >= leastKeys;
}

/** Copies the statistics of a row group, which the writer keeps: a text is a view of a whole stream. */
function copyStatistics(group: RowGroupMetadata | undefined): void {
  for (const { meta_data } of group?.columns ?? []) {
    const statistics = (meta_data?.statistics ?? {}) as Record<string, unknown>;
    for (const [name, value] of Object.entries(statistics)) {
      if (value instanceof Uint8Array) statistics[name] = value.slice();
    }
  }
}

function typeOf(type: DataType): BasicType {
  if (type.typeId === Type.Int) return type.bitWidth === 64 ? "INT64" : "INT32";
  if (type.typeId === Type.Bool) return "BOOLEAN";
  return type.typeId === Type.Float ? "DOUBLE" : "STRING";
}

/** Returns the value of a row of a column; null where it has none. */
function valuesOf(column: Column<unknown>): (row: number) => unknown {
  return column.type.typeId === Type.Dictionary ? textsOf(column) : (row) => column.at(row);
}

/**
 * The texts of a column, as UTF-8. Flechette would decode them, and remove a byte order mark at their beginning. Equal texts are the
 * same object, by which the writer recognises them fastest.
 */
function textsOf(column: Column<unknown>): (row: number) => unknown {
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

type RowGroupMetadata = ParquetWriter["row_groups"][number];

/** The members of Flechette's batches that their exported types lack. */
interface DictionaryBatch {
  nullCount: number;
  isValid(row: number): boolean;
  key(row: number): number;
  dictionary: { data: readonly { length: number; values: Uint8Array; offsets: Int32Array }[] };
}
