/** The three operations: their requests and results, with the scenarios of the fake backend. */

import { describe, expect, test } from "vitest";
import { sizes } from "../fake-backend/index.js";
import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "./place.js";
import { asked, askedPaths, backend, serve } from "./service.js";

/** @typedef {import("inspection-findings").FindingKind} FindingKind */

/** @type {FindingKind[]} */
const kinds = ["sentiment", "topics"];
const segments = { sentiment: "Sentiment", topics: "Topics" };

describe.for(kinds)("of %s", (kind) => {
  test("getFindings resolves with the findings of every partition in index order", async () => {
    const indexes = Array.from({ length: sizes.small[kind].partitions }, (_, index) => index);
    const expected = (await Promise.all(indexes.map((index) => partition(kind, index)))).flat();
    expect(await getFindings(1, kind)).toEqual(expected);
    expect(expected).toHaveLength(sizes.small[kind].findings);
  });

  test("getPartition and loadPartition resolve with one partition, as objects and as a table, by one request", async () => {
    const expected = await partition(kind, 2);
    asked.length = 0;
    expect(await getPartition(1, kind, 2)).toEqual(expected);
    using client = new FindingsClient({ baseUrl: backend.baseUrl.origin });
    using table = await client.loadPartition(1, kind, 2);
    expect(table.toArray()).toEqual(expected);
    expect(askedPaths()).toEqual(Array(2).fill(`Findings/1/${segments[kind]}/2`));
  });
});

test("getPartitionCounts resolves with the counts of both kinds by one request", async () => {
  expect(await getPartitionCounts(1)).toEqual(sizes.small);
  expect(askedPaths()).toEqual(["Findings/1"]);
});

test("the findings are an array of this page, of plain objects of this page", async () => {
  const findings = await getFindings(1, "topics");
  expect(findings).toBeInstanceOf(Array);
  expect(findings.every((finding) => Object.getPrototypeOf(finding) === Object.prototype)).toBe(true);
});

test("a client's methods resolve with the same as the plain functions", async () => {
  using client = new FindingsClient({ baseUrl: backend.baseUrl.origin });
  expect(await client.getPartitionCounts(1)).toEqual(await getPartitionCounts(1));
  expect(await client.getPartition(1, "topics", 3)).toEqual(await getPartition(1, "topics", 3));
  expect(await client.getFindings(1, "sentiment")).toEqual(await getFindings(1, "sentiment"));
});

test("a key as a bigint or as decimal digits names the same inspection as the number", async () => {
  using client = new FindingsClient({ baseUrl: backend.baseUrl.origin });
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
});

test("joins more findings than an engine accepts as arguments", async () => {
  const many = `{"Findings":[${"{},".repeat(199_999)}{}]}`;
  serve({
    counts: { TopicPartitions: 2, TopicFindings: 400_000 },
    respond: ({ index }) => (index < 0 ? undefined : new Response(many)),
  });
  expect(await getFindings(1, "topics")).toHaveLength(400_000);
});

/** What the service has, by the plainest way there is. @param {FindingKind} kind @param {number} index */
async function partition(kind, index) {
  const response = await fetch(new URL(`Findings/1/${segments[kind]}/${index}`, backend.baseUrl));
  return (await response.json()).Findings;
}
