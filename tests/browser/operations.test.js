/** The three operations: their requests and results, with findings that a fake service invents. */

import { createFakeService } from "inspection-findings/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "./place.js";
import { askedPaths, serve } from "./service.js";

/** @typedef {import("inspection-findings").FindingKind} FindingKind */

/** @type {FindingKind[]} */
const kinds = ["sentiment", "topics"];
const segments = { sentiment: "Sentiment", topics: "Topics" };
const service = createFakeService({ baseUrl: new URL(".", document.baseURI) });
const counts = { sentiment: { partitions: 3, findings: 250 }, topics: { partitions: 4, findings: 310 } };

beforeEach(() => serve({ respond: ({ request }) => service.fetch(request) }));

describe.for(kinds)("of %s", (kind) => {
  test("getFindings resolves with the findings of every partition in index order", async () => {
    expect(await getFindings(1, kind)).toEqual(service.findings(kind));
  });

  test("getPartition and loadPartition resolve with one partition, as objects and as a table, by one request", async () => {
    const response = await service.fetch(`${service.baseUrl}Findings/1/${segments[kind]}/2`);
    const expected = (await response.json()).Findings;
    expect(await getPartition(1, kind, 2)).toEqual(expected);
    using client = new FindingsClient({ baseUrl: service.baseUrl });
    using table = await client.loadPartition(1, kind, 2);
    expect(table.toArray()).toEqual(expected);
    expect(askedPaths()).toEqual(Array(2).fill(`Findings/1/${segments[kind]}/2`));
  });
});

test("getPartitionCounts resolves with the counts of both kinds by one request", async () => {
  expect(await getPartitionCounts(1)).toEqual(counts);
  expect(askedPaths()).toEqual(["Findings/1"]);
});

test("the findings are an array of this page, of plain objects of this page", async () => {
  const findings = await getFindings(1, "topics");
  expect(findings).toBeInstanceOf(Array);
  expect(findings.every((finding) => Object.getPrototypeOf(finding) === Object.prototype)).toBe(true);
});

test("a key as a bigint or as decimal digits names the same inspection as the number", async () => {
  using client = new FindingsClient({ baseUrl: service.baseUrl });
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
