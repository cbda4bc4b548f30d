/** Origins: a service of another origin than the page's, with and without CORS headers. */

import { describe, expect, test, vi } from "vitest";
import guide from "../../www/docs/requests.md?raw";
import { failureOf, rejectionOf } from "../browser/outcome.js";
import { getFindings, getPartition } from "../browser/place.js";
import { allFindings, findingsOf } from "./inspection.js";
import { clock, serve, servePartition } from "./service.js";

/** @typedef {import("./server/manner.js").Manner} Manner */

const authorization = { authorization: "Bearer secret" };

const timeout = 2_000;

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
      { method: /** @type {const} */ ("OPTIONS"), manner: { headers: ofPreflight } },
      { times: 1, manner: { status: 401, headers: ofEvery } },
      { times: 2, manner: { status: 429, headers: { ...ofEvery, "retry-after": "7" } } },
      { manner: { headers: ofEvery } },
    ];
    const service = await serve({ rules });
    /** @type {(number | undefined)[]} */
    const statuses = [];
    const headers = ({ status = /** @type {number | undefined} */ (undefined) }) => {
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

  test.for(Object.keys(ofPreflight).filter((name) => !/vary|max-age|methods/.test(name)))(
    "are all needed: without %s of a preflight no request is sent",
    async (name) => {
      const manner = { headers: { ...ofPreflight, [name]: null } };
      const service = await serve({ rules: [{ method: "OPTIONS", manner }] });
      const options = { baseUrl: service.baseUrl, headers: authorization, retries: 0 };
      expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "network" });
      expect(await service.story()).toEqual(["OPTIONS 0 responded"]);
    },
  );
});

describe("a request without headers of the caller's", () => {
  test("needs no preflight, and carries the page's origin", async () => {
    const service = await servePartition({ headers: { "access-control-allow-origin": location.origin } });
    expect(await getPartition(1, "topics", 0, { baseUrl: service.baseUrl })).toEqual(findingsOf(0));
    const [{ method, headers }] = await service.visits();
    expect([method, headers.origin, headers.accept]).toEqual(["GET", location.origin, "application/json"]);
    expect(headers.cookie).toBeUndefined();
  });

  /** @type {[string, Manner][]} */
  const hidden = [
    ["a status of 200", {}],
    ["a status of 401", { status: 401 }],
    ["the permission of another origin", { headers: { "access-control-allow-origin": "http://other.test" } }],
  ];

  test.for(hidden)(
    "whose response has %s, and may not be read, fails as network, and is retried",
    async ([, manner]) => {
      const service = await servePartition({ headers: { "access-control-allow-origin": null }, ...manner });
      const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 1 }));
      expect(failure).toMatchObject({ code: "network", partitionIndex: 0, attempts: 2, messages: [] });
      expect(failure.status).toBeUndefined();
      expect(await service.story()).toEqual(["0 responded", "0 responded"]);
    },
  );
});

test("credentials: include needs a response that names the page's origin and allows them", async () => {
  const headers = { "access-control-allow-origin": location.origin, "access-control-allow-credentials": "true" };
  const allowing = await servePartition({ headers });
  const options = { credentials: /** @type {const} */ ("include"), retries: 0 };
  expect(await getPartition(1, "topics", 0, { ...options, baseUrl: allowing.baseUrl })).toEqual(findingsOf(0));
  const open = await serve();
  const call = getPartition(1, "topics", 0, { ...options, baseUrl: open.baseUrl });
  expect(await failureOf(call)).toMatchObject({ code: "network", attempts: 1 });
  expect(await open.story()).toEqual(["0 responded"]);
});

test("a Retry-After that the service does not expose cannot be read: the backoff applies", async () => {
  const service = await servePartition({ status: 429, headers: { "retry-after": "77" } });
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 2 }));
  expect(failure).toMatchObject({ code: "http", status: 429, attempts: 3 });
  expect(failure.retryAfter).toBeUndefined();
});

