/** Observability: onPartition, measures, and messages about a failing network. */

import { getFindings, getPartition } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

/** @typedef {import("inspection-findings").Options} Options */
/** @typedef {import("inspection-findings").PartitionChange} PartitionChange */

/** The random share of each backoff. */
let drawn = 0;

beforeEach(() => {
  drawn = 0;
  vi.spyOn(Math, "random").mockImplementation(() => drawn);
});

afterEach(() => {
  Reflect.deleteProperty(navigator, "onLine");
  performance.clearMeasures();
});

/** The bytes of the body of a partition. */
const bytesEach = new TextEncoder().encode(JSON.stringify({ Findings: findingsOf(0), errors: null })).length;

describe("onPartition", () => {
  /** @param {Partial<Record<keyof PartitionChange, unknown>>} change */
  function change({ index = 0, state = "requested", attempt = 1, findings = 0, bytes = 0, ...why }) {
    return { index, state, attempt, findings, bytes, ...why };
  }

  test("is called when a partition is requested and when it is received", async () => {
    const { fetch } = new Wire({ partitions: 2 });
    const onPartition = vi.fn();
    await getFindings(1, "topics", { fetch, onPartition, concurrency: 1 });
    expect(onPartition.mock.calls.flat()).toEqual([
      change({ index: null, state: "requested" }),
      change({ index: null, state: "received", bytes: expect.any(Number) }),
      change({ index: 0, state: "requested" }),
      change({ index: 0, state: "received", findings: 2, bytes: bytesEach }),
      change({ index: 1, state: "requested" }),
      change({ index: 1, state: "received", findings: 2, bytes: bytesEach }),
    ]);
  });

  test("is called for a failed partition with the last attempt and its error", async () => {
    const { fetch } = new Wire({ respond: () => refused(503) });
    const onPartition = vi.fn();
    await rejectionOf(getPartition(1, "topics", 0, { fetch, onPartition, retries: 1 }));
    const url = expect.stringContaining("/Topics/0");
    const error = { name: "FindingsError", code: "http", status: 503, partitionIndex: 0, url };
    const errorAfter = (/** @type {number} */ attempts) => expect.objectContaining({ ...error, attempts });
    expect(onPartition.mock.calls.flat()).toEqual([
      change({ state: "requested", attempt: 1 }),
      change({ state: "retrying", attempt: 2, delay: expect.any(Number), error: errorAfter(1) }),
      change({ state: "failed", attempt: 2, error: errorAfter(2) }),
    ]);
  });

  test("gives the error without the findings that came with it, which only the error of the call has", async () => {
    const { fetch } = new Wire({ respond: () => responseOf({ Findings: findingsOf(0), errors: ["half"] }) });
    const onPartition = vi.fn();
    const { findings } = await rejectionOf(getPartition(1, "topics", 0, { fetch, onPartition }));
    expect(findings).toEqual(findingsOf(0));
    const error = onPartition.mock.lastCall?.[0].error;
    expect(error).toMatchObject({ code: "service", messages: ["half"] });
    expect(error).not.toHaveProperty("findings");
  });

  test("gives an error that tells the same as the rejection, and quotes no header either", async () => {
    const secret = "a-secret-of-24-characters";
    const fetch = () => Promise.reject(new TypeError(`cannot send ${secret}`));
    const onPartition = vi.fn();
    const options = { fetch, retries: 1, headers: { Authorization: secret }, onPartition };
    const rejection = await rejectionOf(getPartition(1, "topics", 0, options));
    const [none, first, last] = onPartition.mock.calls.map(([{ error }]) => error);
    expect(none).toBeUndefined();
    expect(first).toMatchObject({ code: "network", attempts: 1 });
    expect(JSON.stringify(last)).toBe(JSON.stringify(rejection));
    expect(JSON.stringify([first, last]) + first?.stack + last?.message).not.toContain(secret);
  });
});

