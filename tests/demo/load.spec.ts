/** Loading: every scenario ends with all findings or with a reason. */

import { expect, later, test } from "./demo-page.js";

test("the small inspection is loaded in the page and shown in full @everywhere", async ({ demo, page }) => {
  await demo.run("Small");
  await expect(demo.heading).toHaveText("Complete");
  await expect(page.locator("#work-location")).toHaveText(/^in the page/);
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
  await expect(demo.stat("Partitions")).toHaveText("3 of 3");
  await expect(demo.grid).toHaveAttribute("aria-rowcount", "251");
  await expect(demo.grid.getByRole("row").first()).toHaveText("No.CommentTopicExpressionSentiment");
  await expect(demo.rows.first()).toHaveAttribute("aria-rowindex", "2");
  await expect(demo.rows.first()).toContainText(/negative|neutral|positive/i);
  await expect(demo.rows.locator("mark").first()).toBeVisible();
});

test("topic findings have no sentiment", async ({ demo }) => {
  await demo.run("Small", "Topics");
  await expect(demo.stat("Findings")).toHaveText("310 of 310");
  await expect(demo.grid.getByRole("row").first()).toHaveText("No.CommentTopicExpression");
  await expect(demo.grid).toHaveAttribute("aria-colcount", "4");
});

test("an inspection without findings says so", async ({ demo }) => {
  await demo.run("Empty");
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.result).toContainText("Nothing found");
  await expect(demo.grid).toBeHidden();
});

test("the scenario follows the typed inspection key, and the other way round", async ({ demo, page }) => {
  await page.getByLabel("Inspection", { exact: true }).fill("6");
  await expect(page.getByLabel("Scenario").locator("option:checked")).toHaveText("Flaky");
  await page.getByLabel("Inspection", { exact: true }).fill("977");
  await expect(page.getByLabel("Scenario").locator("option:checked")).toHaveText("Unknown inspection");
  await demo.choose("Large");
  await expect(page.getByLabel("Inspection", { exact: true })).toHaveValue("2");
});

test("the page can be reloaded and left, and loads again", async ({ demo, page }) => {
  for (let time = 0; time < 2; time++) {
    await demo.run("Small");
    await expect(demo.stat("Findings")).toHaveText("250 of 250");
    await page.reload();
  }
  await demo.run("Small");
  await page.goto("about:blank");
  await page.goBack();
  await demo.run("Small");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
});

test("a second tab loads beside the first", { tag: "@full" }, async ({ demo, context, baseURL }) => {
  await demo.run("Small");
  const second = await context.newPage();
  await second.goto(new URL(later(), baseURL).href);
  await second.getByLabel("Scenario").selectOption({ label: "Small" });
  await second.getByRole("button", { name: "Load" }).click();
  await expect(second.locator("#progress-heading")).toHaveText("Complete");
  await second.close();
  await demo.run("Small", "Topics");
  await expect(demo.stat("Findings")).toHaveText("310 of 310");
});

test("the page renders before the first load fetches the module", async ({ page, demo }) => {
  const modules: string[] = [];
  page.on("request", (request) => request.url().endsWith(".wasm") && modules.push(request.url()));
  await page.reload();
  await expect(demo.heading).toHaveText("Ready");
  await expect.poll(() => page.evaluate(() => performance.getEntriesByType("paint").length)).toBeGreaterThan(0);
  await page.waitForLoadState("networkidle");
  expect(modules).toEqual([]);
  await demo.run("Small");
  expect(modules.length).toBe(1);
});

test.describe("a service in trouble", () => {
  test.use({ failingStatuses: true });

  test("a flaky service costs only retries, and an expired token not even these", async ({ demo }) => {
    await demo.run("Flaky");
    await expect(demo.heading).toHaveText("Complete");
    await expect(demo.stat("Findings")).toHaveText("1,200 of 1,200");
    await expect(demo.stat("Retries")).toHaveText("7");
    await demo.run("Expired token");
    await expect(demo.stat("Findings")).toHaveText("900 of 900");
    await expect(demo.stat("Retries")).toHaveText("0");
  });

  test("every failure is explained, with what to do, and the next load starts from nothing", async ({ demo }) => {
    await demo.run("Broken JSON");
    await expect(demo.heading).toHaveText("Incomplete");
    await expect(demo.failure.getByRole("heading")).toHaveText("1 partition missing");
    await expect(demo.failure.locator("details")).toContainText("Partition 1");
    await demo.shows(300);
    for (const { scenario, code, heading, words } of [
      {
        scenario: "Wrong total",
        code: "incomplete",
        heading: "The number of findings differs from the total",
        words: "301",
      },
      {
        scenario: "Unknown inspection",
        code: "http",
        heading: "The service refused the request",
        words: "There is no inspection 404.",
      },
    ]) {
      await demo.run(scenario);
      await expect(demo.heading).toHaveText("Failed");
      await expect(demo.failure.getByRole("heading")).toHaveText(heading);
      await expect(demo.failure).toContainText(words);
      await expect(demo.failure).toContainText("What to do:");
      await expect(demo.failure.locator("dd").first()).toHaveText(code);
      await expect(demo.grid).toBeHidden();
    }
    await demo.run("Small");
    await expect(demo.failure).toBeEmpty();
    await expect(demo.grid).toBeVisible();
  });
});
