/** The main thread: never busy for long, however much is loaded, asked or saved. */

import { type DemoPage, expect, test } from "./demo-page.js";
import { answerTimes, median, taskTimes } from "./thread-times.js";

/** Milliseconds from which on a task is felt. */
const long = 50;

/** Milliseconds between two pictures on most screens. */
const frame = 1000 / 60;

/** How often everything is asked that is measured: half of the answers may be slower, such as the first ones. */
const rounds = 5;

/** Nothing else works beside the tests of the full tier. */
const measured = { tag: "@full" };

// What Playwright records for a failure it has the page’s own thread collect.
test.use({ trace: "off" });

test(
  "while a hundred thousand findings load no task takes long, as their bodies are made elsewhere",
  measured,
  async ({ demo, page, browser }) => {
    await demo.run("Small");
    expect(page.workers().some((worker) => /body-workshop/.test(worker.url()))).toBe(true);
    await demo.choose("Large");
    const tasks = await taskTimes(browser, page, async () => {
      await demo.load.click();
      await demo.ended();
    });
    await expect(demo.figure("Findings")).toHaveText("100,000 of 100,000");
    expectShort(tasks);
  },
);

for (const format of ["CSV", "NDJSON"]) {
  test(
    `while a hundred thousand findings are saved as ${format} no task takes long`,
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
  "filters and orders of a hundred thousand findings are answered within a frame",
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

/** Many tasks, which add up to more than any of them may take, as otherwise nothing would have been measured. */
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

/** Asks seven questions in eleven steps: filters by each dimension and by several, sorts, leaves everything as it was. */
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
  await demo.order.selectOption("As they came");
  await demo.shows(100_000);
}
