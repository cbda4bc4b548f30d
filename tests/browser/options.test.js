/** Options: what each means, given to the client, to a call, or to both. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, describe, expect, test, vi } from "vitest";
import { allFindings, countsOf, findingsOf } from "./inspection.js";
import { failureOf, pause, rejectionOf } from "./outcome.js";
import { asked, noResponse, serve } from "./service.js";
import { takeSaid } from "./trouble.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * The address of the request for a partition.
 * @param {string | URL} [baseUrl]
 */
async function addressUnder(baseUrl) {
  const fetch = vi.fn(async (/** @type {string} */ _href, /** @type {RequestInit} */ _init) =>
    Response.json({ Findings: [] }),
  );
  await getPartition(1, "topics", 0, { fetch, ...(baseUrl === undefined ? {} : { baseUrl }) });
  return fetch.mock.calls[0][0];
}

describe("baseUrl", () => {
  test("is the page's own by default", async () => {
    expect(await addressUnder()).toBe(new URL("Findings/1/Topics/0", document.baseURI).href);
    const base = document.head.appendChild(document.createElement("base"));
    for (const [href, under] of [
      ["/some/path/", "/some/path/"],
      ["/some/path/page.html?a=1#b", "/some/path/"],
      ["https://elsewhere.test/x/y", "https://elsewhere.test/x/"],
    ]) {
      base.href = href;
      expect(await addressUnder()).toBe(new URL(`${under}Findings/1/Topics/0`, location.origin).href);
    }
    base.remove();
  });

  test.for([
    ["https://service.test", "https://service.test/"],
    ["https://service.test/", "https://service.test/"],
    ["https://service.test/cxi", "https://service.test/cxi/"],
    ["https://service.test/cxi/", "https://service.test/cxi/"],
    ["https://service.test:8443/a/b", "https://service.test:8443/a/b/"],
    ["https://service.test/a/../b%20c/ü", "https://service.test/b%20c/%C3%BC/"],
    ["HTTPS://SERVICE.test/Cxi", "https://service.test/Cxi/"],
    ["http://127.0.0.1:5000", "http://127.0.0.1:5000/"],
    ["http://[::1]:5000/x", "http://[::1]:5000/x/"],
  ])("of %s is %s: a missing slash at its end is added", async ([baseUrl, base]) => {
    expect(await addressUnder(baseUrl)).toBe(`${base}Findings/1/Topics/0`);
    expect(await addressUnder(new URL(baseUrl))).toBe(`${base}Findings/1/Topics/0`);
  });

  test("may be relative to the page", async () => {
    expect(await addressUnder("/cxi")).toBe(new URL("/cxi/Findings/1/Topics/0", location.origin).href);
    expect(await addressUnder("cxi/api")).toBe(new URL("cxi/api/Findings/1/Topics/0", document.baseURI).href);
    expect(await addressUnder("//service.test/cxi")).toBe(`${location.protocol}//service.test/cxi/Findings/1/Topics/0`);
  });

  test("of another origin works through the service worker as well", async () => {
    serve();
    expect(await getFindings(1, "topics", { baseUrl: "https://service.test/cxi" })).toEqual(allFindings(3));
    expect(asked.map(({ request }) => request.url)).toContain("https://service.test/cxi/Findings/1/Topics/2");
  });
});

