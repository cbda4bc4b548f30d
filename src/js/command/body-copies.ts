// Copies of the bodies that a client reads.

import { Buffer } from "node:buffer";

/** Copies the bodies of partitions while a client reads them. Pass {@link fetch} to the client, which checks each body as always. */
export class BodyCopies {
  readonly #bodies = new Map<number, Promise<ArrayBuffer | undefined>>();

  readonly fetch: typeof fetch = async (href, init) => {
    const response = await fetch(href, init);
    const index = /\/(?:Sentiment|Topics)\/(\d+)$/.exec(String(href))?.[1];
    if (index !== undefined && response.ok) {
      // The copy fails where the body does, and then the client requests the partition again, or fails.
      const copy = response.clone().arrayBuffer();
      this.#bodies.set(
        Number(index),
        copy.catch(() => undefined),
      );
    }
    return response;
  };

  /** Returns the body of a partition that the client has read, and drops the copy. */
  async take(index: number): Promise<Buffer> {
    const body = await this.#bodies.get(index);
    this.#bodies.delete(index);
    if (body === undefined) throw new Error(`the body of partition ${index} has not been copied`);
    return Buffer.from(body);
  }
}
