/** The main thread while findings load: free for the reader. */

import type { Browser, Page } from "@playwright/test";
import { DemoPage, expect, test } from "./demo-page.js";

/** The milliseconds from which on browsers call a task long. */
const long = 50;

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** The processor time in microseconds, which other processes do not lengthen. */
  tdur?: number;
  args: { name?: string };
}

test("no task of the main thread is long while 100,000 findings load", async ({ browser, page }) => {
  const tasks = await tasksDuring(browser, page, async () => {
    await page.goto("./");
    await new DemoPage(page).ended();
  });
  expect(tasks.length).toBeGreaterThan(100);
  expect(tasks.filter((milliseconds) => milliseconds >= long)).toEqual([]);
});

/** The processor time of each task of the page's main thread, in milliseconds. */
async function tasksDuring(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<number[]> {
  await browser.startTracing(page, { categories: ["toplevel"] });
  await act();
  // A task that still runs when the tracing stops has no event. The answer of the next task proves its end.
  await page.evaluate(() => undefined);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const names = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const mainThreads = new Set(names.map(threadOf));
  return traceEvents
    .filter((event) => event.ph === "X" && event.name.endsWith("RunTask") && mainThreads.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur / 1000);
}
