// Plain objects from packed rows: those of a partition, or some of a table.

import { now } from "../../host/clock.js";
import { cellValue } from "./cell.js";
import { decodeText } from "./decoded-text.js";
import { listOf } from "./list.js";
import { RowBuilder } from "./row-builder.js";
import { type Finding, type Layout, Layouts, type Shape } from "./row-layout.js";

/** The byte behind each name, which is not part of UTF-8. */
const END_OF_NAME = 0xff;

const NO_BYTES: Uint8Array = new Uint8Array();

const NO_NUMBERS: Float64Array = new Float64Array();

/** Rows as `src/chunk/rows/packed_rows.rs` packs them. */
export class PackedRows {
  readonly #builder: RowBuilder;
  readonly #bytes: Uint8Array;
  /** All bytes as words: a view for each list would take longer than a row. */
  readonly #words: Int32Array;
  readonly #strings: string[];
  /** Where the next piece of strings is described, and where the description ends; and where its bytes begin. */
  #piece: number;
  readonly #lastPiece: number;
  #byte: number;
  /** The positions of the next finding, and of the end of the last one. */
  #cell = 1;
  readonly #lastCell: number;

  /**
   * @param layoutOf returns the layout of a shape, if the rows come without their shapes
   * @throws {RangeError} if the bytes are malformed
   */
  constructor(bytes: Uint8Array, layoutOf?: (shape: number) => Layout) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2);
    this.#bytes = bytes;
    this.#words = words;
    this.#lastCell = endOfList(words, 0);
    const lastShape = endOfList(words, this.#lastCell);
    this.#piece = lastShape + 1;
    this.#lastPiece = endOfList(words, lastShape);
    this.#strings = new Array(countOf(words, this.#piece, this.#lastPiece));
    const reader = new Reader(bytes, 4 * this.#lastPiece);
    const count = reader.word();
    const numbers = count === 0 ? NO_NUMBERS : new Float64Array(reader.bytes(8 * count).slice().buffer);
    const names = reader.bytes(reader.word());
    this.#byte = reader.at;
    const shapes = () => layoutsOf(words.subarray(this.#lastCell + 1, lastShape), names);
    this.#builder = new RowBuilder(this.#strings, numbers, layoutOf ?? shapes());
  }

  /**
   * Appends findings until `milliseconds` have passed. Throws if the bytes are malformed.
   *
   * @returns true once all findings are appended
   */
  append(findings: Finding[], milliseconds: number): boolean {
    const deadline = now() + milliseconds;
    while (this.#piece < this.#lastPiece) {
      this.#decodePiece();
      if (now() > deadline) return false;
    }
    if (this.#byte !== this.#bytes.length) throw malformed();
    this.#cell = this.#builder.build(this.#words, this.#cell, this.#lastCell, findings, deadline);
    if (this.#cell > this.#lastCell) throw malformed();
    return this.#cell === this.#lastCell;
  }

  /** The values of cells that are packed like rows; undefined for missing ones. */
  values(): unknown[] {
    while (this.#piece < this.#lastPiece) this.#decodePiece();
    return listOf(this.#lastCell - 1, (at) => cellValue(this.#words[at + 1] as number, this.#builder));
  }

  #decodePiece(): void {
    const words = this.#words;
    const end = this.#piece + 2 + 2 * (words[this.#piece + 1] as number);
    const nextByte = this.#byte + (words[this.#piece] as number);
    const text = decodeText(this.#bytes.subarray(this.#byte, nextByte));
    let start = 0;
    for (let at = this.#piece + 2; at < end; at += 2) {
      const next = start + (words[at + 1] as number);
      this.#strings[words[at] as number] = text.slice(start, next);
      start = next;
    }
    this.#piece = end;
    this.#byte = nextByte;
  }
}

/** Reads the keys of a shape. */
export function readShape(bytes: Uint8Array): Shape {
  const reader = new Reader(bytes, 0);
  const { buffer, byteOffset, length } = reader.bytes(4 * reader.word());
  return { events: new Int32Array(buffer, byteOffset, length / 4), names: decodedNames(reader.bytes(reader.word())) };
}

/** Reads numbers and lists one after the other. */
class Reader {
  readonly #bytes: Uint8Array;

  /** @param at the position of the next byte */
  constructor(
    bytes: Uint8Array,
    public at: number,
  ) {
    this.#bytes = bytes;
  }

  word(): number {
    const end = this.at + 4;
    let word = 0;
    for (let at = end; at > this.at; ) word = (word << 8) | (this.#bytes[--at] as number);
    if (end > this.#bytes.length) throw malformed();
    this.at = end;
    return word >>> 0;
  }

  bytes(length: number): Uint8Array {
    if (length === 0) return NO_BYTES;
    const end = this.at + length;
    if (end > this.#bytes.length) throw malformed();
    const bytes = this.#bytes.subarray(this.at, end);
    this.at = end;
    return bytes;
  }
}

/** Returns where a list ends that begins with its length. */
function endOfList(words: Int32Array, at: number): number {
  const end = at + 1 + (words[at] as number);
  // Negated, because `end` is NaN if the words end too early.
  if (!(end > at && end <= words.length)) throw malformed();
  return end;
}

/** Counts the strings that some words describe. */
function countOf(words: Int32Array, from: number, to: number): number {
  let count = 0;
  let at = from;
  while (at < to) {
    const strings = words[at + 1] as number;
    if (!(strings > 0)) throw malformed();
    count += strings;
    at += 2 + 2 * strings;
  }
  if (at !== to) throw malformed();
  return count;
}

/** The layouts of the shapes that are packed with rows. Each begins with the number of its events. */
function layoutsOf(words: Int32Array, bytes: Uint8Array): (shape: number) => Layout {
  const names = decodedNames(bytes);
  const shapes: Int32Array[] = [];
  for (let at = 0; at < words.length; ) {
    const end = endOfList(words, at);
    shapes.push(words.subarray(at + 1, end));
    at = end;
  }
  const layouts = new Layouts();
  const read = (shape: number): Shape => {
    const events = shapes[shape];
    if (events === undefined) throw malformed();
    return { events, names };
  };
  return (shape) => layouts.of(shape, read);
}

function decodedNames(bytes: Uint8Array): string[] {
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
