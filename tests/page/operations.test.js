/** The calls: their requests and results, with findings that a fake service invents. */

import { createFakeService } from "inspection-findings/testing";
import { beforeEach, describe, expect, test } from "vitest";
import { callsOfClient } from "./calls.js";
import { FindingsClient, getFindings } from "./place.js";
import { askedPaths, serve } from "./service.js";

/** @typedef {import("inspection-findings").FindingKind} FindingKind */

const segments = { sentiment: "Sentiment", topics: "Topics" };
const service = createFakeService({ baseUrl: new URL(".", document.baseURI) });
const counts = { sentiment: { partitions: 3, findings: 250 }, topics: { partitions: 4, findings: 310 } };

beforeEach(() => serve({ respond: ({ request }) => service.fetch(request) }));

describe.for(/** @type {FindingKind[]} */ (["sentiment", "topics"]))("of %s", (kind) => {
  const path = `Findings/1/${segments[kind]}`;
  const paths = ["Findings/1", ...Array.from({ length: counts[kind].partitions }, (_, index) => `${path}/${index}`)];

  test.for(Object.entries(callsOfClient))(
    "%s has what the service has, by one request each, for a key as a number, a bigint or its decimal digits",
    async ([name, call]) => {
      const partition = await (await service.fetch(`${service.baseUrl}${path}/2`)).json();
      const isOfCounts = name === "getPartitionCounts";
      const isOfPartition = name.endsWith("Partition");
      const expected = isOfCounts ? counts : isOfPartition ? partition.Findings : service.findings(kind);
      const requests = isOfCounts ? paths.slice(0, 1) : isOfPartition ? [`${path}/2`] : paths;
      using client = new FindingsClient({ baseUrl: service.baseUrl });
      for (const key of [1, 1n, "1"]) {
        const before = askedPaths().length;
        expect(await call(client, key, kind, 2)).toEqual(expected);
        expect(askedPaths().slice(before).toSorted()).toEqual(requests);
      }
    },
  );
});

test("joins more findings than an engine accepts as arguments", async () => {
  const many = `{"Findings":[${"{},".repeat(199_999)}{}]}`;
  serve({
    counts: { TopicPartitions: 2, TopicFindings: 400_000 },
    respond: ({ index }) => (index < 0 ? undefined : new Response(many)),
  });
  expect(await getFindings(1, "topics")).toHaveLength(400_000);
});
