/** A trace of the browser: the work of its main thread between pairs of the marks `begin` and `end`. */

/** The categories of tasks and marks, without those that take time themselves. */
export const traceCategories = ["disabled-by-default-devtools.timeline", "blink.user_timing"];

/**
 * An event: `ts` and `dur` are microseconds, `tts` those of the thread's own clock.
 * @typedef {{ name: string, cat: string, ph: string, pid: number, tid: number, ts: number, tts: number, dur: number }} Event
 */

/**
 * The milliseconds of all tasks, waits for a processor included, and of the processor time.
 * @param {Buffer} trace
 */
export function readTrace(trace) {
  /** @type {Event[]} */
  const events = JSON.parse(trace.toString()).traceEvents;
  const marks = (/** @type {string} */ wanted) =>
    events
      .filter(({ name, cat }) => name === wanted && cat.includes("blink.user_timing"))
      .toSorted((one, other) => one.ts - other.ts);
  const [begins, ends] = [marks("begin"), marks("end")];
  if (begins.length === 0 || begins.length !== ends.length) throw new Error("The trace lacks marks.");
  const [{ pid, tid }] = begins;
  const tasks = events.filter((event) => event.name === "RunTask" && event.ph === "X");
  const durations = tasks
    .filter((task) => task.pid === pid && task.tid === tid)
    .flatMap(({ ts, dur }) => begins.map((begin, at) => Math.min(ts + dur, ends[at].ts) - Math.max(ts, begin.ts)))
    .filter((duration) => duration > 0);
  const sum = (/** @type {number[]} */ list) => list.reduce((total, one) => total + one, 0);
  return {
    "main ms": sum(durations) / 1000,
    "cpu ms": sum(ends.map(({ tts }, at) => tts - begins[at].tts)) / 1000,
  };
}
