/** The page for unknown URLs: what it says, and its link back. */

import { violations } from "../axe.js";
import { expect, test } from "./demo-page.js";

// Browsers write a 404 to their console.
test.use({ failingStatuses: true });

for (const [path, heading] of [
  ["examples/nothing/at/all?scenario=story", "Inspection findings"],
  ["docs/nothing.html", "inspection-findings"],
] as const) {
  test(`an unknown URL such as ${path} gets a page that says so, and leads back`, async ({ demo: { page } }) => {
    const response = await page.goto(`./${path}`);
    expect(response?.status()).toBe(404);
    await expect(page.getByText("There is no page at this URL.")).toBeVisible();
    await page.waitForLoadState("networkidle");
    expect(await violations(page)).toEqual([]);
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible();
  });
}

test("the policy of the page allows its style and its script alone", async ({ demo: { page } }) => {
  await page.goto("./nothing");
  await expect(page.locator("main")).toHaveCSS("max-width", "576px");
  await expect(page.getByRole("link")).not.toHaveAttribute("href", "./");
  const policy = await page.locator("meta[http-equiv]").getAttribute("content");
  expect(policy).toMatch(
    /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; connect-src 'self';/,
  );
});
