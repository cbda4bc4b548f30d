// A body that is complete, outside of the module's memory: a worker or the page keeps it.

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
  /** Resolves with its bytes. */
  bytes(): Promise<Uint8Array>;
  /** Notes that the page no longer needs it, unless a worker decodes it. */
  drop(): void;
  /** Notes that a worker decodes it, or will. */
  beginDecoding(): void;
  /** Notes that a worker has decoded it, or never will. The worker may have returned it. */
  endDecoding(isPacked: boolean, returned?: unknown): void;
  /** Notes that the page no longer needs it, also if a worker decodes it. */
  abandon(): void;
}

/** A body that the page has read, and transfers to a worker. */
export class PageBody implements KeptBody {
  readonly length: number;
  #data: ArrayBuffer;

  constructor(data: ArrayBuffer) {
    this.#data = data;
    this.length = data.byteLength;
  }

  get data(): ArrayBuffer {
    return this.#data;
  }

  /** A buffer that was transferred is empty. */
  get isThere(): boolean {
    return this.#data.byteLength === this.length;
  }

  /** An empty buffer that was transferred looks as before, but no view can be made of it. */
  async bytes(): Promise<Uint8Array> {
    return this.length === 0 ? new Uint8Array() : new Uint8Array(this.#data);
  }

  /** A caller's worker may post anything. */
  endDecoding(_isPacked: boolean, returned?: unknown): void {
    if (returned instanceof ArrayBuffer && !this.isThere) this.#data = returned;
  }

  beginDecoding(): void {}
  drop(): void {}
  abandon(): void {}
}
