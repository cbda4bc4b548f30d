/** Options: what each means, given to the client, to a call, or to both. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { allFindings, countsOf } from "./inspection.js";
import { failureOf, pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

/** The address of the request for a partition. @param {string | URL} [baseUrl] */
async function addressUnder(baseUrl) {
  const fetch = vi.fn(async (/** @type {string} */ _href) => Response.json({ Findings: [] }));
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
    ["https://service.test/cxi", "https://service.test/cxi/"],
    ["https://service.test/a/../b%20c/ü", "https://service.test/b%20c/%C3%BC/"],
    ["HTTPS://SERVICE.test/Cxi", "https://service.test/Cxi/"],
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
});

describe("of a client and of a call, the call's wins:", () => {
  test("baseUrl", async () => {
    serve({ partitions: 0 });
    using client = new FindingsClient({ baseUrl: "https://client.test/" });
    await client.getFindings(1, "topics");
    await client.getFindings(1, "topics", { baseUrl: "https://call.test/" });
    expect(asked.map(({ request }) => new URL(request.url).host)).toEqual(["client.test", "call.test"]);
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
  const ofClient = { retries: 0 };
  const ofCall = { completeness: /** @type {const} */ ("off") };
  using client = new FindingsClient(ofClient);
  const call = client.getFindings(1, "topics", ofCall);
  Object.assign(ofClient, { retries: -1, unknown: true });
  Object.assign(ofCall, { completeness: "strict", baseUrl: "ftp://service.test/" });
  expect(await call).toEqual(allFindings(3));
  expect(await client.getFindings(1, "topics", { completeness: "off" })).toEqual(allFindings(3));
});

describe("copied when they are given:", () => {
  /** @type {[string, () => any, (given: any) => unknown][]} */
  const changing = [
    [
      "a Headers",
      () => ({ headers: new Headers({ "x-token": "given" }) }),
      ({ headers }) => headers.set("x-token", "no"),
    ],
    [
      "an object",
      () => ({ headers: { "x-token": "given" } }),
      ({ headers }) => Object.assign(headers, { "x-token": "no" }),
    ],
    ["pairs", () => ({ headers: [["x-token", "given"]] }), ({ headers: [pair] }) => pair.splice(1, 1, "no")],
    [
      "a URL",
      () => ({ baseUrl: new URL("https://given.test/cxi") }),
      ({ baseUrl }) => Object.assign(baseUrl, { host: "no" }),
    ],
  ];

  test.for(changing)("the value of an option given as %s", async ([, give, change]) => {
    serve({ partitions: 1 });
    const [ofClient, ofCall] = [give(), give()];
    using client = new FindingsClient(ofClient);
    change(ofClient);
    const call = client.getFindings(1, "topics", ofCall);
    const stream = client.streamPartitions(1, "topics", ofCall);
    change(ofCall);
    await call;
    await client.getFindings(1, "topics");
    await stream.next();
    expect(asked.length).toBeGreaterThan(4);
    const given = asked.map(
      ({ headers, request }) => headers.get("x-token") ?? new URL(request.url).host.split(".")[0],
    );
    expect(new Set(given)).toEqual(new Set(["given"]));
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
      return { "x-from": "given" };
    }
  }

  /** @type {Record<string, () => any>} */
  const inheriting = {
    "by a class of a class with getters": () => new (class extends Defaults {})(),
    "by Object.create": () => Object.create(new Defaults()),
    "without a prototype": () =>
      Object.assign(Object.create(null), { baseUrl: address, headers: { "x-from": "given" } }),
  };

  test.for(Object.entries(inheriting))("options given %s are the options", async ([, give]) => {
    serve({ partitions: 1 });
    using client = new FindingsClient(give());
    await client.getPartitionCounts(1);
    using other = new FindingsClient({ baseUrl: "https://other.test/", headers: {} });
    await other.getFindings(1, "topics", give());
    expect(asked).toHaveLength(3);
    for (const { request, headers } of asked) {
      expect(request.url).toMatch(address);
      expect(headers.get("x-from")).toBe("given");
    }
  });

  test("an unknown inherited member is ignored, and the value of an unknown one is not read", async () => {
    serve();
    const inherited = Object.create({ toJSON() {}, logger: console, retriez: 1 });
    expect(await getFindings(1, "topics", inherited)).toEqual(allFindings(3));
    const options = Object.defineProperty({}, "retriez", { get: () => expect.fail("was read"), enumerable: true });
    expect((await rejectionOf(getFindings(1, "topics", options))).message).toContain("retriez");
  });

  test("a getter that throws ends each call with what it has thrown, and throws at nobody", async () => {
    const thrown = new TypeError("mine");
    const options = {
      /** @returns {number} */
      get retries() {
        throw thrown;
      },
    };
    using client = new FindingsClient();
    using wrong = new FindingsClient(options);
    for (const call of [
      client.getFindings(1, "topics", options),
      client.streamPartitions(1, "topics", options).next(),
      wrong.getFindings(1, "topics"),
      wrong.preload(),
      getFindings(1, "topics", options),
    ]) {
      expect(await rejectionOf(call)).toBe(thrown);
    }
    expect(asked).toEqual([]);
  });
});

describe("an option of the client in a call", () => {
  /** The options that have no default value, of which a client has some. */
  const ofClient = () => ({
    baseUrl: "https://elsewhere.test/",
    headers: { "x-from": "client" },
    fetch: vi.fn((/** @type {string} */ href, /** @type {RequestInit} */ init) => fetch(href, init)),
    signal: AbortSignal.abort("client"),
    totalTimeout: 1,
    readCounts: vi.fn(() => ({ topics: { partitions: 1, findings: 2 } })),
    onProgress: vi.fn(),
    onPartition: vi.fn(),
  });

  test("is unset by null if it has no default value, and by nothing else", async () => {
    serve({ partitions: 2 });
    const given = ofClient();
    using client = new FindingsClient(given);
    const unset = /** @type {Record<string, null>} */ (
      Object.fromEntries(Object.keys(given).map((name) => [name, null]))
    );
    expect(await client.getFindings(1, "topics", unset)).toEqual(allFindings(2));
    expect(asked.every(({ request }) => request.url.startsWith(new URL(".", document.baseURI).href))).toBe(true);
    expect(asked.some(({ headers }) => headers.has("x-from"))).toBe(false);
    for (const callback of [given.fetch, given.readCounts, given.onProgress, given.onPartition]) {
      expect(callback).not.toHaveBeenCalled();
    }
    (await client.loadTable(1, "topics", { ...unset, columns: null, from: null })).free();
    expect(await rejectionOf(client.getFindings(1, "topics"))).toBe("client");
    const absent = Object.fromEntries(Object.keys(given).map((name) => [name, undefined]));
    expect(await rejectionOf(client.getFindings(1, "topics", absent))).toBe("client");
    await client.getFindings(1, "topics", { signal: null, totalTimeout: null });
    expect(given.onProgress).toHaveBeenCalled();
  });

  test("is unset by null for a call that resumes", async () => {
    let broken = true;
    serve({ respond: ({ index }) => (broken && index === 1 ? new Response(null, { status: 404 }) : undefined) });
    const onProgress = vi.fn();
    const failure = await failureOf(getFindings(1, "topics", { failurePolicy: "collect", onProgress }));
    broken = false;
    onProgress.mockClear();
    const options = { onProgress: null, baseUrl: "https://service.test/" };
    expect(await failure.resume?.(options)).toEqual(allFindings(3));
    expect(onProgress).not.toHaveBeenCalled();
    expect(asked.at(-1)?.request.url).toMatch("https://service.test/");
  });

  test("which has a default value cannot be null", async () => {
    for (const name of ["retries", "cache", "worker"]) {
      const error = await rejectionOf(new FindingsClient({ [name]: null }).getFindings(1, "topics"));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`${name} must be`);
    }
  });
});
