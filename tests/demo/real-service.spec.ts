/** A service of the reader's own: another origin, with a token, over a real connection. */

import type { Page } from "@playwright/test";
import { violations } from "../axe.js";
import { DemoPage, expect, later, test } from "./demo-page.js";
import { type SecondOrigin, serve } from "./second-origin.js";

test.use({ failingStatuses: true, otherPorts: true });

const findings = [0, 1, 2].map((number) => ({ Comment: `Comment ${number}`, Sentiment: 0, Topic: { Text: "Rooms" } }));
const partitions = [JSON.stringify(findings.slice(0, 2)), JSON.stringify(findings.slice(2))];

for (const header of ["Authorization", "authentication"]) {
  const tag = header === "Authorization" ? "@full" : [];
  test(`findings come from another origin with the token in ${header}, and for a key beyond 2^53`, { tag }, async ({
    demo,
    page,
  }) => {
    await using service = await serve({ partitions, token: [header.toLowerCase(), "Bearer a.b-c"] });
    await enter(page, { baseUrl: service.baseUrl.replace(/\/$/, ""), header, token: "Bearer a.b-c" });
    await page.getByLabel("Inspection", { exact: true }).fill("9007199254740993");
    await demo.load.click();
    await demo.ended();
    expect(service.asked[0]?.url).toBe("/cxi/Findings/9007199254740993");
    await expect(demo.heading).toHaveText("Complete");
    await expect(demo.rows).toHaveCount(3);
    expect(page.url()).not.toMatch(/token|Bearer|a\.b/i);
  });
}

test("an invalid key is rejected with a message", { tag: "@full" }, async ({ demo, page }) => {
  await using service = await serve({ partitions });
  await enter(page, { baseUrl: service.baseUrl });
  const key = page.getByLabel("Inspection", { exact: true });
  for (const [text, words] of [
    ["1e3", "An inspection key is a whole number."],
    ["", "An inspection key is a whole number."],
    ["9223372036854775808", "An inspection key has at most 64 bits."],
  ]) {
    await key.fill(String(text));
    await demo.load.click();
    expect(await key.evaluate((input: HTMLInputElement) => input.validationMessage)).toBe(words);
  }
  expect(service.asked).toEqual([]);
});

test("an invalid base URL is rejected with a message", { tag: "@full" }, async ({ demo, page }) => {
  await enter(page, { baseUrl: "" });
  const baseUrl = page.getByLabel("Base URL");
  for (const [text, words] of [
    ["", "Type the whole URL"],
    ["cxi", "Type the whole URL"],
    ["ftp://host.test/", "Type the whole URL"],
    ["https://name:word@host.test/", "no user"],
    ["https://host.test/?token=1", "no question mark"],
    ["http://host.test/", "over https"],
  ]) {
    await baseUrl.fill(String(text));
    await demo.load.click();
    expect(await baseUrl.evaluate((input: HTMLInputElement) => input.validationMessage)).toContain(words);
  }
  await expect(demo.heading).toHaveText("Ready");
});

test("a rejected token is reported", async ({ demo, page }) => {
  await using service = await serve({ partitions, token: ["authorization", "another"] });
  await enter(page, { baseUrl: service.baseUrl, header: "Authorization", token: "this" });
  await demo.load.click();
  await demo.ended();
  await expect(demo.failure.getByRole("heading").first()).toHaveText("The service does not accept the token");
});

test("nothing is read from the URL", async ({ demo, page }) => {
  const given =
    "baseUrl=https://host.test/&base-url=https://host.test/&token=secret&tokenHeader=authorization&service=real";
  await page.goto(`${later(given)}#${given}`);
  await page.reload();
  await expect(demo.heading).toHaveText("Ready");
  await page.getByRole("radio", { name: "Your own" }).check();
  await expect(page.getByLabel("Base URL")).toHaveValue("");
  await expect(page.getByLabel("Token header")).toHaveValue("");
  await expect(token(page)).toHaveValue("");
});

