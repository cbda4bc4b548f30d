/** Observability: onPartition, measures, and messages about a failing network. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, pause, rejectionOf } from "./outcome.js";
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
  vi.restoreAllMocks();
  Reflect.deleteProperty(navigator, "onLine");
  performance.clearMeasures();
});

/** The bytes of the body of a partition. */
const bytesEach = new TextEncoder().encode(JSON.stringify({ Findings: findingsOf(0), errors: null })).length;

describe("onPartition", () => {
  /**
   * Collects the calls of onPartition during a call.
   * @param {(onPartition: (change: PartitionChange) => void) => Promise<unknown>} call
   */
  async function toldOf(call) {
    /** @type {PartitionChange[]} */
    const told = [];
    await call((change) => void told.push(change));
    return told;
  }

  /** @param {Partial<Record<keyof PartitionChange, unknown>>} change */
  function change({ index = 0, state = "requested", attempt = 1, findings = 0, bytes = 0, ...why }) {
    return { index, state, attempt, findings, bytes, ...why };
  }

  const ofCounts = { index: null, bytes: expect.any(Number) };

  /** @param {object} members of the expected error */
  function because(members) {
    return { error: expect.objectContaining({ name: "FindingsError", ...members }) };
  }

  /** The 503 of each attempt. */
  const unavailable = (/** @type {number} */ attempts) =>
    because({ code: "http", status: 503, partitionIndex: 0, attempts, url: expect.stringContaining("/Topics/0") });

  test("is called when a partition is requested and when it is received", async () => {
    const { fetch } = new Wire({ partitions: 2 });
    expect(await toldOf((onPartition) => getFindings(1, "topics", { fetch, onPartition, concurrency: 1 }))).toEqual([
      change({ index: null, state: "requested" }),
      change({ ...ofCounts, state: "received" }),
      change({ index: 0, state: "requested" }),
      change({ index: 0, state: "received", findings: 2, bytes: bytesEach }),
      change({ index: 1, state: "requested" }),
      change({ index: 1, state: "received", findings: 2, bytes: bytesEach }),
    ]);
  });

  test("is called for each retry with the number of the next attempt, the error and the delay", async () => {
    const { fetch } = new Wire({ respond: ({ count }) => (count < 3 ? refused(503) : undefined) });
    expect(await toldOf((onPartition) => getPartition(1, "topics", 0, { fetch, onPartition }))).toEqual([
      change({ state: "requested", attempt: 1 }),
      change({ state: "retrying", attempt: 2, delay: expect.any(Number), ...unavailable(1) }),
      change({ state: "retrying", attempt: 3, delay: expect.any(Number), ...unavailable(2) }),
      change({ state: "received", attempt: 3, findings: 2, bytes: bytesEach }),
    ]);
  });

  test("is called for a failed partition with the last attempt and its error", async () => {
    const { fetch } = new Wire({ respond: () => refused(503) });
    const told = await toldOf((onPartition) =>
      rejectionOf(getPartition(1, "topics", 0, { fetch, onPartition, retries: 1 })),
    );
    expect(told).toEqual([
      change({ state: "requested", attempt: 1 }),
      change({ state: "retrying", attempt: 2, delay: expect.any(Number), ...unavailable(1) }),
      change({ state: "failed", attempt: 2, ...unavailable(2) }),
    ]);
  });

  test("gives the error without the findings that came with it, which only the error of the call has", async () => {
    const body = JSON.stringify({ Findings: findingsOf(0), errors: ["half"] });
    const { fetch } = new Wire({ partitions: 1, respond: ({ index }) => (index === 0 ? responseOf(body) : undefined) });
    /** @type {any[]} */
    const errors = [];
    const onPartition = (/** @type {PartitionChange} */ { error }) => errors.push(error);
    const { findings } = await rejectionOf(getPartition(1, "topics", 0, { fetch, onPartition }));
    expect(findings).toEqual(findingsOf(0));
    expect(errors.at(-1)).toMatchObject({ code: "service", messages: ["half"] });
    expect(errors.at(-1)).not.toHaveProperty("findings");
  });

  test("is called for the counts with the index null, and with what failed", async () => {
    const { fetch } = new Wire({
      partitions: 0,
      respond: ({ count }) => (count === 1 ? refused(429, { headers: { "Retry-After": "0" } }) : undefined),
    });
    expect(await toldOf((onPartition) => getFindings(1, "topics", { fetch, onPartition }))).toEqual([
      change({ index: null, state: "requested" }),
      change({ index: null, state: "retrying", attempt: 2, delay: 0, ...because({ status: 429, retryAfter: 0 }) }),
      change({ ...ofCounts, state: "received", attempt: 2 }),
    ]);
  });

  test("is not called by a call for the counts alone", async () => {
    const { fetch } = new Wire();
    const client = new FindingsClient({ fetch, onPartition: () => expect.unreachable() });
    await client.getPartitionCounts(1);
    client.free();
  });

  test("gives an error that tells the same as the rejection, and quotes no header either", async () => {
    const secret = "a-secret-of-24-characters";
    const fetch = () => Promise.reject(new TypeError(`cannot send ${secret}`));
    const options = { fetch, retries: 1, headers: { Authorization: secret } };
    /** @type {(PartitionChange["error"])[]} */
    const errors = [];
    const rejection = await rejectionOf(
      getPartition(1, "topics", 0, { ...options, onPartition: ({ error }) => void errors.push(error) }),
    );
    const [none, first, last] = errors;
    expect(none).toBeUndefined();
    expect(first).toMatchObject({ code: "network", attempts: 1 });
    expect(JSON.stringify(last)).toBe(JSON.stringify(rejection));
    expect(JSON.stringify([first, last]) + first?.stack + last?.message).not.toContain(secret);
  });

  test("is called with `this` undefined and a plain object that nothing else uses", async () => {
    /** @type {any[]} */
    const calls = [];
    const { fetch } = new Wire({ partitions: 1 });
    /** @type {any} */
    const onPartition = /** @this {unknown} */ function (/** @type {any[]} */ ...args) {
      calls.push([this, args.length, Object.getPrototypeOf(args[0])]);
      args[0].index = 99;
    };
    expect(await getFindings(1, "topics", { fetch, onPartition })).toEqual(findingsOf(0));
    expect(calls).toEqual(Array(4).fill([undefined, 1, Object.prototype]));
  });

  test.for(
    /** @type {[PartitionChange["state"], string][]} */ ([
      ["requested", "the counts"],
      ["received", "the counts"],
      ...["requested", "retrying", "received", "failed"].map((state) => [state, "a partition"]),
    ]),
  )(
    "ends the call by the very value that it throws when told %j of %s, and cancels its requests",
    async ([state, subject]) => {
      const thrown = { mine: true };
      const wire = new Wire({
        partitions: 9,
        holds: ({ index }) => index > 1,
        respond: ({ index }) => (index === 1 ? refused(503) : undefined),
      });
      const onPartition = (/** @type {PartitionChange} */ change) => {
        if (change.state === state && (change.index === null) === (subject === "the counts")) {
          throw thrown;
        }
      };
      expect(await rejectionOf(getFindings(1, "topics", { fetch: wire.fetch, onPartition }))).toBe(thrown);
      expect(wire.open).toEqual([]);
      const { length } = wire.asked;
      await quiet();
      expect(wire.asked).toHaveLength(length);
    },
  );

  test("rejects the call with the reason of a promise that it returns", async () => {
    const thrown = new Error("mine");
    const wire = new Wire({ holds: ({ index }) => index >= 0 });
    const onPartition = () => Promise.reject(thrown);
    expect(await rejectionOf(getFindings(1, "topics", { fetch: wire.fetch, onPartition }))).toBe(thrown);
    expect(wire.open).toEqual([]);
  });

  test("that returns a promise is not awaited", async () => {
    const { fetch } = new Wire();
    const onPartition = () => /** @type {any} */ (new Promise(() => {}));
    expect(await getFindings(1, "topics", { fetch, onPartition })).toEqual(allFindings(3));
  });
});