describe("an authorization header", () => {
  test("is preceded by a preflight for every path", async () => {
    const service = await serve();
    expect(await getFindings(1, "topics", { baseUrl: service.baseUrl, headers: authorization })).toEqual(
      allFindings(4),
    );
    const visits = await service.visits();
    const pathsOf = (/** @type {string} */ wanted) =>
      visits.filter(({ method }) => method === wanted).map(({ path }) => path);
    const paths = ["Findings/1", ...[0, 1, 2, 3].map((index) => `Findings/1/Topics/${index}`)];
    expect(pathsOf("OPTIONS").toSorted()).toEqual(paths);
    expect(pathsOf("GET").toSorted()).toEqual(paths);
    for (const { method, headers } of visits) {
      expect(headers.authorization).toBe(method === "GET" ? "Bearer secret" : undefined);
      expect(headers["access-control-request-headers"]).toBe(method === "GET" ? undefined : "authorization");
    }
  });

  // With `cache: "no-store"` a browser sends a preflight for each request.
  test("is preceded by a preflight at every attempt", async () => {
    const service = await servePartition({ status: 503 }, 2);
    const options = { baseUrl: service.baseUrl, headers: authorization };
    expect(await getPartition(1, "topics", 0, options)).toEqual(findingsOf(0));
    const pair = ["OPTIONS 0 responded", "0 responded"];
    expect(await service.story()).toEqual([...pair, ...pair, ...pair]);
  });

  /** @type {[string, Manner][]} */
  const refusals = [
    ["refused", { status: 403 }],
    ["not allowed the header", { headers: { "access-control-allow-headers": null } }],
    ["cut off", { stop: { after: { head: 0 }, by: "close" } }],
    ["redirected", { status: 307, headers: { location: "/elsewhere" } }],
  ];

  test.for(refusals)("whose preflight is %s fails as network, and the header is never sent", async ([, manner]) => {
    const service = await serve({ rules: [{ method: "OPTIONS", manner }] });
    const options = { baseUrl: service.baseUrl, headers: authorization, retries: 1 };
    const failure = await failureOf(getPartition(1, "topics", 0, options));
    expect(failure).toMatchObject({ code: "network", partitionIndex: 0, attempts: 2 });
    const visits = await service.visits();
    expect(visits.map(({ method }) => method)).toEqual(["OPTIONS", "OPTIONS"]);
    expect(visits.some(({ headers }) => "authorization" in headers)).toBe(false);
  });

  // A preflight is the browser's own: it continues when its request is cancelled.
  test("whose preflight stalls is a timeout, and retried with another preflight", async () => {
    const manner = /** @type {const} */ ({ stop: { after: { head: 0 }, by: "stall" } });
    const service = await serve({ rules: [{ method: "OPTIONS", times: 1, manner }] });
    const call = getPartition(1, "topics", 0, { baseUrl: service.baseUrl, headers: authorization, timeout });
    await service.hasStalled(1);
    clock.pass(timeout);
    expect(await call).toEqual(findingsOf(0));
    expect(await service.story()).toEqual(["OPTIONS 0 open", "OPTIONS 0 responded", "0 responded"]);
  });

  test("is never sent when the call is aborted during its preflight", async () => {
    const service = await serve({ rules: [{ method: "OPTIONS", manner: { held: true } }] });
    const controller = new AbortController();
    const options = { baseUrl: service.baseUrl, headers: authorization, signal: controller.signal };
    const outcome = rejectionOf(getPartition(1, "topics", 0, options));
    await expect.poll(() => service.story()).toEqual(["OPTIONS 0 open"]);
    controller.abort("enough");
    expect(await outcome).toBe("enough");
    // The browser tells its network process of an abort in a later task.
    expect(await service.quiet()).toEqual(["OPTIONS 0 open"]);
    await service.release();
    expect(await service.settled()).toEqual(["OPTIONS 0 responded"]);
    expect(await service.quiet()).toEqual(["OPTIONS 0 responded"]);
  });
});
