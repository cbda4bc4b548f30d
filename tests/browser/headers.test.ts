/** Headers: fixed ones, those of a function, the refresh that all refused requests share, and that no error quotes their values. */

import {
  FindingsClient,
  getFindings,
  getPartition,
  getPartitionCounts,
  type HeadersContext,
  type Options,
} from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { json } from "../service/responses.js";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";

/** What stands in place of a text that quotes a header. */
const leftOut = "(left out: it contains the value of a request header)";

/** All texts that can be reached from a value by its own keys, hidden or not. */
function textOf(value: any, seen: Set<unknown> = new Set()): string {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return String(value);
  if (seen.has(value)) return "";
  seen.add(value);
  const members = ["name", ...Reflect.ownKeys(value)].flatMap((name) => [name, Reflect.get(value, name)]);
  return members.map((part) => textOf(part, seen)).join("\n");
}

function expectDiscreet(error: unknown) {
  expect(textOf(error)).not.toContain(secret);
}

const readingThrows = Object.defineProperty({}, "authorization", {
  get: () => expect.fail(secret),
  enumerable: true,
});

const text = 'a string for "X-Token"; got ';
const doubled = (name: string) => `one "Bearer" in the value of "${name}"; it has two`;
const noToken = (name: string, got: string) => `a token in the value of "${name}"; got ${got}`;

/** Headers, and what their error says after `headers must`. */
const wrong: [name: string, headers: any, message: string][] = [
  ["a value with a line feed", { authorization: `Bearer ${secret}\nx` }, 'the value of "authorization" has one'],
  ["a value with a NUL", [["authentication", `${secret}\0`]], 'the value of "authentication" has one'],
  ["a value beyond Latin-1", { Authorization: `${secret}€` }, 'the value of "Authorization" has one'],
  ["a value after a sound one", Object.entries({ accept: "a/b", "x-token": `${secret}\nx` }), '"x-token" has one'],
  ["a value that is a symbol", { "X-Token": Symbol(secret) }, text],
  ["a value that is a function", { "X-Token": () => secret }, `${text}a function: pass a function of all headers`],
  ["a value that is a promise", { "X-Token": Promise.resolve(secret) }, `${text}a promise: await it`],
  ["a value that is an object", { "X-Token": { token: secret } }, `${text}an object`],
  ["a name with spaces", { [`Bearer ${secret}`]: "authorization" }, "the name of entry 1 is not valid"],
  ["a name beyond ASCII", [[`${secret}é`, "authorization"]], "the name of entry 1 is not valid"],
  ["a pair that lacks its value", [[secret]], "entry 1 is not one"],
  ["pairs that are text", ["authorization", secret], "entry 1 is not one"],
  ["an iterator that returns text", { [Symbol.iterator]: () => ({ next: () => secret }) }, "be readable"],
  ["a getter that throws", readingThrows, "be readable"],
  ["text in their place", `authorization: ${secret}`, "be an object"],
  ["a token whose prefix is doubled", { Authorization: `Bearer bearer ${secret}` }, doubled("Authorization")],
  ["a doubled prefix in spaces", { authentication: ` BEARER  Bearer ${secret}` }, doubled("authentication")],
  ["a doubled prefix without a token", { Authorization: "Bearer bearer" }, doubled("Authorization")],
  ["a token made of undefined", { Authorization: `Bearer ${undefined}` }, noToken("Authorization", "undefined")],
  ["a token made of null", { authentication: "null" }, noToken("authentication", "null")],
  ["a token made of an object", { AUTHENTICATION: `bearer ${{}}` }, noToken("AUTHENTICATION", "[object Object]")],
];

test.for(wrong)("headers with %s are a TypeError that says so and quotes no value", async ([, headers, message]) => {
  using client = new FindingsClient({ headers });
  const calls = [client.getFindings(1, "topics"), getPartition(1, "topics", 0, { headers: async () => headers })];
  for (const error of await Promise.all(calls.map(rejectionOf))) {
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^(the result of )?headers must /);
    expect(error.message).toContain(message);
    expect(error.cause).toBeUndefined();
    expectDiscreet(error);
  }
  expect(asked).toEqual([]);
});

test("what looks like no token may be part of one, or the value of another header", async () => {
  serve();
  const allowed = [
    ["authorization", "bearer bearerx"],
    ["authorization", "Bearer undefined.null"],
    ["x-trace", "undefined"],
  ];
  for (const [name, value] of allowed) {
    expect(await getPartition(1, "topics", 0, { headers: { [name]: value } })).toEqual(findingsOf(0));
    expect(asked.at(-1)?.headers.get(name)).toBe(value);
  }
});

