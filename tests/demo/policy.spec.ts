/** The content security policy: the pages never violate it (the console of every test is watched), and attacks always do. */

import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./demo-page.js";

const insert = (html: string) => `document.body.insertAdjacentHTML("beforeend", ${JSON.stringify(html)})`;

/** Attacks by text that has become markup, each with the directive that stops it. */
const attacks: [name: string, directive: string, attack: string][] = [
  [
    "a script of another host",
    "script-src-elem",
    'document.body.append(Object.assign(document.createElement("script"), { src: "https://elsewhere.test/x.js" }))',
  ],
  ["the handler of an image", "script-src-attr", insert('<img src="x" onerror="globalThis.harmed = true">')],
  // In a task of the page, because the policy does not apply to code that the test evaluates.
  ["code out of a text", "script-src", 'setTimeout(() => new Function("globalThis.harmed = true")())'],
  ["a worker out of a blob", "worker-src", 'new Worker(URL.createObjectURL(new Blob(["postMessage(1)"])))'],
  ["an image of another host", "img-src", insert('<img src="https://elsewhere.test/x.png">')],
  ["a style sheet in markup", "style-src-elem", insert("<style>* { display: none }</style>")],
  ["a frame", "frame-src", insert('<iframe src="https://elsewhere.test/"></iframe>')],
  ["another base of URLs", "base-uri", insert('<base href="https://elsewhere.test/">')],
  [
    "a form that is sent elsewhere",
    "form-action",
    `${insert('<form id="attack" action="https://elsewhere.test/"></form>')}; document.getElementById("attack").submit()`,
  ],
  ["a request over plain http", "connect-src", 'fetch("http://elsewhere.test/").catch(() => {})'],
];

test("the policy refuses each attack by text that has become markup", async ({ page }) => {
  const refused = await open(page);
  await page.route("**/*elsewhere.test/**", (route) => route.fulfill({ body: "globalThis.harmed = true" }));
  for (const [name, directive, attack] of attacks) {
    await test.step(`the policy refuses ${name}`, async () => {
      await page.evaluate(attack).catch(() => {});
      await expect.poll(refused).toContain(directive);
      expect(await page.evaluate(() => Reflect.get(globalThis, "harmed"))).toBeUndefined();
    });
  }
});

test("the policy allows a service on any host over https, and one on this machine", async ({ page }) => {
  const urls = ["https://elsewhere.test/", "http://127.0.0.1:1/", "http://localhost:1/"];
  const refused = await open(page);
  for (const url of urls) {
    await page.route(url, (route) => route.fulfill({ headers: { "access-control-allow-origin": "*" } }));
  }
  const statuses = await page.evaluate((urls) => Promise.all(urls.map(async (url) => (await fetch(url)).status)), urls);
  expect(statuses).toEqual([200, 200, 200]);
  expect(await refused()).toEqual([]);
});

test("in each page the policy is before everything to which it applies, and nothing is inline", async ({ request }) => {
  for (const path of ["./", "./examples/sql/", "./examples/export/", "./examples/faults/"]) {
    await test.step(path, async () => {
      const html = await (await request.get(path)).text();
      const policy = html.indexOf("Content-Security-Policy");
      expect(policy).toBeGreaterThan(0);
      expect(policy).toBeLessThan(html.search(/<script|<link|<style/));
      expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|<style/);
      // A browser searches for the encoding in the first 1024 bytes only.
      expect(html.indexOf("<meta charset")).toBeLessThan(1000);
    });
  }
});

for (const [path, heading] of [
  ["examples/nothing/at/all?scenario=story", "Inspection findings"],
  ["docs/nothing.html", "inspection-findings"],
] as const) {
  test(`an unknown URL such as ${path} gets a page that says so, and leads back`, async ({ page }) => {
    const response = await page.goto(`./${path}`);
    expect(response?.status()).toBe(404);
    await expect(page.getByText("There is no page at this URL.")).toBeVisible();
    // The policy allows the style and the script of this page alone.
    await expect(page.locator("main")).toHaveCSS("max-width", "576px");
    expect(await page.locator("meta[http-equiv]").getAttribute("content")).toMatch(
      /^default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; connect-src 'self';/,
    );
    await page.waitForLoadState("networkidle");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go to the start page" }).click();
    await expect(page.getByRole("heading", { name: heading, level: 1 })).toBeVisible();
  });
}

/** Opens the demo, and returns a function for the directives by which the policy has refused something. */
async function open(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const refused: string[] = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.push(effectiveDirective));
    Object.assign(globalThis, { refused });
  });
  await page.goto("./?load=later");
  return () => page.evaluate((): string[] => Reflect.get(globalThis, "refused"));
}
