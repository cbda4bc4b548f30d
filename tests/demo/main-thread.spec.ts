/** The main thread: never busy for long, however much is loaded. */

import type { Browser, Page } from "@playwright/test";
import { expect, test } from "./demo-page.js";

/** Milliseconds from which on a task is felt. */
const long = 50;

// What Playwright records for a failure it has the page’s own thread collect.
test.use({ trace: "off" });

test("while a hundred thousand findings load no task takes long, as their bodies are made elsewhere", async ({
  demo,
  page,
  browser,
}) => {
  await demo.run("Small");
  expect(page.workers().some((worker) => /body-workshop/.test(worker.url()))).toBe(true);
  await demo.choose("Large");
  const tasks = await record(browser, page, async () => {
    await demo.load.click();
    await demo.ended();
  });
  await expect(demo.figure("Findings")).toHaveText("100,000 of 100,000");
  expect(tasks.length).toBeGreaterThan(100);
  expect(tasks.filter((milliseconds) => milliseconds > long)).toEqual([]);
});

interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ph: string;
  args?: { name?: string };
  /** Microseconds by the thread’s own clock. */
  tdur?: number;
}

/**
 * The tasks of the page’s main thread meanwhile, in milliseconds of its own time: a “long task” of the performance timeline
 * also counts what the machine did for others.
 */
async function record(browser: Browser, page: Page, work: () => Promise<void>): Promise<number[]> {
  await browser.startTracing(page, { categories: ["toplevel"] });
  await work();
  const trace = await browser.stopTracing();
  const events: TraceEvent[] = JSON.parse(trace.toString()).traceEvents;
  const mainThreads = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  return events
    .filter(({ name, ph, pid, tid }) => ph === "X" && name.endsWith("RunTask") && mainThreads.has(`${pid} ${tid}`))
    .map(({ tdur }) => (tdur ?? 0) / 1000);
}