test("wrong refreshed headers are refused without a quote", async () => {
  serve({ respond: () => new Response(null, { status: 401 }) });
  const headers = ({ status }: any) => ({ authorization: status === 401 ? `${secret}\nx` : "old" });
  const error = await rejectionOf(getPartition(1, "topics", 0, { headers }));
  expect(error.message).toMatch(/^headers .*"authorization"/);
  expectDiscreet(error);
});

test("a token in another option is not quoted", async () => {
  const error = await rejectionOf(getPartition(1, "topics", 0, { credentials: `Bearer ${secret}` as any }));
  expect(error.message).toMatch(/^credentials must be .*string/);
  expectDiscreet(error);
});

describe("a fetch that quotes a header", () => {
  const headers = { authorization: `Bearer ${secret}` };
  const cause = () => Object.assign(new Error(`no ${secret}`), { config: { headers } });
  const throwing = () => {
    throw cause();
  };

  const ways: Record<string, () => any> = {
    "as it rejects": () => Promise.reject(cause()),
    "as it throws": throwing,
    "as its body is read": async () => ({ status: 200, body: { getReader: () => ({ read: throwing }) } }),
    "as its whole body is read": async () => ({ status: 200, arrayBuffer: throwing }),
    "as its status is read": async () => Object.defineProperty({}, "status", { get: throwing }),
  };

  test.for(Object.entries(ways))("%s is not quoted", async ([, fetch]) => {
    const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch, headers, retries: 0 }));
    expect(failure).toMatchObject({ code: "network", cause: expect.anything() });
    expectDiscreet(failure);
  });
});

describe("a service that repeats a header", () => {
  const tenant = "acme-0123456789ab";
  const headers = { authorization: `Bearer ${secret}`, "x-tenant": tenant, "x-env": "test" };
  const errors = [`The token ${secret} has expired.`, "Sign in again.", `No ${tenant}.`, "No test."];
  const kept = [leftOut, errors[1], leftOut, errors[3]];
  const refused = (status: number) => json({ Findings: [], errors }, { status });
  const renewed = ({ status }: HeadersContext) => ({ ...headers, ...(status === 401 && { authorization: "other" }) });
  const body = `{"Findings":[{"${secret}":{"a":~}}]}`;
  const cut = `${"x".repeat(16 * 1024 - 10)}${secret}`;
  const ofUrl = `https://service.test/${secret}/`;

  const places: [place: string, respond: () => Response, options: Options, expected: object][] = [
    ["in the errors of a success", () => refused(200), {}, { messages: kept }],
    ["in the errors of a refusal", () => refused(400), {}, { messages: kept }],
    ["in the errors of a 401", () => refused(401), {}, { messages: kept }],
    ["that was sent before a refresh", () => refused(401), { headers: renewed }, { messages: kept }],
    ["where the package cuts a message", () => json({ errors: [cut] }), {}, { messages: [leftOut] }],
    [
      "as a key of its JSON",
      () => new Response(body),
      {},
      { message: expect.stringContaining(`unexpected ~ (at byte ${body.indexOf("~")}, ${leftOut})`) },
    ],
    ["that is part of its URL", () => refused(410), { baseUrl: ofUrl }, { messages: kept }],
  ];

  test.for(places)("%s is not quoted, and all else is kept", async ([, respond, options, expected]) => {
    const all = { headers, retries: 0, fetch: async () => respond(), ...options };
    for (const call of [getPartition(1, "topics", 0, all), getPartitionCounts(1, all)]) {
      const failure = await rejectionOf(call);
      expectDiscreet(failure);
      expect(textOf(failure)).not.toContain(tenant);
      expect(failure).toMatchObject(expected);
    }
  });

  test("in the errors of partitions of a call is not quoted", async () => {
    serve({ respond: ({ kind }) => (kind === undefined ? undefined : refused(400)) });
    const failure = await rejectionOf(getFindings(1, "topics", { headers, retries: 0, failurePolicy: "collect" }));
    expect(failure.failures).toHaveLength(3);
    expectDiscreet(failure);
    for (const { error } of failure.failures) expect(error.messages).toEqual(kept);
  });

  test("with an ordinary word that is part of its URL keeps the URL", async () => {
    const options = { headers, retries: 0, fetch: async () => refused(410), baseUrl: "https://service.test/" };
    const failure = await failureOf(getPartition(1, "topics", 0, options));
    expect(failure.url).toBe("https://service.test/Findings/1/Topics/0");
    expect(failure.message).toContain(`(${failure.url})`);
  });
});

