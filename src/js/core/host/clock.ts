// The time.

/** Milliseconds on a clock that never goes back, unless fake timers are installed or put back. */
export function now(): number {
  return performance.now();
}
