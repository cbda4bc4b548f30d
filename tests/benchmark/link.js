/** A slow link: one token bucket for all connections of a client. */

import { setTimeout } from "node:timers/promises";

/** The bytes of a write. */
const piece = 16 * 1024;

/** The most bytes at once, because timers are late. */
const burst = 4 * piece;

export class Link {
  /** Bytes in a millisecond. */
  #rate;
  #clock;

  /** When the link has carried all that was given to it. */
  #free = 0;

  /**
   * @param {number} megabits a second
   * @param {{ now: () => number, wait: (milliseconds: number) => Promise<unknown> }} clock
   */
  constructor(megabits, clock = { now: () => performance.now(), wait: setTimeout }) {
    this.#rate = (megabits * 1e6) / 8 / 1000;
    this.#clock = clock;
  }

  /**
   * Sends a body piece by piece, in turns with the bodies of other connections.
   * @param {import("node:http").ServerResponse} response
   * @param {Buffer} body
   */
  async deliver(response, body) {
    for (let from = 0; from < body.length && !response.destroyed; from += piece) {
      const bytes = body.subarray(from, from + piece);
      const now = this.#clock.now();
      this.#free = Math.max(this.#free, now - burst / this.#rate) + bytes.length / this.#rate;
      await this.#clock.wait(Math.max(0, this.#free - now));
      response.write(bytes);
    }
    response.end();
  }
}
