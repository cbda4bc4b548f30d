// A zip archive in the course of writing (APPNOTE.TXT, section 4.3): its files are compressed piece by piece.

import { constants, deflateRawSync } from "node:zlib";
import { FinalError } from "./final-error.js";

/** The largest size that fits into 32 bits. */
const MAX = 0xffff_ffff;

/** The end of a deflated file: an empty last block. */
const LAST_BLOCK = Buffer.from([3, 0]);

/** The first possible date, 1 January 1980, as MS-DOS writes it: equal findings make equal archives. */
const DATE = 0x21;

interface Entry {
  readonly name: Buffer;
  readonly offset: number;
  crc: number;
  size: number;
  compressed: number;
}

export class ZipFile {
  readonly #entries: Entry[] = [];
  #offset = 0;

  /** Begins a file. Returns the next bytes of the archive, as each method does. */
  begin(name: string): Buffer {
    const entry = { name: Buffer.from(name), offset: this.#offset, crc: 0, size: 0, compressed: 0 };
    this.#entries.push(entry);
    return this.#passed(Buffer.concat([words([4, 0x04034b50], ...headOf(entry, true)), entry.name]));
  }

  /** Writes the next piece of the file. */
  write(text: string): Buffer {
    const entry = this.#entry();
    const bytes = Buffer.from(text);
    entry.crc = crcOf(bytes, entry.crc);
    entry.size += bytes.length;
    // Its last block is not the file's last one, so pieces can follow one another.
    const piece = deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
    entry.compressed += piece.length;
    return this.#passed(piece);
  }

  /** Ends the file. */
  end(): Buffer {
    const entry = this.#entry();
    entry.compressed += LAST_BLOCK.length;
    const sizes = words([4, 0x08074b50], [4, entry.crc], [4, entry.compressed], [4, entry.size]);
    return this.#passed(Buffer.concat([LAST_BLOCK, sizes]));
  }

  /** Ends the archive. */
  close(): Buffer {
    const start = this.#offset;
    const directory = this.#entries.map((entry) => {
      const place = [...none(2, 3), [4, 0], [4, entry.offset]] as const;
      return Buffer.concat([words([4, 0x02014b50], [2, 20], ...headOf(entry, false), ...place), entry.name]);
    });
    const bytes = Buffer.concat(directory);
    const { length } = this.#entries;
    const end = words([4, 0x06054b50], ...none(2, 2), [2, length], [2, length], [4, bytes.length], [4, start], [2, 0]);
    return this.#passed(Buffer.concat([bytes, end]));
  }

  #entry(): Entry {
    return this.#entries[this.#entries.length - 1] as Entry;
  }

  #passed(bytes: Buffer): Buffer {
    this.#offset += bytes.length;
    if (this.#offset > MAX || (this.#entries.at(-1)?.size ?? 0) > MAX) {
      throw new FinalError("An .xlsx file cannot have more than 4 GB. Export to a .parquet or .csv file instead.");
    }
    return bytes;
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
  return Array.from({ length: count }, () => [size, 0] as const);
}

/** Numbers as bytes, the lowest first. */
function words(...numbers: Word[]): Buffer {
  return Buffer.concat(
    numbers.map(([size, value]) => {
      const bytes = Buffer.alloc(size);
      bytes.writeUIntLE(value, 0, size);
      return bytes;
    }),
  );
}

/** The check values of all bytes. Node has a function for it since version 20.15. */
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
