/** The times between frames, and which of the frames came late. */

/** The number of intervals between frames after which a frame is late. */
const tolerance = 1.5;

/** The number of times from which the interval is estimated. */
const sample = 240;

/** How smoothly the page moved. */
export interface Smoothness {
  frames: number;
  late: number;
  /** The longest time without a frame, in milliseconds. */
  longest: number;
}

export class FrameTimes {
  #times: number[] = [];

  /** Adds the time between two frames, in milliseconds. */
  add(time: number): void {
    this.#times.push(time);
  }

  get smoothness(): Smoothness {
    const limit = tolerance * this.#interval;
    return {
      frames: this.#times.length,
      late: this.#times.filter((time) => time > limit).length,
      longest: this.#times.reduce((longest, time) => Math.max(longest, time), 0),
    };
  }

  /** The interval of the screen: the lower quartile, because dropped frames lengthen the average. */
  get #interval(): number {
    const sorted = this.#times.slice(0, sample).toSorted((one, other) => one - other);
    return sorted[sorted.length >> 2] ?? 0;
  }
}
