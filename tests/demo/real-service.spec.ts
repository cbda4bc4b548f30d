/** A service of the reader's own: another host, with a token, over a real connection. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Bodies } from "../fake-backend/bodies.js";
import { rawJson, type Scenario, scenarios } from "../fake-backend/index.js";
import { FakeService } from "../fake-backend/service.js";
import { type DemoPage, expect, test } from "./demo-page.js";

test.use({ failingStatuses: true, otherPorts: true });

let server: Server | undefined;

test.afterEach(async () => {
  server?.closeAllConnections();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
  server = undefined;
});

for (const header of ["Authorization", "authentication"]) {
  test(`findings come from another host with the token in ${header}`, async ({ demo, page }) => {
    const baseUrl = await serve(scenarios["expired-token"]);
    await enter(demo, { baseUrl: baseUrl.href.replace(/\/$/, ""), header, token: "renewed-token" });
    await demo.load.click();
    await demo.ended();
    await expect(demo.figure("Findings")).toHaveText("900 of 900");
    expect(page.url()).not.toContain("token");
  });
}

test("a token that is not accepted is told so", async ({ demo }) => {
  const baseUrl = await serve(scenarios["expired-token"]);
  await enter(demo, { baseUrl: baseUrl.href, header: "Authorization", token: "expired-token" });
  await demo.load.click();
  await demo.ended();
  await expect(demo.failure.getByRole("heading")).toHaveText("The service does not accept the token");
});

test("comments are text and never markup", async ({ demo, page }) => {
  const comment = '<img src="https://elsewhere.test/x" onerror="alert(1)"> \u202etfel ot thgir <b>bold</b>';
  const finding = {
    Comment: comment,
    Topic: "<i>one</i>",
    Expression: { Text: "<u>two</u>" },
    Extract: { Anything: "<b>bold</b>" },
    Sentiment: -2,
  };
  const baseUrl = await serve({
    inspection: { sentiment: { partitions: 1, findings: 1 }, topics: { partitions: 0, findings: 0 } },
    answer: ({ operation, truth }) =>
      operation.partition === undefined ? truth() : rawJson(JSON.stringify({ Findings: [finding] })),
  });
  page.on("dialog", () => expect(true, "no dialog opens").toBe(false));
  await enter(demo, { baseUrl: baseUrl.href, header: "None", token: "" });
  await demo.load.click();
  await demo.ended();
  await expect(demo.rows.locator(".comment")).toHaveText(comment);
  await expect(demo.rows.locator("mark")).toHaveText("<b>bold</b>");
  await expect(demo.rows.locator(".topic")).toHaveText("<i>one</i>");
  await expect(demo.rows.locator(".expression")).toHaveText("<u>two</u>");
  await expect(demo.rows.locator("img, b, i, u")).toHaveCount(0);
});

test("findings without a field that was expected are shown all the same", async ({ demo }) => {
  const baseUrl = await serve({
    inspection: { sentiment: { partitions: 1, findings: 2 }, topics: { partitions: 0, findings: 0 } },
    answer: ({ operation, truth }) =>
      operation.partition === undefined
        ? truth()
        : rawJson('{"Findings":[{},{"Comment":null,"Extract":7,"Sentiment":9}]}'),
  });
  await enter(demo, { baseUrl: baseUrl.href, header: "None", token: "" });
  await demo.load.click();
  await demo.ended();
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.rows).toHaveCount(2);
});

async function enter(
  demo: DemoPage,
  { baseUrl, header, token }: { baseUrl: string; header: string; token: string },
): Promise<void> {
  await demo.page.getByRole("radio", { name: "Your own" }).check();
  await demo.page.getByLabel("Base URL").fill(baseUrl);
  await demo.page.getByLabel("Token header").selectOption({ label: header });
  await demo.page.getByLabel("Token", { exact: true }).fill(token);
}

/** Serves the fake service over HTTP, for pages of every origin; gives its base URL. */
async function serve(scenario: Scenario): Promise<URL> {
  const allow = { "access-control-allow-origin": "*", "access-control-allow-headers": "authorization, authentication" };
  const listening = createServer(async ({ method = "GET", url = "/", headers }, response) => {
    if (method === "OPTIONS") {
      response.writeHead(204, allow).end();
      return;
    }
    const request = new Request(new URL(url, baseUrl), {
      method,
      headers: new Headers(headers as Record<string, string>),
    });
    const answer = await service.answer(request);
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...allow });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }).listen(0, "127.0.0.1");
  server = listening;
  await once(listening, "listening");
  const baseUrl = new URL(`http://127.0.0.1:${(listening.address() as AddressInfo).port}/cxi/`);
  const service = new FakeService({ baseUrl, seed: 1, bodies: new Bodies(1), scenarioOf: () => scenario });
  return baseUrl;
}
