/** Sessions: the tokens that the service issues, the requests that it refuses without them, and the status of batches. */

import { getPartitionCounts } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ask, jsonOf } from "./responses.js";

/** @typedef {import("inspection-findings/testing").FakeService} FakeService */

const credentials = { account: "Acme", userName: "admin", password: "not a secret" };

/** @type {FakeService} */
let service;

beforeEach(() => {
  service = createFakeService({ sessions: true });
});

afterEach(() => vi.useRealTimers());

/** @param {unknown} body */
function signIn(body = credentials) {
  return ask(service, "Sessions", { method: "POST", body: JSON.stringify(body) });
}

/** @returns {Promise<{ authenticationToken: string, bearerToken: string }>} */
async function newSession() {
  return (await signIn()).json();
}

/**
 * @param {Record<string, string>} headers
 * @param {string} [path]
 */
async function statusWith(headers, path = "Findings/1") {
  return (await ask(service, path, { headers })).status;
}

describe("POST Sessions", () => {
  test("issues both tokens in the form of the real service", async () => {
    const response = await signIn();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      authenticationToken: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
      bearerToken: expect.stringMatching(/^bearer eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}$/),
      errors: null,
    });
  });

  test("issues other tokens each time, and the same for the same seed", async () => {
    const [one, other] = [await newSession(), await newSession()];
    expect(other.authenticationToken).not.toBe(one.authenticationToken);
    expect(other.bearerToken).not.toBe(one.bearerToken);
    service = createFakeService({ sessions: true });
    expect(await newSession()).toEqual(one);
    service = createFakeService({ sessions: true, seed: 2 });
    expect(await newSession()).not.toEqual(one);
  });

  test("takes the body of a Request, too", async () => {
    const request = new Request(`${service.baseUrl}Sessions`, { method: "POST", body: JSON.stringify(credentials) });
    expect((await service.fetch(request)).status).toBe(200);
  });

  test.for([
    ["no account", { ...credentials, account: undefined }, "account is missing."],
    ["an empty user name", { ...credentials, userName: "" }, "userName is missing."],
    ["a password that is no string", { ...credentials, password: 7 }, "password is missing."],
    ["null", null, "account is missing."],
  ])("refuses %s with status 400, and says what is missing", async ([, body, message]) => {
    const response = await signIn(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ errors: [message] });
  });

  test("refuses a body that is not JSON with status 400", async () => {
    for (const body of ["account=Acme", undefined]) {
      const response = await ask(service, "Sessions", { method: "POST", body });
      expect([response.status, await response.json()]).toEqual([400, { errors: ["The body is not JSON."] }]);
    }
  });

  test("refuses other credentials than those of the options with status 401", async () => {
    service = createFakeService({ sessions: credentials });
    expect((await signIn()).status).toBe(200);
    const response = await signIn({ ...credentials, password: "wrong" });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ errors: ["The account, user name or password is wrong."] });
  });

  test("is the only method of its path, and needs no token", async () => {
    const response = await ask(service, "Sessions");
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("is recorded, and fails like other requests", async () => {
    await signIn();
    service.use({ errorRate: 1 });
    expect([500, 502, 503, 504]).toContain((await signIn()).status);
    expect(service.requests.map(({ url }) => url)).toEqual(Array(2).fill(`${service.baseUrl}Sessions`));
  });
});

