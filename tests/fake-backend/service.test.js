/** The fake backend as a service, called by `fetch`. */

import { createFakeService } from "inspection-findings/testing";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { FakeBackend, handlersOf, scenarioByKey, sizes } from "./index.js";
import { countsOf, partitionSize } from "./inspection.js";
import { scenarioNames } from "./scenarios.js";
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

test("every named scenario but the unknown inspection has a key", () => {
  expect(new Set([...Object.values(scenarioByKey), "unknown-inspection"])).toEqual(new Set(scenarioNames));
});

test("the sizes are the fake service's", async () => {
  for (const [scenario, size] of Object.entries(sizes)) {
    const service = createFakeService({ scenario: /** @type {any} */ (scenario) });
    service.use("small");
    expect(await (await service.fetch(`${service.baseUrl}Findings/1`)).json()).toEqual(countsOf(size));
    for (const extent of Object.values(size)) {
      const each = Array.from({ length: extent.partitions }, (_, index) => partitionSize(extent, index));
      expect(each.reduce((sum, size) => sum + size, 0)).toBe(extent.findings);
    }
  }
});

test("each key has its own scenario and size", async () => {
  expect(await jsonOf("Findings/1")).toEqual(countsOf(sizes.small));
  expect(await jsonOf("Findings/2")).toEqual(countsOf(sizes.large));
  expect(await jsonOf("Findings/3/")).toEqual({ errors: ["There is no endpoint Findings/3/."] });
  expect(await statusOf("Findings/6")).toBe(500);
  expect((await jsonOf("Findings/8/Sentiment/1")).errors).toHaveLength(2);
});

test("each key has its own findings", async () => {
  const [one, other] = await Promise.all([jsonOf("Findings/1/Topics/0"), jsonOf("Findings/2/Topics/0")]);
  expect(one.Findings).not.toEqual(other.Findings.slice(0, one.Findings.length));
});

test("another service in use replaces that of the key until the handlers are reset", async () => {
  server.use(...handlersOf(createFakeService({ baseUrl: backend.baseUrl, scenario: "flaky" })));
  expect(await statusOf("Findings/1")).toBe(500);
  expect(await jsonOf("Findings/1")).toEqual(countsOf(sizes.flaky));
  server.resetHandlers();
  expect(await jsonOf("Findings/1")).toEqual(countsOf(sizes.small));
});

/**
 * Reads the body to its end, because Node fails if the mocked connection closes earlier.
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function statusOf(path, init) {
  const response = await fetch(new URL(path, backend.baseUrl), init);
  await response.arrayBuffer();
  return response.status;
}

/** @param {string} path */
async function jsonOf(path) {
  return (await fetch(new URL(path, backend.baseUrl))).json();
}
