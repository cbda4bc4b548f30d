/** A limit of requests per second: a second's worth may come at once, and what was used grows again with time. */

export class RateLimit {
  #perSecond;
  #left;
  #last = Number.NEGATIVE_INFINITY;

  /** @param {number} perSecond 0: no limit */
  constructor(perSecond) {
    this.#perSecond = perSecond;
    this.#left = perSecond;
  }

  /**
   * Whether a request at that time is one too many. If not, it counts.
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
