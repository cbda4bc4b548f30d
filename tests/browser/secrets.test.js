/** Secrets: no error and no measure quotes the value of a header. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import ky from "ky";
import { afterEach, describe, expect, test } from "vitest";
import { json } from "../fake-backend/index.js";
import { rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

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
  if ((typeof value !== "object" && typeof value !== "function") || value === null) {
    return String(value);
  }
  if (seen.has(value) || value === globalThis || value instanceof Node) {
    return "";
  }
  seen.add(value);
  const names = ["name", "message", "stack", "cause", "config", ...Reflect.ownKeys(value)];
  const members = names.map((name) => [name, Reflect.get(value, name)]);
  const entries = value[Symbol.iterator] === undefined ? [] : [...value];
  return [...members, ...entries]
    .flat()
    .map((part) => textOf(part, seen))
    .join("\n");
}

/**
 * The error of wrong headers, which must be a TypeError without the secret.
 * @param {Promise<unknown>} call
 */
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

/** @type {Record<string, { headers: () => any, names?: RegExp }>} */
const wrong = {
  "a value with a line feed": { headers: () => ({ authorization: `Bearer ${secret}\nx` }), names: /"authorization"/ },
  "a value with a carriage return": { headers: () => ({ Authorization: `${secret}\rx` }), names: /"Authorization"/ },
  "a value with a NUL": { headers: () => [["authentication", `${secret}\0`]], names: /"authentication"/ },
  "a value beyond Latin-1": { headers: () => ({ authorization: `${secret}€` }), names: /"authorization"/ },
  "a value with a lone surrogate": { headers: () => ({ authorization: `${secret}\ud800` }), names: /"authorization"/ },
  "a very long value": { headers: () => ({ authorization: `${secret.repeat(100_000)}\nx` }), names: /"authorization"/ },
  "a value that is a symbol": { headers: () => ({ authorization: Symbol(secret) }), names: /"authorization"/ },
  "a value by a getter": {
    headers: () => ({
      get authorization() {
        return `${secret}\nx`;
      },
    }),
    names: /"authorization"/,
  },
  "a value after a sound one": {
    headers: () =>
      new Map([
        ["accept", "a/b"],
        ["x-token", `${secret}\nx`],
      ]),
    names: /"x-token"/,
  },
  "a name with spaces": { headers: () => ({ [`Bearer ${secret}`]: "authorization" }) },
  "a name beyond ASCII": { headers: () => [[`${secret}é`, "authorization"]] },
  "a name that is a symbol": { headers: () => ({ [Symbol(secret)]: "x" }) },
  "a pair that lacks its value": { headers: () => [[secret]] },
  "a pair of three": { headers: () => [["authorization", "Bearer", secret]] },
  "pairs that are text": { headers: () => ["authorization", secret] },
  "results of an iterator that are text": {
    headers: () => ({ [Symbol.iterator]: () => ({ next: () => secret }) }),
  },
  "a pair that cannot be looped over": { headers: () => [{ name: "authorization", value: secret }] },
  text: { headers: () => `authorization: ${secret}` },
  "a function": { headers: () => Object.assign(() => {}, { authorization: secret }) },
};

describe.for(Object.entries(wrong))("headers with %s are refused without a word of them:", ([, { headers, names }]) => {
  const check = async (/** @type {Promise<unknown>} */ call) => {
    const error = await redactedRefusalOf(call);
    expect(error.message).toMatch(/^headers /);
    expect(error.message).toMatch(names ?? /./);
    expect(error.cause).toBeUndefined();
    expect(asked).toEqual([]);
  };

  test("those of a call", async () => {
    await check(getPartition(1, "topics", 0, { headers: asOption(headers()), measure: true }));
  });

  test("those of a client", async () => {
    const client = new FindingsClient({ headers: asOption(headers()), measure: true });
    await check(client.getFindings(1, "topics"));
    await check(client.streamPartitions(1, "topics").next());
    client.free();
  });

  test("those that a function returns", async () => {
    await check(getFindings(1, "topics", { headers: () => headers(), measure: true }));
    await check(getFindings(1, "topics", { headers: async () => headers(), measure: true }));
  });
});

/**
 * As an option, a function is one that gives headers.
 * @param {any} headers
 */
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
  const thrown = new Error("mine");
  const throwing = () => {
    throw thrown;
  };
  /** @type {any[]} */
  const all = [
    Object.defineProperty({}, "authorization", { get: throwing, enumerable: true }),
    { authorization: { toString: throwing } },
    { [Symbol.iterator]: throwing },
    { [Symbol.iterator]: () => ({ next: throwing }) },
    [{ [Symbol.iterator]: throwing }],
  ];
  for (const headers of all) {
    expect(await rejectionOf(getPartition(1, "topics", 0, { headers }))).toBe(thrown);
    expect(await rejectionOf(getPartition(1, "topics", 0, { headers: () => headers }))).toBe(thrown);
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
      new (class extends Error {
        get config() {
          return headers;
        }
      })("failed"),
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
    const inner = Object.assign(new Error("connect ECONNREFUSED", { cause: new Error("lost") }), {
      code: "ECONNREFUSED",
    });
    const outer = Object.assign(new TypeError("fetch failed", { cause: inner }), { code: 7, request: {} });
    const cause = await causeOf(outer);
    expect(cause).toBeInstanceOf(TypeError);
    expect([cause.name, cause.message, cause.code, cause.stack]).toEqual(["TypeError", "fetch failed", 7, outer.stack]);
    expect([cause.cause.name, cause.cause.message, cause.cause.code, cause.cause.stack]).toEqual([
      "Error",
      "connect ECONNREFUSED",
      "ECONNREFUSED",
      inner.stack,
    ]);
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
    for (const reason of ["no route", 7, true, null, 7n, Symbol.iterator]) {
      expect(await causeOf(reason)).toBe(reason);
    }
  });

  test("members that throw are missing", async () => {
    const throwing = () => {
      throw new Error("mine");
    };
    const members = Object.fromEntries(
      ["name", "message", "code", "stack", "cause"].map((name) => [name, { get: throwing }]),
    );
    const cause = await causeOf(Object.create(null, members));
    expect([cause.name, cause.message, "code" in cause, "cause" in cause]).toEqual(["Error", "", false, false]);
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect((await causeOf(proxy)).name).toBe("Error");
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
  const options = {
    headers: { authorization: `Bearer ${secret}`, "x-tenant": "acme", "x-version": "2.1" },
    retries: 0,
  };
  const errors = [`The token ${secret} has expired.`, "Sign in again.", "This is version 2.1.", "No acme."];
  const kept = [leftOut, errors[1], errors[2], leftOut];

  test("in its errors is not quoted, and its other messages are kept", async () => {
    const responses = [
      () => json({ Findings: [], errors }),
      () => refused(400, ...errors),
      () => refused(401, ...errors),
      () => refused(503, ...errors),
    ];
    for (const respond of responses) {
      serve({ respond });
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

  test("that is part of its URL is not quoted", async () => {
    const fetch = async () => refused(410, "Gone.");
    const failure = await rejectionOf(
      getPartition(1, "topics", 0, { ...options, fetch, baseUrl: `https://service.test/${secret}/` }),
    );
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

  test("that the package adds by itself is quoted", async () => {
    serve({ respond: () => refused(406, "No application/json.") });
    const failure = await rejectionOf(getPartition(1, "topics", 0));
    expect(failure.messages).toEqual(["No application/json."]);
  });
});
