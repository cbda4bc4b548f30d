// What ends the calls of a client, or of a live table: `free()`, `cancel()`.

/**
 * A signal that ends calls. It is no `AbortSignal`: in workerd, a module's scope can make none, and only the request that has made one can use it. An
 * `AbortSignal` that is aborted near the end of the stack loses its listeners.
 */
export class CallEnd {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  addEventListener(_: "abort", listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: "abort", listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Ends all calls, now and later. Called again, ends those that could not be ended near the end of the stack. */
  abort(reason: unknown): void {
    if (!this.aborted) this.reason = reason;
    this.aborted = true;
    for (const listener of [...this.#listeners]) listener();
  }
}
