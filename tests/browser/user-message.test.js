/** What an end user reads about a failed call. */

import { FindingsError, getFindings, getPartition, messageOf } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { rejectionOf } from "./outcome.js";
import { serve } from "./service.js";

describe("the message for an end user", () => {
  /** @type {[string, import("inspection-findings").FindingsErrorCode, import("inspection-findings").FindingsErrorDetails, string][]} */
  const messages = [
    ["without a response", "network", {}, "The service cannot be reached."],
    ["after a timeout", "timeout", {}, "The service took too long. Please try again."],
    ["for an unknown inspection", "http", { status: 404 }, "This inspection does not exist."],
    ["for another status", "http", { status: 503 }, "The service is not available now. Please try again later."],
    ["for an expired token", "unauthorized", { status: 401 }, "Your session has ended. Please sign in again."],
    ["without permission", "unauthorized", { status: 403 }, "You have no access to this inspection."],
    ["for errors of the service", "service", { messages: ["No.", "Wait."] }, "No. Wait."],
    ["for errors without a text", "service", { messages: [] }, "The service reported an error."],
    ["for broken data", "decode", {}, "The service sent something unexpected."],
    ["for a huge body", "too-large", {}, "A part of this inspection is too large."],
    ["for a changed inspection", "incomplete", {}, "The inspection has changed meanwhile. Please load it again."],
    ["for missing partitions", "partial", {}, "Parts of this inspection could not be loaded."],
    ["for unknown bytes", "bytes", {}, "The saved findings cannot be opened."],
    ["for a missing file", "load", {}, "A part of this page could not be loaded. Please load the page again."],
    ["without memory", "memory", {}, "This inspection is too large for this device."],
  ];

  test.for(messages)("%s says what happened: %s", ([, code, details, message]) => {
    expect(messageOf(new FindingsError(code, "technical", details))).toBe(message);
  });

  test("says that the browser is offline", () => {
    vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    expect(messageOf(new FindingsError("network", "technical"))).toBe("You are offline.");
    vi.restoreAllMocks();
  });

  test("contains neither URL, code nor number of a real failure", async () => {
    serve({ respond: () => new Response(null, { status: 410 }) });
    const message = messageOf(await rejectionOf(getPartition(1, "topics", 0)));
    expect(message).toBe("The service is not available now. Please try again later.");
  });

  test("is undefined for a call that was cancelled, also with the caller's own reason", async () => {
    serve();
    const controller = new AbortController();
    const { signal } = controller;
    const plain = getFindings(1, "topics", { signal });
    controller.abort();
    expect(messageOf(await rejectionOf(plain))).toBeUndefined();
    const reasoned = AbortSignal.abort("closed");
    const reason = await rejectionOf(getFindings(1, "topics", { signal: reasoned }));
    expect(messageOf(reason, reasoned)).toBeUndefined();
    expect(messageOf(reason, signal)).toBe("Something went wrong on this page.");
  });

  test("says that it took too long for AbortSignal.timeout()", async () => {
    serve({ respond: () => new Promise(() => {}) });
    const signal = AbortSignal.timeout(1);
    const reason = await rejectionOf(getFindings(1, "topics", { signal }));
    expect(messageOf(reason, signal)).toBe("The service took too long. Please try again.");
  });

  test("exists for every other value, and never throws", async () => {
    const wrongArgument = await rejectionOf(getFindings(1, /** @type {any} */ ("wrong")));
    const hostile = {
      get name() {
        throw new Error("no");
      },
    };
    for (const value of [wrongArgument, undefined, null, "text", Symbol("s"), hostile]) {
      expect(messageOf(value)).toBe("Something went wrong on this page.");
    }
  });
});
