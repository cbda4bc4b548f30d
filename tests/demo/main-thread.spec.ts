/** The main thread while findings load: free for the reader. */

import type { Browser, Page } from "@playwright/test";
import { createFakeService } from "inspection-findings/testing";
import { demoOf, expect, test } from "./demo-page.js";

/** The findings of the demo's first scenario, in 50 partitions. */
const findings = 100_000;
const partitions = 50;

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
  const { baseUrl, fetch } = createFakeService({ sentiment: { findings, partitions } });
  const body = await (await fetch(`${baseUrl}Findings/42/Sentiment/0`)).text();
  const [parsing = 0] = (
    await tasksDuring(browser, page, () =>
      page.evaluate(
        ({ body, times }) => {
          for (let time = 0; time < times; time++) JSON.parse(body);
        },
        { body, times: partitions },
      ),
    )
  ).toSorted((one, other) => other - one);
  expect(tasks.map((task) => task / parsing).filter((share) => share >= longest)).toEqual([]);
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
