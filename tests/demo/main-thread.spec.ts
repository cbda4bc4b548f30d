/** The main thread while findings load: free for the reader. */

import type { Browser, Page } from "@playwright/test";
import { createFakeService } from "inspection-findings/testing";
import { demoOf, expect, test } from "./demo-page.js";

/**
 * The longest task, as a share of the time that the same page needs to parse as many findings with `JSON.parse`. Both times are processor time of one
 * thread in one run, so the speed of the machine does not matter. The longest task takes about a sixth.
 */
const longest = 1 / 3;

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** The processor time in microseconds, which other processes do not lengthen. */
  tdur?: number;
  args: { name?: string };
}

test("while 100,000 findings load, no task of the main thread takes a third of the time of JSON.parse", {
  tag: "@full",
}, async ({ browser, page }) => {
  const tasks = await tasksDuring(browser, page, async () => {
    await page.goto("./");
    await demoOf(page).ended();
  });
  await expect(page.locator("#facts")).toContainText("100,000 findings");
  expect(tasks.length).toBeGreaterThan(100);
  const partitions = 50;
  const { baseUrl, fetch } = createFakeService({ sentiment: { findings: 100_000, partitions } });
  const body = await (await fetch(`${baseUrl}Findings/42/Sentiment/0`)).text();
  const parse = ({ body, times }: { body: string; times: number }) => {
    for (let time = 0; time < times; time++) JSON.parse(body);
  };
  const parsing = await tasksDuring(browser, page, () => page.evaluate(parse, { body, times: partitions }));
  expect(tasks.filter((task) => task / Math.max(...parsing) >= longest)).toEqual([]);
});

/** The processor time of each task of the page's main thread. */
async function tasksDuring(browser: Browser, page: Page, act: () => Promise<unknown>): Promise<number[]> {
  await browser.startTracing(page, { categories: ["toplevel"] });
  await act();
  // A task that still runs when the tracing stops has no event. The answer of the next task proves its end.
  await page.evaluate(() => undefined);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`;
  const names = traceEvents.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const mainThreads = new Set(names.map(threadOf));
  return traceEvents
    .filter((event) => event.ph === "X" && event.name.endsWith("RunTask") && mainThreads.has(threadOf(event)))
    .map(({ tdur = 0 }) => tdur);
}
