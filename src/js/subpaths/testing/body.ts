// A body that is made when it is read, and arrives at its pace.

import { wait } from "./wait.js";

/** Makes the text of a body. */
export type Content = () => string;

/** How a body arrives. */
export interface Pace {
  /** Bytes in a second; undefined for all at once. */
  readonly bandwidth: number | undefined;
  /** Bytes in a piece; undefined for any number. */
  readonly slice: number | undefined;
}

/** Milliseconds between two pieces if `slice` is not set. */
const interval = 100;

export class Body {
  readonly #content: Content;
  readonly #pace: Pace;
  readonly #signal: AbortSignal | undefined;

  constructor(content: Content, pace: Pace, signal: AbortSignal | undefined) {
    this.#content = content;
    this.#pace = pace;
    this.#signal = signal;
  }

  /** Returns the body as a stream, which makes it at the first read. After an abort it fails with the reason. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const signal = this.#signal;
    let pieces: Iterator<Piece> | undefined;
    let stop = () => {};
    const pull = async (controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => {
      if (signal?.aborted) throw signal.reason;
      pieces ??= this.#pieces();
      const { done, value } = pieces.next();
      if (done) {
        controller.close();
        return;
      }
      const delay = value.delay();
      if (delay > 0) {
        await new Promise<void>((ended, aborted) => {
          stop = wait(delay, signal, { ended, aborted });
        });
      }
      controller.enqueue(value.bytes);
      if (value.isLast) controller.close();
    };
    return new ReadableStream({ pull, cancel: () => stop() }, { highWaterMark: 0 });
  }

  *#pieces(): Generator<Piece> {
    const bytes = encode(this.#content());
    const { bandwidth, slice } = this.#pace;
    const size = slice ?? (bandwidth === undefined ? bytes.length : Math.ceil((bandwidth * interval) / 1000));
    const begin = performance.now();
    for (let from = 0; from < bytes.length; from += size) {
      const to = Math.min(bytes.length, from + size);
      yield {
        bytes: from === 0 && to === bytes.length ? bytes : bytes.slice(from, to),
        isLast: to === bytes.length,
        delay: () => (bandwidth === undefined ? 0 : delayOf(begin, to, { bandwidth, length: to - from })),
      };
    }
  }
}

interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isLast: boolean;
  /** Returns the milliseconds until the piece arrives. */
  delay(): number;
}

/** Milliseconds until the piece has arrived. At most the time of one piece, because fake timers may not advance the clock. */
function delayOf(begin: number, to: number, { bandwidth, length }: { bandwidth: number; length: number }): number {
  const due = begin + (to / bandwidth) * 1000;
  return Math.min(due - performance.now(), (length / bandwidth) * 1000);
}

/** Encodes a text as UTF-8. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