describe("measure", () => {
  function names() {
    return performance.getEntriesByType("measure").map(({ name }) => name);
  }

  test("is off by default", async () => {
    const { fetch } = new Wire();
    await getFindings(1, "topics", { fetch });
    await getFindings(1, "topics", { fetch, measure: false });
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
    const begun = performance.now();
    const call = getFindings(7, "topics", { fetch: wire.fetch, measure: true });
    await vi.waitUntil(() => wire.open.length === 1);
    const held = performance.now();
    await pause(30);
    const released = performance.now();
    wire.release(0);
    await call;
    const ended = performance.now();
    const measures = performance.getEntriesByType("measure");
    expect(measures.map((measure) => /** @type {PerformanceMeasure} */ (measure).detail)).toEqual(
      Array(3).fill({ devtools: { track: "inspection-findings" } }),
    );
    for (const { startTime, duration } of measures) {
      expect(startTime).toBeGreaterThanOrEqual(begun);
      expect(startTime + duration).toBeLessThanOrEqual(ended + 1);
    }
    for (const name of ["topics partition 0 of inspection 7", "topics partition 0 of inspection 7, attempt 1"]) {
      const [{ startTime, duration }] = performance.getEntriesByName(name);
      expect(startTime).toBeLessThanOrEqual(held);
      expect(startTime + duration).toBeGreaterThanOrEqual(released - 1);
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
  const call = getFindings(1, "topics", { fetch, completeness: "warn" });
  expect(await call).toEqual(allFindings(3));
});

/** @param {boolean} isOnline */
function pretend(isOnline) {
  Object.defineProperty(navigator, "onLine", { get: () => isOnline, configurable: true });
}

describe("a device that is offline", () => {
  const cause = new TypeError("Failed to fetch");

  /** @param {(count: number) => boolean} fails whether the request of that number fails */
  function failing(fails) {
    return new Wire({
      respond: ({ count }) => {
        if (fails(count)) {
          throw cause;
        }
      },
    });
  }

  test("is named in a network error", async () => {
    pretend(false);
    const { fetch } = failing(() => true);
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }));
    expect(failure).toMatchObject({ code: "network", cause });
    expect(failure.message).toMatch(/\. The device is offline\.$/);
  });

  test("is named in the error of a connection that broke", async () => {
    pretend(false);
    const broken = { ...responseOf(""), arrayBuffer: () => Promise.reject(cause) };
    const { fetch } = new Wire({ respond: () => broken });
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }));
    expect(failure.message).toMatch(/connection broke.*\. The device is offline\.$/);
  });

  test("is not named in other errors, or by a device that is online", async () => {
    pretend(false);
    for (const response of [refused(404), refused(503), responseOf("{")]) {
      const { fetch } = new Wire({ respond: () => response });
      const failure = await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }));
      expect(failure.message).not.toContain("offline");
    }
    pretend(true);
    const { fetch } = failing(() => true);
    expect((await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }))).message).not.toContain("offline");
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
    const ends = {
      "by itself": () => {},
      "by the event": () => window.dispatchEvent(new Event("online")),
      "by an abort": (/** @type {AbortController} */ controller) => controller.abort("enough"),
    };
    for (const [way, end] of Object.entries(ends)) {
      drawn = way === "by itself" ? 0.1 : 1000;
      const controller = new AbortController();
      const wire = failing((count) => count === 1);
      const call = getPartition(1, "topics", 0, { fetch: wire.fetch, signal: controller.signal });
      const settled = call.catch((reason) => reason);
      await vi.waitUntil(() => wire.asked.length >= 1 && listeners.added > 0);
      await quiet();
      end(controller);
      expect(await settled, way).toEqual(way === "by an abort" ? "enough" : findingsOf(0));
      expect(listeners.left, way).toBe(0);
    }
    Reflect.deleteProperty(window, "addEventListener");
    Reflect.deleteProperty(window, "removeEventListener");
  });
});

