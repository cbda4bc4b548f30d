/** The service in which each inspection key is a scenario. */

import { createFakeService } from "inspection-findings/testing";
import { expect, test } from "vitest";
import { countsOf, partitionSize } from "./inspection.js";
import { sizes } from "./scenarios.js";
import { KeyedService } from "./service.js";

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

test("each key has its own scenario, size and findings", async () => {
  const baseUrl = "https://service.test/cxi/";
  const service = new KeyedService({ baseUrl });
  const respond = (/** @type {string} */ path) => service.respond(new Request(baseUrl + path));
  const jsonOf = async (/** @type {string} */ path) => (await respond(path)).json();
  expect(await jsonOf("Findings/1")).toEqual(countsOf(sizes.small));
  expect(await jsonOf("Findings/2")).toEqual(countsOf(sizes.large));
  expect(await jsonOf("Findings/3/")).toEqual({ errors: ["There is no endpoint Findings/3/."] });
  expect((await respond("Findings/6")).status).toBe(500);
  expect((await jsonOf("Findings/8/Sentiment/1")).errors).toHaveLength(2);
  const [one, other] = await Promise.all([jsonOf("Findings/1/Topics/0"), jsonOf("Findings/2/Topics/0")]);
  expect(one.Findings).not.toEqual(other.Findings.slice(0, one.Findings.length));
});
