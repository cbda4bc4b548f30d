// The columns of an Arrow stream, from the columns of a table in the module.

import {
  type Batch,
  batchType,
  bool,
  Column,
  columnFromArray,
  type DataType,
  dictionary,
  float64,
  int32,
  utf8,
} from "@uwdata/flechette";
import { type PlannedColumn, RAW_JSON } from "./arrow-plan.js";
import type { Columns } from "./inspection_findings.js";
import { jsonOf } from "./json-text.js";
import type { FindingsTable } from "./table.js";

/** The layouts of a column in the module. */
const LAYOUTS = { int32: 0, float64: 1, bool: 2, presence: 2, text: 3, json: 3 };

/** A column as the module writes it. */
type Encoded = ReturnType<Columns["arrow"]>;

/** The buffers of a column, as Arrow lays them out. */
interface Buffers {
  readonly nullCount: number;
  readonly validity: Uint32Array;
  readonly values: ArrayBufferView;
  readonly offsets?: Int32Array;
}

/** Writes the columns of one table. */
export class ArrowWriter {
  /** The names of its columns. */
  readonly names: ReadonlySet<string>;
  /** The number of its findings. */
  readonly length: number;
  readonly #table: FindingsTable<unknown>;
  readonly #columns: Columns;
  readonly #kinds = new Map<string, number>();
  /** The strings that buffers stand for. */
  readonly #promised = new Map<ArrayBufferLike, Uint32Array>();

  constructor(table: FindingsTable<unknown>, columns: Columns) {
    this.#table = table;
    this.#columns = columns;
    this.length = columns.length();
    this.names = new Set<string>(columns.names());
  }

  /** The kinds of the values of a column; 0 if it has none. */
  kinds(name: string): number {
    if (!this.names.has(name)) return 0;
    const kinds = this.#kinds.get(name) ?? this.#columns.kinds(name);
    this.#kinds.set(name, kinds);
    return kinds;
  }

  /** Writes a column. */
  write({ of: name, type, isDictionary }: PlannedColumn): Column<unknown> {
    if (type === "json" && (this.kinds(name) & ~RAW_JSON) !== 0) return this.#json(name, isDictionary);
    const encoded = this.names.has(name)
      ? this.#columns.arrow(name, LAYOUTS[type])
      : nothing(this.length, LAYOUTS[type]);
    const { nullCount, validity, presence, values } = encoded;
    switch (type) {
      case "presence":
        return this.#column(bool(), { nullCount: 0, validity, values: presence });
      case "int32":
        return this.#column(int32(), { nullCount, validity, values: new Int32Array(values.buffer) });
      case "float64":
        return this.#column(float64(), { nullCount, validity, values: new Float64Array(values.buffer) });
      case "bool":
        return this.#column(bool(), { nullCount, validity, values });
    }
    return isDictionary ? this.#dictionary(encoded) : this.#repeated(encoded);
  }

  /** Copies the bytes that a view stands for; returns false if it has its bytes itself. */
  fill(view: Uint8Array, target: Uint8Array): boolean {
    const strings = this.#promised.get(view.buffer);
    if (strings !== undefined) this.#columns.copyStrings(strings, target);
    return strings !== undefined;
  }

  #dictionary({ nullCount, validity, values, strings, offsets }: Encoded): Column<unknown> {
    const type = utf8();
    const length = strings.length;
    // Nobody writes into these bytes, so that they take no memory. The texts are copied once, to their place in the stream.
    const bytes = new Uint8Array(offsets[length] as number);
    if (bytes.length > 0) this.#promised.set(bytes.buffer, strings);
    const buffers = { nullCount: 0, validity, offsets: new Int32Array(offsets.buffer), values: bytes };
    const texts = new Column([batchOf(type, length, buffers)], type);
    const codes = { nullCount, validity, values: new Int32Array(values.buffer) };
    const column = this.#column(dictionary(type, int32()), codes);
    // Its own method would decode all texts.
    Object.assign(column.data[0] as object, { dictionary: texts });
    return column;
  }

  /** A column with the text of each row. */
  #repeated({ nullCount, validity, values, strings, offsets }: Encoded): Column<unknown> {
    const bytes = new Uint8Array(offsets[strings.length] as number);
    this.#columns.copyStrings(strings, bytes);
    const lengths = strings.map((_, code) => (offsets[code + 1] as number) - (offsets[code] as number));
    const ends = new Int32Array(values.length + 1);
    let length = 0;
    values.forEach((code, row) => {
      if (isSet(validity, row)) length += lengths[code] as number;
      ends[row + 1] = length;
    });
    if (length > MAX_BYTES)
      throw new RangeError('strings must be "dictionary" for a column with more than 2 GiB of text');
    const texts = new Uint8Array(length);
    values.forEach((code, row) => {
      if (isSet(validity, row)) texts.set(bytes.subarray(offsets[code], offsets[code + 1]), ends[row]);
    });
    return this.#column(utf8(), { nullCount, validity, values: texts, offsets: ends });
  }

  /** A column of values of any kinds, as JSON. */
  #json(name: string, isDictionary: boolean): Column<unknown> {
    const texts = Array.from(this.#table.column(name), (value) => (value == null ? null : jsonOf(value)));
    return columnFromArray(texts, isDictionary ? dictionary(utf8(), int32()) : utf8());
  }

  #column(type: DataType, buffers: Buffers): Column<unknown> {
    return new Column([batchOf(type, this.length, buffers)], type);
  }
}

function batchOf(type: DataType, length: number, { nullCount, validity, ...buffers }: Buffers): Batch<unknown> {
  const bitmap = nullCount === 0 ? new Uint8Array() : validity;
  return new (batchType(type))({ type, length, nullCount, validity: bitmap, ...buffers });
}

/** A column without any value. */
function nothing(length: number, layout: number): Encoded {
  const none = new Uint32Array(Math.ceil(length / 32));
  const values = new Uint32Array(layout === LAYOUTS.float64 ? 2 * length : length);
  const offsets = new Uint32Array(1);
  return { nullCount: length, validity: none, presence: none, values, strings: new Uint32Array(), offsets };
}

function isSet(bits: Uint32Array, row: number): boolean {
  return (((bits[row >>> 5] as number) >>> (row & 31)) & 1) === 1;
}

/** The most bytes of text of a column: an offset has 31 bits. */
const MAX_BYTES = 2 ** 31 - 1;
