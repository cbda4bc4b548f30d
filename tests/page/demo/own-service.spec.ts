/** The reader's own service: it gets the token, and nobody else does. What it sends stays text. */

import type { Page, Request } from "@playwright/test";
import type { InspectionFinding } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { type DemoPage, demoOf, expect, test } from "./demo-page.js";

const baseUrl = "https://service.test/cxi/";

test.use({ service: "service.test" });

test("it is sent the token as typed, and its findings are shown", async ({ demo, page }) => {
  const requests = await serve(page, [
    { Comment: "Good", TopicGroup: "One" },
    { Comment: "Bad", TopicGroup: null },
  ]);
  await use(demo, "secret");
  await page.getByLabel("Inspection key").fill("9007199254740993");
  await demo.load.click();
  await demo.ended();
  await expect(demo.count).toHaveText("2 of 2 findings");
  await expect(demo.bar("Topic groups", "Not mapped")).toBeVisible();
  expect(requests.map((request) => request.url())).toContain(`${baseUrl}Findings/9007199254740993/Sentiment/0`);
  for (const request of requests) expect(request.headers().authentication).toBe("secret");
  expect(page.url()).not.toContain("secret");
});

test("another origin does not get the token, which is not stored", async ({ demo, page }) => {
  await use(demo, "secret");
  const token = page.getByLabel("Token", { exact: true });
  await page.getByLabel("Base URL").fill("https://service.test/other/");
  await expect(token).toHaveValue("secret");
  await page.getByLabel("Base URL").fill("https://two.test/cxi/");
  await expect(token).toHaveValue("");
  await token.fill("secret");
  const { cookies, origins } = await page.context().storageState({ indexedDB: true });
  const session = await page.evaluate(() => ({ ...sessionStorage }));
  expect(JSON.stringify([cookies, origins, session])).not.toContain("secret");
  await page.reload();
  await use(demo);
  await expect(token).toHaveValue("");
});

test("a service without CORS headers is explained, with the headers that it must send", async ({ page, baseURL }) => {
  // Not the fixture, because a browser writes the failure to the console.
  await page.goto("./?load=later");
  const demo = demoOf(page);
  await serve(page, [], "https://elsewhere.test");
  await use(demo);
  await demo.load.click();
  await expect(demo.notice.getByRole("heading")).toHaveText("The service cannot be reached.", { timeout: 20_000 });
  await expect(demo.notice).toContainText(`Access-Control-Allow-Origin: ${new URL(String(baseURL)).origin}`);
});

test("findings that are markup stay text in list, charts, filters and dialog", async ({ demo, page }) => {
  const image = '<img src="https://elsewhere.test/x" onerror="globalThis.harmed = true">';
  const turned = "\u202etfel ot thgir";
  const comment = `${image} ${turned} <b>bold</b><script>globalThis.harmed = true</script>`;
  const group = `<u>group</u>${turned}`;
  const others = { Expression: { Text: "<u>two</u>" }, ExpressionGroup: image, Extract: { Anything: "<b>bold</b>" } };
  const topic = { Topic: { Text: `<i>topic</i>${image}` }, TopicGroup: group };
  await serve(page, [{ [`<i>${image}</i>`]: image, Comment: comment, ...topic, ...others, Sentiment: -2 }]);
  await use(demo);
  await demo.load.click();
  await demo.ended();
  await expect(demo.rows.locator("mark")).toHaveText("<b>bold</b>");
  await demo.bar("Topic groups", group).click();
  await expect(demo.filters).toContainText("<u>group</u>");
  await demo.rows.first().getByRole("button").click();
  await expect(demo.finding).toContainText(comment);
  await expect(page.locator("main, dialog").locator("img, i, b, u, script")).toHaveCount(0);
  expect(await page.evaluate(() => Reflect.get(globalThis, "harmed"))).toBeUndefined();
  // Text of the service does not reverse the text beside it.
  const isInnermost = { hasText: turned, hasNot: page.locator("*", { hasText: turned }) };
  const isolations = await page
    .locator("main *, dialog *")
    .filter(isInnermost)
    .evaluateAll((all) => all.map((one) => getComputedStyle(one.closest("[dir=auto], bdi") ?? one).unicodeBidi));
  expect(isolations.length).toBeGreaterThan(3);
  for (const isolation of isolations) expect(isolation).toMatch(/isolate|plaintext/);
});

/** Stands for the service of another origin, and returns its requests. */
async function serve(page: Page, findings: object[], allowed = "*"): Promise<Request[]> {
  const fake = createFakeService({ baseUrl, sentiment: [findings as InspectionFinding[]] });
  const requests: Request[] = [];
  await page.route(`${baseUrl}**`, async (route) => {
    requests.push(route.request());
    const response = await fake.fetch(route.request().url());
    const headers = { "access-control-allow-origin": allowed, "access-control-allow-headers": "authentication" };
    await route.fulfill({ status: response.status, headers, body: await response.text() });
  });
  return requests;
}

/** Chooses that service, with a token if one is given. */
async function use({ page }: DemoPage, token?: string): Promise<void> {
  await page.getByLabel("Inspection", { exact: true }).selectOption("own");
  await page.getByLabel("Base URL").fill(baseUrl);
  if (token === undefined) return;
  await page.getByLabel("Token header").selectOption("authentication");
  await page.getByLabel("Token", { exact: true }).fill(token);
}
