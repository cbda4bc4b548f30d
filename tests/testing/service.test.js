/** The endpoints of the service, given findings, and what a service remembers. */

import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";
import { ask, jsonOf, statusesOf, statusOf } from "./responses.js";

const given = [[{ Comment: "one" }, { Comment: "two" }], [], [{ Comment: "three" }]];

test("the counts of the inspection are under every key, whatever the query", async () => {
  const counts = { TopicPartitions: 4, TopicFindings: 310, SentimentPartitions: 3, SentimentFindings: 250 };
  for (const key of ["1", "-5", "9223372036854775807", "1?cache=7#here"]) {
    expect(await jsonOf(createFakeService(), `Findings/${key}`)).toEqual({ ...counts, errors: null });
  }
});

test.for([
  ["Findings/1/Sentiment/3", 404, /^There is no partition 3 of sentiment findings: there are 3/],
  ["Findings/1/Topics/-1", 404, /^There is no partition -1/],
  ...[
    "",
    "findings/1",
    "Findings/1/",
    "Findings/01",
    "Findings/1/Topic/0",
    "Findings/1/Topics/0/",
    "Findings/1/Topics/x",
  ].map((path) => /** @type {const} */ ([path, 404, new RegExp(`^There is no endpoint ${path}\\.$`)])),
  ["Findings/1", 405, /^POST is not possible, only GET\.$/, "POST"],
])(
  "the path %j is refused with %d, because it is not exactly an endpoint's",
  async ([path, status, message, method]) => {
    const service = createFakeService({ baseUrl: "https://service.test/cxi" });
    const response = await ask(service, /** @type {string} */ (path), { method: /** @type {any} */ (method) });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ errors: [expect.stringMatching(/** @type {RegExp} */ (message))] });
  },
);

test("given findings are served as they are, under every scenario, as invented ones are", async () => {
  const mutable = structuredClone(given);
  const service = createFakeService({ sentiment: mutable, scenario: "flaky" });
  mutable[0].length = 0;
  const topics = service.findings("topics");
  for (const behaviour of /** @type {const} */ (["empty", "wrong-total", "large"])) {
    service.use(behaviour);
    expect(service.findings("sentiment")).toEqual(given.flat());
    expect(service.findings("topics")).toEqual(topics);
  }
  expect(await jsonOf(service, "Findings/1")).toMatchObject({ SentimentPartitions: 3, SentimentFindings: 3 });
  for (const [index, findings] of given.entries()) {
    expect(await jsonOf(service, `Findings/1/Sentiment/${index}`)).toEqual({ Findings: findings, errors: null });
  }
});

describe("use()", () => {
  test("applies until reset(), which returns to the options and empties the requests", async () => {
    const { requests, ...service } = createFakeService({ scenario: "service-errors", faults: { slice: 5 } });
    const errorsOf = async () => (await jsonOf(service, "Findings/1/Topics/1")).errors;
    expect(await errorsOf()).toHaveLength(2);
    service.use("small");
    service.use({});
    expect(await errorsOf()).toBeNull();
    expect(requests).toHaveLength(2);
    service.reset();
    expect(requests).toEqual([]);
    expect(await errorsOf()).toHaveLength(2);
  });

  test("with faults keeps the scenario, and with a scenario keeps the faults", async () => {
    const service = createFakeService({ scenario: "expired-token" });
    service.use({ errorRate: 1 });
    expect(await statusOf(service, "Findings/1")).toBeGreaterThanOrEqual(500);
    service.use({});
    expect(await statusOf(service, "Findings/1")).toBe(401);
    service.use({ reset: 1 });
    service.use("small");
    await expect(statusOf(service, "Findings/1")).rejects.toThrow(TypeError);
  });

  test("starts the counts of requests again, as reset() does", async () => {
    const service = createFakeService({ scenario: "flaky" });
    expect(await statusesOf(service, "Findings/1", 3)).toEqual([500, 200, 200]);
    for (const restart of [() => service.use("flaky"), service.reset]) {
      restart();
      expect(await statusesOf(service, "Findings/1", 2)).toEqual([500, 200]);
    }
  });
});

test("requests are recorded in the order of their arrival, with URL, headers and status", async () => {
  const service = createFakeService();
  service.use({ latency: 5 });
  const slow = ask(service, "Findings/1", { headers: { authorization: "Bearer x" } });
  service.use({});
  await ask(service, "Findings/1/Topics/99");
  await slow;
  service.use({ reset: 1 });
  await expect(ask(service, "Findings/2")).rejects.toThrow(TypeError);
  for (const faults of [{ stall: 1 }, { latency: 1_000 }]) {
    service.use(faults);
    await expect(ask(service, "Findings/3", { signal: AbortSignal.timeout(20) })).rejects.toThrow(/timeout/);
  }
  expect(service.requests.map(({ url, status }) => [url.replace(service.baseUrl, ""), status])).toEqual([
    ["Findings/1", 200],
    ["Findings/1/Topics/99", 404],
    ["Findings/2", "failed"],
    ["Findings/3", "failed"],
    ["Findings/3", "failed"],
  ]);
  expect(service.requests[0].headers.get("authorization")).toBe("Bearer x");
});
