/** Origins: a service of another origin than the page's, with and without CORS headers. */

import { describe, expect, test, vi } from "vitest";
import guide from "../../www/docs/requests.md?raw";
import { failureOf } from "../page/outcome.js";
import { getPartition } from "../page/place.js";
import { findingsOf } from "./inspection.ts";
import type { Manner } from "./server/manner.ts";
import { clock, serve, servePartition } from "./service.ts";

const authorization = { authorization: "Bearer secret" };

describe("the headers that the guide gives to services", () => {
  const [ofEvery, ofPreflight] = [...guide.matchAll(/```text by=.*\n([^`]*)```/g)].map(([, block]) =>
    Object.fromEntries(
      block
        .replaceAll("https://app.example", location.origin)
        .trim()
        .split("\n")
        .map((line) => line.toLowerCase().split(": ")),
    ),
  );

  test("let a page refresh a token after a 401, and wait for the Retry-After of a 429", async () => {
    const rules = [
      { method: "OPTIONS" as const, manner: { headers: ofPreflight } },
      { times: 1, manner: { status: 401, headers: ofEvery } },
      { times: 2, manner: { status: 429, headers: { ...ofEvery, "retry-after": "7" } } },
      { manner: { headers: ofEvery } },
    ];
    const service = await serve({ rules });
    const statuses: (number | undefined)[] = [];
    const headers = ({ status }: { status?: number }) => {
      statuses.push(status);
      return { authorization: `bearer ${statuses.length}`, authentication: "secret" };
    };
    vi.spyOn(Math, "random").mockReturnValue(0);
    const call = getPartition(1, "topics", 0, { baseUrl: service.baseUrl, headers });
    await expect.poll(() => clock.waits).toEqual([7_000]);
    clock.pass(7_000);
    expect(await call).toEqual(findingsOf(0));
    expect(statuses).toEqual([undefined, 401, 429]);
  });
});

test("a request without headers of the caller's needs no preflight, and carries the page's origin", async () => {
  const service = await servePartition({ headers: { "access-control-allow-origin": location.origin } });
  expect(await getPartition(1, "topics", 0, { baseUrl: service.baseUrl })).toEqual(findingsOf(0));
  const [{ method, headers }] = await service.visits();
  expect([method, headers.origin, headers.accept]).toEqual(["GET", location.origin, "application/json"]);
  expect(headers.cookie).toBeUndefined();
});

const hidden: [name: string, manner: Manner, method: "GET" | "OPTIONS"][] = [
  ["response it may not read", { headers: { "access-control-allow-origin": null } }, "GET"],
  ["refusal it may not read", { status: 401, headers: { "access-control-allow-origin": null } }, "GET"],
  ["refused preflight", { status: 403 }, "OPTIONS"],
];

test.for(hidden)("a page with a %s fails as network, and asks again", async ([, manner, method]) => {
  const service = await serve({ rules: [{ method, manner }] });
  const headers = method === "OPTIONS" ? authorization : undefined;
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, headers, retries: 1 }));
  expect(failure).toMatchObject({ code: "network", partitionIndex: 0, attempts: 2, messages: [] });
  expect(failure.status).toBeUndefined();
  const visits = await service.visits();
  expect(visits.map((visit) => visit.method)).toEqual([method, method]);
  expect(visits.some(({ headers }) => "authorization" in headers)).toBe(false);
});
