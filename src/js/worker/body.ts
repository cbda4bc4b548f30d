// A body outside of the module's memory: a worker or the page keeps it.

/** A complete body. */
export interface KeptBody {
  /** Its length in bytes. */
  readonly length: number;
  /** The number under which a worker keeps it. */
  readonly id?: number;
  /** Its bytes, unless a worker keeps it. */
  readonly data?: ArrayBuffer;
  /** Whether it is still there: a worker loses what was transferred to it, or what it keeps. */
  readonly isThere: boolean;
  /** Resolves with the body once the page has its bytes. */
  read(): Promise<PageBody>;
  /** Notes that the page no longer needs it, unless a worker decodes it. */
  drop(): void;
  /** Notes that a worker decodes it, or will. */
  beginDecoding(): void;
  /** Notes that a worker has decoded it, or never will. The worker may have returned it. */
  endDecoding(isPacked: boolean, returned?: unknown): void;
  /** Notes that the page no longer needs it, also if a worker decodes it. */
  abandon(): void;
}

/** A body that the page has read, in pieces. It is transferred to a worker as one. */
export class PageBody implements KeptBody {
  length = 0;
  #pieces: Uint8Array[] = [];
  #data: ArrayBuffer | undefined;

  /** Adds a piece, which nothing may change any more. */
  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.length += piece.length;
  }

  /** The bytes as one buffer, which a worker may take. */
  get data(): ArrayBuffer {
    if (this.#data === undefined) {
      const bytes = new Uint8Array(this.length);
      this.copyTo(bytes);
      this.#data = bytes.buffer;
      this.#pieces = [];
    }
    return this.#data;
  }

  /** A buffer that was transferred is empty. */
  get isThere(): boolean {
    return this.#data === undefined || this.#data.byteLength === this.length;
  }

  /** Copies the first bytes to a target, which is no longer than the body. */
  copyTo(target: Uint8Array): void {
    // No view can be made of an empty buffer that was transferred.
    const pieces = this.#data === undefined || this.length === 0 ? this.#pieces : [new Uint8Array(this.#data)];
    let start = 0;
    for (const piece of pieces) {
      const left = target.length - start;
      target.set(piece.length > left ? piece.subarray(0, left) : piece, start);
      start += piece.length;
      if (start >= target.length) return;
    }
  }

  async read(): Promise<PageBody> {
    return this;
  }

  /** A caller's worker may post anything. */
  endDecoding(_isPacked: boolean, returned?: unknown): void {
    if (returned instanceof ArrayBuffer && !this.isThere) this.#data = returned;
  }

  beginDecoding(): void {}
  drop(): void {}
  abandon(): void {}
}
