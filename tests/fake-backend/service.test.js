/** The fake backend as a service, called by `fetch`. */

import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { FakeBackend, scenarioByKey, scenarios, tokens } from "./index.js";
import { partitionSize } from "./inspection.js";
import { startServer } from "./server.js";

const backend = new FakeBackend({ baseUrl: "https://service.test/cxi/" });

/** @type {ReturnType<typeof startServer>} */
let server;

beforeAll(() => {
  server = startServer(backend);
});

afterEach(() => {
  server.resetHandlers();
  backend.reset();
});

afterAll(() => server.close());

test("the counts are those of the inspection, and there are no errors", async () => {
  const response = await ask("Findings/1");
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    TopicPartitions: 4,
    TopicFindings: 310,
    SentimentPartitions: 3,
    SentimentFindings: 250,
    errors: null,
  });
});

test("the partitions of a kind add up to its total", async () => {
  expect((await everyFinding("1", "Sentiment", 3)).length).toBe(250);
  expect((await everyFinding("1", "Topics", 4)).length).toBe(310);
});

test("in every scenario the sizes of the partitions add up to the total", () => {
  for (const { inspection } of Object.values(scenarios).filter((scenario) => "inspection" in scenario)) {
    for (const extent of Object.values(inspection)) {
      const sizes = Array.from({ length: extent.partitions }, (_, index) => partitionSize(extent, index));
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(extent.findings);
    }
  }
});

test("the kinds are separate", async () => {
  expect((await everyFinding("1", "Sentiment", 3)).every((finding) => "Sentiment" in finding)).toBe(true);
  expect((await everyFinding("1", "Topics", 4)).some((finding) => "Sentiment" in finding)).toBe(false);
});

test("an index outside the range of its kind is an error", async () => {
  for (const path of [
    "Findings/1/Sentiment/3",
    "Findings/1/Sentiment/-1",
    "Findings/1/Topics/4",
    "Findings/3/Topics/0",
  ]) {
    expect(await refusalOf(path)).toEqual({ status: 404, errors: [expect.stringMatching(/^There is no partition/)] });
  }
  expect(await statusOf("Findings/1/Topics/3")).toBe(200);
});

test("a path that is not exactly an operation's is an error", async () => {
  const paths = [
    "findings/1",
    "Findings",
    "Findings/",
    "Findings/1/",
    "Findings/01",
    "Findings/1.0",
    "Findings/1/sentiment/0",
  ];
  for (const path of [
    ...paths,
    "Findings/1/Topic/0",
    "Findings/1/Topics",
    "Findings/1/Topics/0/",
    "Findings/1/Topics/00",
    "Findings/1/Topics/x",
  ]) {
    expect(await refusalOf(path)).toEqual({ status: 404, errors: [`There is no operation ${path}.`] });
  }
});

