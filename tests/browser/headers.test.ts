/** Headers: fixed ones, those of a function, the refresh that all refused requests share, and that no error quotes their values. */

import fc from "fast-check";
import {
  FindingsClient,
  getFindings,
  getPartition,
  getPartitionCounts,
  type HeadersContext,
} from "inspection-findings";
import ky from "ky";
import { describe, expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";
import { json } from "../fake-backend/index.js";
import { testWith } from "./engine.js";
import { allFindings, findingsOf } from "./inspection.js";
import { Oddity, objects, throwing } from "./oddities.js";
import { failureOf, gate, pause, rejectionOf } from "./outcome.js";
import { openRealm } from "./realm.js";
import { asked, serve, type Visit } from "./service.js";
import { WorkCounter } from "./work-counter.js";

const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";

/** What stands in place of a text that quotes a header. */
const leftOut = "(left out: it contains the value of a request header)";

/** All texts that can be reached from a value: by any key, hidden or not, and in maps, sets and headers. */
function textOf(value: any, seen: Set<unknown> = new Set()): string {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return String(value);
  if (seen.has(value) || value === globalThis || value instanceof Node) return "";
  seen.add(value);
  const names = ["name", "message", "stack", "cause", "config", ...Reflect.ownKeys(value)];
  const members = names.map((name) => [name, Reflect.get(value, name)]);
  const entries = value[Symbol.iterator] === undefined ? [] : [...value];
  return [...members, ...entries]
    .flat()
    .map((part) => textOf(part, seen))
    .join("\n");
}

/** The error of wrong headers, which must be a TypeError without the secret. */
async function redactedRefusalOf(call: Promise<unknown>) {
  const error = await rejectionOf(call);
  expect(error).toBeInstanceOf(TypeError);
  expectDiscreet(error);
  return error;
}

function expectDiscreet(error: unknown) {
  expect(textOf(error)).not.toContain(secret);
}

/** headers, and the name that their error has */
const wrong: [string, () => any, string?][] = [
  ["a value with a line feed", () => ({ authorization: `Bearer ${secret}\nx` }), "authorization"],
  ["a value with a carriage return", () => ({ Authorization: `${secret}\rx` }), "Authorization"],
  ["a value with a NUL", () => [["authentication", `${secret}\0`]], "authentication"],
  ["a value beyond Latin-1", () => ({ authorization: `${secret}€` }), "authorization"],
  ["a value with a lone surrogate", () => ({ authorization: `${secret}\ud800` }), "authorization"],
  ["a very long value", () => ({ authorization: `${secret.repeat(100_000)}\nx` }), "authorization"],
  ["a value that is a symbol", () => ({ authorization: Symbol(secret) }), "authorization"],
  ["a value by a getter", () => withGetter("authorization", () => `${secret}\nx`), "authorization"],
  ["a value after a sound one", () => Object.entries({ accept: "a/b", "x-token": `${secret}\nx` }), "x-token"],
  ["a name with spaces", () => ({ [`Bearer ${secret}`]: "authorization" })],
  ["a name beyond ASCII", () => [[`${secret}é`, "authorization"]]],
  ["a name that is a symbol", () => ({ [Symbol(secret)]: "x" })],
  ["a pair that lacks its value", () => [[secret]]],
  ["a pair of three", () => [["authorization", "Bearer", secret]]],
  ["pairs that are text", () => ["authorization", secret]],
  ["results of an iterator that are text", () => ({ [Symbol.iterator]: () => ({ next: () => secret }) })],
  ["a pair that cannot be looped over", () => [{ name: "authorization", value: secret }]],
  ["text", () => `authorization: ${secret}`],
  ["a function", () => Object.assign(() => {}, { authorization: secret })],
];

function withGetter(name: string, get: () => unknown) {
  return Object.defineProperty({}, name, { get, enumerable: true });
}

test.for(wrong)(
  "headers with %s, given in any way, are refused without a word of them",
  async ([, headers, name = ""]) => {
    using client = new FindingsClient({ headers: asOption(headers()) });
    const calls = [
      getPartition(1, "topics", 0, { headers: asOption(headers()) }),
      client.getFindings(1, "topics"),
      client.streamPartitions(1, "topics").next(),
      getFindings(1, "topics", { headers: () => headers() }),
      getFindings(1, "topics", { headers: async () => headers() }),
    ];
    for (const error of await Promise.all(calls.map(redactedRefusalOf))) {
      expect(error.message).toMatch(new RegExp(`^headers .*${name && `"${name}"`}`));
      expect(error.cause).toBeUndefined();
    }
    expect(asked).toEqual([]);
  },
);

/** As an option, a function is one that gives headers. */
function asOption(headers: any) {
  return typeof headers === "function" ? () => headers : headers;
}

test("wrong refreshed headers are refused without a quote", async () => {
  serve({ respond: () => new Response(null, { status: 401 }) });
  const headers = ({ status }: any) => ({ authorization: status === 401 ? `${secret}\nx` : "old" });
  const error = await redactedRefusalOf(getPartition(1, "topics", 0, { headers }));
  expect(error.message).toMatch(/^headers .*"authorization"/);
});

test("a token in another option is not quoted", async () => {
  for (const name of ["headers", "credentials"]) {
    const error = await redactedRefusalOf(getPartition(1, "topics", 0, { [name]: `Bearer ${secret}` }));
    expect(error.message).toMatch(new RegExp(`^${name} must be .*string`));
  }
});

test("a call rejects with what a getter of the headers throws", async () => {
  const all: any[] = [
    withGetter("authorization", throwing),
    { authorization: { toString: throwing } },
    { [Symbol.iterator]: throwing },
    { [Symbol.iterator]: () => ({ next: throwing }) },
    [{ [Symbol.iterator]: throwing }],
  ];
  for (const headers of all) {
    expect(await rejectionOf(getPartition(1, "topics", 0, { headers }))).toBeInstanceOf(Oddity);
    expect(await rejectionOf(getPartition(1, "topics", 0, { headers: () => headers }))).toBeInstanceOf(Oddity);
  }
  expect(asked).toEqual([]);
});

describe("a fetch that quotes a header", () => {
  const headers = { authorization: `Bearer ${secret}`, accept: "a/b" };
  const quoting = `"Bearer ${secret}" is not a valid value`;

  const causes: Record<string, () => unknown> = {
    "in its message": () => new TypeError(quoting),
    "as text": () => quoting,
    "as a symbol": () => Symbol(quoting),
    "without its scheme": () => new Error(`cannot use ${secret}`),
    "in the cause of its error": () => new TypeError("fetch failed", { cause: new Error(quoting) }),
    "in one of several errors": () => new AggregateError([new Error("one"), new Error(quoting)]),
    "in its name": () => Object.assign(new Error("failed"), { name: quoting }),
    "in its code": () => Object.assign(new Error("failed"), { code: secret }),
    "in its stack": () => Object.assign(new Error("failed"), { stack: quoting }),
    "in a member of its error": () => Object.assign(new Error("failed"), { config: { headers } }),
    "in a hidden member": () => Object.defineProperty(new Error("failed"), "config", { value: headers }),
    "in a member with a symbol": () => Object.assign(new Error("failed"), { [Symbol("options")]: headers }),
    "in a map": () => Object.assign(new Error("failed"), { sent: new Map(Object.entries(headers)) }),
    "in its request": () => Object.assign(new Error("failed"), { request: new Request("/", { headers }) }),
    "in its class": () =>
      Object.setPrototypeOf(
        new Error("failed"),
        withGetter("config", () => headers),
      ),
    "in no error": () => ({ status: 400, sent: headers }),
    "in a tag": () => ({ [Symbol.toStringTag]: secret }),
  };

  test.for(Object.entries(causes))("%s is not quoted", async ([, cause]) => {
    const ways = {
      rejection: () => Promise.reject(cause()),
      "a throw": () => {
        throw cause();
      },
      "a body": async () => ({ status: 200, body: { getReader: () => ({ read: () => Promise.reject(cause()) }) } }),
      "a body of one piece": async () => ({ status: 200, arrayBuffer: () => Promise.reject(cause()) }),
      "a status": async () => Object.defineProperty({}, "status", { get: () => ways["a throw"]() }),
    };
    for (const fetch of Object.values(ways)) {
      const options = { fetch: fetch as any, headers, retries: 0 };
      const failure = await rejectionOf(getPartition(1, "topics", 0, options));
      expect(failure).toMatchObject({ code: "network", cause: expect.anything() });
      expectDiscreet(failure);
    }
  });

  test("is ky, whose errors have the request", async () => {
    const respond = async () => new Response(null, { status: 410 });
    const failing = ky.create({ fetch: respond, retry: 0 });
    const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch: failing, headers, retries: 0 }));
    expect(failure.cause).toMatchObject({ name: "HTTPError", message: expect.stringContaining("410") });
    expectDiscreet(failure);
  });
});

