// A rate limit as a token bucket: it holds the tokens of one second, and refills continuously.

export class RateLimit {
  readonly #perSecond: number;
  readonly #size: number;
  #left: number;
  #last = Number.POSITIVE_INFINITY;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    // Less than one request a second needs a whole token, too.
    this.#size = Math.max(1, perSecond);
    this.#left = this.#size;
  }

  /** Whether a request at this time, in milliseconds, exceeds the limit. Otherwise takes a token. */
  refuses(now: number): boolean {
    // A fake clock may begin before the real one.
    const passed = Math.max(0, now - this.#last);
    this.#left = Math.min(this.#size, this.#left + (passed / 1000) * this.#perSecond);
    this.#last = now;
    if (this.#left < 1) return true;
    this.#left -= 1;
    return false;
  }
}
