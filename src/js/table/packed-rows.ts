// Plain objects from the packed rows of a partition.

import { now } from "../host/clock.js";
import { newParts, RowBuilder, type RowSource, type SharedParts } from "./row-builder.js";
import type { Finding } from "./row-layout.js";
import { decodeText } from "./string-cache.js";

/** The byte behind each name, which is not part of UTF-8. */
const END_OF_NAME = 0xff;

/** The rows of a partition, as `src/columns/border/packed_rows.rs` packs them. */
export class PackedRows implements RowSource {
  readonly #parts: SharedParts = newParts();
  readonly #builder = new RowBuilder(this, this.#parts);
  readonly #cells: Int32Array;
  readonly #shapes: Uint32Array[];
  /** The words of the strings, and their bytes. */
  readonly #words: Uint32Array;
  readonly #bytes: Uint8Array;
  readonly #numbers: Float64Array;
  /** The numbers that only JavaScript can parse, by id. Parsed when a row needs them, because rows are built in time slices. */
  readonly #numberTexts = new Map<number, Uint8Array>();
  readonly #names: string[];
  /** The positions of the next piece of strings. */
  #word = 0;
  #byte = 0;
  /** The position of the next finding. */
  #cell = 0;

  /** @throws {RangeError} if the bytes are malformed */
  constructor(bytes: Uint8Array) {
    const reader = new Reader(bytes);
    const { buffer, byteOffset, length } = reader.words();
    this.#cells = new Int32Array(buffer, byteOffset, length);
    this.#shapes = listsOf(reader.words());
    this.#words = reader.words();
    this.#numbers = new Float64Array(reader.bytes(8 * reader.word()).slice().buffer);
    for (let left = reader.word(); left > 0; left--) {
      this.#numberTexts.set(reader.word(), reader.bytes(reader.word()));
    }
    this.#names = namesOf(reader.bytes(reader.word()));
    this.#bytes = reader.rest();
  }

  /**
   * Appends findings until `milliseconds` have passed. Throws if the bytes are malformed.
   *
   * @returns true once all findings are appended
   */
  append(findings: Finding[], milliseconds: number): boolean {
    const deadline = now() + milliseconds;
    while (this.#word < this.#words.length) {
      this.#decodePiece();
      if (now() > deadline) return false;
    }
    if (this.#byte !== this.#bytes.length) throw malformed();
    this.#cell = this.#builder.build(this.#cells, this.#cell, findings, deadline);
    if (this.#cell > this.#cells.length) throw malformed();
    return this.#cell === this.#cells.length;
  }

  number(id: number): number {
    const text = this.#numberTexts.get(id);
    return text === undefined ? (this.#numbers[id] as number) : Number(decodeText(text));
  }

  shapeEvents(shape: number): Uint32Array {
    return this.#shapes[shape] as Uint32Array;
  }

  pathName(path: number): string {
    return this.#names[path] as string;
  }

  /** Called only if the bytes are malformed: all strings are decoded before the first row. */
  strings(): never {
    throw malformed();
  }

  #decodePiece(): void {
    const from = this.#word + 2;
    const length = this.#words[from - 2] as number;
    // Negated, because `end` is NaN if the bytes end too early.
    const end = from + 2 * (this.#words[from - 1] as number);
    if (!(end <= this.#words.length)) throw malformed();
    this.#parts.strings.add(this.#bytes.subarray(this.#byte, this.#byte + length), this.#words, from, end);
    this.#word = end;
    this.#byte += length;
  }
}

/** Reads numbers and lists one after the other. */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  word(): number {
    const word = this.#view.getUint32(this.#at, true);
    this.#at += 4;
    return word;
  }

  /** A view of a list of words. */
  words(): Uint32Array {
    const { buffer, byteOffset, length } = this.bytes(4 * this.word());
    return new Uint32Array(buffer, byteOffset, length / 4);
  }

  bytes(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw malformed();
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#at);
  }
}

/** Divides words into lists, each of which begins with its length. */
function listsOf(words: Uint32Array): Uint32Array[] {
  const lists: Uint32Array[] = [];
  for (let at = 0; at < words.length; ) {
    const start = at + 1;
    at = start + (words[at] as number);
    lists.push(words.subarray(start, at));
  }
  return lists;
}

function namesOf(bytes: Uint8Array): string[] {
  const names: string[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(END_OF_NAME, start);
    if (end < 0) throw malformed();
    names.push(decodeText(bytes.subarray(start, end)));
    start = end + 1;
  }
  return names;
}

function malformed(): RangeError {
  return new RangeError("the packed rows are malformed");
}