test("only GET is possible", async () => {
  for (const method of ["POST", "PUT", "DELETE"]) {
    const response = await ask("Findings/1", { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("GET");
  }
});

test("any other inspection is unknown", async () => {
  for (const key of ["404", "0", "-5", "9223372036854775807"]) {
    expect(await refusalOf(`Findings/${key}`)).toEqual({ status: 404, errors: [`There is no inspection ${key}.`] });
    expect((await refusalOf(`Findings/${key}/Topics/0`)).status).toBe(404);
  }
});

test("an empty inspection has counts of zero", async () => {
  expect(await (await ask("Findings/3")).json()).toMatchObject({
    TopicPartitions: 0,
    SentimentPartitions: 0,
    TopicFindings: 0,
    errors: null,
  });
});

test("a flaky address answers 500 once, then correctly until the reset", async () => {
  const statuses = async () => [await statusOf("Findings/6"), await statusOf("Findings/6/Topics/0")];
  expect(await statuses()).toEqual([500, 500]);
  expect(await statuses()).toEqual([200, 200]);
  expect(await statuses()).toEqual([200, 200]);
  backend.reset();
  expect(await statuses()).toEqual([500, 500]);
});

test("a rate-limited address answers 429 with Retry-After once, then correctly", async () => {
  const limited = await ask("Findings/7");
  expect(limited.status).toBe(429);
  expect(limited.headers.get("retry-after")).toBe("1");
  expect(await statusOf("Findings/7")).toBe(200);
});

test("service errors have status 200", async () => {
  const response = await ask("Findings/8/Sentiment/1");
  expect(response.status).toBe(200);
  expect((await response.json()).errors).toHaveLength(2);
  expect((await (await ask("Findings/8/Sentiment/0")).json()).errors).toBeNull();
});

test("a wrong total is one too high", async () => {
  expect((await (await ask("Findings/9")).json()).SentimentFindings).toBe(
    (await everyFinding("9", "Sentiment", 3)).length + 1,
  );
});

test("broken JSON is not JSON", async () => {
  await expect((await ask("Findings/10/Topics/1")).json()).rejects.toThrow(SyntaxError);
});

test("only the renewed token is valid, in either header", async () => {
  /** @param {Record<string, string>} headers */
  const status = (headers) => statusOf("Findings/11", { headers });
  expect(await status({})).toBe(401);
  expect(await status({ authorization: `Bearer ${tokens.expired}` })).toBe(401);
  expect(await status({ authentication: tokens.expired })).toBe(401);
  expect(await status({ authorization: `Bearer ${tokens.renewed}` })).toBe(200);
  expect(await status({ authorization: tokens.renewed })).toBe(200);
  expect(await status({ authentication: tokens.renewed })).toBe(200);
});

test("every named scenario but the unknown inspection has a key", () => {
  expect(new Set([...Object.values(scenarioByKey), "unknown-inspection"])).toEqual(new Set(Object.keys(scenarios)));
});

test("a scenario in use replaces that of the key until the handlers are reset", async () => {
  server.use(backend.scenario("flaky"));
  expect(await statusOf("Findings/1")).toBe(500);
  expect(await (await ask("Findings/1")).json()).toMatchObject({
    SentimentPartitions: scenarios.flaky.inspection.sentiment.partitions,
  });
  server.resetHandlers();
  expect(await (await ask("Findings/1")).json()).toMatchObject({ SentimentPartitions: 3 });
});

test("a custom scenario receives the request and may replace the response", async () => {
  server.use(
    backend.scenario({
      ...scenarios.small,
      answer: ({ operation, count, truth }) =>
        operation.partition?.kind === "topics" && count < 3 ? Response.error() : truth(),
    }),
  );
  expect(await statusOf("Findings/77/Sentiment/0")).toBe(200);
  await expect(ask("Findings/77/Topics/0")).rejects.toThrow(TypeError);
  await expect(ask("Findings/77/Topics/0")).rejects.toThrow(TypeError);
  expect(await statusOf("Findings/77/Topics/0")).toBe(200);
});

test("jittered responses overtake each other", async () => {
  /** @type {number[]} */
  const order = [];
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      await statusOf(`Findings/5/Topics/${index}`);
      order.push(index);
    }),
  );
  expect(order).toHaveLength(12);
  expect(order).not.toEqual(order.toSorted((one, other) => one - other));
});

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
function ask(path, init) {
  return fetch(new URL(path, backend.baseUrl), init);
}

/**
 * Reads the body to its end, because Node fails if the mocked connection closes earlier.
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function statusOf(path, init) {
  const response = await ask(path, init);
  await response.arrayBuffer();
  return response.status;
}

/** @param {string} path */
async function refusalOf(path) {
  const response = await ask(path);
  return { status: response.status, ...(await response.json()) };
}

/**
 * @param {string} key
 * @param {"Sentiment" | "Topics"} kind
 * @param {number} partitions
 * @returns {Promise<object[]>}
 */
async function everyFinding(key, kind, partitions) {
  const answers = Array.from({ length: partitions }, async (_, index) =>
    (await ask(`Findings/${key}/${kind}/${index}`)).json(),
  );
  return (await Promise.all(answers)).flatMap(({ Findings }) => Findings);
}
