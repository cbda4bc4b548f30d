/** A connection from a browser: HTTP/1.1 on a bare socket, because an HTTP server cannot misbehave on demand. */

import type { Socket } from "node:net";

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
}

const headEnd = "\r\n\r\n";

export class Connection {
  readonly #socket: Socket;
  readonly #respond: (request: RequestHead) => Promise<void>;
  #received = "";
  #busy = false;

  /** @param respond resolves when the next request may be sent */
  constructor(socket: Socket, respond: (request: RequestHead) => Promise<void>) {
    this.#socket = socket;
    this.#respond = respond;
    socket.setNoDelay();
    // Ignored, because some tests wait for the client to disconnect.
    socket.on("error", () => {});
    socket.on("data", (data) => {
      this.#received += data.toString("latin1");
      void this.#advance();
    });
  }

  async #advance(): Promise<void> {
    const end = this.#received.indexOf(headEnd);
    // After a close is announced, there are no more responses.
    if (this.#busy || end < 0 || !this.#socket.writable) return;
    this.#busy = true;
    const head = this.#received.slice(0, end);
    this.#received = this.#received.slice(end + headEnd.length);
    await this.#respond(readHead(head));
    this.#busy = false;
    await this.#advance();
  }
}

/** Parses the head of a request; requests of this service have no body. */
function readHead(head: string): RequestHead {
  const [first = "", ...lines] = head.split("\r\n");
  const [method = "", target = ""] = first.split(" ");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { method, target, headers: Object.fromEntries(headers) };
}