describe("measure", () => {
  function names() {
    return performance.getEntriesByType("measure").map(({ name }) => name);
  }

  test("is off by default", async () => {
    const { fetch } = new Wire();
    await getFindings(1, "topics", { fetch });
    expect(names()).toEqual([]);
  });

  test("records each attempt and each partition as a measure with its name", async () => {
    const { fetch } = new Wire({
      partitions: 2,
      respond: ({ index, count }) => (index === 1 && count === 1 ? refused(503) : undefined),
    });
    await getFindings(7, "topics", { fetch, measure: true });
    expect(names().toSorted()).toEqual([
      "partition counts of inspection 7, attempt 1",
      "topics partition 0 of inspection 7",
      "topics partition 0 of inspection 7, attempt 1",
      "topics partition 1 of inspection 7",
      "topics partition 1 of inspection 7, attempt 1",
      "topics partition 1 of inspection 7, attempt 2",
    ]);
  });

  test("gives the measures a separate track, and their durations", async () => {
    const wire = new Wire({ partitions: 1, holds: ({ index }) => index === 0 });
    const call = getFindings(7, "topics", { fetch: wire.fetch, measure: true });
    await vi.waitUntil(() => wire.open.length === 1);
    const held = performance.now();
    wire.release(0);
    await call;
    const measures = performance.getEntriesByType("measure");
    expect(measures.map((measure) => /** @type {PerformanceMeasure} */ (measure).detail)).toEqual(
      Array(3).fill({ devtools: { track: "inspection-findings" } }),
    );
    for (const name of ["topics partition 0 of inspection 7", "topics partition 0 of inspection 7, attempt 1"]) {
      const [{ startTime, duration }] = performance.getEntriesByName(name);
      expect(startTime).toBeLessThanOrEqual(held);
      expect(startTime + duration).toBeGreaterThanOrEqual(held - 1);
    }
  });

  test("has no effect where the host cannot measure", async () => {
    vi.spyOn(performance, "measure").mockImplementation(() => {
      throw new TypeError("no measures here");
    });
    const { fetch } = new Wire();
    expect(await getFindings(1, "topics", { fetch, measure: true })).toEqual(allFindings(3));
  });
});

test("a wrong total resolves where console.warn throws", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {
    throw new Error("no warnings here");
  });
  const { fetch } = new Wire({ counts: { TopicPartitions: 3, TopicFindings: 7 } });
  expect(await getFindings(1, "topics", { fetch, completeness: "warn" })).toEqual(allFindings(3));
});

/** @param {boolean} isOnline */
function pretend(isOnline) {
  Object.defineProperty(navigator, "onLine", { get: () => isOnline, configurable: true });
}

describe("a device that is offline", () => {
  const cause = new TypeError("Failed to fetch");

  /** @param {(count: number) => boolean} fails whether the request of that number fails */
  function failing(fails) {
    return new Wire({ respond: ({ count }) => (fails(count) ? Promise.reject(cause) : undefined) });
  }

  test("is named in a network error, and a device that is online is not", async () => {
    const { fetch } = failing(() => true);
    const call = () => failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }));
    pretend(false);
    const failure = await call();
    expect(failure).toMatchObject({ code: "network", cause });
    expect(failure.message).toMatch(/\. The device is offline\.$/);
    pretend(true);
    expect((await call()).message).not.toContain("offline");
  });

  test("that comes online ends a backoff early", async () => {
    // A backoff that lasts far longer than the test may, were it waited for.
    drawn = 1000;
    const wire = failing((count) => count < 3);
    const call = getPartition(1, "topics", 0, { fetch: wire.fetch });
    for (const asked of [1, 2]) {
      await vi.waitUntil(() => wire.asked.length === asked && wire.open.length === 0);
      await quiet();
      expect(wire.asked).toHaveLength(asked);
      window.dispatchEvent(new Event("online"));
    }
    expect(await call).toEqual(findingsOf(0));
  });

  test("leaves no listener on the window, whether the backoff ends by itself, by the event or by an abort", async () => {
    const listeners = countListeners(/** @type {any} */ (window));
    for (const way of ["by itself", "by the event", "by an abort"]) {
      drawn = way === "by itself" ? 0.1 : 1000;
      const controller = new AbortController();
      const wire = failing((count) => count === 1);
      const call = outcomeOf(getPartition(1, "topics", 0, { fetch: wire.fetch, signal: controller.signal }));
      await vi.waitUntil(() => wire.asked.length >= 1 && listeners.added > 0);
      await quiet();
      if (way === "by the event") window.dispatchEvent(new Event("online"));
      if (way === "by an abort") controller.abort("enough");
      expect(await call, way).toEqual(way === "by an abort" ? { reason: "enough" } : { value: findingsOf(0) });
      expect(listeners.left, way).toBe(0);
    }
    Reflect.deleteProperty(window, "addEventListener");
    Reflect.deleteProperty(window, "removeEventListener");
  });
});

