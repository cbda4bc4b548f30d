/** The three operations: their requests and results, with the scenarios of the fake backend. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";
import { handlersOf, sizes } from "../fake-backend/index.js";
import { failureOf } from "./outcome.js";
import { asked, askedPaths, backend, serve, worker } from "./service.js";

/** @typedef {import("inspection-findings").FindingKind} FindingKind */

/** @type {FindingKind[]} */
const kinds = ["sentiment", "topics"];
const segments = { sentiment: "Sentiment", topics: "Topics" };

describe.for(kinds)("of %s", (kind) => {
  test("getFindings resolves with the findings of every partition in index order", async () => {
    const expected = await everything(1, kind, sizes.small[kind].partitions);
    expect(await getFindings(1, kind)).toEqual(expected);
    expect(expected).toHaveLength(sizes.small[kind].findings);
  });

  test("getFindings requests the counts once and each partition exactly once", async () => {
    await getFindings(1, kind);
    const { partitions } = sizes.small[kind];
    const indexes = Array.from({ length: partitions }, (_, index) => `Findings/1/${segments[kind]}/${index}`);
    expect(askedPaths().toSorted()).toEqual(["Findings/1", ...indexes]);
    expect(askedPaths()[0]).toBe("Findings/1");
  });

  test("getPartition resolves with one partition by one request", async () => {
    const expected = await partition(1, kind, 2);
    asked.length = 0;
    expect(await getPartition(1, kind, 2)).toEqual(expected);
    expect(askedPaths()).toEqual([`Findings/1/${segments[kind]}/2`]);
  });

  test("loadPartition resolves with one partition as a table, by one request", async () => {
    const expected = await partition(1, kind, 2);
    asked.length = 0;
    using client = new FindingsClient({ baseUrl: backend.baseUrl.origin });
    using table = await client.loadPartition(1, kind, 2);
    expect(table.toArray()).toEqual(expected);
    expect(askedPaths()).toEqual([`Findings/1/${segments[kind]}/2`]);
  });

  test("streamTables delivers each partition once, as a table", async () => {
    const { partitions } = sizes.jittered[kind];
    const expected = await everything(5, kind, partitions);
    using client = new FindingsClient({ baseUrl: backend.baseUrl.origin, concurrency: 20 });
    const findings = [];
    for await (const { table } of client.streamTables(5, kind)) {
      findings.push(...table.toArray());
      table.free();
    }
    expect(findings).toEqual(expected);
    expect(asked).toHaveLength(partitions + 1);
  });

  test("responses that overtake each other do not change the order", async () => {
    const { partitions } = sizes.jittered[kind];
    const service = createFakeService({ baseUrl: backend.baseUrl, ...sizes.jittered, faults: { jitter: 40 } });
    worker.use(...handlersOf(service));
    const expected = await everything(5, kind, partitions);
    asked.length = 0;
    expect(await getFindings(5, kind)).toEqual(expected);
    expect(new Set(askedPaths()).size).toBe(partitions + 1);
    expect(asked).toHaveLength(partitions + 1);
  });

  test("an inspection without partitions has no findings", async () => {
    expect(await getFindings(3, kind)).toEqual([]);
    expect(askedPaths()).toEqual(["Findings/3"]);
  });

  test("a service that fails once at every URL is retried", async () => {
    const findings = await getFindings(6, kind, { concurrency: 20 });
    expect(findings).toHaveLength(sizes.flaky[kind].findings);
    expect(asked).toHaveLength(2 * (sizes.flaky[kind].partitions + 1));
  });

  test("an unknown inspection is an http failure with the messages of the service", async () => {
    const failure = await failureOf(getFindings(404, kind));
    expect(failure).toMatchObject({ code: "http", status: 404, kind, inspectionKey: 404, attempts: 1 });
    expect(failure.messages).toEqual(["There is no inspection 404."]);
  });
});

