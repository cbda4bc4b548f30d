/** Headers: fixed ones, those of a function, and the refresh that all refused requests share. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, gate, pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

/** @typedef {import("inspection-findings").HeadersContext} HeadersContext */

const unauthorized = () => new Response(null, { status: 401 });

describe("fixed headers", () => {
  const pairs = /** @type {[string, string][]} */ ([
    ["authentication", "token"],
    ["x-more", "1"],
  ]);

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
    const fetch = async (/** @type {string} */ _, /** @type {any} */ { headers }) => {
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
  /** @type {Record<string, (headers: HeadersInit) => HeadersInit | Promise<HeadersInit>>} */
  const moments = {
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
    const headers = vi.fn((/** @type {HeadersContext} */ { attempt }) => ({ "x-attempt": String(attempt) }));
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
    const headers = vi.fn((/** @type {HeadersContext} */ { url }) => ({ "x-url": url }));
    using client = new FindingsClient({ headers, baseUrl: "https://service.test/cxi" });
    await client.getFindings(1, "topics");
    await client.getPartitionCounts(2, { baseUrl: "https://other.test" });
    expect(asked).toHaveLength(4);
    for (const { request, headers } of asked) {
      expect(headers.get("x-url")).toBe(request.url);
    }
  });

  test.each([
    ["null", null],
    ["undefined, as without `return`", undefined],
    ["a number", 5],
    ["text", "authorization: x"],
    ["a name that is none", { "not a name": "x" }],
    ["a value that is none", { authorization: "line\nbreak" }],
  ])("that gives %s ends the call by a TypeError about headers", async (_, given) => {
    const error = await rejectionOf(getPartition(1, "topics", 0, { headers: /** @type {any} */ (() => given) }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/headers/);
    expect(asked).toEqual([]);
  });
});

describe("a value that no service accepts as a token", () => {
  const secret = "eyJhbGciOiJIUzI1NiJ9.c2VjcmV0";
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
    const headers = /** @type {any} */ ({ [/** @type {string} */ (name)]: value });
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
    const headers = (/** @type {HeadersContext} */ { status }) => ({
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
   * @param {(visit: import("./service.js").Visit) => unknown} [beforeRefusal] what a refusal waits for
   */
  function tokenOffice(beforeRefusal = () => {}) {
    const renewed = new Set();
    /** @type {string[]} */
    const renewals = [];
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
    const headers = async (/** @type {HeadersContext} */ { status, url }) => {
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
