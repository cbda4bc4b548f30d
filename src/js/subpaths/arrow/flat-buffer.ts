// The tables of a FlatBuffer, of which the messages of Arrow streams consist.

/** Reads offsets in a FlatBuffer. */
export class FlatBuffer {
  readonly #view: DataView;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Where that lies to which the offset at this position leads. */
  follow(at: number): number {
    return at + this.#view.getUint32(at, true);
  }

  /** Where the member of a table with this index lies; undefined if the table lacks it. */
  memberOf(table: number, index: number): number | undefined {
    const offsets = table - this.#view.getInt32(table, true);
    const isBehind = 4 + 2 * index >= this.#view.getUint16(offsets, true);
    const offset = isBehind ? 0 : this.#view.getUint16(offsets + 4 + 2 * index, true);
    return offset === 0 ? undefined : table + offset;
  }

  /** Makes a vector empty. */
  empty(vector: number): void {
    this.#view.setUint32(vector, 0, true);
  }
}

/** The indexes of members, in the messages of Arrow streams. */
export const HEADER = 2;
export const FIELDS = 1;
export const NODES = 1;
export const BUFFERS = 2;

/** Where the metadata of a message begins. Before it are a marker and the length of the metadata. */
export const METADATA = 8;
