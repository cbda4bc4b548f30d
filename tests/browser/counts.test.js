/** Counts: which values are accepted, which are refused, and the option readCounts. */

import { getFindings, getPartitionCounts } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { allFindings, countsOf } from "./inspection.js";
import { failureOf, pause, rejectionOf } from "./outcome.js";
import { asked, askedPaths, serve } from "./service.js";
import { Traffic } from "./traffic.js";

/**
 * Serves this text as the counts response, and the usual partitions.
 * @param {string} text
 */
function serveCounts(text) {
  serve({ respond: ({ kind }) => (kind === undefined ? new Response(text) : undefined) });
}

test("counts of zero mean no findings", async () => {
  serveCounts('{"SentimentPartitions":0,"SentimentFindings":0}');
  expect(await getFindings(1, "sentiment")).toEqual([]);
  expect(asked).toHaveLength(1);
});

test.for(["3.0", "3e0", "0.3e1", "30E-1", "3.000"])("a count may be written as %s", async (count) => {
  serveCounts(`{"SentimentPartitions":${count},"SentimentFindings":6.0}`);
  expect(await getFindings(1, "sentiment")).toEqual(allFindings(3));
});

test("10.0 is a count, and becomes the integer 10", async () => {
  serveCounts('{"SentimentPartitions":10.0,"SentimentFindings":1e2,"TopicPartitions":-0,"TopicFindings":null}');
  const counts = await getPartitionCounts(1);
  expect(counts).toEqual({ sentiment: { partitions: 10, findings: 100 }, topics: { partitions: 0, findings: null } });
  expect(Object.is(counts.topics.partitions, 0)).toBe(true);
});

describe.for(["-1", "2.5", "1e400", "9007199254740993", '"3"', "true", "null", "[3]", '{"count":3}'])(
  "a count of %s",
  (count) => {
    test("is a decode failure with its position", async () => {
      serveCounts(`{"SentimentPartitions":${count},"SentimentFindings":0}`);
      const failure = await failureOf(getFindings(1, "sentiment"));
      expect(failure).toMatchObject({ code: "decode", kind: "sentiment", inspectionKey: 1, attempts: 1 });
      expect(failure.message).toContain("$.SentimentPartitions");
      expect(failure.message).toContain("at byte 23");
      expect(failure.message).toContain("non-negative integer");
      expect(askedPaths()).toEqual(["Findings/1"]);
    });
  },
);

test.for(["-1", "2.5", '"3"', "false", "{}"])("a total of %s is a decode failure with its position", async (total) => {
  serveCounts(`{"TopicPartitions":1,"TopicFindings":${total}}`);
  const failure = await failureOf(getFindings(1, "topics"));
  expect(failure.code).toBe("decode");
  expect(failure.message).toContain("$.TopicFindings");
  expect(asked).toHaveLength(1);
});

test("a missing count is a decode failure that names it", async () => {
  serveCounts("{}");
  expect((await failureOf(getFindings(1, "topics"))).message).toContain("TopicPartitions is missing");
  expect((await failureOf(getFindings(1, "sentiment"))).message).toContain("SentimentPartitions is missing");
  expect((await failureOf(getPartitionCounts(1))).code).toBe("decode");
});

test("counts of another form point to readCounts", async () => {
  const hint = "If the service sends counts in another form, convert them with readCounts.";
  for (const counts of [[], { sentiment: 3 }, { TopicPartitions: "3" }]) {
    serve({ counts });
    expect((await failureOf(getPartitionCounts(1))).message).toContain(hint);
    expect((await failureOf(getFindings(1, "topics"))).message).toContain(hint);
  }
  serve({ respond: () => new Response("{") });
  expect((await failureOf(getPartitionCounts(1))).message).not.toContain("readCounts");
});

test("only the counts of the requested kind are needed", async () => {
  serveCounts('{"SentimentPartitions":3,"TopicPartitions":"many","TopicFindings":-1}');
  expect(await getFindings(1, "sentiment")).toEqual(allFindings(3));
  expect((await failureOf(getPartitionCounts(1))).message).toContain("$.TopicPartitions");
});

