/** The table of options in the documentation: it says which calls take which options, and the calls behave accordingly. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FindingsClient, getFindings } from "inspection-findings";
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
  columns: ["Sentiment"],
  from,
  growth: "append",
};

/** @type {[kind: string, name: string, call: (options: any) => Promise<unknown>][]} */
const calls = [
  ["counts", "getPartitionCounts", (options) => client.getPartitionCounts(1, options)],
  ["partition", "getPartition", (options) => client.getPartition(1, "topics", 0, options)],
  ["partition", "loadPartition", (options) => client.loadPartition(1, "topics", 0, options)],
  ["findings", "getFindings", (options) => client.getFindings(1, "topics", options)],
  ["findings", "the function getFindings", (options) => getFindings(1, "topics", { ...options, baseUrl, fetch })],
  [
    "resume",
    "resume",
    async (options) => {
      const error = await clientThatLacks.getFindings(1, "topics").catch((error) => error);
      return error.resume({ ...options, fetch });
    },
  ],
  ["table", "loadTable", (options) => client.loadTable(1, "topics", options)],
  ["table", "watchTable", (options) => client.watchTable(1, "topics", options).done],
  ["stream", "streamPartitions", (options) => client.streamPartitions(1, "topics", options).next()],
  ["stream", "streamTables", (options) => client.streamTables(1, "topics", options).next()],
];

/** The rows of the documentation's table: the name of an option, its default with its range, and the kinds of calls to which it applies. */
const rows = [
  ...readDocument("www/docs/options.md")
    .split(/^## /m)[0]
    .matchAll(/^\| (`.*?) \| (.*?) \| (.*?) \|/gm),
].flatMap(([, names, values, kinds]) => {
  const named = [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const defaults = named.length === 1 ? [values] : values.split(", ");
  return named.map((name, index) => ({ name, value: defaults[index], kinds }));
});

/** Whether an option applies to a kind of call, as the documentation says. @param {string} option @param {string} kind */
function applies(option, kind) {
  const { kinds = "" } = rows.find(({ name }) => name === option) ?? {};
  return kinds === "every call" || kinds.split(", ").includes(kind);
}

test("the table has the options that the package knows, and no others", async () => {
  // The error lists the options of its call.
  /** @type {any[]} */
  const errors = await Promise.all(calls.map(([, , call]) => call({ unknown: 1 }).catch((error) => error)));
  const known = [...new Set(errors.flatMap(({ message }) => message.match(/the options are (.*)$/)[1].split(", ")))];
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), known.toSorted());
  assert.deepEqual(Object.keys(values).toSorted(), known.toSorted());
});

for (const [kind, name, call] of calls) {
  test(`${name} takes the options that apply to it, and refuses the others`, async () => {
    for (const [option, value] of Object.entries(values)) {
      if (applies(option, kind)) {
        // An option that applies only beside another.
        await call({ ...(option === "growth" && { from: null }), [option]: value });
      } else {
        const message = new RegExp(`^${option} does not apply to this call, only to `);
        await assert.rejects(call({ [option]: value }), { name: "TypeError", message });
      }
    }
  });
}

test("a client takes all options except columns and those about an earlier table", async () => {
  const { from, growth, columns, ...all } = values;
  for (const [name, value] of Object.entries({ from, growth, columns })) {
    const refusing = new FindingsClient(/** @type {any} */ ({ [name]: value }));
    const message = new RegExp(`^TypeError: ${name} does not apply to a client, only to `);
    await assert.rejects(refusing.getPartitionCounts(1), message);
  }
  assert.ok((await new FindingsClient(/** @type {any} */ (all)).getFindings(1, "topics")).length > 0);
});

test("the table has the range of each number that the package says", async () => {
  const said = await Promise.all(
    rows.map(async ({ name }) => {
      const refused = await new FindingsClient({ [name]: -1 }).getPartitionCounts(1).catch((error) => error);
      const [, from, to] = refused.message.match(/an integer from (\d+) to (\d+)/) ?? [];
      return from && [name, `${Number(from)} to ${Number(to)}`];
    }),
  );
  const ranges = rows.flatMap(({ name, value }) => {
    const [, range] = value.match(/\((\d[\d ]* to [\d ]+)\)/) ?? [];
    return range === undefined ? [] : [[name, range.replaceAll(/(?<=\d) (?=\d)/g, "")]];
  });
  assert.ok(ranges.length > 5);
  assert.deepEqual(ranges, said.filter(Boolean));
});

test("the table and the types state the same default of each option that has one", () => {
  const types = readFileSync(new URL("../../dist/options.d.ts", import.meta.url), "utf8");
  const plain = (/** @type {string} */ value) =>
    value.replaceAll(/[`"]|(?<=\d)[ _](?=\d)/g, "").match(/^(?:\d+|[\w-]+)/)?.[0];
  const stated = rows.map(({ name }) => {
    const [before] = types.split(new RegExp(`^ {4}${name}\\?:`, "m"));
    return [name, before.split("@default ").at(-1) ?? ""];
  });
  const literals = stated.filter(([, value]) => /^["\d]/.test(value));
  assert.ok(literals.length > 10);
  const inGuide = literals.map(([name]) => [name, plain(rows.find((row) => row.name === name)?.value ?? "")]);
  assert.deepEqual(
    inGuide,
    literals.map(([name, value]) => [name, plain(value)]),
  );
});
