/** The table of options in the documentation: it says which calls take which options, and the calls behave accordingly. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { readDocument } from "./documents.js";

const service = createFakeService();
const { baseUrl, fetch } = service;
const client = new FindingsClient({ baseUrl, fetch });
const from = await client.loadTable(1, "topics");

/** A client whose calls lack a partition. */
const clientThatLacks = new FindingsClient({
  baseUrl,
  failurePolicy: "collect",
  fetch: async (href, init) => (href.endsWith("/Topics/0") ? new Response(null, { status: 410 }) : fetch(href, init)),
});

/** A right value of each option. */
const values = {
  baseUrl,
  headers: { "x-token": "1" },
  credentials: "omit",
  cache: "reload",
  fetch,
  worker: false,
  signal: new AbortController().signal,
  concurrency: 2,
  timeout: 10_000,
  totalTimeout: 10_000,
  retries: 1,
  maxRetryAfter: 1,
  completeness: "strict",
  maxPartitionBytes: 1_000_000,
  failurePolicy: "fail-fast",
  order: "index",
  maxBufferedBytes: 1_000_000,
  readCounts: (/** @type {any} */ counts) => ({
    sentiment: { partitions: counts.SentimentPartitions, findings: counts.SentimentFindings },
    topics: { partitions: counts.TopicPartitions, findings: counts.TopicFindings },
  }),
  onProgress: () => {},
  onPartition: () => {},
  measure: false,
  columns: ["Sentiment"],
  from,
};

/** Options with the service, for a call without a client. */
function toService(/** @type {any} */ options) {
  return { ...options, baseUrl, fetch };
}

/** The calls of each kind. */
const calls = /** @type {Record<string, Record<string, (options: any) => Promise<unknown>>>} */ ({
  counts: {
    getPartitionCounts: (options) => client.getPartitionCounts(1, options),
    "the function getPartitionCounts": (options) => getPartitionCounts(1, toService(options)),
  },
  partition: {
    getPartition: (options) => client.getPartition(1, "topics", 0, options),
    loadPartition: (options) => client.loadPartition(1, "topics", 0, options),
    "the function getPartition": (options) => getPartition(1, "topics", 0, toService(options)),
  },
  findings: {
    getFindings: (options) => client.getFindings(1, "topics", options),
    "the function getFindings": (options) => getFindings(1, "topics", toService(options)),
  },
  resume: {
    resume: async (options) => {
      const error = await clientThatLacks.getFindings(1, "topics").catch((error) => error);
      return error.resume({ ...options, fetch });
    },
  },
  table: {
    loadTable: (options) => client.loadTable(1, "topics", options),
    watchTable: (options) => client.watchTable(1, "topics", options).done,
  },
  stream: {
    streamPartitions: (options) => client.streamPartitions(1, "topics", options).next(),
    streamTables: (options) => client.streamTables(1, "topics", options).next(),
  },
});

/** The kinds of calls to which each option applies, as the documentation says. */
const documented = new Map(
  [...readDocument("www/docs/options.md").matchAll(/^\| (`.*?) \| .*? \| (.*?) \|/gm)].flatMap(([, names, kinds]) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => [
      name,
      kinds === "every call" ? Object.keys(calls) : kinds.split(", "),
    ]),
  ),
);

test("the table has the options that the package knows, and no others", async () => {
  // The error lists the options of its call.
  const errors = /** @type {any[]} */ (
    await Promise.all(
      [calls.table.loadTable, calls.stream.streamTables].map((make) => make({ unknown: 1 }).catch((error) => error)),
    )
  );
  const known = [...new Set(errors.flatMap(({ message }) => message.match(/the options are (.*)$/)[1].split(", ")))];
  assert.deepEqual([...documented.keys()].toSorted(), known.toSorted());
  assert.deepEqual(Object.keys(values).toSorted(), known.toSorted());
});

for (const [kind, ofKind] of Object.entries(calls)) {
  for (const [call, make] of Object.entries(ofKind)) {
    test(`${call} takes the options that apply to it, and refuses the others`, async () => {
      for (const [name, value] of Object.entries(values)) {
        const error = await make({ [name]: value }).then(
          () => undefined,
          (reason) => reason,
        );
        if (documented.get(name)?.includes(kind)) {
          assert.equal(error, undefined, name);
        } else {
          assert.equal(error?.constructor, TypeError, name);
          assert.match(error.message, new RegExp(`^${name} does not apply to this call, only to `));
        }
        await make({ [name]: undefined });
      }
    });
  }
}

test("a client takes all options except an earlier table", async () => {
  const { from, ...rest } = values;
  const all = /** @type {any} */ (rest);
  const refusing = new FindingsClient(/** @type {any} */ ({ from }));
  await assert.rejects(refusing.getPartitionCounts(1), /^TypeError: from does not apply to a client, only to /);
  assert.ok((await new FindingsClient(all).getPartitionCounts(1)).topics.partitions > 0);
  assert.ok((await new FindingsClient(all).getPartition(1, "topics", 0)).length > 0);
  assert.ok((await new FindingsClient(all).getFindings(1, "topics")).length > 0);
});