test("getPartitionCounts resolves with the counts of both kinds by one request", async () => {
  expect(await getPartitionCounts(1)).toEqual(sizes.small);
  expect(askedPaths()).toEqual(["Findings/1"]);
});

test("the findings are an array of this page, of plain objects of this page", async () => {
  const findings = await getFindings(1, "topics");
  expect(Array.isArray(findings)).toBe(true);
  expect(findings).toBeInstanceOf(Array);
  expect(findings.every((finding) => Object.getPrototypeOf(finding) === Object.prototype)).toBe(true);
});

test("a client's methods resolve with the same as the plain functions", async () => {
  const client = new FindingsClient({ baseUrl: backend.baseUrl.origin });
  expect(await client.getPartitionCounts(1)).toEqual(await getPartitionCounts(1));
  expect(await client.getPartition(1, "topics", 3)).toEqual(await getPartition(1, "topics", 3));
  expect(await client.getFindings(1, "sentiment")).toEqual(await getFindings(1, "sentiment"));
  client.free();
});

test("a key as a bigint or as decimal digits names the same inspection as the number", async () => {
  const client = new FindingsClient({ baseUrl: backend.baseUrl.origin });
  const findings = await getFindings(1, "topics");
  for (const key of [1n, "1"]) {
    expect(await getFindings(key, "topics")).toEqual(findings);
    expect(await client.getPartition(key, "topics", 0)).toEqual(await getPartition(1, "topics", 0));
    expect((await client.loadPartition(key, "topics", 0)).toArray()).toEqual(await getPartition(1, "topics", 0));
    expect((await client.loadTable(key, "topics")).toArray()).toEqual(findings);
    expect((await client.watchTable(key, "topics").done).toArray()).toEqual(findings);
    const streamed = [];
    for await (const partition of client.streamPartitions(key, "topics")) streamed.push(...partition.findings);
    for await (const { table } of client.streamTables(key, "topics")) streamed.push(...table);
    expect(streamed).toEqual([...findings, ...findings]);
  }
  client.free();
});

test("partitions without findings are allowed", async () => {
  serve({
    partitions: 3,
    counts: { SentimentPartitions: 3, SentimentFindings: 1 },
    answer: ({ index }) => (index < 0 ? undefined : Response.json({ Findings: index === 1 ? [{ only: true }] : [] })),
  });
  expect(await getFindings(1, "sentiment")).toEqual([{ only: true }]);
});

test("joins more findings than an engine accepts as arguments", async () => {
  const many = `{"Findings":[${"{},".repeat(199_999)}{}]}`;
  serve({
    counts: { TopicPartitions: 2, TopicFindings: 400_000 },
    answer: ({ index }) => (index < 0 ? undefined : new Response(many)),
  });
  expect(await getFindings(1, "topics")).toHaveLength(400_000);
});

test.for(
  /** @type {[number, string][]} */ ([
    [1, "findings"],
    [3, "findings"],
    [6, "findings"],
    [7, "findings"],
    [8, "service"],
    [9, "incomplete"],
    [10, "decode"],
    [11, "unauthorized"],
    [12, "http"],
  ]),
)("the inspection %i of the fake backend ends in %s", async ([key, expected]) => {
  const outcome = await getFindings(key, "topics", { concurrency: 20 }).then(
    () => "findings",
    (error) => error.code,
  );
  expect(outcome).toBe(expected);
});

/**
 * What the service has, by the plainest way there is.
 * @param {number} key
 * @param {FindingKind} kind
 * @param {number} partitions
 */
async function everything(key, kind, partitions) {
  const several = Array.from({ length: partitions }, (_, index) => partition(key, kind, index));
  const findings = (await Promise.all(several)).flat();
  asked.length = 0;
  return findings;
}

/**
 * @param {number} key
 * @param {FindingKind} kind
 * @param {number} index
 */
async function partition(key, kind, index) {
  const response = await fetch(new URL(`Findings/${key}/${segments[kind]}/${index}`, backend.baseUrl));
  return (await response.json()).Findings;
}
