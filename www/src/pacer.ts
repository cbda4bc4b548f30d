/** The pacer: runs a repeated task so seldom that it leaves three quarters of the main thread's time to the reader. */

export class Pacer {
  #task: (() => void) | undefined;
  #earliest = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Runs the task, at once or later in place of the one that waits. */
  run(task: () => void): void {
    this.#task = task;
    this.#timer ??= setTimeout(() => this.#runNow(), Math.max(0, this.#earliest - performance.now()));
  }

  /** Drops the task that waits. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #runNow(): void {
    this.#timer = undefined;
    const begun = performance.now();
    this.#task?.();
    this.#earliest = performance.now() + 3 * (performance.now() - begun);
  }
}
