// The responses of the service.

import { Body, type Content, encode, type Pace } from "./body.js";

/** What a response consists of. */
export interface ResponseParts {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly content: Content;
}

/** Makes the responses to one request. */
export class Responses {
  readonly #pace: Pace;
  readonly #signal: AbortSignal | undefined;

  constructor(pace: Pace, signal: AbortSignal | undefined) {
    this.#pace = pace;
    this.#signal = signal;
  }

  /** Makes a response with the content type of JSON, whatever its content. */
  response({ status = 200, headers = {}, content }: ResponseParts): Response {
    const body = new Body(content, this.#pace, this.#signal);
    const init = { status, headers: { "content-type": "application/json; charset=utf-8", ...headers } };
    return new Response(body.stream(), init);
  }

  json(value: unknown, more: Omit<ResponseParts, "content"> = {}): Response {
    return this.response({ ...more, content: () => JSON.stringify(value) });
  }

  /** Makes a response whose JSON ends too early. It states its length: otherwise, the connection may have broken. */
  malformed(text: string): Response {
    return this.response({ headers: { "content-length": String(encode(text).length) }, content: () => text });
  }

  /** Makes an error response with a message. */
  refusal(status: number, message: string, headers: ResponseParts["headers"] = {}): Response {
    return this.json({ errors: [message] }, { status, headers });
  }
}