describe("a request with sessions", () => {
  test("needs one of the two tokens, with its prefix or without", async () => {
    const { authenticationToken, bearerToken } = await newSession();
    const bare = bearerToken.replace("bearer ", "");
    /** @type {Record<string, string>[]} */
    const accepted = [
      { authentication: authenticationToken },
      { authorization: bearerToken },
      { authorization: bearerToken.replace("bearer", "Bearer") },
      { authorization: bare },
    ];
    for (const headers of accepted) {
      expect(await statusWith(headers)).toBe(200);
      expect(await statusWith(headers, "Findings/1/Topics/0")).toBe(200);
      expect(await statusWith(headers, "Batches/1/1")).toBe(200);
    }
  });

  test("is refused with status 401 without a token, with an unknown one, and with a doubled prefix", async () => {
    const { authenticationToken, bearerToken } = await newSession();
    for (const [headers, message] of /** @type {[Record<string, string>, string][]} */ ([
      [{}, "Send the header authentication or Authorization with a token of POST Sessions."],
      [{ authentication: "unknown" }, "The token is unknown or has expired."],
      [{ authorization: `Bearer ${bearerToken}` }, "The token is unknown or has expired."],
      [{ authentication: bearerToken }, "The token is unknown or has expired."],
      [{ authorization: authenticationToken }, "The token is unknown or has expired."],
    ])) {
      for (const path of ["Findings/1", "Findings/1/Topics/0", "Batches/1/1"]) {
        const response = await ask(service, path, { headers });
        expect([response.status, await response.json()]).toEqual([401, { errors: [message] }]);
      }
    }
  });

  test("is refused with an authentication token that was idle for 30 minutes, not with a bearer token", async () => {
    vi.useFakeTimers();
    const { authenticationToken: authentication, bearerToken: authorization } = await newSession();
    for (let request = 0; request < 3; request++) {
      vi.advanceTimersByTime(29 * 60_000);
      expect(await statusWith({ authentication })).toBe(200);
    }
    vi.advanceTimersByTime(30 * 60_000 + 1);
    expect(await statusWith({ authentication })).toBe(401);
    expect(await statusWith({ authentication })).toBe(401);
    vi.advanceTimersByTime(24 * 60 * 60_000);
    expect(await statusWith({ authorization })).toBe(200);
  });

  test("is refused after reset() and the scenario expired-token, until there is a new session", async () => {
    for (const end of [() => service.reset(), () => service.use("expired-token")]) {
      const { bearerToken: authorization, authenticationToken: authentication } = await newSession();
      expect(await statusWith({ authorization })).toBe(200);
      end();
      expect(await statusWith({ authorization })).toBe(401);
      expect(await statusWith({ authentication })).toBe(401);
      expect(await statusWith({ authorization: (await newSession()).bearerToken })).toBe(200);
    }
  });

  test("reaches the scenario with a token only", async () => {
    service.use("flaky");
    expect(await statusWith({})).toBe(401);
    const { bearerToken: authorization } = await newSession();
    expect(await statusWith({ authorization })).toBe(500);
    expect(await statusWith({ authorization })).toBe(200);
  });
});

test("a call of the package gets its counts with the token as it was issued", async () => {
  const { bearerToken } = await newSession();
  const { baseUrl, fetch } = service;
  const counts = await getPartitionCounts(42, { baseUrl, fetch, headers: { Authorization: bearerToken } });
  expect(counts.topics.partitions).toBe(4);
});

describe("GET Batches", () => {
  test("says twice that a batch is being analysed, and then that it is done", async () => {
    const { bearerToken: authorization } = await newSession();
    const statuses = [];
    for (let request = 0; request < 4; request++) {
      statuses.push(await (await ask(service, "Batches/42/7", { headers: { authorization } })).json());
    }
    const batch = { TotalRespondents: 100, FailureMessage: null, InspectionKey: 42, BatchKey: 7, errors: null };
    const analyzing = { ...batch, StatusCode: 3, Status: "Analyzing" };
    const success = { ...batch, StatusCode: 4, Status: "Success" };
    expect(statuses).toEqual([analyzing, analyzing, success, success]);
  });

  test("knows no batch without a positive key", async () => {
    const { bearerToken: authorization } = await newSession();
    const response = await ask(service, "Batches/42/0", { headers: { authorization } });
    expect(await response.json()).toMatchObject({ StatusCode: 0, Status: "NotFound", BatchKey: 0 });
  });

  test("says under the scenario service-errors that the analysis has failed", async () => {
    const { bearerToken: authorization } = await newSession();
    service.use("service-errors");
    const response = await ask(service, "Batches/42/7", { headers: { authorization } });
    expect(await response.json()).toMatchObject({
      StatusCode: 5,
      Status: "Failure",
      FailureMessage: "The analysis of this batch has failed.",
    });
  });
});

test("without the option there are neither sessions nor batches, and no token is needed", async () => {
  service = createFakeService();
  expect((await signIn()).status).toBe(404);
  expect((await ask(service, "Batches/42/7")).status).toBe(404);
  expect(await jsonOf(service, "Findings/1")).toMatchObject({ errors: null });
});
