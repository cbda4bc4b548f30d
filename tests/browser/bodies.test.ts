/** The bodies of partitions: as blobs where the engine keeps these outside of the page and a worker decodes them, else piece by piece. */

import type { Options } from "inspection-findings";
import { getPartition, getPartitionCounts } from "inspection-findings";
import type { Mock } from "vitest";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { has, testWith } from "./engine.js";
import { countsOf } from "./inspection.js";
import { failureOf } from "./outcome.js";
import { importInRealm, openRealm } from "./realm.js";
import { asked, serve, withoutServiceWorker } from "./service.js";

const LONG = 128 * 1024;
const testBlobs = testWith("blobs outside of the page");

let blob: Mock<() => Promise<Blob>>;

const { blob: unwatched } = Response.prototype;

beforeEach(() => {
  watchBlobs();
  withoutServiceWorker();
});

afterEach(() => {
  Response.prototype.blob = unwatched;
});

/** Counts the calls of blob(), by a proxy: the source of a proxy is that of a native function. */
function watchBlobs() {
  blob = vi.fn(function (this: Response) {
    return unwatched.call(this);
  });
  Response.prototype.blob = new Proxy(blob, {});
}

/** The body of a partition with a text of this many bytes. */
function bodyOf(length = LONG) {
  return JSON.stringify({ Findings: [{ Comment: "é".repeat(length / 2) }], errors: null });
}

/** Serves a partition with this body, and with its length where it is told. */
function serveBody(body = bodyOf(), { isTold = false } = {}) {
  const headers = isTold ? { "content-length": String(new Blob([body]).size) } : undefined;
  serve({ respond: ({ index }) => (index < 0 ? undefined : new Response(body, { headers })) });
}

/** Lets the page send the request, and a worker decode the body. */
function partition(options?: Options) {
  return getPartition(1, "topics", 0, { worker: true, fetch: (href, init) => fetch(href, init), ...options });
}

describe("a body that a worker decodes of a response of the page's own fetch", () => {
  const blobs = has("blobs outside of the page") ? 1 : 0;

  test.for([
    {
      how: "as a blob where it is long, and the engine keeps blobs outside of the page",
      length: LONG,
      isTold: true,
      blobs,
    },
    { how: "as a blob where its length is unknown", length: 10, isTold: false, blobs },
    { how: "piece by piece where it is short", length: 100, isTold: true, blobs: 0 },
  ])("is read $how", async ({ length, isTold, blobs }) => {
    serveBody(bodyOf(length), { isTold });
    expect(await partition()).toEqual(JSON.parse(bodyOf(length)).Findings);
    expect(blob).toHaveBeenCalledTimes(blobs);
  });

  test("is read piece by piece if it has the counts", async () => {
    serve();
    await getPartitionCounts(1, { worker: false });
    expect(blob).not.toHaveBeenCalled();
  });

  test("is read piece by piece where a service worker may have made it: an abort would not reach it", async () => {
    vi.restoreAllMocks();
    watchBlobs();
    serveBody();
    await partition();
    expect(blob).not.toHaveBeenCalled();
  });
});

describe("a body is read piece by piece, whatever its length, where no worker decodes it", () => {
  test("because the call wants none", async () => {
    serveBody();
    expect(await partition({ worker: false })).toEqual(JSON.parse(bodyOf()).Findings);
    expect(blob).not.toHaveBeenCalled();
  });

  test("because the call is too small for one", async () => {
    serveBody();
    expect(await partition({ worker: "auto" })).toEqual(JSON.parse(bodyOf()).Findings);
    expect(blob).not.toHaveBeenCalled();
  });

  test("because the page cannot start one", async () => {
    const { window, package: other } = await importInRealm();
    withoutServiceWorker(window);
    const ofRealm = vi.fn(window.Response.prototype.blob);
    window.Response.prototype.blob = new Proxy(ofRealm, {});
    const start = vi.fn(function refuse() {
      throw new Error("refused");
    });
    window.Worker = start as any;
    const counts = { ...countsOf(4), TopicFindings: null };
    serve({ counts, respond: ({ index }) => (index < 0 ? undefined : new Response(bodyOf())) });
    const findings = await other.getFindings(1, "topics", { baseUrl: location.origin });
    expect(findings).toHaveLength(4);
    expect(start).toHaveBeenCalledTimes(1);
    expect(ofRealm).not.toHaveBeenCalled();
  });
});

