/** The reader's own service: it gets the token, and nobody else does. What it sends stays text. */

import type { InspectionFinding } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { serve } from "../service/http-server.js";
import { DemoPage, expect, test } from "./demo-page.js";

test.use({ otherPorts: true });

const findings = [
  { Comment: "Good", TopicGroup: "One" },
  { Comment: "Bad", TopicGroup: null },
];

/** CORS headers for pages of all origins with either token header. */
const cors = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, authentication" };

interface Manner {
  /** The headers of every response. */
  headers?: Record<string, string>;
  /** The `authentication` header that a request must have. */
  token?: string;
}

/** Starts a service of another origin with the findings of one partition. */
async function serveFindings(sentiment: object[], { headers = cors, token }: Manner = {}) {
  const fake = createFakeService({ sentiment: [sentiment as InspectionFinding[]] });
  const { origin, requests, close } = await serve(async (request) => {
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers });
    if (token !== undefined && request.headers.get("authentication") !== token) {
      return Response.json({ errors: ["The token is not valid."] }, { status: 401, headers });
    }
    const path = new URL(request.url).pathname.replace("/cxi/", "");
    const { status, body } = await fake.fetch(new URL(path, fake.baseUrl));
    return new Response(body, { status, headers: { "content-type": "application/json", ...headers } });
  });
  return { baseUrl: `${origin}/cxi/`, requests, [Symbol.asyncDispose]: close };
}

async function use(demo: DemoPage, baseUrl: string, token?: string): Promise<void> {
  const { page } = demo;
  await demo.choose("Your own service …");
  await page.getByLabel("Base URL").fill(baseUrl);
  if (token !== undefined) {
    await page.getByLabel("Token header").selectOption("authentication");
    await page.getByLabel("Token", { exact: true }).fill(token);
  }
}

test("it is sent the token as typed, and its findings are shown", async ({ demo }) => {
  await using service = await serveFindings(findings, { token: "secret" });
  await use(demo, service.baseUrl, "secret");
  await demo.page.getByLabel("Inspection key").fill("9007199254740993");
  await demo.load.click();
  await demo.ended();
  await expect(demo.count).toHaveText("2 of 2 findings");
  await expect(demo.bar("Topic groups", "Not mapped")).toBeVisible();
  const requests = service.requests.filter(({ method }) => method === "GET");
  expect(requests.map(({ url }) => url)).toContain("/cxi/Findings/9007199254740993/Sentiment/0");
  expect(demo.page.url()).not.toContain("secret");
});

test("another origin does not get the token, which is not stored", async ({ demo, page }) => {
  await use(demo, "https://one.test/", "secret");
  const token = page.getByLabel("Token", { exact: true });
  await page.getByLabel("Base URL").fill("https://one.test/cxi/");
  await expect(token).toHaveValue("secret");
  await page.getByLabel("Base URL").fill("https://two.test/cxi/");
  await expect(token).toHaveValue("");
  await token.fill("secret");
  const stored = () =>
    page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
  expect(await stored()).not.toContain("secret");
  await page.reload();
  await demo.choose("Your own service …");
  await expect(token).toHaveValue("");
});

test("a service without CORS headers is explained, with the headers that it must send", async ({ page, baseURL }) => {
  await using service = await serveFindings(findings, { headers: {} });
  // Not the fixture, because a browser writes the failure to the console.
  await page.goto("./?load=later");
  const demo = new DemoPage(page);
  await use(demo, service.baseUrl);
  await demo.load.click();
  await expect(demo.notice.getByRole("heading")).toHaveText("The service cannot be reached.", { timeout: 20_000 });
  await expect(demo.notice).toContainText(`Access-Control-Allow-Origin: ${new URL(String(baseURL)).origin}`);
});

test("findings that are markup stay text in list, charts, filters and dialog", async ({ demo, page }) => {
  const image = '<img src="https://elsewhere.test/x" onerror="globalThis.harmed = true">';
  const turned = "\u202etfel ot thgir";
  const comment = `${image} ${turned} <b>bold</b><script>globalThis.harmed = true</script>`;
  const finding = {
    [`<i>${image}</i>`]: image,
    Comment: comment,
    Topic: { Text: `<i>topic</i>${image}` },
    TopicGroup: `<u>group</u>${turned}`,
    Expression: { Text: "<u>two</u>" },
    ExpressionGroup: image,
    Extract: { Anything: "<b>bold</b>" },
    Sentiment: -2,
  };
  await using service = await serveFindings([finding]);
  await use(demo, service.baseUrl);
  await demo.load.click();
  await demo.ended();
  await expect(demo.rows.locator("mark")).toHaveText("<b>bold</b>");
  await demo.bar("Topic groups", finding.TopicGroup).click();
  await expect(demo.filters).toContainText("<u>group</u>");
  await demo.rows.first().getByRole("button").click();
  await expect(demo.finding).toContainText(comment);
  await expect(page.locator("main, dialog").locator("img, i, b, u, script")).toHaveCount(0);
  expect(await page.evaluate(() => Reflect.get(globalThis, "harmed"))).toBeUndefined();
  // Text of the service does not reverse the text beside it.
  const texts = page
    .locator("main *, dialog *")
    .filter({ hasText: turned, hasNot: page.locator("*", { hasText: turned }) });
  const isolations = await texts.evaluateAll((elements) =>
    elements.map((element) => getComputedStyle(element.closest("[dir=auto], bdi") ?? element).unicodeBidi),
  );
  expect(isolations.length).toBeGreaterThan(3);
  for (const isolation of isolations) expect(isolation).toMatch(/isolate|plaintext/);
});