test.describe("the token", () => {
  test("is kept for the session and in this tab only", async ({ demo, page, context }) => {
    await using service = await serve({ partitions });
    await enter(page, { baseUrl: service.baseUrl, header: "Authorization", token: "kept" });
    await demo.load.click();
    await demo.ended();
    await page.reload();
    await page.getByRole("radio", { name: "Your own" }).check();
    await expect(page.getByLabel("Base URL")).toHaveValue(service.baseUrl);
    await expect(token(page)).toHaveValue("kept");
    expect(await page.evaluate(() => [JSON.stringify({ ...localStorage }), document.cookie].join())).not.toContain(
      "kept",
    );
    const other = await context.newPage();
    await other.goto(page.url());
    await other.getByRole("radio", { name: "Your own" }).check();
    await expect(token(other)).toHaveValue("");
  });

  test("is never sent to another origin than it was typed for", async ({ demo, page }) => {
    await using first = await serve({ partitions });
    await using second = await serve({ partitions });
    await enter(page, { baseUrl: first.baseUrl, header: "authentication", token: "of-the-first" });
    await demo.load.click();
    await demo.ended();
    expect(tokensSent(first)).toEqual(["of-the-first", "of-the-first", "of-the-first"]);

    await page.getByLabel("Base URL").fill(second.baseUrl);
    // Not even when the form is submitted from that field.
    await page.getByLabel("Base URL").press("Enter");
    await expect(token(page)).toHaveValue("");
    await demo.load.click();
    await expect(token(page)).toBeFocused();
    expect(second.asked).toEqual([]);

    await token(page).fill("of-the-second");
    await demo.load.click();
    await expect.poll(() => tokensSent(second)).toEqual(["of-the-second", "of-the-second", "of-the-second"]);
    await demo.ended();
    await page.getByLabel("Base URL").fill(first.baseUrl);
    await page.getByLabel("Base URL").blur();
    await expect(token(page)).toHaveValue("of-the-first");
    expect(tokensSent(first).length).toBe(3);
  });

  test("is forgotten at a button's press", async ({ demo, page }) => {
    await using service = await serve({ partitions });
    await enter(page, { baseUrl: service.baseUrl, header: "Authorization", token: "secret" });
    await demo.load.click();
    await demo.ended();
    await page.getByRole("button", { name: "Forget token" }).click();
    await expect(token(page)).toHaveValue("");
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain("secret");
    await page.reload();
    await page.getByRole("radio", { name: "Your own" }).check();
    await expect(token(page)).toHaveValue("");
  });

  test("is hidden while it is typed, and is not saved as a password", { tag: "@full" }, async ({ demo, page }) => {
    await enter(page, { baseUrl: "https://host.test/", header: "Authorization", token: "line\u2028break" });
    await expect(token(page)).toHaveAttribute("type", "password");
    await expect(token(page)).toHaveAttribute("autocomplete", "off");
    await demo.load.click();
    expect(await token(page).evaluate((input: HTMLInputElement) => input.validationMessage)).toContain("Latin-1");
  });

  test("is not in the code panel", async ({ demo, page }) => {
    await using service = await serve({ partitions, token: ["authorization", "secret"] });
    await enter(page, { baseUrl: service.baseUrl, header: "Authorization", token: "secret" });
    await demo.load.click();
    await demo.ended();
    const code = page.locator(".code-lines");
    await expect(code).toContainText(service.baseUrl);
    await expect(code).toContainText('authorization: "YOUR TOKEN"');
    await expect(code).not.toContainText("secret");
  });
});