describe("a body is read piece by piece, whatever its length, of", () => {
  const others: Record<string, () => Promise<Response>> = {
    "a response that a script has constructed": async () => new Response(bodyOf()),
    "a response of another realm": async () =>
      (await openRealm()).fetch(new URL("./Findings/1/Topics/0", document.baseURI)),
    "a response with members of its own": async () =>
      Object.assign(await fetch("./Findings/1/Topics/0"), { traced: true }),
    "a proxy of a response": async () => {
      const response = await fetch("./Findings/1/Topics/0");
      return new Proxy(response, {
        get: (target, name) => {
          const member = Reflect.get(target, name);
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
    },
  };
  test.for(Object.entries(others))("%s", async ([, give]) => {
    serveBody();
    expect(await partition({ fetch: give })).toEqual(JSON.parse(bodyOf()).Findings);
    expect(blob).not.toHaveBeenCalled();
  });
});

testBlobs("a locked body is a network failure, as everywhere", async () => {
  serveBody();
  const fetch = async (href: string) => {
    const response = await globalThis.fetch(href);
    response.body?.getReader();
    return response;
  };
  expect(await failureOf(partition({ fetch, retries: 0 }))).toMatchObject({ code: "network" });
  expect(blob).not.toHaveBeenCalled();
});

testBlobs(
  "a body of unknown length is read piece by piece if no retry is left, because there may be no room for its blob",
  async () => {
    serveBody();
    const options = { retries: 0, maxPartitionBytes: LONG };
    blob.mockRejectedValue(new DOMException("no room", "QuotaExceededError"));
    const failures = await Promise.all([0, 1, 2].map(() => failureOf(partition(options))));
    expect(failures.map(({ code }) => code)).toEqual(Array(3).fill("too-large"));
  },
);

testBlobs("a blob that cannot be stored is a network failure", async () => {
  serveBody(bodyOf(), { isTold: true });
  const cause = { name: "QuotaExceededError", message: "no room" };
  blob.mockRejectedValueOnce(new DOMException(cause.message, cause.name));
  expect(await failureOf(partition({ retries: 0 }))).toMatchObject({ code: "network", cause });
});

testBlobs("a body whose blob cannot be read is read piece by piece by the retry", async () => {
  serveBody();
  const unreadable = vi.spyOn(Blob.prototype, "arrayBuffer");
  unreadable.mockRejectedValue(new DOMException("gone", "NotReadableError"));
  const script = `Blob.prototype.arrayBuffer = async () => { throw new DOMException("gone", "NotReadableError"); };
    import "${new URL("/package/worker.js", location.href)}";`;
  const worker = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  expect(await partition({ worker, retries: 1 })).toHaveLength(1);
  expect(unreadable).toHaveBeenCalledTimes(1);
  expect(asked).toHaveLength(2);
});

describe("maxPartitionBytes", () => {
  test("refuses a body whose length is told before a byte of it is read", async () => {
    serveBody(bodyOf(), { isTold: true });
    const reader = vi.spyOn(ReadableStream.prototype, "getReader");
    expect(await failureOf(partition({ maxPartitionBytes: 1_000 }))).toMatchObject({ code: "too-large" });
    expect(blob).not.toHaveBeenCalled();
    expect(reader).not.toHaveBeenCalled();
  });

  testBlobs("refuses a blob before it is read", async () => {
    serveBody();
    const read = vi.spyOn(Blob.prototype, "arrayBuffer");
    expect(await failureOf(partition({ maxPartitionBytes: 1_000 }))).toMatchObject({ code: "too-large" });
    expect(blob).toHaveBeenCalledTimes(1);
    expect(read).not.toHaveBeenCalled();
  });
});
