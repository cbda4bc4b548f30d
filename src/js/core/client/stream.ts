// The streams of partitions: a call that starts with the first read.

import { refusal } from "../argument/refusal.js";
import type { Delivered, PartitionSource } from "../engine/partition-source.js";
import type { ReadableStream } from "../host/platform.js";
import type { EndSignal } from "../host/signal.js";
import { tagInstances } from "../host/tag.js";
import { ASYNC_DISPOSE } from "../table/dispose.js";
import type { InspectionFinding } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { CallEnd } from "./call-end.js";

/** A partition of a stream. */
export interface Partition<Finding = InspectionFinding> {
  /** The index of the partition, from 0. */
  index: number;
  /** The findings of the partition, in their order. */
  findings: Finding[];
}

/**
 * The partitions of one kind of findings, in index order or as they complete (option `order`).
 *
 * The stream starts with the first `next()`, and can be read once. It fetches at most `concurrency` partitions and
 * `maxBufferedBytes` ahead of you. If you stop reading, it stops fetching. Leaving a `for await` loop, `return()`,
 * `await using` and an abort cancel all pending work.
 *
 * If a partition fails, the stream first delivers everything before it; then `next()` rejects. At its end the stream
 * compares the number of findings with the total (option `completeness`).
 *
 * @example
 * for await (const { index, findings } of client.streamPartitions(42, "sentiment", { order: "completion" })) {
 *   console.log(index, findings.length);
 *   if (findings.some(({ Sentiment }) => Sentiment === -2)) break;
 * }
 */
export interface PartitionStream<Finding = InspectionFinding>
  extends AsyncIterableIterator<Partition<Finding>, undefined> {
  /**
   * Returns the partitions that have not been read yet as a `ReadableStream`, for `pipeTo` and `pipeThrough`.
   *
   * @example
   * await client.streamPartitions(42, "topics").toReadableStream().pipeTo(
   *   new WritableStream({ write: ({ index, findings }) => console.log(index, findings.length) }),
   * );
   */
  toReadableStream(): ReadableStream<Partition<Finding>>;
  /**
   * Cancels all pending work, as leaving a `for await` loop does, at the end of a block with `await using`.
   *
   * @example
   * await using stream = client.streamPartitions(42, "topics");
   * const first = await stream.next();
   */
  [ASYNC_DISPOSE](): Promise<void>;
}

/**
 * The partitions of one kind of findings as tables, in index order or as they complete (option `order`).
 *
 * It fetches, ends and fails like a {@link PartitionStream}. Free each table that you have read; at its end, the stream
 * frees the unread tables.
 *
 * @example
 * for await (const { index, table } of client.streamTables(42, "sentiment")) {
 *   using read = table;
 *   console.log(index, read.length);
 * }
 */
export interface TableStream<Finding = InspectionFinding>
  extends AsyncIterableIterator<{ index: number; table: FindingsTable<Finding> }, undefined> {
  /**
   * Returns the tables that have not been read yet as a `ReadableStream`, for `pipeTo` and `pipeThrough`.
   *
   * @example
   * await client.streamTables(42, "topics").toReadableStream().pipeTo(
   *   new WritableStream({
   *     write({ index, table }) {
   *       console.log(index, table.length);
   *       table.free();
   *     },
   *   }),
   * );
   */
  toReadableStream(): ReadableStream<{ index: number; table: FindingsTable<Finding> }>;
  /**
   * Cancels all pending work, as leaving a `for await` loop does, at the end of a block with `await using`.
   *
   * @example
   * await using stream = client.streamTables(42, "topics");
   * const first = await stream.next();
   */
  [ASYNC_DISPOSE](): Promise<void>;
}

const DONE = { done: true, value: undefined } as const;

/** The stream of a call. The first read begins the call, unless the signal has already been aborted. */
export class PartitionIterator<Item extends Delivered> implements AsyncIterableIterator<Item, undefined> {
  readonly #open: (ended: EndSignal) => Promise<PartitionSource<Item>>;
  readonly #ended = new CallEnd();
  #source: Promise<PartitionSource<Item>> | undefined;
  /** The previous read: reads run one after the other. */
  #last: Promise<unknown> = Promise.resolve();
  #isRead = false;
  /** Whether a reader began after the end. */
  #isReadAgain = false;

  constructor(open: (ended: EndSignal) => Promise<PartitionSource<Item>>) {
    this.#open = open;
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    this.#isRead = true;
    const begin = () => {
      // Avoids an `unhandledrejection` if the caller ignores the promise.
      pull.catch(() => {});
      return this.#pull();
    };
    const pull: ReturnType<typeof this.next> = this.#last.then(begin, begin);
    this.#last = pull;
    return pull;
  }

  async return(): Promise<IteratorResult<Item, undefined>> {
    this.#ended.abort(DONE);
    return DONE;
  }

  async [ASYNC_DISPOSE](): Promise<void> {
    await this.return();
  }

  [Symbol.asyncIterator](): this {
    this.#noteReader();
    return this;
  }

  toReadableStream(): ReadableStream<Item> {
    this.#noteReader();
    let isCancelled = false;
    return new globalThis.ReadableStream<Item>(
      {
        pull: async (controller) => {
          const { done, value } = await this.next();
          if (done) return controller.close();
          // A stream that was cancelled during the read delivers nothing more.
          if (isCancelled) value.table?.free();
          else controller.enqueue(value);
        },
        cancel: async () => {
          isCancelled = true;
          await this.return();
        },
      },
      { highWaterMark: 0 },
    );
  }

  /** Notes a new reader. After the end it would read nothing, as if there were no partitions. */
  #noteReader(): void {
    this.#isReadAgain ||= this.#isRead && this.#ended.aborted;
  }

  async #pull(): Promise<IteratorResult<Item, undefined>> {
    if (this.#isReadAgain) throw refusal("this stream has ended, and can be read only once: call the client again");
    if (this.#ended.aborted) return DONE;
    try {
      this.#source ??= this.#begin();
      const source = await this.#source;
      const value = await source.next();
      if (value !== undefined) return { done: false, value };
    } catch (reason) {
      // After `return()`, a failure no longer matters.
      if (!this.#ended.aborted) {
        this.#ended.abort(DONE);
        throw reason;
      }
    }
    this.#ended.abort(DONE);
    return DONE;
  }

  async #begin(): Promise<PartitionSource<Item>> {
    const source = await this.#open(this.#ended);
    // Ends the call, and with it a pending read.
    if (this.#ended.aborted) source.free();
    else this.#ended.addEventListener("abort", () => source.free());
    return source;
  }
}

tagInstances(PartitionIterator.prototype, "PartitionStream");
