/** Redirects: never followed, so that no credentials reach another origin. */

import { expect, test } from "vitest";
import { failureOf } from "../page/outcome.js";
import { getPartition } from "../page/place.js";
import { serve, servePartition } from "./service.ts";

const authorization = { authorization: "Bearer secret" };

// P23
test("a redirect reaches no other origin, and the failure says so", async () => {
  const other = await serve();
  const location = `${other.baseUrl}Findings/1/Topics/0`;
  const service = await servePartition({ status: 302, headers: { location } });
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, headers: authorization }));
  expect(failure).toMatchObject({ code: "http", partitionIndex: 0, attempts: 1 });
  // A browser hides the status of a redirect that it does not follow.
  expect(failure.status).toBeUndefined();
  expect(failure.message).toContain("redirect");
  expect(await service.story()).toEqual(["OPTIONS 0 responded", "0 responded"]);
  expect(await other.look()).toEqual({ visits: [], connections: 0 });
});
