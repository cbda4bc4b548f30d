/** Secrets: no error and no measure quotes the value of a header. */

import fc from "fast-check";
import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import ky from "ky";
import { afterEach, describe, expect, test } from "vitest";
import { timesOf } from "../counts.js";
import { json } from "../fake-backend/index.js";
import { testWith } from "./engine.js";
import { Oddity, objects, throwing } from "./oddities.js";
import { rejectionOf } from "./outcome.js";
import { openRealm } from "./realm.js";
import { asked, serve } from "./service.js";
import { WorkCounter } from "./work-counter.js";

const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";

/** What stands in place of a text that quotes a header. */
const leftOut = "(left out: it contains the value of a request header)";

afterEach(() => performance.clearMeasures());

/**
 * All texts that can be reached from a value: by any key, hidden or not, and in maps, sets and headers.
 * @param {any} value
 * @param {Set<unknown>} [seen]
 * @returns {string}
 */
function textOf(value, seen = new Set()) {
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

/** The error of wrong headers, which must be a TypeError without the secret. @param {Promise<unknown>} call */
async function redactedRefusalOf(call) {
  const error = await rejectionOf(call);
  expect(error).toBeInstanceOf(TypeError);
  expectDiscreet(error);
  return error;
}

/** @param {unknown} error */
function expectDiscreet(error) {
  expect(textOf(error)).not.toContain(secret);
  expect(JSON.stringify(performance.getEntriesByType("measure"))).not.toContain(secret);
}

/** @type {[string, () => any, string?][]} headers, and the name that their error has */
const wrong = [
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

/** @param {string} name @param {() => unknown} get */
function withGetter(name, get) {
  return Object.defineProperty({}, name, { get, enumerable: true });
}

test.for(wrong)(
  "headers with %s, given in any way, are refused without a word of them",
  async ([, headers, name = ""]) => {
    using client = new FindingsClient({ headers: asOption(headers()), measure: true });
    const calls = [
      getPartition(1, "topics", 0, { headers: asOption(headers()), measure: true }),
      client.getFindings(1, "topics"),
      client.streamPartitions(1, "topics").next(),
      getFindings(1, "topics", { headers: () => headers(), measure: true }),
      getFindings(1, "topics", { headers: async () => headers(), measure: true }),
    ];
    for (const error of await Promise.all(calls.map(redactedRefusalOf))) {
      expect(error.message).toMatch(new RegExp(`^headers .*${name && `"${name}"`}`));
      expect(error.cause).toBeUndefined();
    }
    expect(asked).toEqual([]);
  },
);

/** As an option, a function is one that gives headers. @param {any} headers */
function asOption(headers) {
  return typeof headers === "function" ? () => headers : headers;
}

test("wrong refreshed headers are refused without a quote", async () => {
  serve({ respond: () => new Response(null, { status: 401 }) });
  const headers = (/** @type {any} */ { status }) => ({ authorization: status === 401 ? `${secret}\nx` : "old" });
  const error = await redactedRefusalOf(getPartition(1, "topics", 0, { headers, measure: true }));
  expect(error.message).toMatch(/^headers .*"authorization"/);
});

test("a token in another option is not quoted", async () => {
  for (const name of ["headers", "credentials"]) {
    const error = await redactedRefusalOf(getPartition(1, "topics", 0, { [name]: `Bearer ${secret}` }));
    expect(error.message).toMatch(new RegExp(`^${name} must be .*string`));
  }
});

test("a call rejects with what a getter of the headers throws", async () => {
  /** @type {any[]} */
  const all = [
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

  /** @type {Record<string, () => unknown>} */
  const causes = {
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
      const options = { fetch: /** @type {any} */ (fetch), headers, retries: 0, measure: true };
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
  const causeOf = async (/** @type {unknown} */ reason, headers = { authorization: `Bearer ${secret}` }) => {
    const options = { fetch: () => Promise.reject(reason), headers, retries: 0 };
    return (await rejectionOf(getPartition(1, "topics", 0, options))).cause;
  };

  test("the name, the message, the code and the stack are kept, also of its cause", async () => {
    const inner = Object.assign(new Error("refused", { cause: new Error("lost") }), { code: "ECONNREFUSED" });
    const outer = Object.assign(new TypeError("fetch failed", { cause: inner }), { code: 7, request: {} });
    const told = (/** @type {any} */ error) => [error.name, error.message, error.code, error.stack];
    const cause = await causeOf(outer);
    expect(cause).toBeInstanceOf(TypeError);
    expect([told(cause), told(cause.cause)]).toEqual([told(outer), told(inner)]);
    expect("cause" in cause.cause).toBe(false);
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

  test("which is its own cause, one level is kept", async () => {
    const reason = new Error("round");
    reason.cause = reason;
    const cause = await causeOf(reason);
    expect(cause).toMatchObject({ message: "round", cause: { message: "round" } });
    expect("cause" in cause.cause).toBe(false);
  });
});

const refused = (/** @type {number} */ status, /** @type {string[]} */ ...errors) => json({ errors }, { status });

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
    const headers = (/** @type {any} */ { status }) => ({
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
      /** @type {[string, string][]} */
      const headers = [secret, "another-one"].map((value) => [name, value]);
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
      const stepsAt = async (/** @type {number} */ length) => {
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
