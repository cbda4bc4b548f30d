/** Collecting: the partial result of a call with failed partitions, and how it resumes. */

import { FindingsClient, FindingsError, FindingsTable, getFindings, preload } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf, findingsOf, findingsOfAll, upTo } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { useFakeClock } from "./timers.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

/** @typedef {import("inspection-findings").Options} Options */

/**
 * Creates a client that collects, and is freed after the test.
 * @param {Wire} wire
 * @param {Options} [options]
 */
function collectingClient(wire, options) {
  return clientOf(wire, { failurePolicy: "collect", ...options });
}

/**
 * A wire that refuses the partitions with these indexes until the test repairs them.
 * @param {number} partitions
 * @param {number[]} indexes
 */
function broken(partitions, indexes) {
  const refusals = new Set(indexes);
  const wire = new Wire({ partitions, respond: ({ index }) => (refusals.has(index) ? refused(404) : undefined) });
  return { wire, refusals };
}

/** @param {FindingsError} error */
function missingOf({ failures = [] }) {
  return failures.map(({ partitionIndex }) => partitionIndex);
}

/**
 * Resumes a call by its error.
 * @param {FindingsError} error
 * @param {Options} [options]
 * @returns {Promise<any>}
 */
function resume(error, options) {
  return error.resume ? error.resume(options) : expect.fail("the error has no resume");
}

/**
 * The table of an error, which is freed after the test.
 * @param {{ table?: FindingsTable }} error
 */
function tableOf({ table }) {
  expect(table).toBeInstanceOf(FindingsTable);
  const there = /** @type {FindingsTable<any>} */ (table);
  freeAfterTest(there);
  return there;
}

describe("a call that collects", () => {
  test("fetches every partition that does not fail, and rejects with all of them and with each failure", async () => {
    const half = responseOf({ Findings: findingsOf(3), errors: ["half"] });
    const responses = new Map([7, 2].map((index) => [index, refused(404)])).set(3, half);
    const wire = new Wire({ partitions: 10, respond: ({ index }) => responses.get(index) });
    const error = await failureOf(collectingClient(wire).getFindings(1, "topics", { concurrency: 2 }));
    expect(error).toMatchObject({ code: "partial", kind: "topics", inspectionKey: 1 });
    expect(error.message).toBe(
      "topics findings of inspection 1: missing 3 of 10 partitions; call resume() to fetch them",
    );
    expect(error.findings).toEqual(findingsOfAll([0, 1, 4, 5, 6, 8, 9]));
    expect(error.table).toBeUndefined();
    expect(error.partitionIndex).toBeUndefined();
    expect(wire.indexes.toSorted((one, other) => one - other)).toEqual([-1, ...upTo(10)]);
    expect(missingOf(error)).toEqual([2, 3, 7]);
    const [first, second] = (error.failures ?? []).map((failure) => failure.error);
    expect(first).toBeInstanceOf(FindingsError);
    expect(first).toMatchObject({ code: "http", status: 404, partitionIndex: 2, messages: ["Refused with 404."] });
    expect(second).toMatchObject({ code: "service", partitionIndex: 3, findings: findingsOf(3) });
    expect(first.resume).toBeUndefined();
  });
});

test("a totalTimeout that ends while objects are built keeps those of the other partitions", async () => {
  useFakeClock("setTimeout", "clearTimeout");
  const wire = new Wire({
    partitions: 3,
    findings: (index) => Array.from({ length: 100 }, (_, number) => ({ Place: [index, number] })),
  });
  const { parse } = JSON;
  vi.spyOn(JSON, "parse").mockImplementation((text, reviver) => {
    if (text === "[2,0]") vi.advanceTimersByTime(60_000);
    return parse(text, reviver);
  });
  /** @type {Options} */
  const options = { totalTimeout: 60_000, completeness: "off" };
  const error = await failureOf(collectingClient(wire).getFindings(1, "topics", options));
  const failure = await failureOf(clientOf(wire).getFindings(1, "topics", options));
  vi.mocked(JSON.parse).mockRestore();
  expect(failure).toMatchObject({ code: "timeout" });
  expect([error.code, error.findings?.length, missingOf(error)]).toEqual(["partial", 200, [2]]);
  const whole = await resume(error);
  expect(whole.map((/** @type {any} */ { Place }) => Place)).toEqual(
    [0, 1, 2].flatMap((index) => Array.from({ length: 100 }, (_, number) => [index, number])),
  );
});

