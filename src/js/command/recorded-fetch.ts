// A `fetch` that records each response beside the client that reads it: its time, its headers and its body.

import { Buffer } from "node:buffer";

/** A response as it arrived. */
export interface Recorded {
  readonly url: string;
  readonly headers: Headers;
  /** The milliseconds from the request to the headers. */
  readonly milliseconds: number;
  /** The body, decompressed; rejects if it broke. Then the client requests it again, or fails. */
  readonly body: Promise<ArrayBuffer>;
}

/** Records the responses of a client that gets {@link fetch}. */
export class RecordedFetch {
  responses: Recorded[] = [];

  readonly fetch: typeof fetch = async (href, init) => {
    const sent = Date.now();
    const response = await fetch(href, init);
    const body = response.clone().arrayBuffer();
    // Nobody may ask for it.
    body.catch(() => {});
    this.responses.push({ url: String(href), headers: response.headers, milliseconds: Date.now() - sent, body });
    return response;
  };

  /** Returns the body of a partition that a call has read, and drops it. */
  async take(index: number): Promise<Buffer> {
    const isIts = ({ url }: Recorded) => new RegExp(`/(?:Sentiment|Topics)/${index}$`).test(url);
    const body = await this.responses
      .filter(isIts)
      .at(-1)
      ?.body.catch(() => undefined);
    this.responses = this.responses.filter((response) => !isIts(response));
    if (body === undefined) throw new Error(`the body of partition ${index} could not be copied`);
    return Buffer.from(body);
  }

  /** The last response. There is one once a call has succeeded. */
  get last(): Recorded {
    return this.responses.at(-1) as Recorded;
  }
}
