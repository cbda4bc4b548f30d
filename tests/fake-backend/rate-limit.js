/** A rate limit as a token bucket: it holds the tokens of one second, and refills continuously. */

export class RateLimit {
  #perSecond;
  #left;
  #last = Number.NEGATIVE_INFINITY;

  /** @param {number} perSecond 0 for no limit */
  constructor(perSecond) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /**
   * Whether a request at this time exceeds the limit. Otherwise takes a token.
   * @param {number} now in milliseconds, never less than before
   */
  refuses(now) {
    if (this.#perSecond === 0) {
      return false;
    }
    this.#left = Math.min(this.#perSecond, this.#left + ((now - this.#last) / 1000) * this.#perSecond);
    this.#last = now;
    if (this.#left < 1) {
      return true;
    }
    this.#left -= 1;
    return false;
  }
}
