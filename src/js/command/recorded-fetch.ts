// A `fetch` that records each response beside the client that reads it: its time, its headers and its body.

import { Buffer } from "node:buffer";

/** A response as it arrived. */
export interface Recorded {
  readonly status: number;
  readonly headers: Headers;
  /** When the request was sent and its headers had arrived, in milliseconds on the clock of this machine. */
  readonly sent: number;
  readonly arrived: number;
  /** The body, decompressed; empty if it broke. */
  readonly body: Promise<Buffer>;
}

/** Records the responses of a client that gets {@link fetch}. */
export class RecordedFetch {
  readonly responses: Recorded[] = [];

  readonly fetch: typeof fetch = async (href, init) => {
    const sent = Date.now();
    const response = await fetch(href, init);
    const arrived = Date.now();
    const { status, headers } = response;
    const copy = response.clone().arrayBuffer();
    const body = copy.then(Buffer.from, () => Buffer.alloc(0));
    this.responses.push({ status, headers, sent, arrived, body });
    return response;
  };

  /** The last response. There is one once a call has succeeded. */
  get last(): Recorded {
    return this.responses.at(-1) as Recorded;
  }
}
