/** Findings as a Parquet file. The package writes them as Arrow, from which a worker makes the file, so that the page stays responsive. */

import type { RowGroup } from "../../../src/js/command/parquet-file.js";
import { arrowStream } from "./arrow.js";
import type { Format, Part } from "./format.js";

export const parquet: Format = {
  name: "Parquet",
  extension: ".parquet",
  mediaType: "application/vnd.apache.parquet",
  async save(findings, write, { signal, onProgress }) {
    const stream = await arrowStream(findings, signal);
    const maker = new ParquetMaker(signal);
    try {
      let group = await maker.begin(stream);
      while (group !== undefined) {
        await write(group.bytes satisfies Part);
        onProgress(group.rows);
        group = await maker.next();
      }
      signal.throwIfAborted();
    } finally {
      maker.end();
    }
  },
};

/** The worker that makes a file. It makes a row group when it is asked for one. */
class ParquetMaker {
  #worker = new Worker(new URL("./parquet-worker.ts", import.meta.url), { type: "module", name: "parquet" });
  #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Transfers the stream, and resolves with the first row group. */
  begin(stream: Uint8Array<ArrayBuffer>): Promise<RowGroup | undefined> {
    return this.#ask(stream, [stream.buffer]);
  }

  /** Resolves with the next row group, or with undefined at the end of the file. Rejects with the signal's reason when it is aborted. */
  next(): Promise<RowGroup | undefined> {
    return this.#ask(undefined, []);
  }

  end(): void {
    this.#worker.terminate();
  }

  #ask(message: unknown, transfer: Transferable[]): Promise<RowGroup | undefined> {
    const signal = this.#signal;
    const listening = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<RowGroup | undefined>();
    const once = { signal: listening.signal };
    this.#worker.addEventListener("message", ({ data }) => resolve(data), once);
    this.#worker.addEventListener(
      "error",
      ({ message = "The worker did not start." }) => reject(new Error(message)),
      once,
    );
    signal.addEventListener("abort", () => reject(signal.reason), once);
    if (signal.aborted) {
      reject(signal.reason);
    }
    this.#worker.postMessage(message, transfer);
    return promise.finally(() => listening.abort());
  }
}
