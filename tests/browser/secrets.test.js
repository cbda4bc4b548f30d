/** Secrets: no error and no measure quotes the value of a header. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, describe, expect, test } from "vitest";
import { rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";

afterEach(() => performance.clearMeasures());

/**
 * All texts of an error, including its causes.
 * @param {any} error
 * @returns {string}
 */
function textOf(error) {
  if (typeof error !== "object" || error === null) {
    return String(error);
  }
  const names = [...Object.getOwnPropertyNames(error), "name", "message", "stack", "cause"];
  return [...new Set(names)].map((name) => `${name}: ${textOf(error[name])}`).join("\n");
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
  serve({ answer: () => new Response(null, { status: 401 }) });
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
    "without its scheme": () => new Error(`cannot use ${secret}`),
    "in the cause of its error": () => new TypeError("fetch failed", { cause: new Error(quoting) }),
    "in one of several errors": () => new AggregateError([new Error("one"), new Error(quoting)]),
    "in its stack": () => Object.assign(new Error("failed"), { stack: quoting }),
    "in a member `config` of its cause": () => Object.assign(new Error("failed"), { config: { headers } }),
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
      expect(failure).toMatchObject({ code: "network", cause: { message: expect.stringContaining("left out") } });
      expectDiscreet(failure);
    }
  });
});

test("a cause that quotes no header stays as it is", async () => {
  const cause = new TypeError("connect ECONNREFUSED 127.0.0.1:1", { cause: { code: 1 } });
  const headers = { authorization: `Bearer ${secret}`, "x-version": "1" };
  const fetch = () => Promise.reject(cause);
  expect((await rejectionOf(getPartition(1, "topics", 0, { fetch, headers, retries: 0 }))).cause).toBe(cause);
});
