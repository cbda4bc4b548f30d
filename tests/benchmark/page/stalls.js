/** The stalls of the event loop: while one lasts, the page answers nobody. */

/** The pause between two turns of the timer, in milliseconds: the shortest that engines keep. */
const pause = 4;

/** A longer stall, in milliseconds, costs a frame. */
const frame = 16;

/** @typedef {{ longestStall: number, stalledTime: number }} Stalls in milliseconds; `stalledTime`: the sum of what is above a frame */

/**
 * Measures the times between the turns of a timer during some work.
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Stalls>}
 */
export async function stallsDuring(work) {
  const stalls = { longestStall: 0, stalledTime: 0 };
  let before = performance.now();
  const look = () => {
    const now = performance.now();
    const stall = now - before;
    before = now;
    stalls.longestStall = Math.max(stalls.longestStall, stall);
    stalls.stalledTime += Math.max(0, stall - frame);
  };
  const timer = setInterval(look, pause);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  look();
  return stalls;
}