describe("of the cause of a failed request", () => {
  const causeOf = async (reason: unknown, headers = { authorization: `Bearer ${secret}` }) => {
    const options = { fetch: () => Promise.reject(reason), headers, retries: 0 };
    return (await rejectionOf(getPartition(1, "topics", 0, options))).cause;
  };

  test("the name, the message, the code and the stack are kept, also of its causes", async () => {
    const inner = Object.assign(new Error("refused", { cause: new Error("lost") }), { code: "ECONNREFUSED" });
    const outer = Object.assign(new TypeError("fetch failed", { cause: inner }), { code: 7, request: {} });
    const told = (error: any) => [error.name, error.message, error.code, error.stack];
    const cause = await causeOf(outer);
    expect(cause).toBeInstanceOf(TypeError);
    expect([told(cause), told(cause.cause)]).toEqual([told(outer), told(inner)]);
    expect(cause.cause.cause).toMatchObject({ message: "lost" });
    expect(Object.keys(cause)).toEqual(["code"]);
  });

  test("a text that quotes a header is left out, and the others are kept", async () => {
    const inner = Object.assign(new RangeError(`no ${secret}`), { code: "E_TOKEN" });
    const cause = await causeOf(new TypeError("fetch failed", { cause: inner }));
    expect([cause.name, cause.message]).toEqual(["TypeError", "fetch failed"]);
    expect(cause.cause).toMatchObject({ name: "RangeError", message: leftOut, code: "E_TOKEN" });
    expect(cause.cause.stack).not.toContain(secret);
  });

  test("that is no object stays as it is", async () => {
    for (const reason of ["no route", 7, true, null, 7n, Symbol.iterator]) expect(await causeOf(reason)).toBe(reason);
  });

  test("members that throw are missing", async () => {
    const unreadable = Object.create(null);
    for (const name of ["name", "message", "code", "stack", "cause"]) {
      Object.defineProperty(unreadable, name, { get: throwing });
    }
    const cause = await causeOf(unreadable);
    expect([cause.name, cause.message, "code" in cause, "cause" in cause]).toEqual(["Error", "", false, false]);
    expect((await causeOf(objects["a revoked proxy"]())).name).toBe("Error");
  });

  test("which is its own cause, three levels are kept", async () => {
    const reason = new Error("round");
    reason.cause = reason;
    const cause = await causeOf(reason);
    const last = cause.cause.cause.cause;
    expect(last).toMatchObject({ message: "round" });
    expect("cause" in last).toBe(false);
  });
});

