/** Headers: fixed ones, those of a function, the refresh that all refused requests share, and that no error quotes their values. */

import {
  FindingsClient,
  getFindings,
  getPartition,
  getPartitionCounts,
  type HeadersContext,
} from "inspection-findings";
import ky from "ky";
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

/** headers, and the name that their error has */
const wrong: [string, any, string?][] = [
  ["a value with a line feed", { authorization: `Bearer ${secret}\nx` }, "authorization"],
  ["a value with a NUL", [["authentication", `${secret}\0`]], "authentication"],
  ["a value beyond Latin-1", { Authorization: `${secret}€` }, "Authorization"],
  ["a very long value", { authorization: `${secret.repeat(100_000)}\nx` }, "authorization"],
  ["a value that is a symbol", { authorization: Symbol(secret) }, "authorization"],
  ["a value after a sound one", Object.entries({ accept: "a/b", "x-token": `${secret}\nx` }), "x-token"],
  ["a name with spaces", { [`Bearer ${secret}`]: "authorization" }],
  ["a name beyond ASCII", [[`${secret}é`, "authorization"]]],
  ["a pair that lacks its value", [[secret]]],
  ["pairs that are text", ["authorization", secret]],
  ["a value that is a function", { Authorization: () => secret }, "Authorization"],
  ["a value that is an async function", [["X-Token", async () => secret]], "X-Token"],
  ["a value that is a promise", { "x-token": Promise.resolve(secret) }, "x-token"],
  ["a value that is an object", { "x-token": { token: secret } }, "x-token"],
  ["an iterator that returns text", { [Symbol.iterator]: () => ({ next: () => secret }) }],
  ["a getter that throws", readingThrows],
  ["text in their place", `authorization: ${secret}`],
];

test.for(wrong)("headers with %s are refused without a word of them", async ([, headers, name = ""]) => {
  using client = new FindingsClient({ headers });
  const calls = [client.getFindings(1, "topics"), getPartition(1, "topics", 0, { headers: async () => headers })];
  for (const error of await Promise.all(calls.map(rejectionOf))) {
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(new RegExp(`^(the result of )?headers .*${name && `"${name}"`}`));
    expect(error.cause).toBeUndefined();
    expectDiscreet(error);
  }
  expect(asked).toEqual([]);
});

test.for<[string, unknown, string]>([
  ["a function", () => secret, "a function: pass a function of all headers as the option headers"],
  ["a promise", Promise.resolve(secret), "a promise: await it"],
  ["an object", { token: secret }, "an object"],
])("a header whose value is %s is told what to pass", async ([, value, got]) => {
  const error = await rejectionOf(getPartition(1, "topics", 0, { headers: { "X-Token": value } as any }));
  expect(error.message).toBe(`headers must have a string for "X-Token"; got ${got}`);
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

  test("is ky, whose errors have the request", async () => {
    const failing = ky.create({ fetch: async () => new Response(null, { status: 410 }), retry: 0 });
    const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch: failing, headers, retries: 0 }));
    expect(failure.cause).toMatchObject({ name: "HTTPError", message: expect.stringContaining("410") });
    expectDiscreet(failure);
  });
});

