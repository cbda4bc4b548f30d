// The asynchronous context of a caller, such as that of Node's `AsyncLocalStorage`, or a zone of zone.js.

/**
 * Runs tasks in the asynchronous context in which it was created, whoever sends them. A reaction of a promise runs in the context that has added it: here,
 * each adds the next one.
 */
export class CallerContext {
  readonly #tasks: (() => void)[] = [];
  #wake!: () => void;

  constructor() {
    this.#wait();
  }

  /** Runs a task, which must not throw, in a microtask, after the tasks that were sent before. */
  send(task: () => void): void {
    this.#tasks.push(task);
    this.#wake();
  }

  /** Returns a promise of the result of a function. */
  run<Result>(task: () => Result): Promise<Awaited<Result>> {
    return new Promise((resolve) => {
      this.send(() => resolve((async () => task())() as Awaited<Result>));
    });
  }

  #wait(): void {
    // An `await` would lose a zone.
    const awake = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    void awake.then(() => {
      this.#wait();
      for (const task of this.#tasks.splice(0)) task();
    });
  }
}
