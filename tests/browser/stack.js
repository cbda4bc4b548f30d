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

/**
 * What recursions throw that call `work` until the stack is at its end. Each begins a little further down the stack than the one before, and so
 * comes to its end at another place.
 * @param {() => unknown} work
 * @returns {any[]}
 */
export function errorsOfRecursions(work) {
  const recurse = () => {
    work();
    recurse();
  };
  return Array.from({ length: 8 }, (_, further) => {
    try {
      return ((/** @type {unknown[]} */ ..._room) => recurse())(...Array(2 * further));
    } catch (error) {
      return error;
    }
  });
}

/**
 * Whether this is the host's own error for an exhausted stack.
 * @param {any} error
 */
export function isOfStack(error) {
  return error?.name === "RangeError" && /call stack/.test(error.message);
}
