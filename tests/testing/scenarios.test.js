/** The named scenarios, and those of a caller. */

import { createFakeService } from "inspection-findings/testing";
import { expect, test } from "vitest";
import { ask, jsonOf, statusesOf, statusOf } from "./responses.js";

/** @typedef {import("inspection-findings/testing").FakeRequest} FakeRequest */

test.for(
  /** @type {const} */ ([
    ["flaky", 500, null],
    ["rate-limited", 429, "1"],
  ]),
)("each URL is %s once: it responds with %d, then correctly", async ([scenario, status, retryAfter]) => {
  const service = createFakeService({ scenario });
  for (const path of ["Findings/6", "Findings/6/Topics/0"]) {
    const refusal = await ask(service, path);
    expect([refusal.status, refusal.headers.get("retry-after")]).toEqual([status, retryAfter]);
    expect(await statusesOf(service, path, 2)).toEqual([200, 200]);
  }
  const { length } = service.findings("topics");
  expect(await jsonOf(service, "Findings/6")).toMatchObject({ TopicFindings: length, errors: null });
});

test("service errors have status 200", async () => {
  const service = createFakeService({ scenario: "service-errors" });
  const response = await ask(service, "Findings/8/Sentiment/1");
  expect(response.status).toBe(200);
  expect((await response.json()).errors).toHaveLength(2);
  expect((await jsonOf(service, "Findings/8/Sentiment/0")).errors).toBeNull();
});

test("a wrong total is one too high", async () => {
  const service = createFakeService({ scenario: "wrong-total" });
  const { SentimentFindings, TopicFindings } = await jsonOf(service, "Findings/9");
  expect(SentimentFindings).toBe(service.findings("sentiment").length + 1);
  expect(TopicFindings).toBe(service.findings("topics").length + 1);
});

test("broken JSON is not JSON", async () => {
  const service = createFakeService({ scenario: "broken-json" });
  await expect(jsonOf(service, "Findings/10/Topics/1")).rejects.toThrow(SyntaxError);
  expect((await jsonOf(service, "Findings/10/Topics/0")).errors).toBeNull();
});

test("only the renewed token is valid, in either header", async () => {
  const service = createFakeService({ scenario: "expired-token" });
  const status = (/** @type {Record<string, string>} */ headers) => statusOf(service, "Findings/11", { headers });
  expect(await status({})).toBe(401);
  expect(await status({ authorization: "Bearer expired-token" })).toBe(401);
  expect(await status({ authentication: "expired-token" })).toBe(401);
  expect(await status({ authorization: "Bearer renewed-token" })).toBe(200);
  expect(await status({ authorization: "renewed-token" })).toBe(200);
  expect(await status({ authentication: "renewed-token" })).toBe(200);
  expect(await jsonOf(service, "Findings/11")).toEqual({ errors: ["The token has expired."] });
});

test("an unknown inspection is a 404 with errors, for every operation", async () => {
  const service = createFakeService({ scenario: "unknown-inspection" });
  for (const path of ["Findings/404", "Findings/404/Topics/0"]) {
    const response = await ask(service, path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ errors: ["There is no inspection 404."] });
  }
});

test("jittered responses overtake each other", async () => {
  const service = createFakeService({ scenario: "jittered" });
  /** @type {number[]} */
  const order = [];
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      await statusOf(service, `Findings/5/Topics/${index}`);
      order.push(index);
    }),
  );
  expect(order).toHaveLength(12);
  expect(order).not.toEqual(order.toSorted((one, other) => one - other));
});

test("a scenario of one's own receives the request, and may replace the response", async () => {
  /** @type {Omit<FakeRequest, "random" | "correctResponse" | "headers">[]} */
  const visits = [];
  const service = createFakeService({
    scenario: {
      respond: ({ url, inspectionKey, kind, partitionIndex, count, headers, correctResponse }) => {
        visits.push({ url, inspectionKey, kind, partitionIndex, count });
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
    { url, inspectionKey: "77", kind: undefined, partitionIndex: undefined, count: 1 },
    { url: `${url}/Topics/0`, inspectionKey: "77", kind: "topics", partitionIndex: 0, count: 1 },
    { url: `${url}/Topics/0`, inspectionKey: "77", kind: "topics", partitionIndex: 0, count: 2 },
    { url: `${url}/Sentiment/0`, inspectionKey: "77", kind: "sentiment", partitionIndex: 0, count: 1 },
  ]);
});

test("a scenario's random numbers depend on seed, URL and count only", async () => {
  const drawn = async (/** @type {number} */ seed) => {
    /** @type {number[]} */
    const numbers = [];
    const service = createFakeService({
      seed,
      scenario: {
        respond: ({ random }) => {
          numbers.push(random(), random());
          return undefined;
        },
      },
    });
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

test("an error that a scenario throws rejects the request", async () => {
  const thrown = new Error("no response");
  const service = createFakeService({
    scenario: {
      respond: () => {
        throw thrown;
      },
    },
  });
  await expect(ask(service, "Findings/1")).rejects.toBe(thrown);
});

test("a latency that is not a number of milliseconds rejects the request", async () => {
  for (const latency of [-1, Number.NaN, /** @type {any} */ ("5")]) {
    const service = createFakeService({ scenario: { latency: () => latency } });
    await expect(ask(service, "Findings/1")).rejects.toThrow(/latency must return a number/);
  }
});
