/** The frame meter: measures the times between the page's frames while it runs. */

import { FrameTimes, type Smoothness } from "./frame-times.js";

export class FrameMeter {
  #times = new FrameTimes();
  /** The time of the last frame; undefined before the first, and while the page is hidden and has none. */
  #last: number | undefined;
  #next = 0;
  #pause = () => {
    this.#last = undefined;
  };

  get smoothness(): Smoothness {
    return this.#times.smoothness;
  }

  start(): void {
    this.stop();
    this.#times = new FrameTimes();
    document.addEventListener("visibilitychange", this.#pause);
    this.#next = requestAnimationFrame((time) => this.#frame(time));
  }

  /** Stops. The time since the last frame counts, as far as it has gone. */
  stop(): void {
    cancelAnimationFrame(this.#next);
    document.removeEventListener("visibilitychange", this.#pause);
    const since = this.#last === undefined ? 0 : performance.now() - this.#last;
    if (since > this.smoothness.longest) {
      this.#times.add(since);
    }
    this.#last = undefined;
  }

  #frame(time: number): void {
    if (this.#last !== undefined) {
      this.#times.add(time - this.#last);
    }
    this.#last = time;
    this.#next = requestAnimationFrame((time) => this.#frame(time));
  }
}