describe("of a client and of a call, the call's wins:", () => {
  test("baseUrl", async () => {
    serve({ partitions: 0 });
    using client = new FindingsClient({ baseUrl: "https://client.test/" });
    await client.getFindings(1, "topics");
    await client.getFindings(1, "topics", { baseUrl: "https://call.test/" });
    expect(asked.map(({ request }) => new URL(request.url).host)).toEqual(["client.test", "call.test"]);
  });

  test("headers", async () => {
    serve({ partitions: 0 });
    using client = new FindingsClient({ headers: { "x-from": "client", "x-more": "client" } });
    await client.getFindings(1, "topics");
    await client.getFindings(1, "topics", { headers: () => ({ "x-from": "call" }) });
    expect(asked.map(({ headers }) => [headers.get("x-from"), headers.get("x-more")])).toEqual([
      ["client", "client"],
      ["call", null],
    ]);
  });

  test("credentials and cache", async () => {
    serve({ partitions: 0 });
    using client = new FindingsClient({ credentials: "omit", cache: "reload" });
    await client.getFindings(1, "topics");
    await client.getFindings(1, "topics", { credentials: "include", cache: "default" });
    expect(asked.map(({ request }) => [request.credentials, request.cache])).toEqual([
      ["omit", "reload"],
      ["include", "default"],
    ]);
  });

  test("fetch", async () => {
    serve();
    const [ofClient, ofCall] = [vi.fn(fetch), vi.fn(fetch)];
    using client = new FindingsClient({ fetch: (href, init) => ofClient(href, init) });
    await client.getPartition(1, "topics", 0);
    await client.getPartition(1, "topics", 0, { fetch: (href, init) => ofCall(href, init) });
    expect([ofClient.mock.calls.length, ofCall.mock.calls.length]).toEqual([1, 1]);
  });

  test("timeout and totalTimeout", async () => {
    serve({ respond: noResponse });
    for (const name of ["timeout", "totalTimeout"]) {
      using client = new FindingsClient({ [name]: 60_000, retries: 0 });
      expect((await failureOf(client.getFindings(1, "topics", { [name]: 50 }))).message).toContain("50 ms");
      using other = new FindingsClient({ [name]: 50, retries: 0 });
      expect((await failureOf(other.getFindings(1, "topics"))).message).toContain("50 ms");
    }
  });

  test("retries, in both directions", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    serve({ respond: () => new Response(null, { status: 500 }) });
    using client = new FindingsClient({ retries: 1 });
    expect((await failureOf(client.getFindings(1, "topics"))).attempts).toBe(2);
    expect((await failureOf(client.getFindings(1, "topics", { retries: 0 }))).attempts).toBe(1);
    expect((await failureOf(client.getFindings(1, "topics", { retries: 5 }))).attempts).toBe(6);
  });

  test("maxRetryAfter", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    serve({
      respond: ({ count }) =>
        count === 1 ? new Response(null, { status: 503, headers: { "retry-after": "1" } }) : undefined,
    });
    using client = new FindingsClient({ maxRetryAfter: 0 });
    expect((await failureOf(client.getPartition(1, "topics", 0))).attempts).toBe(1);
    expect(await client.getPartition(1, "topics", 1, { maxRetryAfter: 1_000 })).toEqual(findingsOf(1));
  });

  test("completeness", async () => {
    serve({ counts: { TopicPartitions: 3, TopicFindings: 7 } });
    using client = new FindingsClient({ completeness: "off" });
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(3));
    expect((await failureOf(client.getFindings(1, "topics", { completeness: "strict" }))).code).toBe("incomplete");
    await client.getFindings(1, "topics", { completeness: "warn" });
    expect(takeSaid()).toHaveLength(1);
  });

  test("maxPartitionBytes", async () => {
    serve();
    using client = new FindingsClient({ maxPartitionBytes: 5 });
    expect((await failureOf(client.getPartition(1, "topics", 0))).code).toBe("too-large");
    expect(await client.getPartition(1, "topics", 0, { maxPartitionBytes: 5_000 })).toEqual(findingsOf(0));
  });

  test("readCounts", async () => {
    serve({ partitions: 2 });
    using client = new FindingsClient({
      readCounts: () => ({ topics: { partitions: 1 }, sentiment: { partitions: 1 } }),
    });
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(1));
    expect(await client.getFindings(1, "topics", { readCounts: () => ({ topics: { partitions: 2 } }) })).toEqual(
      allFindings(2),
    );
  });

  test("onProgress", async () => {
    serve();
    const [ofClient, ofCall] = [vi.fn(), vi.fn()];
    using client = new FindingsClient({ onProgress: ofClient });
    await client.getFindings(1, "topics", { onProgress: ofCall });
    expect([ofClient.mock.calls.length, ofCall.mock.calls.length]).toEqual([0, 4]);
    await client.getFindings(1, "topics");
    expect(ofClient.mock.calls.length).toBe(4);
  });

  test("signal, where undefined means the client's", async () => {
    serve();
    using client = new FindingsClient({ signal: AbortSignal.abort("of the client") });
    expect(await rejectionOf(client.getFindings(1, "topics", { signal: undefined }))).toBe("of the client");
    expect(await client.getFindings(1, "topics", { signal: new AbortController().signal })).toEqual(allFindings(3));
  });
});

