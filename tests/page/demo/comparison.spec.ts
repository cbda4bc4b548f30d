/** The comparison: ten lines of `fetch` and the package load from the same service. */

import { expect, test } from "./demo-page.js";

const all = /^All 16,000 findings after /;

/** What each button shows on the left, by `fetch`, and on the right, by the package: its state, and its number of findings, requests, retries and renewals. */
const outcomes: Record<string, [left: RegExp, ofLeft: RegExp[], ofRight: RegExp[]]> = {
  "Load with both": [all, [/^16,000$/, /^65$/, /^0$/, /^0$/], [/^16,000$/, /^65$/, /^0$/, /^0$/]],
  "Break the network": [/^Failed after .*: Failed to fetch$/, [/^0$/], [/^16,000$/, /./, /^([89]|\d\d+)$/]],
  "Let the token expire": [/^Failed after .*: Status 401$/, [], [/./, /./, /./, /^1$/]],
};

for (const [button, [state, ofLeft, ofRight]] of Object.entries(outcomes)) {
  test(`"${button}" shows what it costs both sides, by the code that they show`, async ({ demo: { page } }) => {
    const [left, right] = ["fetch, ten lines", "inspection-findings"].map((name) =>
      page.getByRole("article", { name }),
    );
    await page.getByRole("button", { name: button }).click();
    await expect(left.locator(".side-state")).toHaveText(state);
    await expect(right.locator(".side-state")).toHaveText(all, { timeout: 45_000 });
    for (const [index, text] of ofLeft.entries()) await expect(left.locator("dd").nth(index)).toHaveText(text);
    for (const [index, text] of ofRight.entries()) await expect(right.locator("dd").nth(index)).toHaveText(text);
    await expect(left.locator("pre")).toHaveText(/^export async function.*Promise\.all\(requests\)/s);
    await expect(right.locator("pre")).toContainText('client.getFindings(42, "sentiment", { onProgress })');
  });
}
