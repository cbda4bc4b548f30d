/** Diagnosis: what a browser lets a page know of a request that fails, and so all that an error can be made from. */

import { getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { failureOf, rejectionOf } from "../browser/outcome.js";
import { findingsEach } from "./inspection.js";
import { askOffline, serve, servePartition } from "./service.js";

/** @typedef {import("./server/manner.js").Stop} Stop */

/** What nobody resolves: the name is reserved for that. */
const unknownHost = "http://nobody.invalid/";

/**
 * Failures of which a page learns one and the same; each gives a base URL under which it happens.
 * @type {[string, () => Promise<string>][]}
 */
const alike = [
  ["an unknown host", async () => unknownHost],
  ["a refused connection", unusedAddress],
  ["a connection closed before its answer", () => stopping({ after: { head: 0 }, by: "close" })],
  ["a connection reset before its answer", () => stopping({ after: { head: 0 }, by: "reset" })],
  ["an answer that the page's origin may not see", hiddenAnswer],
  ["a preflight that is refused", refusedPreflight],
];

describe.for(alike)("%s", ([, baseUrl]) => {
  test("is the same TypeError as every failure before the answer", async () => {
    const address = await baseUrl();
    const headers = { authorization: "Bearer secret" };
    const error = await rejectionOf(fetch(`${address}Findings/1/Topics/0`, { headers }));
    expect(error).toBeInstanceOf(TypeError);
    expect([error.name, error.message, Object.keys(error)]).toEqual(["TypeError", "Failed to fetch", []]);
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: address, headers, retries: 1 }));
    expect(failure).toMatchObject({ code: "network", partitionIndex: 0, attempts: 2, messages: [] });
    expect(failure.cause).toMatchObject({ name: "TypeError", message: "Failed to fetch" });
  });
});

test("a page that is offline sees the same TypeError, and that it is offline", async () => {
  const service = await serve();
  const online = { onLine: true, direct: "200", call: { findings: findingsEach } };
  const cause = "TypeError: Failed to fetch";
  const offline = { onLine: false, direct: cause, call: { code: "network", attempts: 2, cause } };
  expect(await askOffline(service.baseUrl)).toEqual([online, offline, online]);
  expect(await service.timesAsked()).toEqual([4]);
});

test.for(/** @type {const} */ (["close", "reset"]))(
  "a connection that breaks in the middle of a body is another TypeError, to those who read it in pieces (%s)",
  async (by) => {
    const baseUrl = await stopping({ after: { body: 5_000 }, by });
    const whole = await fetch(`${baseUrl}Findings/1/Topics/0`);
    expect(await rejectionOf(whole.bytes())).toMatchObject({ name: "TypeError", message: "Failed to fetch" });
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl, retries: 0 }));
    expect(failure).toMatchObject({ code: "network", attempts: 1 });
    expect(failure.cause).toMatchObject({ name: "TypeError", message: "network error" });
  },
);

test("a request that is aborted is the signal's own reason and none of these", async () => {
  const baseUrl = await stopping({ after: { body: 5_000 }, by: "stall" });
  const reason = await rejectionOf(getPartition(1, "topics", 0, { baseUrl, signal: AbortSignal.timeout(50) }));
  expect(reason).toBeInstanceOf(DOMException);
  expect(reason.name).toBe("TimeoutError");
});

/** The base URL of a service that has been closed. */
async function unusedAddress() {
  const service = await serve();
  await service.close();
  return service.baseUrl;
}

/** @param {Stop} stop */
async function stopping(stop) {
  return (await servePartition({ stop })).baseUrl;
}

async function hiddenAnswer() {
  return (await servePartition({ headers: { "access-control-allow-origin": null } })).baseUrl;
}

async function refusedPreflight() {
  return (await serve({ rules: [{ method: "OPTIONS", manner: { status: 403 } }] })).baseUrl;
}
