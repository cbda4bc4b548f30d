// The columns of an Arrow stream: what is planned for each, and how it is written from a column of the table.

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
import type { BufferContent, Columns, NumbersOf } from "../../core/engine/engine.js";
import { jsonText } from "../../core/host/json-text.js";
import type { TableSource } from "../../core/table/table-source.js";

/** The type of a column. */
export type ColumnType = "int32" | "float64" | "bool" | "text" | "json";

/** A column to write. */
export interface PlannedColumn {
  /** The name of the column in the stream. */
  readonly name: string;
  /** The name of the column in the table. */
  readonly of: string;
  readonly type: ColumnType;
  /** Whether each distinct text is stored once. */
  readonly isDictionary: boolean;
}

/** The kinds of values in a column, one bit each, as in Rust. */
export const INTEGER = 1;
export const NUMBER = 2;
export const BOOLEAN = 4;
export const TEXT = 8;
export const RAW_JSON = 16;
/** Null and missing values. */
const NOTHING = 64;
/** Strings with lone surrogates, which are raw JSON in Rust. */
export const SURROGATE = 128;

/** The content of a buffer, for each finding or for each string. */
const CONTENTS = {
  validity: 0,
  booleans: 1,
  integers: 2,
  numbers: 3,
  codes: 4,
  offsets: 5,
  stringOffsets: 6,
  strings: 7,
  texts: 8,
} as const satisfies NumbersOf<typeof BufferContent>;

/** A buffer that Rust writes once its place in the stream is known. */
interface DeferredBuffer {
  /** The name of its column in the table. */
  readonly of: string;
  readonly content: BufferContent;
  /** The codes of its strings. */
  readonly codes: Uint32Array | undefined;
}

/** The buffers of a column, as Arrow lays them out. */
interface Buffers {
  readonly nullCount: number;
  readonly validity: ArrayBufferView;
  readonly values: ArrayBufferView;
  readonly offsets?: Int32Array;
}