describe("a network error", () => {
  test("says what a page cannot know about a request without a response", async () => {
    const cause = new TypeError("Failed to fetch");
    const { fetch } = new Wire({ respond: () => Promise.reject(cause) });
    const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 1 }));
    expect(failure).toMatchObject({ code: "network", partitionIndex: 4, attempts: 2, cause });
    expect(failure.message).toBe(
      `topics partition 4 of inspection 1 (${new URL("Findings/1/Topics/4", document.baseURI).href}, 2 attempts): ` +
        "no response: Failed to fetch. The browser's console names the reason, which pages cannot read: the service cannot " +
        "be reached, the connection broke, the service does not allow the page's origin (CORS), or connect-src of the page's " +
        "content security policy does not allow the URL.",
    );
  });

  test("of a real request without a response says the same", async () => {
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: "http://127.0.0.1:9/", retries: 0 }));
    expect(failure.code).toBe("network");
    expect(failure.message).toMatch(/: no response: [^:]+\. The browser's console names the reason, /);
    expect(failure.cause).toBeInstanceOf(TypeError);
  });

  const endless = new Error("endless");
  endless.cause = endless;
  const coded = (/** @type {Error} */ error, /** @type {string} */ code) => Object.assign(error, { code });
  const wrapped = (/** @type {Error} */ cause) => new TypeError("fetch failed", { cause });
  const unreadable = Object.defineProperty(new Error("throws"), "code", { get: () => expect.fail("read") });
  const lost = coded(new Error("getaddrinfo ENOTFOUND x"), "ENOTFOUND");
  const refusal = coded(new AggregateError([]), "ECONNREFUSED");
  const closed = coded(new Error("other side closed"), "UND_ERR_SOCKET");

  test.for(
    /** @type {[string, unknown, string][]} */ ([
      ["an error whose message has its code", lost, ": getaddrinfo ENOTFOUND x"],
      ["an error with a code only", refusal, ": ECONNREFUSED"],
      ["an error with a code beside its message", closed, ": UND_ERR_SOCKET: other side closed"],
      ["a cause whose message has its code", wrapped(lost), ": getaddrinfo ENOTFOUND x"],
      ["a cause with a code only", wrapped(refusal), ": ECONNREFUSED"],
      ["a cause with a code beside its message", wrapped(closed), ": UND_ERR_SOCKET: other side closed"],
      ["its own cause", endless, ": endless"],
      ["a code that throws", unreadable, ": throws"],
      ["a DOMException", new DOMException("no", "NetworkError"), ": no"],
      ["text", "as text", ": as text"],
      ...[undefined, null, 7, {}, new Error()].map((cause) => [`${cause}, which says nothing`, cause, ""]),
    ]),
  )("of a fetch that rejects with %s has its message and code, and nothing about a page", async ([, cause, text]) => {
    const { fetch } = new Wire({ respond: () => Promise.reject(cause) });
    const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 0 }));
    expect(failure.message).toMatch(new RegExp(`: no response${text}$`));
  });

  test("says that the connection broke if the response had begun", async () => {
    const cause = new TypeError("network error");
    const { fetch } = new Wire({ respond: () => ({ ...responseOf(""), arrayBuffer: () => Promise.reject(cause) }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }));
    expect(failure).toMatchObject({ code: "network", cause });
    expect(failure.message).toContain("the connection broke while the response was being read: network error");
  });
});

test("a Retry-After that cannot be read is explained once for another origin, and not for the page's own", async () => {
  const messageOf = async (/** @type {string} */ type) => {
    const { fetch } = new Wire({ respond: () => refused(429, { type }) });
    return (await failureOf(getPartition(1, "topics", 0, { fetch }))).message;
  };
  const explanation = /No Retry-After can be read.*Access-Control-Expose-Headers/g;
  const message = await messageOf("cors");
  expect(message.match(explanation)).toHaveLength(1);
  expect(message).toContain(", 4 attempts)");
  for (const type of ["basic", "default"]) expect(await messageOf(type)).not.toMatch(explanation);
});
