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

/** Whether this is the host's own error for an exhausted stack. @param {any} error */
export function isOfStack(error) {
  return (
    (error?.name === "RangeError" && /call stack/.test(error.message)) ||
    // Firefox.
    (error?.name === "InternalError" && /too much recursion/.test(error.message))
  );
}