describe("a network error", () => {
  test("says what a page cannot know about a request without a response", async () => {
    const cause = new TypeError("Failed to fetch");
    const { fetch } = new Wire({
      respond: () => {
        throw cause;
      },
    });
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

  test.for(
    /** @type {[string, Error, string][]} */ ([
      [
        "with its message",
        Object.assign(new Error("getaddrinfo ENOTFOUND x"), { code: "ENOTFOUND" }),
        "getaddrinfo ENOTFOUND x",
      ],
      ["without a message", Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }), "ECONNREFUSED"],
      [
        "beside another message",
        Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
        "UND_ERR_SOCKET: other side closed",
      ],
    ]),
  )("names the code that the host gives, %s, in place of a page", async ([, reason, text]) => {
    for (const cause of [reason, new TypeError("fetch failed", { cause: reason })]) {
      const { fetch } = new Wire({ respond: () => Promise.reject(cause) });
      const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 0 }));
      expect(failure.cause).toMatchObject({ name: cause.name, message: cause.message });
      expect(failure.message).toMatch(new RegExp(`: no response: ${text}$`));
    }
  });

  test("of a fetch that throws has its message, and nothing about a page", async () => {
    const endless = new Error("endless");
    endless.cause = endless;
    const throwing = Object.defineProperty(new Error("throws"), "code", { get: () => expect.fail("read") });
    const causes = { endless, throws: throwing, no: new DOMException("no", "NetworkError"), "as text": "as text" };
    for (const [message, cause] of Object.entries(causes)) {
      const { fetch } = new Wire({ respond: () => Promise.reject(cause) });
      const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 0 }));
      expect(failure.message).toMatch(new RegExp(`: no response: ${message}$`));
    }
  });

  test("without any reason is no response", async () => {
    for (const cause of [undefined, null, 7, {}, new Error()]) {
      const { fetch } = new Wire({ respond: () => Promise.reject(cause) });
      const failure = await failureOf(getPartition(1, "topics", 4, { fetch, retries: 0 }));
      expect(failure.message).toMatch(/: no response$/);
    }
  });

  test("says that the connection broke if the response had begun", async () => {
    const cause = new TypeError("network error");
    const { fetch } = new Wire({ respond: () => ({ ...responseOf(""), arrayBuffer: () => Promise.reject(cause) }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch, retries: 0 }));
    expect(failure).toMatchObject({ code: "network", cause });
    expect(failure.message).toContain("the connection broke while the response was being read: network error");
  });
});

describe("a Retry-After that cannot be read", () => {
  const explanation = /No Retry-After can be read.*Access-Control-Expose-Headers/g;

  /**
   * The message of a request that gets this response each time.
   * @param {ReturnType<typeof responseOf>} response
   * @param {Options} [options]
   */
  async function messageOf(response, options) {
    const { fetch } = new Wire({ respond: () => response });
    return (await failureOf(getPartition(1, "topics", 0, { fetch, ...options }))).message;
  }

  test.for([429, 503])("of a status of %i from another origin is explained once", async (status) => {
    const message = await messageOf(refused(status, { type: "cors" }));
    expect(message.match(explanation)).toHaveLength(1);
    expect(message).toContain(", 4 attempts)");
  });

  test.for(["basic", "default"])(
    "is not explained for a response of the type %s, of the page's own origin",
    async (type) => {
      expect(await messageOf(refused(429, { type }))).not.toMatch(explanation);
    },
  );
});