const refused = (status: number, ...errors: string[]) => json({ errors }, { status });

describe("a service that repeats a header", () => {
  const headers = { authorization: `Bearer ${secret}`, "x-tenant": "acme", "x-version": "2.1" };
  const options = { headers, retries: 0 };
  const errors = [`The token ${secret} has expired.`, "Sign in again.", "This is version 2.1.", "No acme."];
  const kept = [leftOut, errors[1], errors[2], leftOut];

  test("in its errors is not quoted, and its other messages are kept", async () => {
    for (const status of [200, 400, 401, 503]) {
      serve({ respond: () => json({ Findings: [], errors }, { status }) });
      const calls = [getPartition(1, "topics", 0, options), getPartitionCounts(1, options)];
      for (const failure of await Promise.all(calls.map((call) => rejectionOf(call)))) {
        expectDiscreet(failure);
        expect(failure.messages).toEqual(kept);
        expect(failure.message).toContain("Sign in again.");
        expect(failure.message).not.toContain("acme");
      }
    }
  });

  test("in the errors of partitions of a call is not quoted", async () => {
    serve({ respond: ({ kind }) => (kind === undefined ? undefined : refused(400, ...errors)) });
    const failure = await rejectionOf(getFindings(1, "topics", { ...options, failurePolicy: "collect" }));
    expect(failure.failures).toHaveLength(3);
    for (const { error } of failure.failures) {
      expectDiscreet(error);
      expect(error.messages).toEqual(kept);
    }
  });

  test.each([401, undefined])("that was sent after the status %s is not quoted by the last response", async (when) => {
    serve({ respond: () => refused(401, ...errors) });
    const headers = ({ status }: any) => ({
      authorization: status === when ? `Bearer ${secret}` : "other",
    });
    const failure = await rejectionOf(getPartition(1, "topics", 0, { headers }));
    expectDiscreet(failure);
    expect(failure.messages[0]).toBe(leftOut);
  });

  test("where the messages are cut is not quoted", async () => {
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

  test("with other escapes of JSON is not quoted", async () => {
    const token = "abcd+e/f+g";
    const escaped = `"abcd\\u002Be\\/f\\u002bg"`;
    // The cut at 16 KiB is within the first escape.
    const cut = `"${"x".repeat(16 * 1024 - 10)}abcd\\u002Be\\/f`;
    for (const errors of [`{"detail":${escaped}}`, `[{"token":${escaped}}]`, `[[${cut}\\u002bg"]]`]) {
      const fetch = async () => new Response(`{"Findings":[],"errors":${errors}}`);
      const headers = { authorization: `Bearer ${token}` };
      const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch, headers }));
      expect(failure.messages, errors.slice(-60)).toEqual([leftOut]);
    }
  });

  test("that is part of its URL is not quoted", async () => {
    const fetch = async () => refused(410, "Gone.");
    const baseUrl = `https://service.test/${secret}/`;
    const failure = await rejectionOf(getPartition(1, "topics", 0, { ...options, fetch, baseUrl }));
    expectDiscreet(failure);
    expect(failure.url).toBeUndefined();
    expect(failure.message).toMatch(/^topics partition 0 of inspection 1: .*"Gone\."$/);
  });

  test("is not quoted if the header is credentials of any length", async () => {
    const fetch = async () => refused(400, "No qx7.", "Not so.");
    const sent = { Authorization: "qx7", authentication: "qx7", cookie: "qx7" };
    for (const [name, value] of [...Object.entries(sent), ["Authorization", "Bearer qx7"]]) {
      const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch, headers: { [name]: value } }));
      expect(failure.messages, name).toEqual([leftOut, "Not so."]);
    }
  });

  test("is quoted if the header is no credentials and has less than 4 characters", async () => {
    const fetch = async () => refused(400, "No qx7.", "Not so.");
    const headers = { "x-short": "so.", "x-long": "No q" };
    const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch, headers }));
    expect(failure.messages).toEqual([leftOut, "Not so."]);
  });

  test("is not quoted if the header is given twice", async () => {
    const fetch = async () => refused(400, `No ${secret}.`, "No another-one.", "Not so.");
    for (const name of ["authorization", "x-token"]) {
      const headers: [string, string][] = [secret, "another-one"].map((value) => [name, value]);
      const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch, headers }));
      expect(failure.messages, name).toEqual([leftOut, leftOut, "Not so."]);
    }
  });

  testWith("counts of executed code")("costs work that grows with a message, not with the token as well", async () => {
    const window = await openRealm();
    const counter = new WorkCounter();
    await counter.watch(window);
    try {
      const { getPartition } = await window.load(counter.entry);
      const stepsAt = async (length: number) => {
        const errors = [`${"k".repeat(8)}…`.repeat(length / 9)];
        const options = {
          fetch: async () => Response.json({ errors }, { status: 400 }),
          headers: { authorization: "k".repeat(length) },
          baseUrl: location.origin,
        };
        const { steps } = await counter.workOf(() => rejectionOf(getPartition(1, "topics", 0, options)));
        return steps;
      };
      await stepsAt(900);
      expect(await stepsAt(7200)).toBeLessThan(2 * 8 * (await stepsAt(900)));
    } finally {
      await counter.stop();
    }
  });

  test("of any letters is not quoted if an ellipsis follows four of its characters or more", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 4, maxLength: 9 });
    const message = fc.string({ unit: fc.constantFrom("a", "b", "c", "…"), maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(text, message, async (token, message) => {
        const fetch = async () => refused(400, message, "Sorry.");
        const failure = await rejectionOf(getPartition(1, "topics", 0, { fetch, headers: { "x-token": token } }));
        const beginnings = Array.from({ length: token.length - 3 }, (_, more) => token.slice(0, 4 + more));
        const quotes = message.includes(token) || beginnings.some((part) => message.includes(`${part}…`));
        expect(failure.messages[0] === leftOut, `${token} in ${message}`).toBe(quotes);
      }),
      { numRuns: timesOf(300) },
    );
  });

  test("that the package adds by itself is quoted", async () => {
    serve({ respond: () => refused(406, "No application/json.") });
    const failure = await rejectionOf(getPartition(1, "topics", 0));
    expect(failure.messages).toEqual(["No application/json."]);
  });
});

