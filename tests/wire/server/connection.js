/** One connection from a browser: HTTP/1.1 on a bare socket, for a server that knows better could not misbehave at will. */

/** @typedef {import("node:net").Socket} Socket */
/** @typedef {{ method: string, target: string, headers: Record<string, string> }} Asked */

const headEnd = "\r\n\r\n";

export class Connection {
  /** How many requests it has carried. */
  requests = 0;

  #socket;
  #answer;
  #received = "";
  #busy = false;

  /**
   * @param {Socket} socket
   * @param {(asked: Asked, connection: Connection) => Promise<void>} answer resolves when the next request may be answered
   */
  constructor(socket, answer) {
    this.#socket = socket;
    this.#answer = answer;
    socket.setNoDelay();
    // A client that is gone is no trouble here: its going is what some tests wait for.
    socket.on("error", () => {});
    socket.on("data", (data) => {
      this.#received += data.toString("latin1");
      void this.#advance();
    });
  }

  async #advance() {
    const end = this.#received.indexOf(headEnd);
    // Who has said that it closes the connection answers nothing more on it.
    if (this.#busy || end < 0 || !this.#socket.writable) {
      return;
    }
    this.#busy = true;
    const head = this.#received.slice(0, end);
    this.#received = this.#received.slice(end + headEnd.length);
    this.requests += 1;
    await this.#answer(readHead(head), this);
    this.#busy = false;
    await this.#advance();
  }
}

/**
 * The head of a request; requests of this service have no body.
 * @param {string} head
 * @returns {Asked}
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
