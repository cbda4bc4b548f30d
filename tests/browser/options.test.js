/** Options: what each means, given to the client, to a call, or to both. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, describe, expect, test, vi } from "vitest";
import { allFindings, countsOf, findingsOf } from "./inspection.js";
import { failureOf, pause, rejectionOf } from "./outcome.js";
import { asked, noAnswer, serve } from "./service.js";
import { takeSaid } from "./trouble.js";

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * The address that a partition is asked for at.
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
  test("is the page's own unless told otherwise", async () => {
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

  test("of another origin is asked through the service worker just so", async () => {
    serve();
    expect(await getFindings(1, "topics", { baseUrl: "https://service.test/cxi" })).toEqual(allFindings(3));
    expect(asked.map(({ request }) => request.url)).toContain("https://service.test/cxi/Findings/1/Topics/2");
  });
});

test("credentials and cache are those of fetch", async () => {
  serve({ partitions: 0 });
  await getFindings(1, "topics", { credentials: "omit", cache: "reload" });
  await getFindings(1, "topics", { credentials: "include", cache: "no-cache" });
  expect(asked.map(({ request }) => [request.credentials, request.cache])).toEqual([
    ["omit", "reload"],
    ["include", "no-cache"],
  ]);
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
    serve({ answer: noAnswer });
    for (const name of ["timeout", "totalTimeout"]) {
      using client = new FindingsClient({ [name]: 60_000, retries: 0 });
      expect((await failureOf(client.getFindings(1, "topics", { [name]: 50 }))).message).toContain("50 ms");
      using other = new FindingsClient({ [name]: 50, retries: 0 });
      expect((await failureOf(other.getFindings(1, "topics"))).message).toContain("50 ms");
    }
  });

  test("retries, in both directions", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    serve({ answer: () => new Response(null, { status: 500 }) });
    using client = new FindingsClient({ retries: 1 });
    expect((await failureOf(client.getFindings(1, "topics"))).attempts).toBe(2);
    expect((await failureOf(client.getFindings(1, "topics", { retries: 0 }))).attempts).toBe(1);
    expect((await failureOf(client.getFindings(1, "topics", { retries: 5 }))).attempts).toBe(6);
  });

  test("maxRetryAfter", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    serve({
      answer: ({ count }) =>
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

  test("signal, which may be taken away by undefined only in that the client's is used", async () => {
    serve();
    using client = new FindingsClient({ signal: AbortSignal.abort("of the client") });
    expect(await rejectionOf(client.getFindings(1, "topics", { signal: undefined }))).toBe("of the client");
    expect(await client.getFindings(1, "topics", { signal: new AbortController().signal })).toEqual(allFindings(3));
  });
});

test("options that change after the call was made do not change the call", async () => {
  serve({ partitions: 3, counts: { ...countsOf(3), TopicFindings: 7 }, answer: () => pause(5).then(() => undefined) });
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

test("options may be frozen, and are not changed", async () => {
  serve();
  const options = Object.freeze({ retries: 1, headers: Object.freeze({ "x-one": "1" }), signal: null });
  using client = new FindingsClient(options);
  expect(await client.getFindings(1, "topics", options)).toEqual(allFindings(3));
  expect(options).toEqual({ retries: 1, headers: { "x-one": "1" }, signal: null });
});
