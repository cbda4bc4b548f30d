// Strings of a table as JavaScript strings, decoded on demand.

import type { Columns } from "../../engine/engine.js";

/** Copies strings from Rust. */
type StringSource = Pick<Columns, "strings">;

/** The size of a page, as a power of two: strings with close ids are needed together. */
const PAGE_BITS = 6;

const PAGE = 1 << PAGE_BITS;

/** The maximum number of strings to request at once. */
const IDS_PER_CALL = 256;

/** The maximum number of cells to search for further strings. */
const CELLS_PER_CALL = 1024;

/** The maximum number of characters to keep between two calls: a table that was read once should not hold its text twice. */
const KEPT = 1 << 18;

const RAW_JSON = 0x6;

/** The number of bytes that Rust returns at once, unless a single string has more. */
const BYTES_PER_CALL = 1 << 14;

/** The number of words with which Rust describes the strings of a call. */
const WORDS_PER_CALL = 4 * IDS_PER_CALL + 2;

/** The ids of the strings to decode next. */
const wanted = new Uint32Array(IDS_PER_CALL);

interface Buffers {
  readonly bytes: Uint8Array;
  readonly words: Uint32Array;
}

let decoder: TextDecoder | undefined;

/** Decodes UTF-8. Plain jsdom has no `TextDecoder`: the package reports this when it is used, not when it is imported. */
export function decodeText(bytes: Uint8Array): string {
  decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes);
}

/** The strings of a catalog, by id. */
export class StringCache {
  /** The strings, in pages: an array with holes is slow, and an array without holes wastes memory. */
  #pages: (string | undefined)[][] = [];
  /** The number of characters. */
  #size = 0;
  #most: number;
  /** Memory for the strings on their way from Rust: new memory for each call takes a quarter of the time. */
  #buffers: Buffers | undefined;

  /** @param most the number of characters that {@link trim} leaves */
  constructor(most = KEPT) {
    this.#most = most;
  }

  /** Returns a string if it has been decoded. */
  get(id: number): string | undefined {
    return this.#pages[id >>> PAGE_BITS]?.[id & (PAGE - 1)];
  }

  /** Decodes the string of a cell, and the strings of the following cells: a batch takes a fraction of the time. */
  load(source: StringSource, cells: ArrayLike<number>, at: number): string {
    const count = this.#want(cells, at);
    let decoded = 0;
    this.#buffers ??= { bytes: new Uint8Array(BYTES_PER_CALL), words: new Uint32Array(WORDS_PER_CALL) };
    const { bytes, words } = this.#buffers;
    try {
      decoded = this.#decode(source.strings(wanted.subarray(0, count), bytes, words), words);
    } finally {
      for (const id of wanted.subarray(decoded, count)) this.#set(id, undefined);
    }
    return this.get(stringOf(cells[at] as number) as number) as string;
  }

  /** Drops the buffers, and all strings if they have too many characters. */
  trim(): void {
    this.#buffers = undefined;
    if (this.#size <= this.#most) return;
    this.#pages = [];
    this.#size = 0;
  }

  /** Lowers the limit for {@link trim}. */
  release(): void {
    this.#most = KEPT;
    this.trim();
  }

  /** Lists the strings of the cells from an index on that have not been decoded, and marks them as decoded. */
  #want(cells: ArrayLike<number>, from: number): number {
    const end = Math.min(cells.length, from + CELLS_PER_CALL);
    let count = 0;
    for (let index = from; index < end && count < IDS_PER_CALL; index++) {
      const id = stringOf(cells[index] as number);
      if (id === undefined || this.get(id) !== undefined) continue;
      this.#set(id, "");
      wanted[count++] = id;
    }
    return count;
  }

  /** Decodes strings. Returns their number, which Rust chooses. */
  #decode(bytes: Uint8Array, words: Uint32Array): number {
    let decoded = 0;
    let start = 0;
    for (let at = 0; words[at + 1] !== 0; ) {
      const end = start + (words[at] as number);
      const count = words[at + 1] as number;
      const next = at + 2 + 2 * count;
      this.#add(bytes.subarray(start, end), words, at + 2, next);
      start = end;
      at = next;
      decoded += count;
    }
    return decoded;
  }

  /** Decodes a piece. The words from `from` to before `to` have the id and the length of each of its strings. */
  #add(piece: Uint8Array, words: Uint32Array, from: number, to: number): void {
    const text = decodeText(piece);
    let start = 0;
    for (let at = from; at < to; at += 2) {
      const end = start + (words[at + 1] as number);
      this.#set(words[at] as number, text.slice(start, end));
      start = end;
    }
    this.#size += text.length;
  }

  #set(id: number, text: string | undefined): void {
    const number = id >>> PAGE_BITS;
    let page = this.#pages[number];
    if (page === undefined) {
      page = new Array(PAGE);
      this.#pages[number] = page;
    }
    page[id & (PAGE - 1)] = text;
  }
}

/** The id of the string of a text or of raw JSON. */
function stringOf(cell: number): number | undefined {
  if ((cell & 3) === 0) return cell >>> 2;
  return (cell & 15) === RAW_JSON ? cell >>> 4 : undefined;
}
