// A zip archive in the course of writing (APPNOTE.TXT, section 4.3): its files are compressed piece by piece.

import { LimitError } from "./limit-error.js";

/** Compresses the bytes of one file, as `new CompressionStream("deflate-raw")` does. */
export interface Compressor {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
}

type Pieces = AsyncIterable<string> | Iterable<string>;

/** The largest size that fits into 32 bits. */
const MAX = 0xffff_ffff;

/** The first possible date, 1 January 1980, as MS-DOS writes it: equal findings make equal archives. */
const DATE = 0x21;

interface Entry {
  readonly name: Uint8Array;
  readonly offset: number;
  crc: number;
  size: number;
  compressed: number;
}

export class ZipFile {
  readonly #entries: Entry[] = [];
  readonly #compressor: () => Compressor;
  readonly #encoder = new TextEncoder();
  #offset = 0;

  /** @param compressor returns the compressor of a file */
  constructor(compressor: () => Compressor) {
    this.#compressor = compressor;
  }

  /** Adds a file. Returns the next bytes of the archive. The pieces are read as far ahead as the compressor allows. */
  async *file(name: string, pieces: Pieces): AsyncGenerator<Uint8Array, void> {
    const entry: Entry = { name: this.#encoder.encode(name), offset: this.#offset, crc: 0, size: 0, compressed: 0 };
    this.#entries.push(entry);
    yield this.#passed([...words([4, 0x04034b50], ...headOf(entry, true)), ...entry.name]);
    const { readable, writable } = this.#compressor();
    const fed = this.#feed(entry, pieces, writable.getWriter());
    // The reader of the bytes gets the error: the page must not report it, too.
    fed.catch(() => {});
    const reader = readable.getReader();
    try {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        entry.compressed += read.value.length;
        yield this.#passed(read.value);
      }
    } catch (error) {
      await fed;
      throw error;
    } finally {
      await reader.cancel().catch(() => {});
    }
    await fed;
    yield this.#passed(words([4, 0x08074b50], [4, entry.crc], [4, entry.compressed], [4, entry.size]));
  }

  /** Ends the archive. */
  close(): Uint8Array {
    const start = this.#offset;
    const directory = this.#entries.flatMap((entry) => {
      const place = [...none(2, 3), [4, 0], [4, entry.offset]] as const;
      return [...words([4, 0x02014b50], [2, 20], ...headOf(entry, false), ...place), ...entry.name];
    });
    const { length } = this.#entries;
    const size = directory.length;
    const end = words([4, 0x06054b50], ...none(2, 2), [2, length], [2, length], [4, size], [4, start], [2, 0]);
    return this.#passed([...directory, ...end]);
  }

  /** Passes the pieces of a file to its compressor. */
  async #feed(entry: Entry, pieces: Pieces, writer: WritableStreamDefaultWriter<Uint8Array>): Promise<void> {
    try {
      for await (const piece of pieces) {
        const bytes = this.#encoder.encode(piece);
        entry.crc = crcOf(bytes, entry.crc);
        entry.size += bytes.length;
        await writer.write(bytes);
      }
      await writer.close();
    } catch (error) {
      await writer.abort(error).catch(() => {});
      throw error;
    }
  }

  #passed(bytes: Uint8Array | number[]): Uint8Array {
    this.#offset += bytes.length;
    if (this.#offset > MAX || (this.#entries.at(-1)?.size ?? 0) > MAX) {
      throw new LimitError("an .xlsx file cannot have more than 4 GB: use CSV instead");
    }
    return bytes instanceof Uint8Array ? bytes : Uint8Array.from(bytes);
  }
}

type Word = readonly [size: number, value: number];

/** What both headers of a file have. The first one is before the file, whose sizes then follow it. */
function headOf({ name, crc, compressed, size }: Entry, isFirst: boolean): Word[] {
  const sizes: Word[] = isFirst
    ? none(4, 3)
    : [
        [4, crc],
        [4, compressed],
        [4, size],
      ];
  return [[2, 20], [2, 0x0808], [2, 8], [2, 0], [2, DATE], ...sizes, [2, name.length], [2, 0]];
}

function none(size: number, count: number): Word[] {
  return Array<Word>(count).fill([size, 0]);
}

/** Numbers as bytes, the lowest first. */
function words(...numbers: Word[]): number[] {
  return numbers.flatMap(([size, value]) => [...Array(size).keys()].map((byte) => (value >>> (8 * byte)) & 0xff));
}

/** The check values of all bytes. */
const CHECKS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let check = byte;
  for (let bit = 0; bit < 8; bit++) check = check & 1 ? (check >>> 1) ^ 0xedb88320 : check >>> 1;
  return check;
});

function crcOf(bytes: Uint8Array, before: number): number {
  let check = ~before;
  for (const byte of bytes) check = (check >>> 8) ^ (CHECKS[(check ^ byte) & 0xff] as number);
  return ~check >>> 0;
}
