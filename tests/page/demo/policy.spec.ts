/** The content security policy: the pages never violate it (the console of every test is watched), and it allows nothing else. */

import { expect, expectAccessible, test } from "./demo-page.js";

/** Files of the page itself, WebAssembly, and one style that a library inserts. */
const ownFiles = /^'(?:self|none|wasm-unsafe-eval|sha256-[^ ']+)'$/;

test("the policy comes first in each page, and allows no code but that of its files", async ({ request }) => {
  for (const path of ["./", "./examples/minimal/", "./examples/sql/"]) {
    await test.step(path, async () => {
      const html = await (await request.get(path)).text();
      const [tag, content = ""] = html.match(/<meta http-equiv="Content-Security-Policy" content="(.*?)">/) ?? [];
      expect(html.indexOf(String(tag))).toBeLessThan(html.search(/<script|<link|<style/));
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|<style/);
      const { "connect-src": requests, ...others } = directivesOf(content.replaceAll("&#39;", "'"));
      // What has no directive has that of "default-src", except these two.
      expect(others).toMatchObject({ "default-src": ["'none'"], "base-uri": ["'none'"], "form-action": ["'none'"] });
      for (const source of Object.values(others).flat()) expect(source).toMatch(ownFiles);
      // The reader's own service is on any host over https, or on this machine.
      expect(requests).toEqual(["'self'", "https:", "http://localhost:*", "http://127.0.0.1:*"]);
      // A browser searches for the encoding in the first 1024 bytes only.
      expect(html.indexOf("<meta charset")).toBeLessThan(1000);
    });
  }
});

for (const [path, heading] of [
  ["examples/nothing/at/all?scenario=story", "Inspection findings"],
  ["docs/nothing.html", "Getting started"],
] as const) {
  test(`an unknown URL such as ${path} gets a page that says so, and leads back`, async ({ page }) => {
    const response = await page.goto(`./${path}`);
    expect(response?.status()).toBe(404);
    await expect(page.getByText("There is no page at this URL.")).toBeVisible();
    // The policy allows the style and the script of this page alone.
    await expect(page.locator("main")).toHaveCSS("max-width", "576px");
    const content = await page.locator("meta[http-equiv]").getAttribute("content");
    for (const source of Object.values(directivesOf(String(content))).flat()) expect(source).toMatch(ownFiles);
    await page.waitForLoadState("networkidle");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible();
  });
}

/** The sources that each directive of a policy allows. */
function directivesOf(policy: string): Record<string, string[]> {
  const directives = policy.split("; ").map((directive) => directive.split(" "));
  return Object.fromEntries(directives.map(([name = "", ...sources]) => [name, sources]));
}