test("an absent or null total is null, and any number of findings is complete", async () => {
  for (const total of ["", ',"SentimentFindings":null']) {
    serveCounts(`{"SentimentPartitions":3${total},"TopicPartitions":0}`);
    expect((await getPartitionCounts(1)).sentiment).toEqual({ partitions: 3, findings: null });
    expect(await getFindings(1, "sentiment")).toEqual(allFindings(3));
  }
});

test.for(["[]", "7", "null", '"counts"', "", "{", "<html>"])(
  "a counts response of %s is a decode failure",
  async (text) => {
    serveCounts(text);
    expect((await failureOf(getFindings(1, "topics"))).code).toBe("decode");
    expect((await failureOf(getPartitionCounts(1))).code).toBe("decode");
  },
);

test.for(["4000000000", "4294967296", "9007199254740991"])(
  "%s partitions take no memory before they arrive, and can be aborted",
  async (count) => {
    serveCounts(`{"SentimentPartitions":${count},"SentimentFindings":null}`);
    const controller = new AbortController();
    const traffic = new Traffic();
    /** @type {number[]} */
    const partitions = [];
    const call = getFindings(1, "sentiment", {
      fetch: traffic.fetch,
      signal: controller.signal,
      onProgress: (progress) => {
        partitions.push(progress.partitions);
        if (progress.partitionsDone === 20) {
          controller.abort("enough");
        }
      },
    });
    expect(await rejectionOf(call)).toBe("enough");
    expect(new Set(partitions)).toEqual(new Set([Number(count)]));
    const requests = traffic.trips.length;
    await pause(50);
    expect(traffic.trips).toHaveLength(requests);
    expect(traffic.open).toBe(0);
    expect((await getPartitionCounts(1, { readCounts: () => both(1, 2) })).topics.partitions).toBe(1);
  },
);

test("of four billion partitions a missing one ends the call", async () => {
  serve({
    counts: { SentimentPartitions: 4_000_000_000, SentimentFindings: 4_000_000_000 },
    respond: ({ index }) => (index === 9 ? new Response(null, { status: 404 }) : undefined),
  });
  expect(await failureOf(getFindings(1, "sentiment"))).toMatchObject({ code: "http", status: 404, partitionIndex: 9 });
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

  test("is called with `this` undefined, once for each call, with the response as its only argument", async () => {
    serve({ partitions: 1 });
    /** @type {unknown[]} */
    const calls = [];
    await getFindings(1, "topics", {
      readCounts: /** @type {any} */ (
        /** @this {unknown} */ function (/** @type {unknown[]} */ ...args) {
          calls.push([this, args.length]);
          return both(1, 2);
        }
      ),
    });
    expect(calls).toEqual([[undefined, 1]]);
  });

  test("is not called when the response has errors", async () => {
    serve({ counts: { errors: ["no"], Parts: 3 } });
    const readCounts = () => expect.fail("called");
    expect(await failureOf(getFindings(1, "topics", { readCounts }))).toMatchObject({
      code: "service",
      messages: ["no"],
    });
  });

  test("needs to return only the requested kind", async () => {
    serve();
    const readCounts = () => ({ topics: { partitions: 3 } });
    expect(await getFindings(1, "topics", { readCounts })).toEqual(allFindings(3));
    const failure = await failureOf(getFindings(1, "sentiment", { readCounts }));
    expect(failure.code).toBe("decode");
    expect(failure.message).toContain("sentiment is missing");
  });

  test("may leave the total out, or return null for it", async () => {
    serve({ partitions: 2 });
    for (const findings of [undefined, null, 4]) {
      const readCounts = () => ({ topics: { partitions: 2, findings }, sentiment: { partitions: 0 } });
      expect(await getFindings(1, "topics", { readCounts })).toEqual(allFindings(2));
      expect((await getPartitionCounts(1, { readCounts })).sentiment).toEqual({ partitions: 0, findings: null });
    }
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

  test("does not change the counts of calls without it", async () => {
    serve({ partitions: 2 });
    await getPartitionCounts(1, { readCounts: () => both(9, 9) });
    expect((await getPartitionCounts(1)).topics).toEqual({ partitions: 2, findings: countsOf(2).TopicFindings });
  });
});

/**
 * @param {number} partitions
 * @param {number | null} findings
 */
function both(partitions, findings) {
  return { sentiment: { partitions, findings }, topics: { partitions, findings } };
}
