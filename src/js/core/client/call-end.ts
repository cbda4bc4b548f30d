// What ends the calls of a client, or of a live table: `free()`, `cancel()`.

/** A signal that ends calls. It is no `AbortSignal`: in workerd, a module's scope can make none, and only the request that has made one can use it. */
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

  /** Ends all calls, now and later. */
  abort(reason: unknown): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    for (const listener of [...this.#listeners]) listener();
  }
}