const unauthorized = () => new Response(null, { status: 401 });

describe("fixed headers", () => {
  const pairs: [string, string][] = [
    ["authentication", "token"],
    ["x-more", "1"],
  ];

  test.for([
    { form: "an object", headers: Object.fromEntries(pairs) },
    { form: "pairs", headers: pairs },
    { form: "a Headers object", headers: new Headers(pairs) },
    { form: "a Map", headers: new Map(pairs) as any },
  ])("given as $form go with every request", async ({ headers }) => {
    serve();
    await getFindings(1, "topics", { headers });
    const sent = asked.map(({ headers }) => ["authentication", "x-more", "accept"].map((name) => headers.get(name)));
    expect(sent).toEqual(Array(4).fill(["token", "1", "application/json"]));
  });

  test("may have an accept header", async () => {
    serve();
    await getPartition(1, "topics", 0, { headers: { Accept: "application/vnd.service+json" } });
    expect(asked[0].headers.get("accept")).toBe("application/vnd.service+json");
  });

  test("stay unchanged when the fetch option changes its argument", async () => {
    const seen = vi.fn();
    const fetch = async (_: string, { headers }: any) => {
      seen(headers.get("x-request"));
      headers.append("x-request", "mine");
      return Response.json({ Findings: [] });
    };
    using client = new FindingsClient({ fetch, headers: { authorization: "a" } });
    await client.getPartition(1, "topics", 0);
    await client.getPartition(1, "topics", 1);
    expect(seen.mock.calls).toEqual([[null], [null]]);
  });
});

describe("a headers function", () => {
  test("is called before every attempt, with its number, the previous status, and the URL of the request", async () => {
    serve({ respond: ({ count }) => [new Response(null, { status: 503 }), Response.error(), undefined][count - 1] });
    const headers = vi.fn(async ({ attempt }: HeadersContext) => {
      await pause(20);
      return new Headers({ "x-attempt": String(attempt) });
    });
    expect(await getPartition(1, "topics", 0, { headers, baseUrl: "https://service.test/cxi" })).toEqual(findingsOf(0));
    const url = "https://service.test/cxi/Findings/1/Topics/0";
    expect(headers.mock.calls).toEqual([
      [{ attempt: 1, status: undefined, url }],
      [{ attempt: 2, status: 503, url }],
      [{ attempt: 3, status: undefined, url }],
    ]);
    expect(asked.map(({ headers }) => headers.get("x-attempt"))).toEqual(["1", "2", "3"]);
  });
});

describe("after a 401 the headers function", () => {
  test.for(["the client's", "the calls'"])(
    "is called once for all calls to a base URL if it is %s, and no other origin gets the new token",
    async (place) => {
      const renewed = new Set();
      const renewals: string[] = [];
      serve({
        respond(visit) {
          const { origin } = new URL(visit.request.url);
          const token = visit.headers.get("authorization");
          expect(token).toMatch(new RegExp(` of ${origin}$`));
          return token === `new of ${origin}` ? undefined : unauthorized();
        },
      });
      const headers = async ({ status, url }: HeadersContext) => {
        const { origin } = new URL(url);
        if (status === 401) {
          renewals.push(origin);
          await pause(20);
          renewed.add(origin);
        }
        return { authorization: `${renewed.has(origin) ? "new" : "old"} of ${origin}` };
      };
      const [one, other] = ["https://one.test", "https://other.test"];
      using client = new FindingsClient({ baseUrl: one, ...(place === "the client's" && { headers }) });
      const ofCall = place === "the calls'" ? { headers } : {};
      const baseUrls = [one, `${other}/1/`, one, `${other}/2/`, one];
      const calls = baseUrls.map((baseUrl, key) => client.getFindings(key, "topics", { ...ofCall, baseUrl }));
      expect(await Promise.all(calls)).toEqual(Array(5).fill(allFindings(3)));
      expect(renewals.toSorted()).toEqual([one, other, other]);
    },
  );

  test("is not called a second time for the same request, which is then unauthorized", async () => {
    serve({ respond: unauthorized });
    const headers = vi.fn(() => ({ authorization: "Bearer never" }));
    const failure = await failureOf(getPartition(5n, "topics", 2, { headers }));
    expect(failure).toMatchObject({ code: "unauthorized", status: 401, attempts: 1, partitionIndex: 2 });
    const url = new URL("Findings/5/Topics/2", document.baseURI).href;
    expect(headers.mock.calls).toEqual([[{ attempt: 1, status: undefined, url }], [{ attempt: 1, status: 401, url }]]);
  });
});
