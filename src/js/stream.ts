// The stream of partitions: a call that begins with the first pull, and is read once.

import type { InspectionFinding } from "./inspection_findings.js";

/** A partition of a stream. */
export interface Partition<Finding = InspectionFinding> {
  /** Its index. */
  index: number;
  /** Its findings, in their order. */
  findings: Finding[];
}

/**
 * The partitions of one kind, one after the other. Begins with the first `next()`, is read once, and gets at most `concurrency`
 * partitions and `maxBufferedBytes` ahead of its reader; who does not read on stops the fetching. Leaving a `for await` loop,
 * `return()`, and the caller's signal end everything that is under way.
 *
 * A failure comes in its place: what comes before the partition that failed has been delivered. At the end the number of findings is
 * compared with the total (see `completeness`).
 */
export interface PartitionStream<Finding = InspectionFinding>
  extends AsyncIterableIterator<Partition<Finding>, undefined> {
  /** The same stream for `pipeTo`, `pipeThrough` and `Response`s. It takes what the iterator has not taken. */
  toReadableStream(): ReadableStream<Partition<Finding>>;
}

/** Where the partitions come from, once the call has begun. */
export interface Source<Finding> {
  /** The next partition; undefined at the end. */
  next(): Promise<Partition<Finding> | undefined>;
  /** Ends the call. */
  free(): void;
}

const DONE = { done: true, value: undefined } as const;

/** The stream of a call that is opened by the first pull, unless the signal is aborted before. */
export class Partitions<Finding> implements PartitionStream<Finding> {
  readonly #open: (life: AbortSignal) => Promise<Source<Finding>>;
  readonly #life = new AbortController();
  #source: Promise<Source<Finding>> | undefined;
  /** The pull before, after which the next one is made. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(open: (life: AbortSignal) => Promise<Source<Finding>>) {
    this.#open = open;
  }

  next(): Promise<IteratorResult<Partition<Finding>, undefined>> {
    const begin = () => {
      // A caller that does not use the promise need not handle its rejection.
      pull.catch(() => {});
      return this.#pull();
    };
    const pull: ReturnType<typeof this.next> = this.#last.then(begin, begin);
    // Nothing is called from here on: on an exhausted stack that would throw, and what is pulled would be lost.
    this.#last = pull;
    return pull;
  }

  async return(): Promise<IteratorResult<Partition<Finding>, undefined>> {
    // The caller's stack may be exhausted, and who listens may need one.
    await undefined;
    this.#life.abort();
    return DONE;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  toReadableStream(): ReadableStream<Partition<Finding>> {
    return new ReadableStream<Partition<Finding>>(
      {
        pull: async (controller) => {
          const { done, value } = await this.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: async () => {
          await this.return();
        },
      },
      { highWaterMark: 0 },
    );
  }

  async #pull(): Promise<IteratorResult<Partition<Finding>, undefined>> {
    if (this.#life.signal.aborted) return DONE;
    try {
      this.#source ??= this.#begin();
      const value = await (await this.#source).next();
      if (value !== undefined) return { done: false, value };
    } catch (reason) {
      // Who has left does not want to know what it was that could not be had.
      if (!this.#life.signal.aborted) {
        this.#life.abort();
        throw reason;
      }
    }
    this.#life.abort();
    return DONE;
  }

  async #begin(): Promise<Source<Finding>> {
    const source = await this.#open(this.#life.signal);
    // Ends the call and with it a pull that still waits.
    const free = () => source.free();
    if (this.#life.signal.aborted) free();
    else this.#life.signal.addEventListener("abort", free, { once: true });
    return source;
  }
}
