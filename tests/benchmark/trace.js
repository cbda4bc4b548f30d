/** A trace of the browser: the work of its main thread between the marks `begin` and `end`. */

/** The categories of tasks and marks, without those that take time themselves. */
export const traceCategories = ["disabled-by-default-devtools.timeline", "blink.user_timing"];

/**
 * Times in milliseconds.
 * @typedef {object} MainThread
 * @property {number} taskTime the time of all tasks, including waits for a processor
 * @property {number} processorTime the processor time of the thread
 * @property {number} longestTask
 */

/**
 * An event: `ts` and `dur` are microseconds, `tts` those of the thread's own clock.
 * @typedef {{ name: string, cat: string, ph: string, pid: number, tid: number, ts: number, tts: number, dur: number }} Event
 */

/**
 * @param {Buffer} trace
 * @returns {MainThread}
 */
export function readTrace(trace) {
  /** @type {Event[]} */
  const events = JSON.parse(trace.toString()).traceEvents;
  const begin = findMark(events, "begin");
  const end = findMark(events, "end");
  const durations = events
    .filter(({ name, ph, pid, tid }) => name === "RunTask" && ph === "X" && pid === begin.pid && tid === begin.tid)
    .map(({ ts, dur }) => Math.min(ts + dur, end.ts) - Math.max(ts, begin.ts))
    .filter((duration) => duration > 0);
  return {
    taskTime: durations.reduce((sum, duration) => sum + duration, 0) / 1000,
    processorTime: (end.tts - begin.tts) / 1000,
    longestTask: durations.reduce((longest, duration) => Math.max(longest, duration), 0) / 1000,
  };
}

/**
 * The processor time, in milliseconds, between all pairs of the marks `${name} begin` and `${name} end`.
 * @param {Buffer} trace
 * @param {string} name
 */
export function readProcessorTime(trace, name) {
  /** @type {Event[]} */
  const events = JSON.parse(trace.toString()).traceEvents;
  const times = (/** @type {string} */ mark) =>
    events.filter((event) => isMark(event, `${name} ${mark}`)).map(({ tts }) => tts);
  const sum = (/** @type {number[]} */ list) => list.reduce((total, time) => total + time, 0);
  return (sum(times("end")) - sum(times("begin"))) / 1000;
}

/**
 * @param {Event[]} events
 * @param {string} wanted
 */
function findMark(events, wanted) {
  const mark = events.find((event) => isMark(event, wanted));
  if (mark === undefined) {
    throw new Error(`The trace has no mark "${wanted}".`);
  }
  return mark;
}

/**
 * @param {Event} event
 * @param {string} wanted
 */
function isMark({ name, cat }, wanted) {
  return name === wanted && cat.includes("blink.user_timing");
}
