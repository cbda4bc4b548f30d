/** The keyboard: everything can be reached and used. */

import { expect, test } from "./demo-page.js";

test("a load is chosen, started, cancelled and explored with the keyboard alone", async ({ demo, page }) => {
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      await page.keyboard.press(key);
    }
  };
  await press("Tab");
  await expect(page.getByRole("link", { name: "Documentation" })).toBeFocused();
  await press("Tab");
  await expect(page.getByRole("radio", { name: "Built in" })).toBeFocused();
  await press("Tab");
  await expect(page.getByLabel("Scenario")).toBeFocused();
  await page.keyboard.type("Slow");
  await press("Tab");
  await expect(page.getByLabel("Inspection", { exact: true })).toHaveValue("4");
  await press("Tab", "ArrowRight");
  await expect(page.getByRole("radio", { name: "Topics" })).toBeChecked();
  await press("Tab");
  await expect(page.getByRole("radio", { name: "Worker" })).toBeFocused();
  await press("ArrowRight");
  await expect(page.getByRole("radio", { name: "Page", exact: true })).toBeChecked();
  await press("Tab");
  await expect(demo.load).toBeFocused();
  await press("Enter");
  await expect(demo.heading).toHaveText("Loading");
  await expect(demo.load).toBeFocused();
  await press("Tab");
  await expect(demo.cancel).toBeFocused();
  await press("Enter");
  await expect(demo.heading).toHaveText("Cancelled");
  await expect(demo.cancel).toBeFocused();

  await press("Shift+Tab", "Shift+Tab", "ArrowLeft");
  await expect(page.getByRole("radio", { name: "Worker" })).toBeChecked();
  await press("Shift+Tab", "ArrowLeft", "Shift+Tab");
  await page.keyboard.type("1");
  await press("Enter");
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.chart("Expression groups")).toBeVisible();
  await press("Tab", "Tab", "Tab", "Tab", "Tab");
  await expect(page.getByText("Fault laboratory")).toBeFocused();
  await press("Tab", "Tab");
  await expect(demo.value("Sentiment", "Very positive")).toBeFocused();
  await press("Enter");
  await expect(demo.value("Sentiment", "Very positive")).toHaveAttribute("aria-pressed", "true");
  await expect(demo.value("Sentiment", "Very positive")).toBeFocused();
  await demo.search.focus();
  await press("Tab");
  await expect(demo.order).toBeFocused();
  await press("Tab");
  await expect(demo.filters.first()).toBeFocused();
  await press("Tab", "Tab");
  await expect(demo.rows.first()).toBeFocused();
  await press("ArrowDown", "Enter");
  await expect(demo.finding.getByRole("heading", { level: 2 })).toContainText("Finding 2 of");
  await press("Escape");
  await expect(demo.grid.locator("[data-index='1']")).toBeFocused();
});

test("the arrows, Page, Home and End move through all the findings", async ({ demo, page }) => {
  await demo.run("Small");
  await demo.rows.first().focus();
  await page.keyboard.press("ArrowUp");
  expect(await demo.focusedIndex()).toBe(0);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  expect(await demo.focusedIndex()).toBe(2);
  await page.keyboard.press("PageDown");
  expect(await demo.focusedIndex()).toBeGreaterThan(3);
  await page.keyboard.press("End");
  expect(await demo.focusedIndex()).toBe(249);
  await expect(demo.grid.locator("[data-index='249']")).toBeInViewport({ ratio: 0.95 });
  await page.keyboard.press("ArrowUp");
  expect(await demo.focusedIndex()).toBe(248);
  await page.keyboard.press("Home");
  expect(await demo.focusedIndex()).toBe(0);
  await expect(demo.grid.locator("[data-index='0']")).toBeInViewport({ ratio: 0.95 });
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press("ArrowDown");
  }
  expect(await demo.focusedIndex()).toBe(30);
  await expect(demo.grid.locator("[data-index='30']")).toBeInViewport({ ratio: 0.95 });
  expect(await demo.grid.locator("[tabindex='0']").count()).toBe(1);
});

test("the focus returns to a finding that has been scrolled out of view", { tag: "@full" }, async ({ demo, page }) => {
  await demo.run("Small");
  await demo.rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await demo.grid.locator(".body").evaluate((body) => {
    body.scrollTop = 400_000;
  });
  await expect(demo.grid.locator("[data-index='1']")).toBeFocused();
  await page.keyboard.press("ArrowDown");
  await expect(demo.grid.locator("[data-index='2']")).toBeFocused();
  await expect(demo.grid.locator("[data-index='2']")).toBeInViewport({ ratio: 0.95 });
});
