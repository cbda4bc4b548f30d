/** The bodies of partitions: as blobs where the engine keeps these outside of the page, else piece by piece. */

import { getPartition, getPartitionCounts } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { has, testWith } from "./engine.js";
import { failureOf } from "./outcome.js";
import { openRealm } from "./realm.js";
import { asked, serve, withoutServiceWorker } from "./service.js";

const LONG = 128 * 1024;
const testBlobs = testWith("blobs outside of the page");

/** @type {import("vitest").Mock<() => Promise<Blob>>} */
let blob;

beforeEach(() => {
  blob = vi.spyOn(Response.prototype, "blob");
  withoutServiceWorker();
});

/** @param {number} length at least */
function bodyOf(length) {
  return JSON.stringify({ Findings: [{ Comment: "é".repeat(length / 2) }], errors: null });
}

/**
 * Serves a partition with this body.
 * @param {BodyInit} body
 * @param {Record<string, string>} [headers]
 */
function serveBody(body, headers = {}) {
  serve({ respond: ({ index }) => (index < 0 ? undefined : new Response(body, { headers })) });
}

/** @param {import("inspection-findings").Options} [options] */
function partition(options) {
  return getPartition(1, "topics", 0, { worker: false, ...options });
}

describe("a body of the page's own fetch", () => {
  test("is a blob where it is long, and the engine keeps blobs outside of the page", async () => {
    const body = bodyOf(LONG);
    serveBody(body, { "content-length": String(new Blob([body]).size) });
    expect(await partition()).toEqual(JSON.parse(body).Findings);
    expect(blob).toHaveBeenCalledTimes(has("blobs outside of the page") ? 1 : 0);
  });

  testBlobs("is a blob where its length is unknown", async () => {
    serveBody(bodyOf(10));
    await partition();
    expect(blob).toHaveBeenCalledTimes(1);
  });

  test("is read piece by piece where it is short", async () => {
    serveBody(bodyOf(100), { "content-length": "150" });
    expect(await partition()).toEqual(JSON.parse(bodyOf(100)).Findings);
    await getPartitionCounts(1, { worker: false });
    expect(blob).not.toHaveBeenCalled();
  });

  test("is read piece by piece where a service worker may have made it: an abort would not reach it", async () => {
    vi.restoreAllMocks();
    blob = vi.spyOn(Response.prototype, "blob");
    serveBody(bodyOf(LONG));
    await partition();
    expect(blob).not.toHaveBeenCalled();
  });

  testBlobs("is a blob of a fetch option that passes on the page's own response", async () => {
    serveBody(bodyOf(LONG));
    await partition({ fetch: (href, init) => fetch(href, init) });
    expect(blob).toHaveBeenCalledTimes(1);
  });
});

describe("a body is read piece by piece, whatever its length, of", () => {
  /** @type {Record<string, () => Promise<Response>>} */
  const others = {
    "a response that a script has constructed": async () => new Response(bodyOf(LONG)),
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
    serveBody(bodyOf(LONG));
    expect(await partition({ fetch: give })).toEqual(JSON.parse(bodyOf(LONG)).Findings);
    expect(blob).not.toHaveBeenCalled();
  });
});

testBlobs("a locked body is a network failure, as everywhere", async () => {
  serveBody(bodyOf(LONG));
  const fetch = async (/** @type {string} */ href) => {
    const response = await globalThis.fetch(href);
    response.body?.getReader();
    return response;
  };
  expect(await failureOf(partition({ fetch, retries: 0 }))).toMatchObject({ code: "network" });
  expect(blob).not.toHaveBeenCalled();
});

testBlobs(
  "a blob that cannot be stored or read is a network failure, and the body is read piece by piece then",
  async () => {
    serveBody(bodyOf(LONG));
    const cause = new DOMException("no room", "QuotaExceededError");
    blob.mockRejectedValueOnce(cause);
    expect(await failureOf(partition({ retries: 0 }))).toMatchObject({
      code: "network",
      cause: { name: cause.name, message: cause.message },
    });
    const unreadable = vi.spyOn(Blob.prototype, "arrayBuffer");
    unreadable.mockRejectedValue(new DOMException("gone", "NotReadableError"));
    expect(await partition({ retries: 1 })).toHaveLength(1);
    expect(unreadable).toHaveBeenCalledTimes(1);
    expect(asked).toHaveLength(3);
  },
);

describe("maxPartitionBytes", () => {
  test("refuses a body whose length is told before a byte of it is read", async () => {
    const body = bodyOf(LONG);
    serveBody(body, { "content-length": String(new Blob([body]).size) });
    const read = vi.spyOn(Blob.prototype, "arrayBuffer");
    const reader = vi.spyOn(ReadableStream.prototype, "getReader");
    expect(await failureOf(partition({ maxPartitionBytes: 1_000 }))).toMatchObject({ code: "too-large" });
    expect(blob).not.toHaveBeenCalled();
    expect(read).not.toHaveBeenCalled();
    expect(reader).not.toHaveBeenCalled();
  });

  testBlobs("refuses a blob before it is read", async () => {
    serveBody(bodyOf(LONG));
    const read = vi.spyOn(Blob.prototype, "arrayBuffer");
    expect(await failureOf(partition({ maxPartitionBytes: 1_000 }))).toMatchObject({ code: "too-large" });
    expect(blob).toHaveBeenCalledTimes(1);
    expect(read).not.toHaveBeenCalled();
  });
});
