/** The pacer: runs a repeated task so seldom that it leaves most of the main thread's time to the reader. */

/** The time that is left to everything else, as a multiple of the time that the task has taken. */
const leave = 3;

export class Pacer {
  #task: (() => void) | undefined;
  #earliest = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Runs the task, at once or later in place of the one that waits. */
  run(task: () => void): void {
    this.#task = task;
    const wait = this.#earliest - performance.now();
    if (wait <= 0) {
      this.settle();
    } else {
      this.#timer ??= setTimeout(() => this.settle(), wait);
    }
  }

  /** Runs the task that waits. */
  settle(): void {
    const task = this.#task;
    this.stop();
    if (task !== undefined) {
      const begun = performance.now();
      task();
      const end = performance.now();
      this.#earliest = end + leave * (end - begun);
    }
  }

  /** Drops the task that waits. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#task = undefined;
  }
}
