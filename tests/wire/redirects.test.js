/** Redirects: never followed, so that no credentials reach another origin. */

import { describe, expect, test } from "vitest";
import { failureOf } from "../browser/outcome.js";
import { getPartition } from "../browser/place.js";
import { serve } from "./service.js";

const authentication = { authentication: "secret" };

describe.for([301, 302, 303, 307, 308])("a redirect with status %d", (status) => {
  test("to another origin is a failure that says so, and no request reaches that origin", async () => {
    const other = await serve();
    const location = `${other.baseUrl}Findings/1/Topics/0`;
    const service = await serve({ rules: [{ index: 0, manner: { status, headers: { location } } }] });
    const options = { baseUrl: service.baseUrl, headers: authentication };
    const failure = await failureOf(getPartition(1, "topics", 0, options));
    expect(failure).toMatchObject({ code: "http", partitionIndex: 0, attempts: 1 });
    // A browser hides the status of a redirect that it does not follow.
    expect(failure.status).toBeUndefined();
    expect(failure.message).toContain("redirect");
    expect(await service.story()).toEqual(["OPTIONS 0 responded", "0 responded"]);
    expect(await other.look()).toEqual({ visits: [], most: 0, connections: 0 });
  });
});

test("a redirect within the origin is not followed either", async () => {
  const location = "/cxi/Findings/1/Topics/1";
  const service = await serve({ rules: [{ index: 0, manner: { status: 302, headers: { location } } }] });
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl }));
  expect(failure).toMatchObject({ code: "http", attempts: 1 });
  expect(await service.requestsPerPartition()).toEqual([1]);
});

test("a redirected preflight is a refusal, and the request itself is never sent", async () => {
  const other = await serve();
  const manner = { status: 307, headers: { location: other.baseUrl } };
  const service = await serve({ rules: [{ method: "OPTIONS", manner }] });
  const options = { baseUrl: service.baseUrl, headers: authentication, retries: 1 };
  expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "network", attempts: 2 });
  expect(await service.story()).toEqual(["OPTIONS 0 responded", "OPTIONS 0 responded"]);
  expect((await other.look()).visits).toEqual([]);
});
