/** The pages to copy: the three functions and SQL. */

import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./demo-page.js";

const status = (page: Page) => page.locator("#status");

test("the demo and each page link each other, and axe reports nothing on a phone", async ({ demo: { page } }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of ["The three functions", "SQL"]) {
    await test.step(name, async () => {
      await page.getByRole("region", { name: "Pages to copy" }).getByRole("link", { name }).click();
      await expect(status(page)).toHaveText(/6000 findings/, { timeout: 45_000 });
      await expectAccessible(page);
      await page.getByRole("link", { name: "Demo" }).click();
      await expect(page.getByRole("heading", { name: "Inspection findings", level: 1 })).toBeVisible();
    });
  }
});

test("the page for SQL answers, quotes mistakes, and reaches nothing outside", async ({ demo: { page } }) => {
  const run = await openForSQL(page);

  await test.step("answers the example", async () => {
    await run();
    await expect(status(page)).toHaveText(/^\d+ rows, \d+ ms$/);
    await expect(page.getByRole("columnheader")).toHaveText(["TopicGroup", "findings", "average"]);
    await expect(page.locator(".null")).toHaveText("NULL");
  });

  await test.step("shows every type as DuckDB writes it", async () => {
    const values = ["170141183460469231731687303715884105727", "275761-01-01", "[1, NULL]", ""];
    await run(`SELECT ${values[0]}::HUGEINT, DATE '${values[1]}', ${values[2]}, '' -- all`);
    await expect(page.getByRole("cell")).toHaveText(values);
  });

  await test.step("shows the first 200 rows of many", async () => {
    await run("SELECT * FROM findings");
    await expect(status(page)).toHaveText(/^6000 rows, .*; the first 200$/);
    await expect(page.locator("tbody tr")).toHaveCount(200);
  });

  const refused: Record<string, [sql: string, message: RegExp]> = {
    "quotes the mistake in a query": ["SELECT Nothing FROM findings", /"Nothing" not found/],
    "reaches no URL": [`FROM read_csv('${new URL(page.url()).origin}/index.html')`, /disabled by configuration/],
    "keeps its settings": ["SET enable_external_access = true", /Cannot|configuration has been locked/],
  };
  for (const [promise, [sql, message]] of Object.entries(refused)) {
    await test.step(promise, async () => {
      await run(sql);
      await expect(status(page)).toContainText(message);
    });
  }
});

// The page loads DuckDB twice.
test("the page for SQL stops a query that would take hours, and can go on", {
  tag: "@full",
}, async ({ demo: { page } }) => {
  const run = await openForSQL(page);
  await run("SELECT count(*) FROM findings a, findings b, findings c WHERE a.Comment > b.Comment || c.Comment");
  await page.getByRole("button", { name: "Stop" }).click();
  await run("SELECT 1 AS one");
  await expect(page.getByRole("cell")).toHaveText("1");
});

/** Opens the page for SQL, and returns a function that runs a query: that of the page unless given. */
async function openForSQL(page: Page): Promise<(sql?: string) => Promise<void>> {
  await page.goto("./examples/sql/");
  return async (sql) => {
    await expect(page.getByRole("button", { name: "Run" })).toBeEnabled({ timeout: 45_000 });
    if (sql !== undefined) await page.getByLabel("Query").fill(sql);
    await page.getByRole("button", { name: "Run" }).click();
  };
}
