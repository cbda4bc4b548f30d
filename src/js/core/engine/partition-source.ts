// What a stream of partitions reads.

/** A partition that a stream delivers: with its findings, or with a table that the reader frees. */
export interface Delivered {
  readonly index: number;
  readonly findings?: unknown[] | undefined;
  readonly table?: { free(): void };
}

/** The reader's end of a stream. */
export interface PartitionSource<Item = Delivered> {
  /** Waits for the next partition; undefined at the end. */
  next(): Promise<Item | undefined>;
  /** Ends the call. */
  free(): void;
}
