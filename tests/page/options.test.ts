/** Options: what each means, given to the client, to a call, or to both. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { openStore } from "inspection-findings/keep";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { allFindings, countsOf } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";

/** The page's element `base`, while a test has one. */
const base = document.createElement("base");

/** Gives the page another base URL until the end of the test. */
function movePage(href: string) {
  base.href = href;
  document.head.append(base);
  onTestFinished(() => base.remove());
}

describe("baseUrl", () => {
  test.for<[given: string | undefined, page: string, url: string]>([
    [undefined, document.baseURI, new URL(".", document.baseURI).href],
    [undefined, "/some/path/page.html?a=1#b", `${location.origin}/some/path/`],
    [undefined, "https://elsewhere.test/x/y", "https://elsewhere.test/x/"],
    ["/cxi", document.baseURI, `${location.origin}/cxi/`],
    ["cxi/api", "https://elsewhere.test/x/y", "https://elsewhere.test/x/cxi/api/"],
    ["https://service.test", document.baseURI, "https://service.test/"],
  ])(
    "of %s in the page %s is %s, even if the page moves on: a missing slash at its end is added",
    async ([given, page, url]) => {
      const fetch = vi.fn(async (_href: string) => Response.json({ Findings: [] }));
      const forms = given === undefined ? [{}] : [{ baseUrl: given }, { baseUrl: new URL(given, page) }];
      for (const options of forms) {
        movePage(page);
        const call = getPartition(1, "topics", 0, { fetch, ...options });
        movePage("https://no.test/");
        await call;
      }
      expect(fetch.mock.calls.map(([href]) => href)).toEqual(forms.map(() => `${url}Findings/1/Topics/0`));
    },
  );

  test("of the load of a store is that of the page at the call, even if the page moves on", async () => {
    movePage("https://given.test/");
    const fetch = vi.fn(async (_href: string) => Response.json(countsOf(0)));
    const loading = openStore().load(new FindingsClient({ fetch }), 1, "topics");
    movePage("https://no.test/");
    const live = await loading;
    await live.done;
    expect(fetch.mock.calls.map(([href]) => href)).toEqual(["https://given.test/Findings/1"]);
    live.free();
  });
});

describe("copied when they are given:", () => {
  const headers = { "x-token": "given" };

  // P32
  test.for<[string, () => any, (given: any) => unknown]>([
    ["an object", () => ({ headers: { ...headers } }), ({ headers }) => Object.assign(headers, { "x-token": "no" })],
    ["a Headers", () => ({ headers: new Headers(headers) }), ({ headers }) => headers.set("x-token", "no")],
    ["pairs", () => ({ headers: Object.entries(headers) }), ({ headers: [pair] }) => pair.splice(1, 1, "no")],
    [
      "a URL",
      () => ({ baseUrl: new URL("https://given.test/") }),
      ({ baseUrl }) => Object.assign(baseUrl, { host: "no" }),
    ],
    ["a URL that is relative to the page", () => ({ baseUrl: "cxi" }), () => movePage("https://no.test/")],
  ])("the options of a client and of a call, one of which is %s", async ([, give, change]) => {
    movePage("https://given.test/");
    serve({ partitions: 1, counts: { ...countsOf(1), TopicFindings: 7 } });
    const [ofClient, ofCall] = [0, 0].map(() => ({ ...give(), retries: 0, completeness: "off" }));
    using client = new FindingsClient(ofClient);
    const call = client.getFindings(1, "topics", ofCall);
    const stream = client.streamPartitions(1, "topics", ofCall);
    for (const options of [ofClient, ofCall]) {
      change(options);
      Object.assign(options, { retries: -1, completeness: "strict", unknown: true });
    }
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

test("an option of the client in a call is unset by null if it has no default value, and by nothing else", async () => {
  serve({ partitions: 2 });
  const callbacks = {
    fetch: vi.fn((href: string, init: RequestInit) => fetch(href, init)),
    readCounts: vi.fn(() => ({ topics: { partitions: 1, findings: 2 } })),
    onProgress: vi.fn(),
    onPartition: vi.fn(),
  };
  const signal = AbortSignal.abort("client");
  const headers = { "x-from": "client" };
  const given = { ...callbacks, baseUrl: "https://elsewhere.test/", headers, signal, totalTimeout: 1 };
  const all = (value: any) => Object.fromEntries(Object.keys(given).map((name) => [name, value]));
  using client = new FindingsClient(given);
  expect(await client.getFindings(1, "topics", all(null))).toEqual(allFindings(2));
  for (const { request, headers } of asked) {
    expect(request.url.startsWith(new URL(".", document.baseURI).href)).toBe(true);
    expect(headers.has("x-from")).toBe(false);
  }
  for (const callback of Object.values(callbacks)) expect(callback).not.toHaveBeenCalled();
  (await client.loadTable(1, "topics", { ...all(null), columns: null, from: null })).free();
  for (const options of [undefined, all(undefined)]) {
    expect(await rejectionOf(client.getFindings(1, "topics", options))).toBe("client");
  }
  await client.getFindings(1, "topics", { signal: null, totalTimeout: null });
  expect(callbacks.onProgress).toHaveBeenCalled();
});