/** Writes the columns of one table. */
export class ArrowWriter {
  /** The names of its columns. */
  readonly names: ReadonlySet<string>;
  /** The number of its findings. */
  readonly length: number;
  readonly #source: TableSource;
  readonly #columns: Columns;
  /** The names of the columns that the call has kept; undefined if it has kept all. */
  readonly #columnList: string[] | undefined;
  /** The kinds and the number of nulls of each column. */
  readonly #measures = new Map<string, ArrayLike<number>>();
  readonly #deferred: DeferredBuffer[] = [];
  /** A zero buffer that placeholder views point into. It is never written, so its memory pages cost nothing. */
  #zeros = new ArrayBuffer(0);
  readonly #allZeros = new Set<ArrayBufferLike>();
  /** The arguments for Rust: column, content, strings and target of each deferred buffer. */
  readonly #writes: [
    of: string[],
    contents: BufferContent[],
    codes: DeferredBuffer["codes"][],
    targets: ArrayBufferView[],
  ] = [[], [], [], []];

  constructor(source: TableSource) {
    const { columns } = source;
    this.#source = source;
    this.#columns = columns;
    this.length = columns.length();
    this.names = new Set<string>(columns.names());
    const list = columns.columnList();
    // Each name ends with the byte 0xFF, which UTF-8 never has. Read as Latin-1, ASCII is the same.
    this.#columnList = list && new TextDecoder("latin1").decode(list).split("\xff");
  }

  /** Whether the option `columns` does not leave out a column, whose name is ASCII. */
  keeps(name: string): boolean {
    return this.#columnList?.includes(name) ?? true;
  }

  /** The kinds of the values of a column; 0 if it has none. */
  kinds(name: string): number {
    return (this.#measure(name)[0] as number) & ~NOTHING;
  }

  /** Writes a column, except its deferred buffers. */
  write({ of: name, type, isDictionary }: PlannedColumn): Column<unknown> {
    if (type === "json" && (this.kinds(name) & ~(RAW_JSON | SURROGATE)) !== 0) return this.#json(name, isDictionary);
    // The encoder of UTF-8 replaces lone surrogates by U+FFFD.
    if (type === "text" && (this.kinds(name) & SURROGATE) !== 0) return this.#texts(this.#values(name), isDictionary);
    const nullCount = this.#measure(name)[1] as number;
    const nulls = { nullCount, validity: nullCount === 0 ? NONE : this.#bits(name, CONTENTS.validity) };
    const column = (type: DataType, values: ArrayBufferView) => this.#column(type, { ...nulls, values });
    switch (type) {
      case "int32":
        return column(int32(), this.#defer(Int32Array, this.length, name, CONTENTS.integers));
      case "float64":
        return column(float64(), this.#defer(Float64Array, this.length, name, CONTENTS.numbers));
      case "bool":
        return column(bool(), this.#bits(name, CONTENTS.booleans));
    }
    return isDictionary ? this.#dictionary(name, nulls) : this.#repeated(name, nulls);
  }

  /** Sets the place of the buffer that a view stands for; returns false if the view has its own bytes. */
  locate({ buffer, byteOffset, length }: Uint8Array, stream: ArrayBuffer, start: number): boolean {
    if (!this.#allZeros.has(buffer)) return false;
    const { of: name, content, codes } = this.#deferred[byteOffset / 8] as DeferredBuffer;
    // All bytes of a stream are zero at first, like the buffers of a column without values.
    if (this.names.has(name)) {
      const target =
        content < CONTENTS.strings ? new Uint32Array(stream, start, length / 4) : new Uint8Array(stream, start, length);
      [name, content, codes, target].forEach((argument, index) => {
        (this.#writes[index] as unknown[]).push(argument);
      });
    }
    return true;
  }

  /** Writes the deferred buffers into the stream. */
  flush(): void {
    if (this.#writes[0].length > 0) this.#columns.writeBuffers(...this.#writes);
  }

  /** The values of a column, each null or undefined where there is none. */
  #values(name: string): unknown[] {
    return this.names.has(name) ? this.#source.column(name) : new Array(this.length).fill(null);
  }

  #measure(name: string): ArrayLike<number> {
    if (!this.names.has(name)) return [0, this.length];
    const measure = this.#measures.get(name) ?? this.#columns.measure(name, false);
    this.#measures.set(name, measure);
    return measure;
  }

  #dictionary(name: string, nulls: Pick<Buffers, "nullCount" | "validity">): Column<unknown> {
    const type = utf8();
    const { codes, length } = this.names.has(name) ? this.#columns.distinctStrings(name) : NO_STRINGS;
    if (length > MAX_BYTES)
      throw new RangeError(`column "${name}" has more than 2 GiB of different texts: leave it out`);
    const texts = {
      nullCount: 0,
      validity: NONE,
      offsets: this.#defer(Int32Array, codes.length + 1, name, CONTENTS.stringOffsets, codes),
      values: this.#defer(Uint8Array, length, name, CONTENTS.strings, codes),
    };
    const indexes = this.#defer(Int32Array, this.length, name, CONTENTS.codes, codes);
    const column = this.#column(dictionary(type, int32()), { ...nulls, values: indexes });
    // The column's own method would decode all texts.
    Object.assign(column.data[0] as object, { dictionary: new Column([batchOf(type, codes.length, texts)], type) });
    return column;
  }

  /** A column with the text of each row. */
  #repeated(name: string, nulls: Pick<Buffers, "nullCount" | "validity">): Column<unknown> {
    const length = this.names.has(name) ? (this.#columns.measure(name, true)[2] as number) : 0;
    if (length > MAX_BYTES)
      throw new RangeError('strings must be "dictionary" for a column with more than 2 GiB of text');
    const offsets = this.#defer(Int32Array, this.length + 1, name, CONTENTS.offsets);
    return this.#column(utf8(), { ...nulls, offsets, values: this.#defer(Uint8Array, length, name, CONTENTS.texts) });
  }

  /** A column of values of mixed kinds, as JSON. */
  #json(name: string, isDictionary: boolean): Column<unknown> {
    const texts = this.#values(name).map((value) => (value == null ? null : jsonText(value)));
    return this.#texts(texts, isDictionary);
  }

  #texts(texts: unknown[], isDictionary: boolean): Column<unknown> {
    return columnFromArray(texts, isDictionary ? dictionary(utf8(), int32()) : utf8());
  }

  #column(type: DataType, buffers: Buffers): Column<unknown> {
    return new Column([batchOf(type, this.length, buffers)], type);
  }

  /** Defers a bit for each finding. */
  #bits(name: string, content: BufferContent): Uint32Array {
    return this.#defer(Uint32Array, Math.ceil(this.length / 32), name, content);
  }

  /** Defers a buffer. Returns a view of zeros of the same length; no other view begins at the same offset. */
  #defer<View>(
    View: { new (buffer: ArrayBuffer, start: number, length: number): View; readonly BYTES_PER_ELEMENT: number },
    length: number,
    name: string,
    content: BufferContent,
    codes?: Uint32Array,
  ): View {
    const start = 8 * this.#deferred.push({ of: name, content, codes }) - 8;
    const end = start + length * View.BYTES_PER_ELEMENT;
    if (end > this.#zeros.byteLength) {
      this.#zeros = new ArrayBuffer(end);
      this.#allZeros.add(this.#zeros);
    }
    return new View(this.#zeros, start, length);
  }
}

/** Makes the batch of a column. */
export function batchOf(type: DataType, length: number, buffers: Buffers): Batch<unknown> {
  return new (batchType(type))({ type, length, ...buffers });
}

/** Makes a column without rows. */
export function emptyColumn(type: DataType): Column<unknown> {
  const buffers = { validity: NONE, values: NONE, offsets: Int32Array.of(0) };
  return new Column([batchOf(type, 0, { nullCount: 0, ...buffers })], type);
}

const NONE = new Uint8Array();
const NO_STRINGS = { codes: new Uint32Array(), length: 0 };

/** The maximum number of bytes of text in a column: an offset has 31 bits. */
const MAX_BYTES = 2 ** 31 - 1;