const unauthorized = () => new Response(null, { status: 401 });

describe("fixed headers", () => {
  const pairs = [
    ["authentication", "token"],
    ["x-more", "1"],
  ] as [string, string][];

  test.for([
    { form: "an object", headers: Object.fromEntries(pairs) },
    { form: "pairs", headers: pairs },
    { form: "a Headers object", headers: new Headers(pairs) },
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
  const moments: Record<string, (headers: HeadersInit) => HeadersInit | Promise<HeadersInit>> = {
    "at once": (headers) => headers,
    "after a while": (headers) => pause(20).then(() => new Headers(headers)),
  };

  test.for(Object.entries(moments))("may give its headers %s", async ([, give]) => {
    serve();
    const headers = () => give({ authentication: "token" });
    expect(await getFindings(1, "topics", { headers })).toEqual(allFindings(3));
    expect(asked.map(({ headers }) => headers.get("authentication"))).toEqual(Array(4).fill("token"));
  });

  test("may return none", async () => {
    serve();
    expect(await getPartition(1, "topics", 0, { headers: () => ({}) })).toEqual(findingsOf(0));
  });

  test("is called before every attempt, with its number, the previous status, and the URL of the request", async () => {
    serve({ respond: ({ count }) => [new Response(null, { status: 503 }), Response.error(), undefined][count - 1] });
    const headers = vi.fn(({ attempt }: HeadersContext) => ({ "x-attempt": String(attempt) }));
    expect(await getPartition(1, "topics", 0, { headers })).toEqual(findingsOf(0));
    const url = new URL("Findings/1/Topics/0", document.baseURI).href;
    expect(headers.mock.calls).toEqual([
      [{ attempt: 1, status: undefined, url }],
      [{ attempt: 2, status: 503, url }],
      [{ attempt: 3, status: undefined, url }],
    ]);
    expect(asked.map(({ headers }) => headers.get("x-attempt"))).toEqual(["1", "2", "3"]);
  });

  test("receives the URL of every request", async () => {
    serve({ partitions: 2 });
    const headers = vi.fn(({ url }: HeadersContext) => ({ "x-url": url }));
    using client = new FindingsClient({ headers, baseUrl: "https://service.test/cxi" });
    await client.getFindings(1, "topics");
    await client.getPartitionCounts(2, { baseUrl: "https://other.test" });
    expect(asked).toHaveLength(4);
    for (const { request, headers } of asked) {
      expect(headers.get("x-url")).toBe(request.url);
    }
  });
});

describe("a value that no service accepts as a token", () => {
  const promise = Promise.resolve(secret);

  test.for([
    ["Authorization", `Bearer bearer ${secret}`, 'one "Bearer" in the value of "Authorization"; it has two'],
    ["authorization", `bearer  Bearer ${secret}`, 'one "Bearer" in the value of "authorization"; it has two'],
    ["Authorization", ` BEARER BEARER ${secret}`, 'one "Bearer" in the value of "Authorization"; it has two'],
    ["authentication", `Bearer bearer ${secret}`, 'one "Bearer" in the value of "authentication"; it has two'],
    ["Authorization", "Bearer bearer", 'one "Bearer" in the value of "Authorization"; it has two'],
    ["Authorization", `Bearer ${undefined}`, 'a token in the value of "Authorization"; got undefined'],
    ["Authorization", `bearer ${null}`, 'a token in the value of "Authorization"; got null'],
    ["Authorization", `Bearer ${promise}`, 'a token in the value of "Authorization"; got [object Promise]: await'],
    ["Authorization", promise, 'a token in the value of "Authorization"; got [object Promise]: await'],
    ["Authorization", `Bearer ${{ token: secret }}`, 'a token in the value of "Authorization"; got [object Object]'],
    ["Authorization", "undefined", 'a token in the value of "Authorization"; got undefined'],
    ["authentication", "null", 'a token in the value of "authentication"; got null'],
    ["AUTHENTICATION", `${promise}`, 'a token in the value of "AUTHENTICATION"; got [object Promise]: await'],
  ])("is a TypeError that names the header and quotes no token: %s, %s", async ([name, value, message]) => {
    serve();
    const headers = { [name as string]: value } as any;
    for (const given of [headers, Object.entries(headers), () => headers, async () => headers]) {
      const error = await rejectionOf(getPartition(1, "topics", 0, { headers: given }));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`headers must have ${message}`);
      expect(String(error.stack)).not.toContain(secret);
    }
    expect(asked).toEqual([]);
  });

  test("ends the call if a function returns it after a 401", async () => {
    serve({ respond: unauthorized });
    const headers = ({ status }: HeadersContext) => ({
      authorization: status === 401 ? `Bearer ${undefined}` : secret,
    });
    const error = await rejectionOf(getPartition(1, "topics", 0, { headers }));
    expect(error).toBeInstanceOf(TypeError);
    expect(asked).toHaveLength(1);
  });

  test("may be part of a token, or the value of another header", async () => {
    serve();
    const allowed = [
      ["authorization", "bearer bearerx"],
      ["authorization", "Bearer undefined.null"],
      ["authentication", "nullified"],
      ["x-trace", "undefined"],
    ];
    for (const [name, value] of allowed) {
      expect(await getPartition(1, "topics", 0, { headers: { [name]: value } })).toEqual(findingsOf(0));
    }
    expect(asked.map(({ headers }, index) => headers.get(allowed[index][0]))).toEqual(
      allowed.map(([, value]) => value),
    );
  });
});

describe("after a 401 the headers function", () => {
  /**
   * A service of several origins, each of which accepts its own new token, and the function that returns them.
   * @param beforeRefusal what a refusal waits for
   */
  function tokenOffice(beforeRefusal: (visit: Visit) => unknown = () => {}) {
    const renewed = new Set();
    const renewals: string[] = [];
    serve({
      async respond(visit) {
        const { origin } = new URL(visit.request.url);
        const token = visit.headers.get("authorization");
        expect(token).toMatch(new RegExp(` of ${origin}$`));
        if (token === `new of ${origin}`) return undefined;
        await beforeRefusal(visit);
        return unauthorized();
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

  test("is not called a second time for the same request, which is then unauthorized", async () => {
    serve({ respond: unauthorized });
    const headers = vi.fn(() => ({ authorization: "Bearer never" }));
    const failure = await failureOf(getPartition(5n, "topics", 2, { headers }));
    expect(failure).toMatchObject({ code: "unauthorized", status: 401, attempts: 1, partitionIndex: 2 });
    const url = new URL("Findings/5/Topics/2", document.baseURI).href;
    expect(headers.mock.calls).toEqual([[{ attempt: 1, status: undefined, url }], [{ attempt: 1, status: 401, url }]]);
    expect(asked).toHaveLength(2);
  });

  const [one, other] = ["https://one.test", "https://other.test"];

  test("is called once for each base URL, and no new token is sent to another one", async () => {
    const { headers, renewals } = tokenOffice();
    using client = new FindingsClient({ headers, baseUrl: one });
    const calls = [1, 2, 3, 4].map((key) =>
      client.getFindings(key, "topics", key % 2 === 0 ? { baseUrl: `${other}/${key}/` } : {}),
    );
    expect(await Promise.all(calls)).toEqual(Array(4).fill(allFindings(3)));
    expect(renewals.toSorted()).toEqual([one, other, other]);
  });

  test("is called for a base URL although there are newer headers for another one", async () => {
    const refuse = gate();
    const { headers, renewals } = tokenOffice(({ request }) => request.url.startsWith(other) && refuse.promise);
    using client = new FindingsClient({ headers, baseUrl: one });
    const late = client.getPartition(1, "topics", 0, { baseUrl: other });
    await vi.waitUntil(() => asked.length === 1);
    expect(await client.getPartition(1, "topics", 1)).toEqual(findingsOf(1));
    refuse.resolve(undefined);
    expect(await late).toEqual(findingsOf(0));
    expect(renewals).toEqual([one, other]);
  });
});
