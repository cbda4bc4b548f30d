// A wait that the caller's signal ends early.

/** The end of a wait. */
export interface WaitEnd {
  /** Called when the time is over. */
  ended(): void;
  /** Called with the reason of an abort. */
  aborted(reason: unknown): void;
}

/**
 * Waits for some milliseconds, or until the abort. The timer is set before this returns, by the current `setTimeout`,
 * so that fake timers advance it in one step.
 *
 * @returns a function that cancels the wait
 */
export function wait(milliseconds: number, signal: AbortSignal | undefined, { ended, aborted }: WaitEnd): () => void {
  const stop = () => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  };
  const abort = () => {
    stop();
    aborted(signal?.reason);
  };
  const end = () => {
    stop();
    ended();
  };
  // A longer timer would end at once.
  const limited = Math.min(milliseconds, 2 ** 31 - 1);
  const timer = milliseconds === Number.POSITIVE_INFINITY ? undefined : setTimeout(end, limited);
  signal?.addEventListener("abort", abort);
  return stop;
}