describe("a service that repeats a header", () => {
  const tenant = "acme-0123456789ab";
  const headers = { authorization: `Bearer ${secret}`, "x-tenant": tenant, "x-env": "test" };
  const options = { headers, retries: 0 };
  const errors = [`The token ${secret} has expired.`, "Sign in again.", `No ${tenant}.`, "No test."];
  const kept = [leftOut, errors[1], leftOut, errors[3]];
  const refused = (status: number) => json({ Findings: [], errors }, { status });

  test("in its errors is not quoted, and its other messages are kept", async () => {
    for (const status of [200, 400, 401]) {
      serve({ respond: () => refused(status) });
      const calls = [getPartition(1, "topics", 0, options), getPartitionCounts(1, options)];
      for (const failure of await Promise.all(calls.map((call) => rejectionOf(call)))) {
        expectDiscreet(failure);
        expect(failure.messages).toEqual(kept);
        expect(failure.message).toContain("Sign in again.");
        expect(failure.message).not.toContain(tenant);
      }
    }
  });

  test("in the errors of partitions of a call is not quoted", async () => {
    serve({ respond: ({ kind }) => (kind === undefined ? undefined : refused(400)) });
    const failure = await rejectionOf(getFindings(1, "topics", { ...options, failurePolicy: "collect" }));
    expect(failure.failures).toHaveLength(3);
    for (const { error } of failure.failures) {
      expectDiscreet(error);
      expect(error.messages).toEqual(kept);
    }
  });

  test("that was sent before a refresh is not quoted by the last response", async () => {
    serve({ respond: () => refused(401) });
    const headers = ({ status }: any) => ({ authorization: status === 401 ? "other" : `Bearer ${secret}` });
    const failure = await rejectionOf(getPartition(1, "topics", 0, { headers }));
    expectDiscreet(failure);
    expect(failure.messages[0]).toBe(leftOut);
  });

  test("where the package cuts a message is not quoted", async () => {
    const long = `${"x".repeat(16 * 1024 - 10)}${secret}`;
    serve({ respond: () => json({ Findings: [], errors: [long] }) });
    const failure = await rejectionOf(getPartition(1, "topics", 0, options));
    expect(failure.messages).toEqual([leftOut]);
  });

  test("as a key of its JSON is not quoted", async () => {
    const body = `{"Findings":[{"${secret}":{"a":~}}]}`;
    serve({ respond: () => new Response(body) });
    const failure = await rejectionOf(getPartition(1, "topics", 0, options));
    expectDiscreet(failure);
    expect(failure.message).toContain(`unexpected ~ (at byte ${body.indexOf("~")}, ${leftOut})`);
  });

  test("with an ordinary word that is part of its URL keeps the URL", async () => {
    const fetch = async () => refused(410);
    const failure = await failureOf(
      getPartition(1, "topics", 0, { ...options, fetch, baseUrl: "https://service.test/" }),
    );
    expect(failure.url).toBe("https://service.test/Findings/1/Topics/0");
    expect(failure.message).toContain(`(${failure.url})`);
  });

  test("that is part of its URL is not quoted", async () => {
    const baseUrl = `https://service.test/${secret}/`;
    const fetch = async () => refused(410);
    const failure = await rejectionOf(getPartition(1, "topics", 0, { ...options, fetch, baseUrl }));
    expectDiscreet(failure);
    expect(failure.url).toBeUndefined();
    expect(failure.message).toMatch(/^topics partition 0 of inspection 1: .*"Sign in again\."/);
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
  test.for<[string, () => HeadersInit | Promise<HeadersInit>]>([
    ["at once", () => ({ authentication: "token" })],
    ["after a while", () => pause(20).then(() => new Headers({ authentication: "token" }))],
  ])("may give its headers %s", async ([, headers]) => {
    serve();
    expect(await getFindings(1, "topics", { headers })).toEqual(allFindings(3));
    expect(asked.map(({ headers }) => headers.get("authentication"))).toEqual(Array(4).fill("token"));
  });

  test("is called before every attempt, with its number, the previous status, and the URL of the request", async () => {
    serve({ respond: ({ count }) => [new Response(null, { status: 503 }), Response.error(), undefined][count - 1] });
    const headers = vi.fn(({ attempt }: HeadersContext) => ({ "x-attempt": String(attempt) }));
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

describe("a value that no service accepts as a token", () => {
  test.for<[string, unknown, string]>([
    ["Authorization", `Bearer bearer ${secret}`, 'one "Bearer" in the value of "Authorization"; it has two'],
    ["authentication", ` BEARER  Bearer ${secret}`, 'one "Bearer" in the value of "authentication"; it has two'],
    ["Authorization", "Bearer bearer", 'one "Bearer" in the value of "Authorization"; it has two'],
    ["Authorization", `Bearer ${undefined}`, 'a token in the value of "Authorization"; got undefined'],
    ["authentication", "null", 'a token in the value of "authentication"; got null'],
    ["Authorization", Promise.resolve(secret), 'a string for "Authorization"; got a promise: await it'],
    ["AUTHENTICATION", `bearer ${{}}`, 'a token in the value of "AUTHENTICATION"; got [object Object]'],
  ])("is a TypeError that names the header and quotes no token: %s, %s", async ([name, value, message]) => {
    const headers = { [name]: value } as any;
    for (const given of [headers, () => headers]) {
      const error = await rejectionOf(getPartition(1, "topics", 0, { headers: given }));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`headers must have ${message}`);
      expectDiscreet(error);
    }
    expect(asked).toEqual([]);
  });

  test("may be part of a token, or the value of another header", async () => {
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
});

describe("after a 401 the headers function", () => {
  /** A service of several origins, each of which accepts its own new token, and the function that returns them. */
  function tokenOffice() {
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
    return { renewals, headers };
  }

  test.for(["the client's", "the calls'"])("is called once for all calls of the client if it is %s", async (place) => {
    const { headers, renewals } = tokenOffice();
    using client = new FindingsClient(place === "the client's" ? { headers } : {});
    const calls = [1, 1, 2].map((key) => client.getFindings(key, "topics", place === "the calls'" ? { headers } : {}));
    expect(await Promise.all(calls)).toEqual(Array(3).fill(allFindings(3)));
    expect(renewals).toHaveLength(1);
  });

  test("is called once for each base URL, and no new token is sent to another one", async () => {
    const { headers, renewals } = tokenOffice();
    const [one, other] = ["https://one.test", "https://other.test"];
    using client = new FindingsClient({ headers, baseUrl: one });
    const calls = [1, 2, 3, 4].map((key) =>
      client.getFindings(key, "topics", key % 2 === 0 ? { baseUrl: `${other}/${key}/` } : {}),
    );
    expect(await Promise.all(calls)).toEqual(Array(4).fill(allFindings(3)));
    expect(renewals.toSorted()).toEqual([one, other, other]);
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
