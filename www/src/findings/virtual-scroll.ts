/** Virtual scrolling: maps the offset in a list that may exceed the height that a browser can scroll to a scroll position. */

/** The greatest scroll height. The limits of browsers begin above 16 million pixels. */
const maxHeight = 12_000_000;

/** The length of both ends where the scroll position and the offset differ by a constant, in pixels. */
const exact = 100_000;

/** The longest relative scroll, in views. A longer scroll is a drag of the scroll bar, and is absolute. */
const near = 4;

export class VirtualScroll {
  /** The offset in the list, in pixels. */
  offset = 0;
  /** The scroll position of the browser, in pixels. */
  top = 0;
  #length = 0;
  #view = 0;

  /** The height of the scrolled element. */
  get height(): number {
    return Math.min(this.#length, maxHeight);
  }

  /** Sets the heights of the list and of its visible part. */
  resize(length: number, view: number): void {
    this.#length = length;
    this.#view = view;
    this.moveTo(this.offset);
  }

  moveTo(offset: number): void {
    this.offset = this.#clamp(offset);
    this.top = this.#topOf(this.offset);
  }

  /** Follows a scroll of the reader to this position. */
  follow(top: number): void {
    const distance = top - this.top;
    const isRelative = Math.abs(distance) < near * this.#view;
    this.offset = isRelative && this.#isScaled ? this.#clamp(this.offset + distance) : this.#offsetOf(top);
    this.top = top;
  }

  /** Whether relative scrolls have moved the scroll position too far from that of the offset. */
  get hasDrifted(): boolean {
    return Math.abs(this.top - this.#topOf(this.offset)) > exact / 2 || (this.top <= 0 && this.offset > 0);
  }

  /** Moves the scroll position to that of the offset. */
  settle(): void {
    this.top = this.#topOf(this.offset);
  }

  get #isScaled(): boolean {
    return this.#length > maxHeight;
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
