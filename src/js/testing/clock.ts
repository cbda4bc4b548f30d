// The clock of the rate limit and of the bandwidth.

/** Returns the milliseconds since some moment. It is looked up anew each time, because fake timers replace it. */
export function now(): number {
  return typeof performance === "undefined" ? Date.now() : performance.now();
}
