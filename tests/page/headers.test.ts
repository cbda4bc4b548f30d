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
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";

/** What stands in place of a text that quotes a header. */
const leftOut = "(left out: it contains the value of a request header)";

const unauthorized = () => new Response(null, { status: 401 });

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
  serve({ respond: unauthorized });
  using client = new FindingsClient({ headers });
  const ways = [headers, async () => headers, ({ status }: HeadersContext) => (status === 401 ? headers : {})];
  const calls = ways.map((headers) => getPartition(1, "topics", 0, { headers }));
  for (const error of await Promise.all([client.getFindings(1, "topics"), ...calls].map(rejectionOf))) {
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/^(the result of )?headers must /);
    expect(error.message).toContain(message);
    expect(error.cause).toBeUndefined();
    expectDiscreet(error);
  }
  expect(asked).toHaveLength(1);
});

test("a token in another option is not quoted", async () => {
  const error = await rejectionOf(getPartition(1, "topics", 0, { credentials: `Bearer ${secret}` as any }));
  expect(error.message).toMatch(/^credentials must be .*string/);
  expectDiscreet(error);
});

test("what looks like no token may be part of one, or the value of another header", async () => {
  serve();
  for (const value of ["bearer bearerx", "Bearer undefined.null"]) {
    const headers = { authorization: value, "x-trace": "undefined" };
    expect(await getPartition(1, "topics", 0, { headers })).toEqual(findingsOf(0));
    expect(Object.fromEntries(asked.at(-1)?.headers ?? [])).toMatchObject(headers);
  }
});

const quoting = () => {
  const members = { name: secret, code: secret, config: { headers: { authorization: secret } } };
  throw Object.assign(new Error(`no ${secret}`, { cause: secret }), members);
};

// P24
test.for<[when: string, fetch: () => any]>([
  ["rejects", async () => quoting()],
  ["throws", quoting],
  ["has a body that is read", async () => ({ status: 200, body: { getReader: () => ({ read: quoting }) } })],
  ["has a whole body that is read", async () => ({ status: 200, arrayBuffer: quoting })],
  ["has a status that is read", async () => Object.defineProperty({}, "status", { get: quoting })],
])("a header that a fetch quotes as it %s is not quoted", async ([, fetch]) => {
  const headers = { authorization: `Bearer ${secret}` };
  const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch, headers, retries: 0 }));
  expect(failure).toMatchObject({ code: "network", cause: expect.anything() });
  expectDiscreet(failure);
});

describe("a service that repeats a header", () => {
  const tenant = "acme-0123456789ab";
  const headers = { authorization: `Bearer ${secret}`, "x-tenant": tenant, "x-env": "test" };
  const errors = [`The token ${secret} has expired.`, "Sign in again.", `No ${tenant}.`, "No test."];
  const kept = [leftOut, errors[1], leftOut, errors[3]];
  const refused = (status: number) => Response.json({ Findings: [], errors }, { status });
  const renewed = ({ status }: HeadersContext) => ({ ...headers, ...(status === 401 && { authorization: "other" }) });
  const cut = `${"x".repeat(16 * 1024 - 10)}${secret}`;
  const ofUrl = `https://service.test/${secret}/`;

  const places: [place: string, respond: () => Response, options: Options, expected: object][] = [
    ["in the errors of a success", () => refused(200), {}, { messages: kept }],
    ["in the errors of a refusal", () => refused(400), {}, { messages: kept }],
    ["in the errors of a 401", () => refused(401), {}, { messages: kept }],
    ["that was sent before a refresh", () => refused(401), { headers: renewed }, { messages: kept }],
    [
      "in the title of a page",
      () => new Response(`<!doctype html><title>No ${secret}</title>`, { status: 403 }),
      {},
      { message: expect.stringMatching(/left out: it contains the value of a request header\)$/) },
    ],
    ["where the package cuts a message", () => Response.json({ errors: [cut] }), {}, { messages: [leftOut] }],
    [
      "in the title of a page in the place of findings",
      () => new Response(`<!doctype html><title>No ${secret}</title>`),
      {},
      { message: expect.stringContaining(`it is ${leftOut}`) },
    ],
    ["that is part of its URL", () => refused(410), { baseUrl: ofUrl }, { messages: kept }],
    [
      "whose URL has an ordinary word of another",
      () => refused(410),
      { baseUrl: "https://service.test/" },
      {
        url: expect.stringMatching(/^https:..service.test.Findings.1/),
        message: expect.stringContaining("(https://service.test/"),
      },
    ],
  ];

  // P24
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
    expect(failure.failures.map(({ error }: any) => error.messages)).toEqual([kept, kept, kept]);
    expectDiscreet(failure);
  });
});

describe("fixed headers", () => {
  const pairs: [string, string][] = Object.entries({ authentication: "token", "x-more": "1" });

  test.for<[form: string, headers: any, accept?: string]>([
    ["an object", Object.fromEntries(pairs)],
    ["pairs", pairs],
    ["a Headers object", new Headers(pairs)],
    ["a Map", new Map(pairs)],
    ["an object with an accept header", { ...Object.fromEntries(pairs), Accept: "text/json" }, "text/json"],
  ])("given as %s go with every request", async ([, headers, accept = "application/json"]) => {
    serve();
    await getFindings(1, "topics", { headers });
    const sent = asked.map(({ headers }) => ["authentication", "x-more", "accept"].map((name) => headers.get(name)));
    expect(sent).toEqual(Array(4).fill(["token", "1", accept]));
  });

  test("stay unchanged when the fetch option changes its argument", async () => {
    const seen: unknown[] = [];
    const fetch = async (_: string, { headers }: any) => {
      seen.push(headers.get("x-request"));
      headers.append("x-request", "mine");
      return Response.json({ Findings: [] });
    };
    using client = new FindingsClient({ fetch, headers: { authorization: "a" } });
    for (const index of [0, 1]) await client.getPartition(1, "topics", index);
    expect(seen).toEqual([null, null]);
  });
});

test("a headers function is called before every attempt, with its number, the previous status, and the URL of the request", async () => {
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

describe("after a 401 the headers function", () => {
  test("is called once by each call, also if calls share it", async () => {
    let token = "old";
    const renew = vi.fn(() => pause(20));
    serve({ respond: ({ headers }) => (headers.get("authorization") === "new" ? undefined : unauthorized()) });
    const headers = async ({ status }: HeadersContext) => {
      if (status === 401) token = await renew().then(() => "new");
      return { authorization: token };
    };
    using client = new FindingsClient({ headers });
    const calls = [1, 2, 3].map((key) => client.getFindings(key, "topics"));
    expect(await Promise.all(calls)).toEqual(Array(3).fill(allFindings(3)));
    expect(renew).toHaveBeenCalledTimes(3);
  });

  test("is not called a second time for the same request, which is then unauthorized", async () => {
    serve({ respond: unauthorized });
    const headers = vi.fn(() => ({ authorization: "Bearer never" }));
    const failure = await failureOf(getPartition(5n, "topics", 2, { headers }));
    expect(failure).toMatchObject({ code: "unauthorized", status: 401, attempts: 1, partitionIndex: 2 });
    const url = new URL("Findings/5/Topics/2", document.baseURI).href;
    expect(headers.mock.calls).toEqual([[{ attempt: 1, status: undefined, url }], [{ attempt: 1, status: 401, url }]]);
  });
});
