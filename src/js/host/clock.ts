// The time and random numbers. A host may lack their globals, or have replaced them by functions that throw or return no
// number, as mocks in tests do.

import { orUndefined } from "./member.js";

/** Milliseconds on a clock that never goes back, if the host has one. */
export function now(): number {
  return numberOf(() => performance.now()) ?? date();
}

/** Milliseconds since 1970; 0 where the host hides the time. */
export function date(): number {
  return numberOf(() => Date.now()) ?? 0;
}

/** A random number from 0 to 1; 0.5 where the host has none. */
export function random(): number {
  return (
    numberOf(() => Math.random()) ??
    orUndefined(() => (crypto.getRandomValues(new Uint32Array(1))[0] as number) / 2 ** 32) ??
    0.5
  );
}

/** The finite number that a function returns; undefined if it returns none. */
function numberOf(read: () => number): number | undefined {
  const number = orUndefined(read);
  return Number.isFinite(number) ? number : undefined;
}