test("options that change after the call do not change the call", async () => {
  serve({ partitions: 3, counts: { ...countsOf(3), TopicFindings: 7 }, respond: () => pause(5).then(() => undefined) });
  const [ofClient, ofCall] = [
    { retries: 0 },
    /** @type {import("inspection-findings").Options} */ ({ completeness: "off" }),
  ];
  using client = new FindingsClient(ofClient);
  const call = client.getFindings(1, "topics", ofCall);
  Object.assign(ofClient, { retries: -1, unknown: true });
  Object.assign(ofCall, { completeness: "strict", baseUrl: "ftp://service.test/" });
  expect(await call).toEqual(allFindings(3));
  expect(await client.getFindings(1, "topics", { completeness: "off" })).toEqual(allFindings(3));
});

describe("copied when they are given:", () => {
  /** @type {Record<string, () => { headers: any, change: () => void }>} */
  const changing = {
    "a Headers": () => {
      const headers = new Headers({ "x-token": "given" });
      return { headers, change: () => headers.set("x-token", "later") };
    },
    "an object": () => {
      const headers = { "x-token": "given" };
      return { headers, change: () => Object.assign(headers, { "x-token": "later" }) };
    },
    pairs: () => {
      const headers = [["x-token", "given"]];
      return { headers, change: () => headers.splice(0, 1, ["x-token", "later"]) };
    },
    "a pair": () => {
      const pair = ["x-token", "given"];
      return { headers: [pair], change: () => pair.splice(1, 1, "later") };
    },
  };

  test.for(Object.entries(changing))("headers given as %s", async ([, give]) => {
    serve({ partitions: 1 });
    const [ofClient, ofCall] = [give(), give()];
    using client = new FindingsClient({ headers: ofClient.headers });
    ofClient.change();
    await client.getFindings(1, "topics");
    const call = client.getFindings(1, "topics", { headers: ofCall.headers });
    const stream = client.streamPartitions(1, "topics", { headers: ofCall.headers });
    ofCall.change();
    await call;
    await client.getFindings(1, "topics");
    await stream.next();
    expect(asked.length).toBeGreaterThan(6);
    expect(new Set(asked.map(({ headers }) => headers.get("x-token")))).toEqual(new Set(["given"]));
  });

  test("a URL", async () => {
    serve({ partitions: 1 });
    const [ofClient, ofCall] = [new URL("https://client.test/cxi"), new URL("https://call.test/cxi")];
    using client = new FindingsClient({ baseUrl: ofClient });
    ofClient.host = "later.test";
    await client.getFindings(1, "topics");
    const call = client.getFindings(1, "topics", { baseUrl: ofCall });
    const stream = client.streamPartitions(1, "topics", { baseUrl: ofCall });
    ofCall.host = "later.test";
    await call;
    await stream.next();
    expect(new Set(asked.map(({ request }) => new URL(request.url).host))).toEqual(
      new Set(["client.test", "call.test"]),
    );
  });

  test("a relative URL is resolved against the page of that time", async () => {
    serve({ partitions: 1 });
    using client = new FindingsClient({ baseUrl: "cxi" });
    const base = document.head.appendChild(document.createElement("base"));
    base.href = "https://later.test/";
    await client.getFindings(1, "topics");
    base.remove();
    expect(asked[0]?.request.url).toBe(new URL("cxi/Findings/1", document.baseURI).href);
  });
});

test("options may be frozen, and are not changed", async () => {
  serve();
  const options = Object.freeze({ retries: 1, headers: Object.freeze({ "x-one": "1" }), signal: null });
  using client = new FindingsClient(options);
  expect(await client.getFindings(1, "topics", options)).toEqual(allFindings(3));
  expect(options).toEqual({ retries: 1, headers: { "x-one": "1" }, signal: null });
});

