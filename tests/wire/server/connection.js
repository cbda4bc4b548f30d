/** A connection from a browser: HTTP/1.1 on a bare socket, because an HTTP server cannot misbehave on demand. */

/** @typedef {import("node:net").Socket} Socket */
/** @typedef {{ method: string, target: string, headers: Record<string, string> }} RequestHead */

const headEnd = "\r\n\r\n";

export class Connection {
  #socket;
  #respond;
  #received = "";
  #busy = false;

  /**
   * @param {Socket} socket
   * @param {(request: RequestHead) => Promise<void>} respond resolves when the next request may be sent
   */
  constructor(socket, respond) {
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

  async #advance() {
    const end = this.#received.indexOf(headEnd);
    // After a close is announced, there are no more responses.
    if (this.#busy || end < 0 || !this.#socket.writable) {
      return;
    }
    this.#busy = true;
    const head = this.#received.slice(0, end);
    this.#received = this.#received.slice(end + headEnd.length);
    await this.#respond(readHead(head));
    this.#busy = false;
    await this.#advance();
  }
}

/**
 * Parses the head of a request; requests of this service have no body.
 * @param {string} head
 * @returns {RequestHead}
 */
function readHead(head) {
  const [first, ...lines] = head.split("\r\n");
  const [method, target] = first.split(" ");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return { method, target, headers: Object.fromEntries(headers) };
}