describe("resume", () => {
  test("reads the counts again, fetches only what is missing, and resolves with the whole", async () => {
    const { wire, refusals } = broken(10, [0, 4, 9]);
    const error = await failureOf(collectingClient(wire).getFindings(1, "topics"));
    const before = wire.asked.length;
    refusals.clear();
    const findings = await resume(error);
    expect(wire.indexes.slice(before)).toEqual([-1, 0, 4, 9]);
    expect(findings).toEqual(await new FindingsClient({ fetch: wire.fetch }).getFindings(1, "topics"));
    expect(error.findings).toHaveLength(14);
  });

  test("of loadTable resolves with another table", async () => {
    const { wire, refusals } = broken(5, [1, 2]);
    const error = await failureOf(collectingClient(wire).loadTable(1, "topics"));
    const partial = tableOf(error);
    refusals.clear();
    const whole = await resume(error);
    freeAfterTest(whole);
    expect(whole).toBeInstanceOf(FindingsTable);
    expect(whole.toArray()).toEqual(allFindings(5));
    expect(partial.toArray()).toEqual(findingsOfAll([0, 3, 4]));
    partial.free();
    expect(whole.countBy("Partition")).toHaveLength(5);
  });

  test("works while the table of the error is in use, and after it has been freed", async () => {
    const { wire, refusals } = broken(6, [1, 2]);
    const error = await failureOf(collectingClient(wire).loadTable(1, "topics"));
    const partial = tableOf(error);
    refusals.delete(1);
    /** @type {number[]} */
    const lengths = [];
    const again = await failureOf(
      resume(error, {
        onPartition: () => void lengths.push(partial.toArray().length, partial.filter({ Partition: 5 }).length),
      }),
    );
    expect(new Set(lengths)).toEqual(new Set([8, 2]));
    expect(partial.toArray()).toEqual(findingsOfAll([0, 3, 4, 5]));
    partial.free();
    expect(() => partial.length).toThrow(TypeError);
    expect(tableOf(again).toArray()).toEqual(findingsOfAll([0, 1, 3, 4, 5]));
    refusals.clear();
    const whole = await resume(error);
    freeAfterTest(whole);
    expect(whole.toArray()).toEqual(allFindings(6));
  });

  test("that fails again rejects with what has been received by then, and both errors can resume", async () => {
    const { wire, refusals } = broken(8, [1, 3, 5]);
    const first = await failureOf(collectingClient(wire).getFindings(1, "topics"));
    refusals.delete(3);
    const second = await failureOf(resume(first));
    expect(second).toMatchObject({ code: "partial", findings: findingsOfAll([0, 2, 3, 4, 6, 7]) });
    expect([missingOf(first), missingOf(second)]).toEqual([
      [1, 3, 5],
      [1, 5],
    ]);
    refusals.delete(5);
    const third = await failureOf(resume(first));
    expect(missingOf(third)).toEqual([1]);
    refusals.clear();
    const before = wire.asked.length;
    expect(await resume(second)).toEqual(allFindings(8));
    expect(wire.indexes.slice(before)).toEqual([-1, 1]);
    expect(await resume(first)).toEqual(allFindings(8));
    expect(wire.indexes.slice(before + 2)).toEqual([-1]);
  });

  test("is called without `this`, and with no options or options that are undefined", async () => {
    const { wire, refusals } = broken(3, [1]);
    const error = await failureOf(collectingClient(wire).getFindings(1, "topics"));
    refusals.clear();
    const { resume: alone } = error;
    expect(await alone?.(undefined)).toEqual(allFindings(3));
  });

  test("takes options that win over the call's options", async () => {
    const { wire, refusals } = broken(4, [1, 2]);
    const told = [vi.fn(), vi.fn()];
    const error = await failureOf(
      collectingClient(wire).getFindings(1, "topics", { onProgress: told[0], concurrency: 1 }),
    );
    told[0].mockClear();
    refusals.clear();
    const other = new Wire({ partitions: 4 });
    expect(await resume(error, { onProgress: told[1], fetch: other.fetch })).toEqual(allFindings(4));
    expect(told[0]).not.toHaveBeenCalled();
    expect(told[1].mock.calls.map(([{ partitionsDone, findingsDone }]) => [partitionsDone, findingsDone])).toEqual([
      [2, 4],
      [3, 6],
      [4, 8],
    ]);
    expect([other.indexes, other.most]).toEqual([[-1, 1, 2], 1]);
  });

  test("keeps the options of the call where its own are undefined", async () => {
    const { wire, refusals } = broken(3, [1]);
    const controller = new AbortController();
    const client = collectingClient(new Wire());
    const error = await failureOf(client.getFindings(1, "topics", { fetch: wire.fetch, signal: controller.signal }));
    refusals.clear();
    expect(await resume(error, { fetch: undefined, signal: undefined })).toEqual(allFindings(3));
    controller.abort("enough");
    expect(await rejectionOf(resume(error, { fetch: undefined, signal: undefined }))).toBe("enough");
  });

  test.for(["the call", "the client", "a plain function"])(
    "keeps the signal of %s, rejects with its reason, and continues with null or another signal",
    async (place) => {
      const { wire, refusals } = broken(4, [1]);
      const controller = new AbortController();
      const { signal } = controller;
      const call =
        place === "the call"
          ? collectingClient(wire).getFindings(1, "topics", { signal })
          : place === "the client"
            ? collectingClient(wire, { signal }).getFindings(1, "topics")
            : getFindings(1, "topics", { fetch: wire.fetch, failurePolicy: "collect", signal });
      const error = await failureOf(call);
      refusals.clear();
      controller.abort("enough");
      const before = wire.asked.length;
      expect(await rejectionOf(resume(error))).toBe("enough");
      expect(wire.asked).toHaveLength(before);
      expect(await resume(error, { signal: null })).toEqual(allFindings(4));
      expect(await resume(error, { signal: new AbortController().signal })).toEqual(allFindings(4));
    },
  );

  test("has a fresh totalTimeout, and rejects after it with what has been received by then", async () => {
    useFakeClock("setTimeout", "clearTimeout");
    await preload();
    const outlast = async (/** @type {Promise<unknown>} */ call) => {
      const outcome = failureOf(call);
      await quiet();
      await vi.advanceTimersByTimeAsync(700);
      return outcome;
    };
    let held = [1, 2];
    const wire = new Wire({ partitions: 4, holds: ({ index }) => held.includes(index) });
    const error = await outlast(collectingClient(wire).getFindings(1, "topics", { totalTimeout: 700 }));
    held = [2];
    const again = await outlast(resume(error));
    expect(again).toMatchObject({ code: "partial", findings: findingsOfAll([0, 1, 3]) });
    expect(again.failures?.map(({ partitionIndex, error: { code } }) => [partitionIndex, code])).toEqual([
      [2, "timeout"],
    ]);
    held = [-1, 2];
    const third = await outlast(resume(again));
    expect([third.code, missingOf(third)]).toEqual(["partial", [2]]);
    held = [];
    expect(await resume(third, { totalTimeout: 60_000 })).toEqual(allFindings(4));
  });

  test("rejects with the error of the counts when they fail, and can be called again", async () => {
    const { wire, refusals } = broken(3, [1]);
    const error = await failureOf(collectingClient(wire).getFindings(1, "topics"));
    refusals.add(-1);
    expect(await failureOf(resume(error))).toMatchObject({ code: "http", status: 404 });
    refusals.clear();
    expect(await resume(error)).toEqual(allFindings(3));
  });

  test.for([
    { name: "partitions", now: { TopicPartitions: 4, TopicFindings: 6 }, expected: 6 },
    { name: "findings", now: { TopicPartitions: 3, TopicFindings: 7 }, expected: 7 },
    { name: "totals", now: { TopicPartitions: 3, TopicFindings: null }, expected: undefined },
  ])("is incomplete when the service has other $name now", async ({ now, expected }) => {
    let counts = /** @type {object} */ (countsOf(3));
    const refusals = new Set([1]);
    const wire = new Wire({
      respond: ({ index }) => (index < 0 ? responseOf(counts) : refusals.has(index) ? refused(404) : undefined),
    });
    const error = await failureOf(collectingClient(wire).getFindings(1, "topics"));
    refusals.clear();
    counts = now;
    const before = wire.asked.length;
    const changed = await failureOf(resume(error));
    expect(changed).toMatchObject({ code: "incomplete", received: 4, kind: "topics", inspectionKey: 1 });
    expect(changed.expected).toBe(expected);
    expect(changed.message).toContain("the counts have changed from 3 partitions with 6 findings to");
    expect(changed.message).toContain("probably re-analysed meanwhile: call again");
    expect(wire.indexes.slice(before)).toEqual([-1]);
    // Those of the other kind do not count.
    counts = { ...countsOf(3), SentimentPartitions: 99, SentimentFindings: 999 };
    expect(await resume(error)).toEqual(allFindings(3));
  });

  test("called twice at once fetches each partition once, and resolves with the whole twice", async () => {
    const { wire, refusals } = broken(8, [1, 3, 5]);
    const error = await failureOf(collectingClient(wire).getFindings(1, "topics"));
    refusals.clear();
    const before = wire.asked.length;
    const [one, other] = await Promise.all([resume(error), resume(error)]);
    expect(one).toEqual(allFindings(8));
    expect(other).toEqual(one);
    expect(other).not.toBe(one);
    expect(wire.indexes.slice(before).toSorted()).toEqual([-1, -1, 1, 3, 5]);
  });

  test("of the plain function works, although the caller has no client", async () => {
    const { wire, refusals } = broken(5, [1, 3]);
    const error = await failureOf(getFindings(1, "topics", { fetch: wire.fetch, failurePolicy: "collect" }));
    expect([error.code, missingOf(error)]).toEqual(["partial", [1, 3]]);
    refusals.delete(1);
    expect(missingOf(await failureOf(resume(error)))).toEqual([3]);
    refusals.clear();
    expect(await resume(error)).toEqual(allFindings(5));
  });

  test("rejects with a TypeError after free() of the client", async () => {
    const { wire, refusals } = broken(5, [1]);
    const client = collectingClient(wire);
    const error = await failureOf(client.getFindings(1, "topics"));
    refusals.clear();
    const before = wire.asked.length;
    client.free();
    const reason = await rejectionOf(resume(error));
    expect(reason).toBeInstanceOf(TypeError);
    expect(reason.message).toContain("freed");
    expect(wire.asked).toHaveLength(before);
  });

  test("rejects with the value that a callback throws", async () => {
    const { wire, refusals } = broken(4, [1, 2]);
    const error = await failureOf(collectingClient(wire).getFindings(1, "topics"));
    refusals.clear();
    const thrown = Symbol("mine");
    const call = resume(error, {
      onProgress: () => {
        throw thrown;
      },
    });
    expect(await rejectionOf(call)).toBe(thrown);
    expect(await resume(error)).toEqual(allFindings(4));
  });
});
