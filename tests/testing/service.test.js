/** The operations of the service, and what it remembers. */

import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";
import { ask, bytesOf, jsonOf, statusesOf, statusOf } from "./responses.js";

const given = [[{ Comment: "one" }, { Comment: "two" }], [], [{ Comment: "three" }]];

describe("the operations", () => {
  test("give the counts of the inspection, under every key, whatever the query", async () => {
    const service = createFakeService();
    for (const key of ["1", "0", "-5", "9223372036854775807", "1?cache=7#here"]) {
      expect(await jsonOf(service, `Findings/${key}`)).toEqual({
        TopicPartitions: 4,
        TopicFindings: 310,
        SentimentPartitions: 3,
        SentimentFindings: 250,
        errors: null,
      });
    }
  });

  test("refuse an index outside the range of its kind", async () => {
    const service = createFakeService();
    for (const path of ["Findings/1/Sentiment/3", "Findings/1/Sentiment/-1", "Findings/1/Topics/4"]) {
      const response = await ask(service, path);
      expect(response.status).toBe(404);
      expect(await response.json()).toEqual({ errors: [expect.stringMatching(/^There is no partition/)] });
    }
    expect(await statusOf(service, "Findings/1/Topics/3")).toBe(200);
    expect(await statusOf(createFakeService({ scenario: "empty" }), "Findings/1/Topics/0")).toBe(404);
  });

  test.for([
    ...["", "findings/1", "Findings", "Findings/", "Findings/1/", "Findings/01", "Findings/1.0", "other"],
    ...["Findings/1/sentiment/0", "Findings/1/Topic/0", "Findings/1/Topics", "Findings/1/Topics/0/"],
    ...["Findings/1/Topics/00", "Findings/1/Topics/x"],
  ])("refuse the path %j, which is not exactly an endpoint's", async (path) => {
    const response = await ask(createFakeService({ baseUrl: "https://service.test/cxi" }), path);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ errors: [`There is no endpoint ${path}.`] });
  });

  test.for(["POST", "put", "DELETE"])("refuse the method %s, and all others but GET", async (method) => {
    const response = await ask(createFakeService(), "Findings/1", { method });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET"]);
  });
});

describe("given findings", () => {
  test("are served as they are, partition by partition", async () => {
    const service = createFakeService({ sentiment: given });
    expect(await jsonOf(service, "Findings/1")).toMatchObject({ SentimentPartitions: 3, SentimentFindings: 3 });
    for (const [index, findings] of given.entries()) {
      expect(await jsonOf(service, `Findings/1/Sentiment/${index}`)).toEqual({ Findings: findings, errors: null });
    }
    expect(service.findings("sentiment")).toEqual(given.flat());
  });

  test("do not change with the arrays that gave them", async () => {
    const mutable = structuredClone(given);
    const service = createFakeService({ sentiment: mutable });
    mutable[0].length = 0;
    expect(service.findings("sentiment")).toEqual(given.flat());
    expect(await jsonOf(service, "Findings/1")).toMatchObject({ SentimentFindings: 3 });
  });

  test("stay the same under every scenario and with all faults, as invented ones do", async () => {
    const service = createFakeService({ sentiment: given, scenario: "flaky" });
    const topics = service.findings("topics");
    for (const behaviour of /** @type {const} */ (["empty", "wrong-total", "flaky", "large"])) {
      service.use(behaviour);
      expect(service.findings("sentiment")).toEqual(given.flat());
      expect(service.findings("topics")).toEqual(topics);
    }
    const counts = { SentimentPartitions: 3, TopicPartitions: 8, TopicFindings: topics.length };
    expect(await jsonOf(service, "Findings/1")).toMatchObject(counts);
  });
});

describe("use()", () => {
  test("applies until reset(), which returns to the options and empties the requests", async () => {
    const service = createFakeService({ scenario: "service-errors", faults: { slice: 5 } });
    const { requests } = service;
    const errorsOf = async () => (await jsonOf(service, "Findings/1/Topics/1")).errors;
    expect(await errorsOf()).toHaveLength(2);
    service.use("small");
    service.use({});
    expect(await errorsOf()).toBeNull();
    expect(requests).toHaveLength(2);
    service.reset();
    expect(requests).toEqual([]);
    expect(service.requests).toBe(requests);
    expect(await errorsOf()).toHaveLength(2);
  });

  test("with faults keeps the scenario, and with a scenario keeps the faults", async () => {
    const service = createFakeService();
    service.use("expired-token");
    service.use({ errorRate: 1 });
    expect([500, 502, 503, 504]).toContain(await statusOf(service, "Findings/1"));
    service.use({});
    expect(await statusOf(service, "Findings/1")).toBe(401);
    service.use({ reset: 1 });
    service.use("small");
    await expect(statusOf(service, "Findings/1")).rejects.toThrow(TypeError);
  });

  test("starts the counts of requests again, as reset() does", async () => {
    const service = createFakeService({ scenario: "flaky" });
    expect(await statusesOf(service, "Findings/1", 3)).toEqual([500, 200, 200]);
    service.use("flaky");
    expect(await statusesOf(service, "Findings/1", 2)).toEqual([500, 200]);
    service.reset();
    expect(await statusesOf(service, "Findings/1", 2)).toEqual([500, 200]);
  });
});

describe("the requests", () => {
  test("are recorded in the order of their arrival, with URL, headers and status", async () => {
    const service = createFakeService();
    service.use({ latency: 5 });
    const slow = ask(service, "Findings/1", { headers: { authorization: "Bearer x" } });
    service.use({});
    await ask(service, "Findings/1/Topics/99", { method: "GET" });
    await slow;
    expect(service.requests.map(({ url, status }) => [url, status])).toEqual([
      ["https://findings.test/Findings/1", 200],
      ["https://findings.test/Findings/1/Topics/99", 404],
    ]);
    expect(service.requests[0].headers.get("authorization")).toBe("Bearer x");
  });

  test('have the status "failed" without a response', async () => {
    const service = createFakeService();
    service.use({ reset: 1 });
    await expect(ask(service, "Findings/1")).rejects.toThrow(TypeError);
    service.use({ stall: 1 });
    const stalled = ask(service, "Findings/2", { signal: AbortSignal.timeout(20) });
    expect(service.requests.map(({ status }) => status)).toEqual(["failed", "failed"]);
    await expect(stalled).rejects.toThrow(/timeout/);
    service.use({ latency: 1_000 });
    await expect(ask(service, "Findings/3", { signal: AbortSignal.timeout(20) })).rejects.toThrow(/timeout/);
    expect(service.requests.map(({ status }) => status)).toEqual(["failed", "failed", "failed"]);
  });
});

test("the methods are bound", async () => {
  const { fetch, findings, use, reset, baseUrl } = createFakeService();
  use("flaky");
  expect((await fetch(`${baseUrl}Findings/1`)).status).toBe(500);
  reset();
  expect((await fetch(`${baseUrl}Findings/1`)).status).toBe(200);
  expect(findings("topics")).toHaveLength(310);
});

test("two services know nothing of each other", async () => {
  const one = createFakeService({ scenario: "flaky" });
  const other = createFakeService({ scenario: "flaky" });
  await ask(one, "Findings/1");
  expect(other.requests).toEqual([]);
  expect(await statusOf(other, "Findings/1")).toBe(500);
  expect(await bytesOf(one, "Findings/2/Topics/0")).toEqual(await bytesOf(other, "Findings/3/Topics/0"));
});