test.describe("a service that cannot be reached", () => {
  test("but responds gets the advice that CORS headers are missing, with their values", async ({ page, baseURL }) => {
    await using service = await serve({ partitions, headers: {} });
    const demo = await opened(page);
    await enter(page, { baseUrl: service.baseUrl, header: "authentication", token: "t" });
    await fail(demo);
    const advice = page.getByRole("region", { name: "What to check" });
    const { origin } = new URL(String(baseURL));
    await expect(advice).toContainText(
      `${new URL(service.baseUrl).origin} responds, but does not allow pages of ${origin}`,
    );
    await expect(advice).toContainText("an OPTIONS request without the token");
    expect(await page.getByRole("region", { name: "Headers to ask for" }).textContent()).toBe(
      [
        `Access-Control-Allow-Origin: ${origin}`,
        "Access-Control-Allow-Methods: GET",
        "Access-Control-Allow-Headers: authentication",
        "Access-Control-Max-Age: 600",
        "Access-Control-Expose-Headers: Retry-After",
      ].join("\n"),
    );
    expect(service.asked.every(({ headers }) => headers.authentication === undefined)).toBe(true);
    expect(await violations(page)).toEqual([]);
  });

  test("because of its header gets the same advice, and works once its operator has set the headers", async ({
    page,
  }) => {
    const headers: Record<string, string> = { "access-control-allow-origin": "*" };
    await using service = await serve({ partitions, headers, token: ["authorization", "t"] });
    const demo = await opened(page);
    await enter(page, { baseUrl: service.baseUrl, header: "Authorization", token: "t" });
    await fail(demo);
    await expect(page.getByRole("region", { name: "What to check" })).toContainText(
      "responds, but does not allow pages",
    );
    for (const line of (await page.getByRole("region", { name: "Headers to ask for" }).innerText()).split("\n")) {
      const [name = "", value = ""] = line.split(": ");
      headers[name.toLowerCase()] = value;
    }
    await demo.load.click();
    await expect(demo.heading).toHaveText("Complete", { timeout: 20_000 });
  });

  test("because it does not respond gets that advice", async ({ page }) => {
    const service = await serve();
    await service.close();
    const demo = await opened(page);
    await enter(page, { baseUrl: service.baseUrl });
    await fail(demo);
    const advice = page.getByRole("region", { name: "What to check" });
    await expect(advice).toContainText("does not respond");
    await expect(advice).not.toContainText("OPTIONS");
    await expect(advice).not.toContainText("Allow-Headers");
  });

  test("in the middle of a load gets no advice about CORS", { tag: "@full" }, async ({ page }) => {
    await using service = await serve({ partitions, broken: /Sentiment\/1$/ });
    const demo = await opened(page);
    await enter(page, { baseUrl: service.baseUrl });
    await demo.load.click();
    await expect(demo.heading).toHaveText("Incomplete", { timeout: 20_000 });
    await expect(demo.failure.getByRole("heading")).toHaveText("1 partition missing");
    await expect(page.getByRole("region", { name: "What to check" })).toHaveCount(0);
  });
});

test("findings without an expected field are still shown", { tag: "@full" }, async ({ demo, page }) => {
  await using service = await serve({ partitions: ['[{},{"Comment":null,"Extract":7,"Sentiment":9}]'] });
  await enter(page, { baseUrl: service.baseUrl });
  await demo.load.click();
  await demo.ended();
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.rows).toHaveCount(2);
});

/** The demo without the check of its console, where browsers log forbidden requests. */
async function opened(page: Page): Promise<DemoPage> {
  await page.goto(later());
  return new DemoPage(page);
}

async function fail(demo: DemoPage): Promise<void> {
  await demo.load.click();
  await expect(demo.heading).toHaveText("Failed", { timeout: 20_000 });
}

interface Entries {
  baseUrl: string;
  header?: string;
  token?: string;
}

async function enter(page: Page, { baseUrl, header = "None", token: typed }: Entries): Promise<void> {
  await page.getByRole("radio", { name: "Your own" }).check();
  await page.getByLabel("Base URL").fill(baseUrl);
  await page.getByLabel("Token header").selectOption({ label: header });
  if (typed !== undefined) {
    await token(page).fill(typed);
  }
}

function token(page: Page) {
  return page.getByLabel("Token", { exact: true });
}

/** The tokens of all requests for findings, in either header. */
function tokensSent({ asked }: SecondOrigin): unknown[] {
  return asked
    .filter(({ method }) => method === "GET")
    .map(({ headers }) => headers.authentication ?? headers.authorization);
}
