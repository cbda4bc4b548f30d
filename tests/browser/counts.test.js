/** Counts: which values are accepted, which are refused, and the option readCounts. */

import { getFindings, getPartitionCounts } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { allFindings } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { asked, askedPaths, serve } from "./service.js";

/**
 * Serves this text as the counts response, and the usual partitions.
 * @param {string} text
 */
function serveCounts(text) {
  serve({ respond: ({ kind }) => (kind === undefined ? new Response(text) : undefined) });
}

test("10.0 is a count, and becomes the integer 10", async () => {
  serveCounts('{"SentimentPartitions":10.0,"SentimentFindings":1e2,"TopicPartitions":-0,"TopicFindings":null}');
  const counts = await getPartitionCounts(1);
  expect(counts).toEqual({ sentiment: { partitions: 10, findings: 100 }, topics: { partitions: 0, findings: null } });
  expect(Object.is(counts.topics.partitions, 0)).toBe(true);
});

test("a count of another value is a decode failure with its position", async () => {
  serveCounts('{"SentimentPartitions":2.5,"SentimentFindings":0}');
  const failure = await failureOf(getFindings(1, "sentiment"));
  expect(failure).toMatchObject({ code: "decode", kind: "sentiment", inspectionKey: 1, attempts: 1 });
  expect(failure.message).toContain("$.SentimentPartitions");
  expect(failure.message).toContain("at byte 23");
  expect(failure.message).toContain("non-negative integer");
  expect(askedPaths()).toEqual(["Findings/1"]);
});

test("counts of another form point to readCounts", async () => {
  const hint = "If the service sends counts in another shape, convert them with readCounts.";
  for (const counts of [[], { sentiment: 3 }, { TopicPartitions: "3" }]) {
    serve({ counts });
    expect((await failureOf(getPartitionCounts(1))).message).toContain(hint);
    expect((await failureOf(getFindings(1, "topics"))).message).toContain(hint);
  }
  serve({ respond: () => new Response("{") });
  expect((await failureOf(getPartitionCounts(1))).message).not.toContain("readCounts");
});

describe("readCounts", () => {
  test("receives the parsed counts response and returns the counts", async () => {
    serve({ counts: { Parts: [3, 6], errors: null } });
    /** @type {unknown[]} */
    const responses = [];
    const readCounts = (/** @type {any} */ response) => {
      responses.push(response);
      return both(response.Parts[0], response.Parts[1]);
    };
    expect(await getPartitionCounts(1, { readCounts })).toEqual(both(3, 6));
    expect(await getFindings(1, "topics", { readCounts })).toEqual(allFindings(3));
    expect(responses).toEqual([
      { Parts: [3, 6], errors: null },
      { Parts: [3, 6], errors: null },
    ]);
  });

  test("may read a response that is not an object", async () => {
    for (const text of ["[3]", "3", '"3"', "\ufeff[3]"]) {
      serveCounts(text);
      expect(await getFindings(1, "topics", { readCounts: (response) => both(Number(response), null) })).toEqual(
        allFindings(3),
      );
    }
  });

  test("is not called when the response has errors", async () => {
    serve({ counts: { errors: ["no"], Parts: 3 } });
    const readCounts = () => expect.fail("called");
    expect(await failureOf(getFindings(1, "topics", { readCounts }))).toMatchObject({
      code: "service",
      messages: ["no"],
    });
  });

  test("needs to return only the requested kind, and may leave its total out or return null for it", async () => {
    serve({ partitions: 2 });
    for (const findings of [undefined, null, 4]) {
      const readCounts = () => ({ topics: { partitions: 2, findings } });
      expect(await getFindings(1, "topics", { readCounts })).toEqual(allFindings(2));
      const failure = await failureOf(getFindings(1, "sentiment", { readCounts }));
      expect(failure.code).toBe("decode");
      expect(failure.message).toContain("sentiment is missing");
    }
    const readCounts = () => ({ topics: { partitions: 2 }, sentiment: { partitions: 0 } });
    expect((await getPartitionCounts(1, { readCounts })).sentiment).toEqual({ partitions: 0, findings: null });
  });

  test.for(
    /** @type {[string, unknown, string][]} */ ([
      ["nothing", undefined, "topics"],
      ["null", null, "topics"],
      ["a number", 3, "topics"],
      ["an empty object", {}, "topics"],
      ["a kind that is no object", { topics: 3 }, "topics.partitions"],
      ["no partitions", { topics: { findings: 3 } }, "topics.partitions"],
      ["negative partitions", { topics: { partitions: -1 } }, "topics.partitions"],
      ["half a partition", { topics: { partitions: 2.5 } }, "topics.partitions"],
      ["not a number", { topics: { partitions: Number.NaN } }, "topics.partitions"],
      ["partitions without end", { topics: { partitions: Number.POSITIVE_INFINITY } }, "topics.partitions"],
      ["partitions as text", { topics: { partitions: "3" } }, "topics.partitions"],
      ["partitions as a bigint", { topics: { partitions: 3n } }, "topics.partitions"],
      ["a negative total", { topics: { partitions: 3, findings: -1 } }, "topics.findings"],
      ["a total as text", { topics: { partitions: 3, findings: "6" } }, "topics.findings"],
    ]),
  )("giving %s is a decode failure that names it", async ([, given, named]) => {
    serve();
    const failure = await failureOf(getFindings(1, "topics", { readCounts: () => /** @type {any} */ (given) }));
    expect(failure).toMatchObject({ code: "decode", kind: "topics" });
    expect(failure.message).toContain("readCounts");
    expect(failure.message).toContain(named);
    expect(asked).toHaveLength(1);
  });

  test("must be synchronous: a promise, even a rejected one, is a decode failure that says so", async () => {
    serve();
    for (const late of [async () => both(3, 6), () => Promise.reject(new Error("late"))]) {
      const failure = await failureOf(getFindings(1, "topics", { readCounts: /** @type {any} */ (late) }));
      expect(failure.code).toBe("decode");
      expect(failure.message).toMatch(/synchronous/);
    }
  });

  test("may return getters, and the call rejects with what one throws", async () => {
    serve();
    const thrown = { thrown: true };
    const counts = {
      get topics() {
        return { partitions: 3, findings: 6 };
      },
      /** @returns {{ partitions: number }} */
      get sentiment() {
        throw thrown;
      },
    };
    expect(await rejectionOf(getFindings(1, "sentiment", { readCounts: () => counts }))).toBe(thrown);
  });
});

/**
 * @param {number} partitions
 * @param {number | null} findings
 */
function both(partitions, findings) {
  return { sentiment: { partitions, findings }, topics: { partitions, findings } };
}
