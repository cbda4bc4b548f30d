/** Diagnosis: what a browser reveals to a page about a failed request. */

import { describe, expect, test } from "vitest";
import { failureOf, rejectionOf } from "../browser/outcome.js";
import { getPartition } from "../browser/place.js";
import { serve, servePartition } from "./service.js";

/** @typedef {import("./server/manner.js").Stop} Stop */

/** A host name that never resolves: it is reserved for that. */
const unknownHost = "http://nobody.invalid/";

/**
 * Failures that a page cannot distinguish; each returns a base URL where it happens.
 * @type {[string, () => Promise<string>][]}
 */
const alike = [
  ["an unknown host", async () => unknownHost],
  ["a refused connection", unusedAddress],
  ["a connection closed before its response", () => stopping({ after: { head: 0 }, by: "close" })],
  ["a connection reset before its response", () => stopping({ after: { head: 0 }, by: "reset" })],
  ["a response that the page's origin may not see", hiddenResponse],
  ["a preflight that is refused", refusedPreflight],
];

describe.for(alike)("%s", ([, baseUrl]) => {
  test("is the same TypeError as every failure before the response", async () => {
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

test.for(/** @type {const} */ (["close", "reset"]))(
  "a connection that breaks during a body is another TypeError for its reader (%s)",
  async (by) => {
    const baseUrl = await stopping({ after: { body: 5_000 }, by });
    const whole = await fetch(`${baseUrl}Findings/1/Topics/0`);
    expect(await rejectionOf(whole.bytes())).toMatchObject({ name: "TypeError", message: "Failed to fetch" });
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl, retries: 0 }));
    expect(failure).toMatchObject({ code: "network", attempts: 1 });
    expect(failure.cause).toMatchObject({ name: "TypeError", message: "network error" });
  },
);

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

async function hiddenResponse() {
  return (await servePartition({ headers: { "access-control-allow-origin": null } })).baseUrl;
}

async function refusedPreflight() {
  return (await serve({ rules: [{ method: "OPTIONS", manner: { status: 403 } }] })).baseUrl;
}
