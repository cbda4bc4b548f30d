/** The comparison: ten lines of `fetch` and the package load from the same service. */

import type { Page } from "@playwright/test";
import { expect, test } from "./demo-page.js";

const left = (page: Page) => page.getByRole("article", { name: "fetch, ten lines" });
const right = (page: Page) => page.getByRole("article", { name: "inspection-findings" });
const all = /^All 16,000 findings after /;

test("without an interruption, both sides load all findings, by the code that they show", async ({
  demo: { page },
}) => {
  await page.getByRole("button", { name: "Load with both" }).click();
  for (const side of [left(page), right(page)]) {
    await expect(side.locator(".side-state")).toHaveText(all);
    await expect(side.locator("dd")).toHaveText(["16,000", "65", "0", "0"]);
  }
  await expect(left(page).locator("pre")).toHaveText(/^export async function.*Promise\.all\(requests\)/s);
  await expect(right(page).locator("pre")).toContainText('client.getFindings(42, "sentiment", { onProgress })');
});

test("a broken network costs the left side everything, and the right side retries", async ({ demo: { page } }) => {
  await page.getByRole("button", { name: "Break the network" }).click();
  await expect(left(page).locator(".side-state")).toHaveText(/^Failed after .*: Failed to fetch$/);
  await expect(left(page).locator("dd").first()).toHaveText("0");
  await expect(right(page).locator(".side-state")).toHaveText(all, { timeout: 45_000 });
  await expect(right(page).locator("dd").first()).toHaveText("16,000");
  expect(Number(await right(page).locator("dd").nth(2).textContent())).toBeGreaterThanOrEqual(8);
});

test("an expired token costs the left side everything, and the right side one renewal", async ({ demo: { page } }) => {
  await page.getByRole("button", { name: "Let the token expire" }).click();
  await expect(left(page).locator(".side-state")).toHaveText(/^Failed after .*: Status 401$/);
  await expect(right(page).locator(".side-state")).toHaveText(all);
  await expect(right(page).locator("dd").nth(3)).toHaveText("1");
});
