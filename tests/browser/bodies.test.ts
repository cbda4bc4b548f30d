/** The bodies of partitions: the page reads those of its own requests piece by piece, also where a worker decodes them. */

import type { Options } from "inspection-findings";
import { getPartition } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { failureOf } from "./outcome.js";
import { serve, withoutServiceWorker } from "./service.js";

beforeEach(() => withoutServiceWorker());

/** The body of a partition with a text of this many bytes. */
function bodyOf(length = 128 * 1024) {
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

describe("a worker decodes the body of", () => {
  const responses: Record<string, () => Promise<Response>> = {
    "a response of the page's own fetch": () => fetch("./Findings/1/Topics/0"),
    "a response that a script has constructed": async () => new Response(bodyOf()),
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
  test.for(Object.entries(responses))("%s", async ([, give]) => {
    serveBody();
    expect(await partition({ fetch: give })).toEqual(JSON.parse(bodyOf()).Findings);
  });
});

test.for([true, false])(
  "the pieces of a response that a script fills into one buffer are read as they arrive, with worker: %s",
  async (worker) => {
    const bytes = new TextEncoder().encode(bodyOf());
    const buffer = new Uint8Array(1_000);
    let at = 0;
    const pull = (controller: ReadableStreamDefaultController) => {
      const piece = bytes.subarray(at, at + buffer.length);
      at += piece.length;
      buffer.set(piece);
      if (piece.length === 0) controller.close();
      else controller.enqueue(buffer.subarray(0, piece.length));
    };
    const give = async () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
    expect(await partition({ worker, fetch: give })).toEqual(JSON.parse(bodyOf()).Findings);
    expect(buffer).toHaveLength(1_000);
  },
);

test("maxPartitionBytes refuses a body whose length is told before a byte of it is read", async () => {
  serveBody(bodyOf(), { isTold: true });
  const reader = vi.spyOn(ReadableStream.prototype, "getReader");
  expect(await failureOf(partition({ maxPartitionBytes: 1_000 }))).toMatchObject({ code: "too-large" });
  expect(reader).not.toHaveBeenCalled();
});
