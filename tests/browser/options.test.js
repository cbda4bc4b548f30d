/** Options: what each means, given to the client, to a call, or to both. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, describe, expect, test, vi } from "vitest";
import { allFindings, countsOf } from "./inspection.js";
import { pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

/** The page's element `base`, while a test has one. */
const base = document.createElement("base");

/** Gives the page another base URL until the end of the test. @param {string} href */
function movePage(href) {
  base.href = href;
  document.head.append(base);
}

afterEach(() => base.remove());

describe("baseUrl", () => {
  /** @type {[given: string | undefined, page: string, url: string][]} */
  const urls = [
    [undefined, document.baseURI, new URL(".", document.baseURI).href],
    [undefined, "/some/path/page.html?a=1#b", `${location.origin}/some/path/`],
    [undefined, "https://elsewhere.test/x/y", "https://elsewhere.test/x/"],
    ["/cxi", document.baseURI, `${location.origin}/cxi/`],
    ["cxi/api", "https://elsewhere.test/x/y", "https://elsewhere.test/x/cxi/api/"],
    ["//service.test/cxi", document.baseURI, `${location.protocol}//service.test/cxi/`],
    ["https://service.test", document.baseURI, "https://service.test/"],
    ["https://service.test/a/../b%20c/ü", document.baseURI, "https://service.test/b%20c/%C3%BC/"],
    ["HTTPS://SERVICE.test/Cxi", document.baseURI, "https://service.test/Cxi/"],
    ["http://[::1]:5000/x", document.baseURI, "http://[::1]:5000/x/"],
  ];

  test.for(urls)("of %s in the page %s is %s: a missing slash at its end is added", async ([given, page, url]) => {
    movePage(page);
    const fetch = vi.fn(async (/** @type {string} */ _href) => Response.json({ Findings: [] }));
    const forms = given === undefined ? [{}] : [{ baseUrl: given }, { baseUrl: new URL(given, page) }];
    for (const options of forms) await getPartition(1, "topics", 0, { fetch, ...options });
    expect(fetch.mock.calls.map(([href]) => href)).toEqual(forms.map(() => `${url}Findings/1/Topics/0`));
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
  const headers = { "x-token": "given" };

  /** @type {[string, () => any, (given: any) => unknown][]} */
  const changing = [
    ["a Headers", () => ({ headers: new Headers(headers) }), ({ headers }) => headers.set("x-token", "no")],
    ["an object", () => ({ headers: { ...headers } }), ({ headers }) => Object.assign(headers, { "x-token": "no" })],
    ["pairs", () => ({ headers: Object.entries(headers) }), ({ headers: [pair] }) => pair.splice(1, 1, "no")],
    [
      "a URL",
      () => ({ baseUrl: new URL("https://given.test/cxi") }),
      ({ baseUrl }) => Object.assign(baseUrl, { host: "no" }),
    ],
    [
      "a URL that is relative to the page of that time",
      () => {
        movePage("https://given.test/");
        return { baseUrl: "cxi" };
      },
      () => movePage("https://no.test/"),
    ],
  ];

  test.for(changing)("the value of an option given as %s", async ([, give, change]) => {
    serve({ partitions: 1 });
    const [ofClient, ofCall] = [give(), give()];
    using client = new FindingsClient(ofClient);
    const call = client.getFindings(1, "topics", ofCall);
    const stream = client.streamPartitions(1, "topics", ofCall);
    for (const options of [ofClient, ofCall]) change(options);
    await call;
    await client.getFindings(1, "topics");
    await stream.next();
    expect(asked.length).toBeGreaterThan(4);
    const given = asked.map(({ headers, request }) => headers.get("x-token") ?? request.url.match(/given(?=\.)/)?.[0]);
    expect(new Set(given)).toEqual(new Set(["given"]));
  });
});

test("an unknown inherited member is ignored, and the value of an unknown one is not read", async () => {
  serve();
  const inherited = Object.create({ toJSON() {}, logger: console, retriez: 1 });
  expect(await getFindings(1, "topics", inherited)).toEqual(allFindings(3));
  const options = Object.defineProperty({}, "retriez", { get: () => expect.fail("was read"), enumerable: true });
  expect((await rejectionOf(getFindings(1, "topics", options))).message).toContain("retriez");
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

  test("which has a default value cannot be null", async () => {
    for (const name of ["retries", "cache", "worker"]) {
      const error = await rejectionOf(new FindingsClient({ [name]: null }).getFindings(1, "topics"));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`${name} must be`);
    }
  });
});
