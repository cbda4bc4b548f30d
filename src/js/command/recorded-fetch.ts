// A `fetch` that records each response beside the client that reads it: its time, its headers and its body.

/** A response as it arrived. */
export interface Recorded {
  readonly headers: Headers;
  /** The milliseconds from the request to the headers. */
  readonly milliseconds: number;
  /** The body, decompressed; rejects if it broke. Then the client requests it again, or fails. */
  readonly body: Promise<ArrayBuffer>;
}

/** A `fetch` that adds its responses to a list. */
export function recordedFetch(responses: Recorded[]): typeof fetch {
  return async (href, init) => {
    const sent = Date.now();
    const response = await fetch(href, init);
    const body = response.clone().arrayBuffer();
    // Nobody may ask for it.
    body.catch(() => {});
    responses.push({ headers: response.headers, milliseconds: Date.now() - sent, body });
    return response;
  };
}
