/** Redirects: never followed, so that no credentials reach another origin. */

import { expect, test } from "vitest";
import { failureOf } from "../browser/outcome.js";
import { getPartition } from "../browser/place.js";
import { serve, servePartition } from "./service.js";

const authorization = { authorization: "Bearer secret" };

test.for([301, 302, 307])(
  "a redirect with status %d reaches no other origin, and the failure says so",
  async (status) => {
    const other = await serve();
    const location = `${other.baseUrl}Findings/1/Topics/0`;
    const service = await servePartition({ status, headers: { location } });
    const options = { baseUrl: service.baseUrl, headers: authorization };
    const failure = await failureOf(getPartition(1, "topics", 0, options));
    expect(failure).toMatchObject({ code: "http", partitionIndex: 0, attempts: 1 });
    // A browser hides the status of a redirect that it does not follow.
    expect(failure.status).toBeUndefined();
    expect(failure.message).toContain("redirect");
    expect(await service.story()).toEqual(["OPTIONS 0 responded", "0 responded"]);
    expect(await other.look()).toEqual({ visits: [], most: 0, connections: 0 });
  },
);

test("a redirect within the origin is not followed either", async () => {
  const location = "/cxi/Findings/1/Topics/1";
  const service = await serve({ rules: [{ index: 0, manner: { status: 302, headers: { location } } }] });
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl }));
  expect(failure).toMatchObject({ code: "http", attempts: 1 });
  expect(await service.requestsPerPartition()).toEqual([1]);
});
