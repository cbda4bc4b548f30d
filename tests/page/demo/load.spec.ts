/** Loading: every scenario ends with all findings or with a reason. */

import { isQuick } from "../../tier.js";
import { demoOf, expect, test } from "./demo-page.js";

test("the page loads 100,000 findings when it opens, in a worker", async ({ page }) => {
  const { ended, facts, state } = demoOf(page);
  await page.goto("./");
  await ended();
  await expect(state).toHaveText("Complete");
  await expect(facts).toHaveText(/^100,000 findings · .* · 51 requests · \d+\.\d MB$/);
  // That of the service and that of the package.
  expect(page.workers().length).toBe(2);
});

/** The outcome of each scenario: its state, the heading of the notice, if there is one, and words of the notice or of the facts. */
const outcomes: Record<string, [state: string, heading: string, words: string | RegExp]> = {
  "Every request fails once": ["Complete", "", "13 retries"],
  "A partition with errors": ["Incomplete", "1 partition missing", ""],
  "An expired token": ["Complete", "", /^24,000 findings.*Token renewed once for 8 requests/],
  "An unknown inspection": [
    "Failed",
    "The findings of this inspection cannot be found.",
    "There is no inspection 404.",
  ],
  "An empty inspection": ["Complete", "This inspection has no findings", ""],
  ...(!isQuick && { "Too many requests": ["Complete", "", "7 retries"] }),
};

test("each scenario ends in its state, shown once and explained in plain words", async ({ demo, page }) => {
  for (const [scenario, [state, heading, words]] of Object.entries(outcomes)) {
    await test.step(scenario, async () => {
      await demo.run(scenario);
      await expect(page.locator("main").getByText(state)).toHaveCount(1);
      await expect(demo.state).toHaveText(state);
      if (heading === "") await expect(demo.notice).toBeHidden();
      else await expect(demo.notice.getByRole("heading")).toHaveText(heading);
      await expect(heading === "" ? demo.facts : demo.notice).toContainText(words);
    });
  }
});

test("charts, search and list work while findings arrive, and keep their selection", async ({
  demo: { page, bar, begin, count, ended, finding, rows, search, state },
}) => {
  await begin("A slow service");
  await bar("Topic groups", "Staff").click();
  await search.fill("friendly");
  await expect(state).toHaveText("Loading");
  await rows.first().getByRole("button").click();
  const text = await finding.locator("blockquote").textContent();
  await ended();
  await expect(finding.locator("blockquote")).toHaveText(String(text));
  await page.keyboard.press("Escape");
  await expect(search).toHaveValue("friendly");
  await expect(bar("Topic groups", "Staff")).toHaveAttribute("aria-selected", "true");
  await expect(count).toHaveText(/ of 2,400 findings$/);
});

test("cancelling keeps what has arrived each time, and the rest can be fetched", async ({
  demo: { page, begin, cancel, count, ended, notice, state },
}) => {
  await begin("A slow service");
  await expect(page.getByRole("progressbar")).toHaveAttribute("aria-valuenow", /^[1-9]/);
  await cancel.click();
  await ended();
  await expect(state).toHaveText("Cancelled");
  // The next responses may arrive before the click.
  const states = page.getByRole("list", { name: "Partitions by state" });
  await expect(states).toHaveText(/^\d+ waiting\d+ received$/);
  const [waiting = 0, received = 0] =
    String(await states.textContent())
      .match(/\d+/g)
      ?.map(Number) ?? [];
  expect(waiting + received).toBe(24);
  const kept = (received * 100).toLocaleString("en");
  await expect(count).toHaveText(`${kept} of ${kept} findings`);
  await notice.getByRole("button", { name: `Fetch ${waiting} partitions` }).click();
  await cancel.click();
  await ended();
  await expect(state).toHaveText("Cancelled");
  await notice.getByRole("button", { name: /^Fetch \d+ partitions?$/ }).click();
  await ended();
  await expect(state).toHaveText("Complete");
  await expect(count).toHaveText("2,400 of 2,400 findings");
});

test("missing partitions have cells, are named, and are fetched on request", async ({
  demo: { page, count, notice, run, state },
}) => {
  await run("A partition with errors");
  await expect(page.getByRole("list", { name: "Partitions by state" })).toHaveText("9 received1 failed");
  await expect(page.locator("#map .cell")).toHaveCount(10);
  await expect(page.locator("#map .cell").nth(1)).toHaveAttribute("title", "Partition 1: failed");
  await notice.getByText("Why").click();
  await expect(notice.locator("li")).toContainText(
    /^sentiment partition 1 of .*The analysis of this partition has failed/,
  );
  const fetchMissing = notice.getByRole("button", { name: "Fetch 1 partition" });
  await fetchMissing.click();
  // The service fails again: the focus stays on the button, and the findings stay.
  await expect(state).toHaveText("Incomplete");
  await expect(fetchMissing).toBeFocused();
  await expect(count).toHaveText("1,800 of 1,800 findings");
});

test("the reader decides what the browser keeps, and a reload shows it after one request", async ({
  demo: { page, count, ended, facts },
}) => {
  const keep = page.getByLabel("Keep in this browser");
  const size = page.locator("#kept");
  await page.goto("./?scenario=jittered");
  await ended();
  await expect(keep).not.toBeChecked();

  await test.step("the choice to keep loads again, and says so, because nothing is kept at first", async () => {
    await keep.check();
    await expect(size).toHaveText("Loading again, to keep the findings …");
    await expect(size).toHaveText(/^\d\.\d MB$/);
    await expect(facts).toHaveText(/^6,000 findings · .* · 31 requests · /);
  });

  await test.step("a reload remembers the choice, and shows what is kept", async () => {
    await page.reload();
    await expect(keep).toBeChecked();
    await ended();
    await expect(facts).toHaveText(/^6,000 findings From this browser, [\d.]+ m?s, 1 request$/);
    await expect(count).toHaveText("6,000 of 6,000 findings");
    const cell = page.locator("#map .cell").first();
    await expect(cell).toHaveAttribute("title", "Partition 0: received, kept in this browser");
  });

  await test.step("nothing is kept after the choice is taken back", async () => {
    await keep.uncheck();
    await keep.check();
    await expect(size).toHaveText(/^\d\.\d MB$/);
    await expect(facts).toHaveText(/ · 31 requests · /);
  });
});
