/** Sessions: the tokens that the service issues, the requests that it refuses without them, and the status of batches. */

import { getPartitionCounts } from "inspection-findings";
import { createFakeService, type FakeService } from "inspection-findings/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ask, statusOf } from "./requests.ts";

type Headers = Record<string, string>;

const credentials = { account: "Acme", userName: "admin", password: "not a secret" };

let service: FakeService;

beforeEach(() => {
  service = createFakeService({ sessions: true });
});

afterEach(() => vi.useRealTimers());

function signIn(body: unknown = credentials) {
  return ask(service, "Sessions", { method: "POST", body: typeof body === "string" ? body : JSON.stringify(body) });
}

async function newSession(): Promise<{ authenticationToken: string; bearerToken: string }> {
  return (await signIn()).json();
}

function statusWith(headers: Headers, path = "Findings/1") {
  return statusOf(service, path, { headers });
}

test("POST Sessions issues both tokens in the form of the real service, which a call of the package sends", async () => {
  const session = await newSession();
  expect(session).toEqual({
    authenticationToken: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    bearerToken: expect.stringMatching(/^bearer eyJ[\w-]+\.eyJ[\w-]+\.[\w-]{43}$/),
    errors: null,
  });
  const { baseUrl, fetch } = service;
  const counts = await getPartitionCounts(42, { baseUrl, fetch, headers: { Authorization: session.bearerToken } });
  expect(counts.topics.partitions).toBe(4);
});

test("POST Sessions issues other tokens each time, and the same for the same seed", async () => {
  const [one, other] = [await newSession(), await newSession()];
  expect(other.authenticationToken).not.toBe(one.authenticationToken);
  expect(other.bearerToken).not.toBe(one.bearerToken);
  service = createFakeService({ sessions: true });
  const request = new Request(`${service.baseUrl}Sessions`, { method: "POST", body: JSON.stringify(credentials) });
  expect(await (await service.fetch(request)).json()).toEqual(one);
});

test.for<[what: string, body: unknown, status: number, message: string]>([
  ["no account", { ...credentials, account: undefined }, 400, "account is missing."],
  ["an empty user name", { ...credentials, userName: "" }, 400, "userName is missing."],
  ["null", null, 400, "account is missing."],
  ["a form", "account=Acme", 400, "The body is not JSON."],
  ["another password", { ...credentials, password: "wrong" }, 401, "The account, user name or password is wrong."],
])("POST Sessions refuses %s, and says what is wrong", async ([, body, status, message]) => {
  service = createFakeService({ sessions: credentials });
  expect((await signIn()).status).toBe(200);
  const response = await signIn(body);
  expect([response.status, await response.json()]).toEqual([status, { errors: [message] }]);
});

test("POST Sessions is the only method of its path, is recorded, and fails like other requests", async () => {
  const response = await ask(service, "Sessions");
  expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  service.use({ errorRate: 1 });
  expect((await signIn()).status).toBeGreaterThanOrEqual(500);
  expect(service.requests.map(({ url }) => url)).toEqual(Array(2).fill(`${service.baseUrl}Sessions`));
});

test("a request needs one of the two tokens, with its prefix or without, and none that is unknown or has two prefixes", async () => {
  const { authenticationToken, bearerToken } = await newSession();
  const none = "Send the header authentication or Authorization with a token of POST Sessions.";
  const unknown = "The token is unknown or has expired.";
  const cases: [headers: Headers, message?: string][] = [
    [{ authentication: authenticationToken }],
    [{ authorization: bearerToken.replace("bearer", "Bearer") }],
    [{ authorization: bearerToken.replace("bearer ", "") }],
    [{}, none],
    [{ authorization: `Bearer ${bearerToken}` }, unknown],
    [{ authentication: bearerToken }, unknown],
    [{ authorization: authenticationToken }, unknown],
  ];
  for (const [headers, message] of cases) {
    for (const path of ["Findings/1", "Findings/1/Topics/0", "Batches/1/1"]) {
      const response = await ask(service, path, { headers });
      expect(response.status).toBe(message === undefined ? 200 : 401);
      expect((await response.json()).errors).toEqual(message === undefined ? null : [message]);
    }
  }
});

test("an authentication token ends after 30 minutes without a request, a bearer token does not", async () => {
  vi.useFakeTimers();
  const { authenticationToken: authentication, bearerToken: authorization } = await newSession();
  const statuses = [];
  for (const minutes of [29, 29, 31, 0]) {
    vi.advanceTimersByTime(minutes * 60_000);
    statuses.push(await statusWith({ authentication }));
  }
  expect(statuses).toEqual([200, 200, 401, 401]);
  vi.advanceTimersByTime(24 * 60 * 60_000);
  expect(await statusWith({ authorization })).toBe(200);
});

test("reset() and the scenario expired-token end all sessions", async () => {
  for (const end of [() => service.reset(), () => service.use("expired-token")]) {
    const { bearerToken: authorization, authenticationToken: authentication } = await newSession();
    expect(await statusWith({ authorization })).toBe(200);
    end();
    expect([await statusWith({ authorization }), await statusWith({ authentication })]).toEqual([401, 401]);
    expect(await statusWith({ authorization: (await newSession()).bearerToken })).toBe(200);
  }
});

test("a request reaches the scenario with a token only", async () => {
  service.use("flaky");
  const { bearerToken: authorization } = await newSession();
  const statuses = [await statusWith({}), await statusWith({ authorization }), await statusWith({ authorization })];
  expect(statuses).toEqual([401, 500, 200]);
});

test("GET Batches says twice that a batch is being analysed, then that it is done, or that the analysis has failed", async () => {
  const { bearerToken: authorization } = await newSession();
  const batch = { TotalRespondents: 100, FailureMessage: null, InspectionKey: 42, BatchKey: 7, errors: null };
  const analyzing = { ...batch, StatusCode: 3, Status: "Analyzing" };
  const success = { ...batch, StatusCode: 4, Status: "Success" };
  const statusOf = async (path = "Batches/42/7") => (await ask(service, path, { headers: { authorization } })).json();
  for (const status of [analyzing, analyzing, success, success]) expect(await statusOf()).toEqual(status);
  expect(await statusOf("Batches/42/0")).toMatchObject({ StatusCode: 0, Status: "NotFound", BatchKey: 0 });
  service.use("service-errors");
  const FailureMessage = "The analysis of this batch has failed.";
  expect(await statusOf()).toMatchObject({ StatusCode: 5, Status: "Failure", FailureMessage });
});

test("without the option there are neither sessions nor batches, and no token is needed", async () => {
  service = createFakeService();
  const statuses = [(await signIn()).status, await statusWith({}, "Batches/42/7"), await statusWith({})];
  expect(statuses).toEqual([404, 404, 200]);
});
