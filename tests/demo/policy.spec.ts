/** The content security policy: the pages never violate it (the console of every test is watched), and attacks always do. */

import type { Page } from "@playwright/test";
import { expect, test } from "./demo-page.js";
import { open, serve } from "./second-origin.js";

test.beforeEach(async ({ page }) => {
  await page.addInitScript(() => {
    const refused: string[] = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => refused.push(effectiveDirective));
    Object.assign(globalThis, { refused });
  });
});

const refused = (page: Page) => page.evaluate((): string[] => Reflect.get(globalThis, "refused"));
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

for (const [name, directive, attack] of attacks) {
  test(`the policy refuses ${name}`, async ({ page }) => {
    await page.route("**/*elsewhere.test/**", (route) => route.fulfill({ body: "globalThis.harmed = true" }));
    await page.goto("./?load=later");
    await page.evaluate(attack).catch(() => {});
    await expect.poll(() => refused(page)).toContain(directive);
    expect(await page.evaluate(() => Reflect.get(globalThis, "harmed"))).toBeUndefined();
  });
}

test("the policy allows a service on any host over https, and one on this machine", async ({ page }) => {
  await using service = await serve();
  await page.route("https://elsewhere.test/", (route) => route.fulfill({ headers: open }));
  await page.goto("./?load=later");
  const statuses = await page.evaluate(
    (urls) => Promise.all(urls.map(async (url) => (await fetch(url)).status)),
    ["https://elsewhere.test/", service.baseUrl, service.baseUrl.replace("127.0.0.1", "localhost")],
  );
  expect(statuses).toEqual([200, 404, 404]);
  expect(await refused(page)).toEqual([]);
});

for (const path of ["./", "./examples/sql/", "./examples/export/", "./examples/faults/"]) {
  test(`in ${path} the policy is before everything to which it applies, and nothing is inline`, async ({ request }) => {
    const html = await (await request.get(path)).text();
    const policy = html.indexOf("Content-Security-Policy");
    expect(policy).toBeGreaterThan(0);
    expect(policy).toBeLessThan(html.search(/<script|<link|<style/));
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|\sstyle=|\son\w+=|<style/);
    // A browser searches for the encoding in the first 1024 bytes only.
    expect(html.indexOf("<meta charset")).toBeLessThan(1000);
  });
}
