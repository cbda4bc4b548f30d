/** Counts: which values are accepted, which are refused, and the option readCounts. */

import { getFindings, getPartitionCounts } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { allFindings } from "./inspection.js";
import { failureOf } from "./outcome.js";
import { asked, askedPaths, serve } from "./service.js";

/** Serves this text as the counts response, and the usual partitions. */
function serveCounts(/** @type {string} */ text) {
  serve({ respond: ({ kind }) => (kind === undefined ? new Response(text) : undefined) });
}

test("10.0 is a count, and becomes the integer 10", async () => {
  serveCounts('{"SentimentPartitions":10.0,"SentimentFindings":1e2,"TopicPartitions":-0,"TopicFindings":null}');
  const counts = await getPartitionCounts(1);
  expect(counts).toEqual({ sentiment: { partitions: 10, findings: 100 }, topics: { partitions: 0, findings: null } });
});

const hint = "If the service sends counts in another shape, convert them with readCounts, in a program.";

test.for(
  /** @type {[name: string, counts: string, message: string, helps: boolean][]} */ ([
    [
      "a fraction",
      '{"SentimentPartitions":0,"TopicPartitions":2.5}',
      "TopicPartitions is not a non-negative integer (at byte 43)",
      true,
    ],
    ["another form", '{"sentiment":3,"topics":{}}', "", true],
    ["a list", "[]", "", true],
    ["no JSON", '{"a":~}', "", false],
  ]),
)("counts with %s are a decode failure, which points to readCounts if that helps", async (row) => {
  const [, counts, message, helps] = row;
  serveCounts(counts);
  for (const call of [getPartitionCounts(1), getFindings(1, "topics")]) {
    const failure = await failureOf(call);
    expect(failure).toMatchObject({ code: "decode", inspectionKey: 1, attempts: 1 });
    expect(failure.message).toContain(message);
    expect(failure.message.includes(hint)).toBe(helps);
  }
  expect(askedPaths()).toEqual(["Findings/1", "Findings/1"]);
});

describe("readCounts", () => {
  test("receives the parsed counts response, whatever it is, and returns the counts", async () => {
    const readCounts = vi.fn((response) => both(Number(response.Parts ?? response)));
    serveCounts('{"Parts":3,"errors":null}');
    expect(await getPartitionCounts(1, { readCounts })).toEqual(both(3));
    serveCounts("\ufeff[3]");
    expect(await getFindings(1, "topics", { readCounts })).toEqual(allFindings(3));
    expect(readCounts.mock.calls).toEqual([[{ Parts: 3, errors: null }], [[3]]]);
  });

  test("is not called when the response has errors", async () => {
    serve({ counts: { errors: ["no"], Parts: 3 } });
    const readCounts = () => expect.fail("called");
    const failure = await failureOf(getFindings(1, "topics", { readCounts }));
    expect(failure).toMatchObject({ code: "service", messages: ["no"] });
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
    /** @type {[string, () => unknown, string][]} */ ([
      ["nothing", () => undefined, "topics"],
      ["a kind that is no object", () => ({ topics: 3 }), "topics.partitions"],
      ["no partitions", () => ({ topics: { findings: 3 } }), "topics.partitions"],
      ["negative partitions", () => ({ topics: { partitions: -1 } }), "topics.partitions"],
      ["partitions as text", () => ({ topics: { partitions: "3" } }), "topics.partitions"],
      ["a negative total", () => ({ topics: { partitions: 3, findings: -1 } }), "topics.findings"],
      ["a promise", async () => both(3), "synchronous"],
      ["a rejected promise", () => Promise.reject(new Error("late")), "synchronous"],
    ]),
  )("giving %s is a decode failure that says so", async ([, give, named]) => {
    serve();
    const failure = await failureOf(getFindings(1, "topics", { readCounts: /** @type {any} */ (give) }));
    expect(failure).toMatchObject({ code: "decode", kind: "topics" });
    expect(failure.message).toContain("readCounts");
    expect(failure.message).toContain(named);
    expect(asked).toHaveLength(1);
  });
});

function both(/** @type {number} */ partitions) {
  return { sentiment: { partitions, findings: null }, topics: { partitions, findings: null } };
}
