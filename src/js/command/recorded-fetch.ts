// A `fetch` that records each response beside the client that reads it: its time, its headers and its body.

/** A response as it arrived. */
export interface Recorded {
  readonly headers: Headers;
  /** The milliseconds from the request to the headers. */
  readonly milliseconds: number;
  /** The body, decompressed; rejects if it broke. Then the client requests it again, or fails. */
  readonly body: Promise<ArrayBuffer>;
}

/** Records the responses of a client that gets {@link fetch}. */
export class RecordedFetch {
  readonly responses: Recorded[] = [];

  readonly fetch: typeof fetch = async (href, init) => {
    const sent = Date.now();
    const response = await fetch(href, init);
    const body = response.clone().arrayBuffer();
    // Nobody may ask for it.
    body.catch(() => {});
    this.responses.push({ headers: response.headers, milliseconds: Date.now() - sent, body });
    return response;
  };

  /** The last response. There is one once a call has succeeded. */
  get last(): Recorded {
    return this.responses.at(-1) as Recorded;
  }
}
