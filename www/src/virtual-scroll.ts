/** The track: a place in a list that may be higher than a browser can scroll, and the scroll position that stands for it. */

/** Browsers end somewhere above 16 million pixels. */
const highest = 12_000_000;

/** So far from both ends, a pixel of the scroll bar is a pixel of the list. */
const exact = 100_000;

/** Views: a shorter scroll moves by just that; a longer one has been made with the scroll bar. */
const near = 4;

export class Track {
  /** How far the list is scrolled, in its own pixels. */
  offset = 0;
  /** The scroll position. */
  top = 0;
  #length = 0;
  #view = 0;

  /** Height of what is scrolled. */
  get height(): number {
    return Math.min(this.#length, highest);
  }

  /** Takes on the height of the list and of what can be seen of it. */
  resize(length: number, view: number): void {
    this.#length = length;
    this.#view = view;
    this.moveTo(this.offset);
  }

  moveTo(offset: number): void {
    this.offset = this.#clamp(offset);
    this.top = this.#topOf(this.offset);
  }

  /** Follows the reader, who has scrolled to that position. */
  follow(top: number): void {
    const distance = top - this.top;
    const isMove = Math.abs(distance) < near * this.#view;
    this.offset = isMove && this.#isScaled ? this.#clamp(this.offset + distance) : this.#offsetOf(top);
    this.top = top;
  }

  /** Whether moves have led the scroll position too far away from the place that it stands for. */
  get isAstray(): boolean {
    return Math.abs(this.top - this.#topOf(this.offset)) > exact / 2 || (this.top <= 0 && this.offset > 0);
  }

  /** Brings the scroll position back to where the place is. */
  settle(): void {
    this.top = this.#topOf(this.offset);
  }

  get #isScaled(): boolean {
    return this.#length > highest;
  }

  get #last(): number {
    return Math.max(0, this.#length - this.#view);
  }

  get #lastTop(): number {
    return Math.max(0, this.height - this.#view);
  }

  get #scale(): number {
    return (this.#last - 2 * exact) / (this.#lastTop - 2 * exact);
  }

  #clamp(offset: number): number {
    return Math.min(Math.max(offset, 0), this.#last);
  }

  #topOf(offset: number): number {
    if (!this.#isScaled || offset <= exact) {
      return offset;
    }
    const left = this.#last - offset;
    return left <= exact ? this.#lastTop - left : Math.round(exact + (offset - exact) / this.#scale);
  }

  #offsetOf(top: number): number {
    if (!this.#isScaled || top <= exact) {
      return this.#clamp(top);
    }
    const left = this.#lastTop - top;
    return left <= exact ? this.#clamp(this.#last - left) : Math.round(exact + (top - exact) * this.#scale);
  }
}
