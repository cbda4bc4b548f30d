/** Recursions that exhaust the stack, and call a function at its end. */

/**
 * Calls `work` repeatedly at the end of the stack, with a little more of it each time.
 * @param {() => unknown} work
 * @param {number} times
 * @returns {{ value?: any, reason?: any }[]} what came of it, except where there was not even stack to take note
 */
export function onExhaustedStack(work, times) {
  /** @type {{ value?: any, reason?: any }[]} */
  const outcomes = [];
  let left = times;
  const descend = () => {
    try {
      descend();
    } catch {
      // The end of the stack.
    }
    if (left > 0) {
      left -= 1;
      try {
        outcomes.push({ value: work() });
      } catch (reason) {
        outcomes.push({ reason });
      }
    }
  };
  descend();
  return outcomes;
}

/** The number of arguments that take most of a stack. Engines limit those of one call, so two calls take half each. */
const most = 110_000;

/**
 * What recursions throw that call `work` until the stack is at its end. Each begins a little further down the stack than the one before, and so
 * comes to its end at another place.
 * @param {() => unknown} work
 * @param {number} share of the stack that they have
 * @returns {any[]}
 */
export function errorsOfRecursions(work, share) {
  const taken = Math.floor((most * (1 - share)) / 2);
  let calls = 0;
  const recurse = () => {
    calls += 1;
    work();
    recurse();
  };
  const below = (/** @type {() => void} */ next, /** @type {number} */ words) =>
    ((/** @type {unknown[]} */ ..._room) => next())(...Array(words));
  const errors = Array.from({ length: 8 }, (_, further) => {
    try {
      return below(() => below(recurse, taken), taken + 2 * further);
    } catch (error) {
      return error;
    }
  });
  if (calls < 100) {
    throw new Error(`Only ${calls} calls came before the end of the stack.`);
  }
  return errors;
}

/**
 * Whether this is the host's own error for an exhausted stack.
 * @param {any} error
 */
export function isOfStack(error) {
  return (
    (error?.name === "RangeError" && /call stack/.test(error.message)) ||
    // Firefox.
    (error?.name === "InternalError" && /too much recursion/.test(error.message))
  );
}
