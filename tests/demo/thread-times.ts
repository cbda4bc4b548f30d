/**
 * Thread times: the processor time of the page’s main thread. The wall time of a “long task” or a measure also includes other
 * processes.
 *
 * Only without Playwright’s own trace (`test.use({ trace: "off" })`), which uses that thread.
 */

import type { Browser, Page } from "@playwright/test";

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ph: string;
  args?: { name?: string; data?: { detail?: string } };
  /** The duration in microseconds, by the wall clock and by the thread’s clock, which is absent if 0. */
  dur?: number;
  tdur?: number;
  /** The start by the thread’s clock. */
  tts?: number;
}

/** The tasks of the page’s main thread during some work, in milliseconds of processor time. */
export async function taskTimes(browser: Browser, page: Page, work: () => Promise<void>): Promise<number[]> {
  const events = await mainThreadEvents(browser, page, "toplevel", work);
  const tasks = events.filter(({ name, ph }) => ph === "X" && name.endsWith("RunTask"));
  if (!tasks.some(({ tdur }) => tdur !== undefined)) {
    throw new Error(`The browser gave no thread time for any of ${tasks.length} tasks.`);
  }
  // The processor time of a task cannot exceed its duration.
  return tasks.map(({ dur, tdur }) => (tdur ?? dur ?? Number.POSITIVE_INFINITY) / 1000);
}

/** The durations of the page’s queries during some work, in milliseconds of the main thread’s processor time. */
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

/** The median. */
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
