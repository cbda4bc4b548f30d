/** Headers: fixed ones, those of a function, and the refresh that all refused requests share. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, gate, pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

/** @typedef {import("inspection-findings").HeadersContext} HeadersContext */

const unauthorized = () => new Response(null, { status: 401 });

describe("fixed headers", () => {
  test.for(
    /** @type {[string, HeadersInit][]} */ ([
      ["an object", { authentication: "token", "x-more": "1" }],
      [
        "pairs",
        [
          ["authentication", "token"],
          ["x-more", "1"],
        ],
      ],
      ["a Headers object", new Headers({ Authentication: "token", "X-More": "1" })],
    ]),
  )("given as %s go with every request", async ([, headers]) => {
    serve();
    await getFindings(1, "topics", { headers });
    expect(asked).toHaveLength(4);
    for (const { headers } of asked) {
      expect([headers.get("authentication"), headers.get("x-more"), headers.get("accept")]).toEqual([
        "token",
        "1",
        "application/json",
      ]);
    }
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
  test.for(
    /** @type {[string, (headers: HeadersInit) => HeadersInit | Promise<HeadersInit>][]} */ ([
      ["at once", (headers) => headers],
      ["by a promise", async (headers) => headers],
      ["after a while", (headers) => pause(20).then(() => new Headers(headers))],
    ]),
  )("may give its headers %s", async ([, give]) => {
    serve();
    expect(await getFindings(1, "topics", { headers: () => give({ authentication: "token" }) })).toEqual(
      allFindings(3),
    );
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

  test.for(
    /** @type {[string, unknown][]} */ ([
      ["null", null],
      ["undefined, as without `return`", undefined],
      ["a number", 5],
      ["text", "authorization: x"],
      ["a name that is none", { "not a name": "x" }],
      ["a value that is none", { authorization: "line\nbreak" }],
    ]),
  )("that gives %s ends the call by a TypeError about headers", async ([, given]) => {
    const error = await rejectionOf(getPartition(1, "topics", 0, { headers: /** @type {any} */ (() => given) }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(/headers/);
    expect(asked).toEqual([]);
  });
});

describe("after a 401 the headers function", () => {
  /** A service that accepts only the latest token, and the function that returns it. */
  function tokenOffice() {
    const office = {
      valid: 1,
      held: 0,
      renewals: 0,
      /** @type {HeadersContext[]} */
      questions: [],
      headers: async (/** @type {HeadersContext} */ context) => {
        office.questions.push(context);
        if (context.status === 401) {
          office.renewals += 1;
          await pause(30);
          office.held = office.valid;
        }
        return { authorization: `Bearer ${office.held}` };
      },
      /** @param {Headers} headers */
      accepts: (headers) => headers.get("authorization") === `Bearer ${office.valid}`,
    };
    return office;
  }

  test("is called once for all parallel requests, and each of them is repeated once", async () => {
    const office = tokenOffice();
    office.held = 1;
    serve({
      partitions: 6,
      respond: async ({ kind, count, headers }) => {
        if (kind !== undefined && count === 1) {
          office.valid = 2;
        }
        await pause(5);
        return office.accepts(headers) ? undefined : unauthorized();
      },
    });
    expect(await getFindings(1, "topics", { headers: office.headers })).toEqual(allFindings(6));
    expect(office.renewals).toBe(1);
    expect(asked.filter(({ kind }) => kind !== undefined)).toHaveLength(12);
  });

  test("is called once for all calls of the client", async () => {
    const office = tokenOffice();
    serve({ respond: ({ headers }) => (office.accepts(headers) ? undefined : unauthorized()) });
    const client = new FindingsClient({ headers: office.headers });
    const calls = [1, 2, 3].map((key) => client.getFindings(key, "topics"));
    expect(await Promise.all(calls)).toEqual([allFindings(3), allFindings(3), allFindings(3)]);
    expect(office.renewals).toBe(1);
    client.free();
  });

  test("is called once for all calls of the client that pass the same function", async () => {
    const office = tokenOffice();
    serve({ respond: ({ headers }) => (office.accepts(headers) ? undefined : unauthorized()) });
    const client = new FindingsClient();
    const calls = [1, 1, 2].map((key) => client.getFindings(key, "topics", { headers: office.headers }));
    expect(await Promise.all(calls)).toEqual([allFindings(3), allFindings(3), allFindings(3)]);
    expect(office.renewals).toBe(1);
    client.free();
  });

  test("is not called a second time for the same request, which is then unauthorized", async () => {
    serve({ respond: unauthorized });
    const headers = vi.fn(() => ({ authorization: "Bearer never" }));
    const failure = await failureOf(getPartition(5n, "topics", 2, { headers }));
    expect(failure).toMatchObject({
      code: "unauthorized",
      status: 401,
      attempts: 1,
      kind: "topics",
      inspectionKey: 5n,
      partitionIndex: 2,
    });
    const url = new URL("Findings/5/Topics/2", document.baseURI).href;
    expect(headers.mock.calls).toEqual([[{ attempt: 1, status: undefined, url }], [{ attempt: 1, status: 401, url }]]);
    expect(asked).toHaveLength(2);
  });

  /** A service of two origins, each of which accepts its own new token, and the function that returns them. */
  function twoOrigins() {
    const renewed = new Set();
    /** @type {string[]} */
    const renewals = [];
    return {
      renewals,
      headers: async (/** @type {HeadersContext} */ { status, url }) => {
        const { origin } = new URL(url);
        if (status === 401) {
          renewals.push(origin);
          await pause(20);
          renewed.add(origin);
        }
        return { authorization: `${renewed.has(origin) ? "new" : "old"} of ${origin}` };
      },
      /** @param {import("./service.js").Visit} visit */
      accepts: ({ headers, request }) => headers.get("authorization") === `new of ${new URL(request.url).origin}`,
      /** The requests whose token is another origin's. */
      misled: () =>
        asked.filter(({ headers, request }) => {
          const token = headers.get("authorization");
          return !token?.endsWith(` of ${new URL(request.url).origin}`);
        }),
    };
  }

  const [one, other] = ["https://one.test", "https://other.test"];

  test("is called once for each origin, and no new token is sent to another one", async () => {
    const origins = twoOrigins();
    serve({ respond: (visit) => (origins.accepts(visit) ? undefined : unauthorized()) });
    using client = new FindingsClient({ headers: origins.headers, baseUrl: one });
    const calls = [1, 2, 3, 4].map((key) =>
      client.getFindings(key, "topics", key % 2 === 0 ? { baseUrl: `${other}/${key}/` } : {}),
    );
    expect(await Promise.all(calls)).toEqual(Array(4).fill(allFindings(3)));
    expect(origins.renewals.toSorted()).toEqual([one, other]);
    expect(origins.misled()).toEqual([]);
  });

  test("is called for an origin although there are newer headers for another one", async () => {
    const origins = twoOrigins();
    const refuse = gate();
    serve({
      respond: async (visit) => {
        if (origins.accepts(visit)) {
          return undefined;
        }
        await (visit.request.url.startsWith(other) ? refuse.promise : undefined);
        return unauthorized();
      },
    });
    using client = new FindingsClient({ headers: origins.headers, baseUrl: one });
    const late = client.getPartition(1, "topics", 0, { baseUrl: other });
    await vi.waitUntil(() => asked.length === 1);
    expect(await client.getPartition(1, "topics", 1)).toEqual(findingsOf(1));
    refuse.resolve(undefined);
    expect(await late).toEqual(findingsOf(0));
    expect(origins.renewals).toEqual([one, other]);
    expect(origins.misled()).toEqual([]);
  });
});
