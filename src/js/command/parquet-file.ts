// A Parquet file out of tables, row group by row group.

import { ByteWriter, ParquetWriter, schemaFromColumnData } from "hyparquet-writer";
import { jsonText } from "../core/host/json-text.js";
import type { FindingsTable } from "../core/table/table.js";
import type { PlannedColumn } from "../subpaths/arrow/arrow-columns.js";

/** The rows of a row group: enough that readers read long runs, few enough that an export shows its progress. */
const groupSize = 50_000;

/** The number of distinct values from which integers count as keys. */
const leastKeys = 1_000;

const TYPES = { int32: "INT32", float64: "DOUBLE", bool: "BOOLEAN", text: "STRING", json: "STRING" } as const;

/** A file in the course of writing. */
export class ParquetFile {
  readonly #bytes = new ByteWriter();
  readonly #file: ParquetWriter;
  readonly #columns: readonly PlannedColumn[];
  readonly #rowsInGroup: number;
  /** The values of the next row group, by column. */
  #values: unknown[][];

  /**
   * @param columns of all tables
   * @param metadata of the file
   */
  constructor(columns: readonly PlannedColumn[], metadata: ReadonlyMap<string, string>, rowsInGroup = groupSize) {
    this.#columns = columns;
    this.#values = columns.map(() => []);
    this.#rowsInGroup = rowsInGroup;
    this.#file = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({
        columnData: columns.map(({ name, type }) => ({ name, type: TYPES[type], data: [] })),
      }),
      kvMetadata: Array.from(metadata, ([key, value]) => ({ key, value })),
    });
  }

  /** Adds the rows of a table. Yields the bytes of each row group that is full. */
  *add(table: FindingsTable<object>): Generator<Uint8Array, void> {
    const columns = this.#columns.map(({ of: name, type }) => {
      const values: unknown[] = table.columns.includes(name) ? table.column(name as never) : [];
      return type === "json" ? values.map((value) => (value == null ? null : jsonText(value))) : values;
    });
    for (let row = 0; row < table.length; ) {
      const end = Math.min(row + this.#rowsInGroup - this.#pending, table.length);
      columns.forEach((values, column) => {
        for (let at = row; at < end; at++) this.#values[column]?.push(values[at] ?? null);
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
    const columnData = this.#columns.map(({ name, type }, column) => {
      const data = this.#values[column] ?? [];
      // Readers that look for one key skip the row groups that lack it. A column of integers is a single page, without an index.
      return { name, data, bloomFilter: type === "int32" && new Set(data).size >= leastKeys };
    });
    this.#file.write({ columnData, rowGroupSize: this.#rowsInGroup });
    this.#values = this.#columns.map(() => []);
    return this.#taken();
  }

  /** The bytes that have been written since the last ones. */
  #taken(): Uint8Array {
    const bytes = new Uint8Array(this.#bytes.getBuffer());
    this.#bytes.index = 0;
    return bytes;
  }
}
