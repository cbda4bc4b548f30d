/** Work between two marks of the trace. */

/**
 * Resolves with the result and its time in milliseconds. Begins a new task, because the current one belongs to the runner.
 * @template Result
 * @param {() => Promise<Result>} work
 */
export async function marked(work) {
  await new Promise((resolve) => setTimeout(resolve));
  performance.mark("begin");
  const result = await work();
  performance.mark("end");
  return { result, time: performance.measure("work", "begin", "end").duration };
}
