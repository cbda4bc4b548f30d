// The responses of the service: the host's, or a stand-in where the host has none, as in jsdom.

import { Body, type Content, type Pace } from "./body.js";

/** What a response consists of. */
export interface Answer {
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
  response({ status = 200, headers = {}, content }: Answer): Response {
    const body = new Body(content, this.#pace, this.#signal);
    const init = { status, headers: { "content-type": "application/json; charset=utf-8", ...headers } };
    return typeof Response === "undefined" || typeof ReadableStream === "undefined"
      ? (new StandIn(body, init) as unknown as Response)
      : new Response(body.stream(), init);
  }

  json(value: unknown, more: Omit<Answer, "content"> = {}): Response {
    return this.response({ ...more, content: { text: () => JSON.stringify(value) } });
  }

  /** Makes an error response with a message. */
  refusal(status: number, message: string, headers: Answer["headers"] = {}): Response {
    return this.json({ errors: [message] }, { status, headers });
  }
}

/** The members of a response that callers of `fetch` read. */
class StandIn {
  readonly type = "default";
  readonly url = "";
  readonly redirected = false;
  readonly statusText = "";
  readonly body = null;
  readonly status: number;
  readonly ok: boolean;
  readonly headers: Headers;
  readonly #body: Body;

  constructor(body: Body, { status, headers }: { status: number; headers: Record<string, string> }) {
    this.status = status;
    this.ok = status >= 200 && status < 300;
    this.headers = new Headers(headers);
    this.#body = body;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return (await this.#body.bytes()).buffer;
  }

  text(): Promise<string> {
    return this.#body.text();
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.#body.text());
  }
}
