// The clock of the rate limit and of the bandwidth.

/** Returns a time in milliseconds. Looks the clock up at each call, because fake timers replace it. */
export function now(): number {
  return typeof performance === "undefined" ? Date.now() : performance.now();
}