describe("read as WebIDL reads a dictionary,", () => {
  const address = "https://service.test/cxi/";

  class Defaults {
    get baseUrl() {
      return address;
    }

    get headers() {
      return { "x-from": "a getter of the class" };
    }
  }

  /** @type {Record<string, () => any>} */
  const inheriting = {
    "by a class with getters": () => new Defaults(),
    "by a class of a class": () => new (class extends Defaults {})(),
    "by Object.create": () => Object.create({ baseUrl: address, headers: { "x-from": "a default" } }),
    "by getters of their own": () => ({
      get baseUrl() {
        return address;
      },
      headers: { "x-from": "its own" },
    }),
    "by properties that are not enumerable": () =>
      Object.defineProperties({}, { baseUrl: { value: address }, headers: { value: { "x-from": "not enumerable" } } }),
    "by a proxy": () =>
      new Proxy({}, { get: (_, name) => ({ baseUrl: address, headers: { "x-from": "a proxy" } })[String(name)] }),
    "without a prototype": () =>
      Object.assign(Object.create(null), { baseUrl: address, headers: { "x-from": "no prototype" } }),
  };

  test.for(Object.entries(inheriting))("options given %s are the options", async ([, give]) => {
    serve({ partitions: 1 });
    const before = asked.length;
    await getFindings(1, "topics", give());
    using client = new FindingsClient(give());
    await client.getFindings(1, "topics");
    using other = new FindingsClient({ baseUrl: "https://other.test/", headers: {} });
    await other.getFindings(1, "topics", give());
    for await (const _ of other.streamPartitions(1, "topics", give())) {
      // Only values that are read count.
    }
    const seen = asked.slice(before);
    expect(seen).toHaveLength(8);
    for (const { request, headers } of seen) {
      expect(request.url).toMatch(address);
      expect(headers.get("x-from")).toMatch(/./);
    }
  });

  test("options of resume() are too", async () => {
    let broken = true;
    serve({
      respond: ({ index }) => (broken && index === 1 ? new Response(null, { status: 404 }) : undefined),
    });
    const failure = await failureOf(getFindings(1, "topics", { failurePolicy: "collect" }));
    broken = false;
    expect(await failure.resume?.(Object.create({ baseUrl: address }))).toEqual(allFindings(3));
    expect(asked.at(-1)?.request.url).toMatch(address);
  });

  test("an unknown inherited member is ignored", async () => {
    serve();
    const options = Object.create({ toJSON() {}, logger: console, retriez: 1 });
    expect(await getFindings(1, "topics", options)).toEqual(allFindings(3));
  });

  test("the value of an unknown one is not read", async () => {
    const options = {
      get retriez() {
        return expect.fail("was read");
      },
    };
    expect((await rejectionOf(getFindings(1, "topics", /** @type {any} */ (options)))).message).toContain("retriez");
  });

  test("each is read once per call", async () => {
    serve();
    /** @type {string[]} */
    const read = [];
    const counting = () =>
      new Proxy(
        { retries: 0, signal: new AbortController().signal, totalTimeout: 5_000 },
        {
          get: (target, name) => {
            read.push(String(name));
            return Reflect.get(target, name);
          },
        },
      );
    const names = [
      ...[
        "baseUrl",
        "cache",
        "columns",
        "completeness",
        "concurrency",
        "credentials",
        "failurePolicy",
        "fetch",
        "from",
        "headers",
      ],
      ...["maxBufferedBytes", "maxPartitionBytes", "maxRetryAfter", "measure", "onPartition", "onProgress", "order"],
      ...["readCounts", "retries", "signal", "timeout", "totalTimeout", "worker"],
    ];
    using client = new FindingsClient();
    for (const call of [
      () => client.getPartitionCounts(1, counting()),
      () => client.getPartition(1, "topics", 0, counting()),
      () => client.getFindings(1, "topics", counting()),
      async () => (await client.loadTable(1, "topics", counting())).free(),
      () => client.streamPartitions(1, "topics", counting()).next(),
      () => getFindings(1, "topics", counting()),
    ]) {
      await call();
      expect(read.splice(0).toSorted()).toEqual(names);
    }
    using counted = new FindingsClient(counting());
    await counted.getPartition(1, "topics", 0);
    await counted.getPartition(1, "topics", 0);
    expect(read.toSorted()).toEqual(names);
  });

  test.for([
    ["an Error", new Error("mine")],
    ["text", "mine"],
    ["undefined", undefined],
  ])("a getter that throws %s rejects the call with that, and throws at nobody", async ([, thrown]) => {
    const throwing = () => {
      throw thrown;
    };
    /** @type {any[]} */
    const all = [
      Object.defineProperty({}, "timeout", { get: throwing, enumerable: true }),
      Object.create(Object.defineProperty({}, "signal", { get: throwing })),
      new Proxy({}, { ownKeys: throwing }),
    ];
    for (const options of all) {
      using client = new FindingsClient();
      using wrong = new FindingsClient(options);
      for (const call of [
        client.getPartitionCounts(1, options),
        client.getPartition(1, "topics", 0, options),
        client.getFindings(1, "topics", options),
        client.loadTable(1, "topics", options),
        client.streamPartitions(1, "topics", options).next(),
        wrong.getFindings(1, "topics"),
        wrong.streamPartitions(1, "topics").next(),
        getFindings(1, "topics", options),
      ]) {
        expect(await rejectionOf(call)).toBe(thrown);
      }
    }
    expect(asked).toEqual([]);
  });
});
