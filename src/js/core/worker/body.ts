// A body outside of the module's memory: a worker or the page keeps it.

/** A complete body. */
export interface KeptBody {
  /** Its length in bytes. */
  readonly length: number;
  /** The number under which a worker keeps it. */
  readonly id?: number;
  /** Whether it is still there: a worker loses what was transferred to it, or what it keeps. */
  readonly isThere: boolean;
  /** Returns its bytes for a transfer to a worker. Only the page has such a body. */
  give?(): ArrayBuffer;
  /** Resolves with the body once the page has its bytes. */
  toPage(): Promise<PageBody>;
  /** Notes that nobody needs it any more. */
  end(): void;
  /** Notes that a worker has decoded it, or has not. The worker may have returned it. */
  decoded(isPacked: boolean, returned: unknown): void;
}

/** A body that the page has read, in pieces. */
export class PageBody implements KeptBody {
  length = 0;
  #pieces: Uint8Array[] = [];

  /** Adds a piece, which nothing may change any more. */
  add(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.length += piece.length;
  }

  /** What was transferred has no length any more. */
  get isThere(): boolean {
    return this.#pieces.reduce((sum, { length }) => sum + length, 0) === this.length;
  }

  /** Copies the first bytes to a target, which is no longer than the body. */
  copyTo(target: Uint8Array): void {
    let start = 0;
    for (const piece of this.#pieces) {
      const left = target.length - start;
      target.set(piece.length > left ? piece.subarray(0, left) : piece, start);
      start += piece.length;
      if (start >= target.length) return;
    }
  }

  give(): ArrayBuffer {
    const bytes = new Uint8Array(this.length);
    this.copyTo(bytes);
    this.#pieces = [bytes];
    return bytes.buffer;
  }

  async toPage(): Promise<PageBody> {
    return this;
  }

  end(): void {
    this.#pieces = [];
  }

  /** A caller's worker may post anything. */
  decoded(_isPacked: boolean, returned: unknown): void {
    if (returned instanceof ArrayBuffer && !this.isThere) this.#pieces = [new Uint8Array(returned)];
  }
}
