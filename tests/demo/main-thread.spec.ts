/** The main thread: no long tasks, however much is loaded, queried or saved. */

import { type DemoPage, expect, later, test } from "./demo-page.js";
import { answerTimes, median, taskTimes } from "./thread-times.js";

/** Milliseconds from which a task is noticeable. */
const long = 50;

/** Milliseconds of a frame on most screens. */
const frame = 1000 / 60;

/** The number of runs of each query. Half of them may be slower, such as the first ones. */
const rounds = 5;

/** No other test runs beside those of the full tier. */
const measured = { tag: "@full" };

// Playwright's trace would use the page’s main thread.
test.use({ trace: "off" });

test(
  "no task is long while a million findings load, and are shown as they arrive",
  measured,
  async ({ demo, page, browser }) => {
    test.setTimeout(240_000);
    await demo.run("Small");
    await page.goto(later("findings=1000000&partition-size=5000"));
    const tasks = await taskTimes(browser, page, async () => {
      await demo.load.click();
      await expect(demo.heading).toHaveText("Complete", { timeout: 180_000 });
    });
    await expect(demo.stat("Findings")).toHaveText("1,000,000 of 1,000,000");
    expectShort(tasks);
  },
);

for (const format of ["CSV", "NDJSON"]) {
  test(
    `no task is long while a hundred thousand findings are saved as ${format}`,
    measured,
    async ({ demo, page, browser }) => {
      await page.evaluate(() => Object.assign(globalThis, { showSaveFilePicker: undefined }));
      await demo.run("Large");
      const tasks = await taskTimes(browser, page, async () => {
        await page.getByRole("button", { name: `Save as ${format}` }).click();
        await expect(page.locator("output.export-state")).toHaveText(`100,000 findings exported as ${format}.`, {
          timeout: 45_000,
        });
      });
      expectShort(tasks);
    },
  );
}

test(
  "filters and orders of a hundred thousand findings take less than a frame",
  measured,
  async ({ demo, page, browser }) => {
    await demo.run("Large");
    const answers = await answerTimes(browser, page, async () => {
      for (let time = 0; time < rounds; time++) {
        await askMuch(demo);
      }
    });
    expect(answers.size).toBe(7);
    expect([...answers.values()].flat().length).toBe(11 * rounds);
    for (const [question, times] of answers) {
      const typical = median(times);
      test.info().annotations.push({ type: "answer", description: `${question}: ${typical.toFixed(1)} ms` });
      expect(typical, question).toBeLessThan(frame);
    }
  },
);

/** Expects many tasks whose sum exceeds the limit of one, because otherwise nothing was measured. */
function expectShort(tasks: number[]): void {
  const sum = tasks.reduce((sum, milliseconds) => sum + milliseconds, 0);
  const longest = Math.max(...tasks);
  test.info().annotations.push({
    type: "tasks",
    description: `${tasks.length} tasks, ${sum.toFixed(0)} ms, the longest ${longest.toFixed(1)} ms`,
  });
  expect(tasks.length).toBeGreaterThan(100);
  expect(sum).toBeGreaterThan(long);
  expect(longest).toBeLessThan(long);
}

/** Makes seven queries in eleven steps: filters by one and by several dimensions, sorts, and restores the initial state. */
async function askMuch(demo: DemoPage): Promise<void> {
  await demo.value("Sentiment", "Very negative").click();
  await demo.value("Topic groups", "Delivery").click();
  await demo.value("Expression groups", "Speed").click();
  await demo.value("Expression groups", "Speed").click();
  await demo.value("Topic groups", "Delivery").click();
  await demo.value("Sentiment", "Very negative").click();
  await demo.value("Topics", "staff").click();
  await demo.value("Topics", "staff").click();
  await demo.order.selectOption("Worst first");
  await demo.order.selectOption("Topics, A to Z");
  await demo.order.selectOption("Original order");
  await demo.shows(100_000);
}
