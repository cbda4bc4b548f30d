/** The endpoints of the service, given findings, and what a service remembers. */

import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";
import { ask, jsonOf, statusesOf, statusOf } from "./requests.ts";

const given = [[{ Comment: "one" }, { Comment: "two" }], [], [{ Comment: "three" }]];

test("the counts of the inspection are under every key, whatever the query", async () => {
  const counts = { TopicPartitions: 4, TopicFindings: 310, SentimentPartitions: 3, SentimentFindings: 250 };
  for (const key of ["1", "-5", "9223372036854775807", "1?cache=7#here"]) {
    expect(await jsonOf(createFakeService(), `Findings/${key}`)).toEqual({ ...counts, errors: null });
  }
});

const noEndpoints = ["", "findings/1", "Findings/1/", "Findings/01", "Findings/1/Topic/0", "Findings/1/Topics/0/"];

test.for<[path: string, status: number, message: RegExp, method?: string]>([
  ["Findings/1/Sentiment/3", 404, /^There is no partition 3 of sentiment findings: there are 3/],
  ["Findings/1/Topics/-1", 404, /^There is no partition -1/],
  ["Findings/1/Topics/x", 404, /^There is no endpoint Findings\/1\/Topics\/x\.$/],
  ...noEndpoints.map((path): [string, number, RegExp] => [path, 404, new RegExp(`^There is no endpoint ${path}\\.$`)]),
  ["Findings/1", 405, /^POST is not possible, only GET\.$/, "POST"],
])(
  "the path %j is refused with %d, because it is not exactly an endpoint's",
  async ([path, status, message, method]) => {
    const response = await ask(createFakeService({ baseUrl: "https://service.test/cxi" }), path, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ errors: [expect.stringMatching(message)] });
  },
);

test("given findings are served as they are, under every scenario, as invented ones are", async () => {
  const mutable = structuredClone(given);
  const service = createFakeService({ sentiment: mutable, scenario: "flaky" });
  mutable[0].length = 0;
  const topics = service.findings("topics");
  for (const behaviour of ["empty", "wrong-total", "large"] as const) {
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
    for (const restart of [() => {}, () => service.use("flaky"), service.reset]) {
      restart();
      expect(await statusesOf(service, "Findings/1", 3)).toEqual([500, 200, 200]);
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
  for (const faults of [{ reset: 1 }, { stall: 1 }, { latency: 1_000 }]) {
    service.use(faults);
    const message = "reset" in faults ? /Findings\/3/ : /timeout/;
    await expect(ask(service, "Findings/3", { signal: AbortSignal.timeout(20) })).rejects.toThrow(message);
  }
  expect(service.requests.map(({ url, status }) => [url.replace(service.baseUrl, ""), status])).toEqual([
    ["Findings/1", 200],
    ["Findings/1/Topics/99", 404],
    ...Array(3).fill(["Findings/3", "failed"]),
  ]);
  expect(service.requests[0].headers.get("authorization")).toBe("Bearer x");
});
