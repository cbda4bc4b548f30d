/**
 * Thread times: how long the page’s main thread itself has worked. A clock on the wall, as that of a “long task” or of a
 * measure of the page, also counts what the machine did for others meanwhile.
 *
 * Only without Playwright’s own trace (`test.use({ trace: "off" })`), which has that thread collect things for a failure.
 */

import type { Browser, Page } from "@playwright/test";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ph: string;
  args?: { name?: string; data?: { detail?: string } };
  /** Microseconds that it took, by the clock on the wall and by the thread’s own, which leaves zeros out. */
  dur?: number;
  tdur?: number;
  /** When it was by the thread’s own clock. */
  tts?: number;
}

/** The tasks of the page’s main thread meanwhile, in milliseconds of its own time. */
export async function taskTimes(browser: Browser, page: Page, work: () => Promise<void>): Promise<number[]> {
  const events = await mainThreadEvents(browser, page, "toplevel", work);
  const tasks = events.filter(({ name, ph }) => ph === "X" && name.endsWith("RunTask"));
  if (!tasks.some(({ tdur }) => tdur !== undefined)) {
    throw new Error(`The browser gave no thread time for any of ${tasks.length} tasks.`);
  }
  // No task can have worked for longer than it took.
  return tasks.map(({ dur, tdur }) => (tdur ?? dur ?? Number.POSITIVE_INFINITY) / 1000);
}

/** How long the page took over each of its questions meanwhile, in milliseconds of its main thread’s own time. */
export async function answerTimes(
  browser: Browser,
  page: Page,
  work: () => Promise<void>,
): Promise<Map<string, number[]>> {
  const events = await mainThreadEvents(browser, page, "blink.user_timing", work);
  const marks = events.filter(({ name, ph }) => ph === "I" && (name === "question" || name === "answered"));
  const pairs = marks.flatMap((mark, at) =>
    mark.name === "question" ? [{ question: mark, answered: marks[at + 1] }] : [],
  );
  const times = pairs.map(({ question, answered }) => ({
    detail: String(question.args?.data?.detail),
    time: ((answered?.tts ?? Number.NaN) - (question.tts ?? Number.NaN)) / 1000,
  }));
  if (times.some(({ time }) => Number.isNaN(time))) {
    throw new Error("The browser gave no thread times for a question and its answer.");
  }
  const byDetail = [...Map.groupBy(times, ({ detail }) => detail)];
  return new Map(byDetail.map(([detail, asked]) => [detail, asked.map(({ time }) => time)]));
}

/** What half of the times are not above. */
export function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? Number.NaN;
}

async function mainThreadEvents(
  browser: Browser,
  page: Page,
  category: string,
  work: () => Promise<void>,
): Promise<TraceEvent[]> {
  await browser.startTracing(page, { categories: [category] });
  await work();
  const trace = await browser.stopTracing();
  const events: TraceEvent[] = JSON.parse(trace.toString()).traceEvents;
  const isNamed = ({ name, args }: TraceEvent) => name === "thread_name" && args?.name === "CrRendererMain";
  const mainThreads = new Set(events.filter(isNamed).map(({ pid, tid }) => `${pid} ${tid}`));
  return events.filter(({ pid, tid }) => mainThreads.has(`${pid} ${tid}`));
}
