// A body that is complete, outside of the module's memory: the browser, a worker or the page keeps it.

import type { BodyData } from "./protocol.js";

/** A complete body. */
export interface KeptBody {
  /** Its length in bytes. */
  readonly length: number;
  /** The number under which a worker keeps it. */
  readonly id?: number;
  /** What a worker needs in order to decode it, unless the worker keeps it. */
  readonly data?: BodyData;
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

/** A body that the page has. */
export class PageBody implements KeptBody {
  readonly length: number;
  #data: BodyData;

  constructor(data: BodyData) {
    this.#data = data;
    this.length = lengthOf(data);
  }

  get data(): BodyData {
    return this.#data;
  }

  /** A blob is only a handle, and a buffer that was transferred is empty. */
  get isThere(): boolean {
    return lengthOf(this.#data) === this.length;
  }

  async bytes(): Promise<Uint8Array> {
    if (this.length === 0) return new Uint8Array();
    return new Uint8Array(this.#data instanceof ArrayBuffer ? this.#data : await this.#data.arrayBuffer());
  }

  /** A caller's worker may post anything. */
  endDecoding(_isPacked: boolean, returned?: unknown): void {
    if (returned instanceof ArrayBuffer && !this.isThere) this.#data = returned;
  }

  beginDecoding(): void {}
  drop(): void {}
  abandon(): void {}
}

function lengthOf(data: BodyData): number {
  return data instanceof ArrayBuffer ? data.byteLength : data.size;
}
