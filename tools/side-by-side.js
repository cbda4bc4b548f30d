/** Jobs side by side: each starts as soon as there is room for it, and what it needs is done. */

/**
 * @template Result
 * @typedef {object} Job
 * @property {string} name
 * @property {string[]} [after] jobs that have to end before this one starts, where they are among the jobs at all
 * @property {string} [mutex] what no two jobs may use at the same time
 * @property {boolean} [alone] whether nothing may run beside it
 * @property {() => Promise<Result>} run never rejects
 */

/**
 * Runs jobs in their order, at most `atOnce` at a time, and returns their results in that order. A later job overtakes one that has to wait.
 * @template Result
 * @param {Job<Result>[]} jobs
 * @param {number} atOnce
 * @returns {Promise<Result[]>}
 */
export async function runSideBySide(jobs, atOnce) {
  /** @type {Map<string, Result>} */
  const results = new Map();
  /** @type {Map<Job<Result>, Promise<void>>} */
  const running = new Map();
  const waiting = [...jobs];
  const names = new Set(jobs.map(({ name }) => name));

  /** @param {Job<Result>} job */
  const isReady = ({ after = [], mutex, alone = false }) => {
    const others = [...running.keys()];
    return (
      after.every((name) => results.has(name) || !names.has(name)) &&
      !others.some((other) => other.alone || (mutex !== undefined && other.mutex === mutex)) &&
      !(alone && others.length > 0)
    );
  };

  /** @param {Job<Result>} job */
  const start = async (job) => {
    results.set(job.name, await job.run());
    running.delete(job);
  };

  while (waiting.length > 0 || running.size > 0) {
    const next = running.size < atOnce ? waiting.find(isReady) : undefined;
    if (next !== undefined) {
      waiting.splice(waiting.indexOf(next), 1);
      running.set(next, start(next));
    } else if (running.size > 0) {
      await Promise.race(running.values());
    } else {
      throw new Error(`These jobs wait for each other: ${waiting.map(({ name }) => name).join(", ")}.`);
    }
  }
  return jobs.map(({ name }) => /** @type {Result} */ (results.get(name)));
}
