/** The named scenarios, and those of a caller. */

import { createFakeService, type FakeRequest } from "inspection-findings/testing";
import { expect, test } from "vitest";
import { ask, jsonOf, statusesOf, statusOf } from "./requests.ts";

test.for([["flaky", 500, null] as const, ["rate-limited", 429, "1"] as const])(
  "each URL is %s once: it responds with %d, then correctly",
  async ([scenario, status, retryAfter]) => {
    const service = createFakeService({ scenario });
    for (const path of ["Findings/6", "Findings/6/Topics/0"]) {
      const refusal = await ask(service, path);
      expect([refusal.status, refusal.headers.get("retry-after")]).toEqual([status, retryAfter]);
      expect(await statusesOf(service, path, 2)).toEqual([200, 200]);
    }
  },
);

test("service errors have status 200, and broken JSON is not JSON, both in partition 1", async () => {
  const failing = createFakeService({ scenario: "service-errors" });
  const broken = createFakeService({ scenario: "broken-json" });
  expect(await statusOf(failing, "Findings/8/Sentiment/1")).toBe(200);
  expect((await jsonOf(failing, "Findings/8/Sentiment/1")).errors).toHaveLength(2);
  await expect(jsonOf(broken, "Findings/10/Sentiment/1")).rejects.toThrow(SyntaxError);
  for (const service of [failing, broken]) {
    expect((await jsonOf(service, "Findings/8/Sentiment/0")).errors).toBeNull();
  }
});

test("a wrong total is one too high", async () => {
  const service = createFakeService({ scenario: "wrong-total" });
  const { SentimentFindings, TopicFindings } = await jsonOf(service, "Findings/9");
  expect(SentimentFindings).toBe(service.findings("sentiment").length + 1);
  expect(TopicFindings).toBe(service.findings("topics").length + 1);
});

test("only the renewed token is valid, in either header, with its prefix or without", async () => {
  const service = createFakeService({ scenario: "expired-token" });
  const cases: [status: number, headers: Record<string, string>][] = [
    [401, {}],
    [401, { authentication: "expired-token" }],
    [200, { authorization: "bearer renewed-token" }],
    [200, { authorization: "renewed-token" }],
    [200, { authentication: "renewed-token" }],
  ];
  for (const [status, headers] of cases) {
    expect(await statusOf(service, "Findings/11", { headers })).toBe(status);
  }
});

test("an unknown inspection is a 404 with errors, for every operation", async () => {
  const service = createFakeService({ scenario: "unknown-inspection" });
  for (const path of ["Findings/404", "Findings/404/Topics/0"]) {
    const response = await ask(service, path);
    expect([response.status, await response.json()]).toEqual([404, { errors: ["There is no inspection 404."] }]);
  }
});

test("jittered responses overtake each other", async () => {
  const service = createFakeService({ scenario: "jittered" });
  const order: number[] = [];
  const indexes = Array.from({ length: 12 }, (_, index) => index);
  await Promise.all(
    indexes.map((index) => statusOf(service, `Findings/5/Topics/${index}`).then(() => order.push(index))),
  );
  expect(order).not.toEqual(indexes);
});

test("a scenario of one's own receives the request, and may replace the response", async () => {
  const visits: unknown[] = [];
  const service = createFakeService({
    scenario: {
      respond: ({ url, inspectionKey, kind, partitionIndex, count, headers, correctResponse }) => {
        visits.push([url, inspectionKey, kind, partitionIndex, count]);
        if (headers.has("x-broken")) return Response.error();
        return kind === "topics" && count < 2 ? new Response("busy", { status: 503 }) : correctResponse();
      },
    },
  });
  expect(await statusOf(service, "Findings/77")).toBe(200);
  expect(await statusesOf(service, "Findings/77/Topics/0", 2)).toEqual([503, 200]);
  await expect(ask(service, "Findings/77/Sentiment/0", { headers: { "x-broken": "1" } })).rejects.toThrow(TypeError);
  const url = `${service.baseUrl}Findings/77`;
  expect(visits).toEqual([
    [url, "77", undefined, undefined, 1],
    [`${url}/Topics/0`, "77", "topics", 0, 1],
    [`${url}/Topics/0`, "77", "topics", 0, 2],
    [`${url}/Sentiment/0`, "77", "sentiment", 0, 1],
  ]);
});

test("a scenario's random numbers depend on seed, URL and count only", async () => {
  const drawn = async (seed: number) => {
    const numbers: number[] = [];
    const respond = ({ random }: FakeRequest) => void numbers.push(random(), random());
    const service = createFakeService({ seed, scenario: { respond } });
    await statusesOf(service, "Findings/1", 2);
    await statusesOf(service, "Findings/1/Topics/0", 1);
    return numbers;
  };
  const numbers = await drawn(1);
  expect(await drawn(1)).toEqual(numbers);
  expect(await drawn(2)).not.toEqual(numbers);
  expect(new Set(numbers).size).toBe(6);
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
});

test("what a scenario throws, and a latency that is no number of milliseconds, reject the request", async () => {
  const thrown = new Error("no response");
  const respond = () => {
    throw thrown;
  };
  await expect(ask(createFakeService({ scenario: { respond } }), "Findings/1")).rejects.toBe(thrown);
  const service = createFakeService({ scenario: { latency: () => Number.NaN } });
  await expect(ask(service, "Findings/1")).rejects.toThrow(/latency must return a number/);
});
