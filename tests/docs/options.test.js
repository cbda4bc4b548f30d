/** The table of options in the documentation: which calls take which options, and their defaults and ranges, as the package has them. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { FindingsClient, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { readDocument } from "./documents.js";

const { baseUrl, fetch } = createFakeService();
const client = new FindingsClient({ baseUrl, fetch });

/** The error of a call that lacks a partition. */
const partial = await client
  .getFindings(1, "topics", {
    failurePolicy: "collect",
    fetch: async (href, init) => (href.endsWith("/Topics/0") ? new Response(null, { status: 410 }) : fetch(href, init)),
  })
  .catch((error) => error);

/** @type {[kind: string, name: string, call: (options: any) => Promise<unknown>][]} */
const calls = [
  ["counts", "getPartitionCounts", (options) => client.getPartitionCounts(1, options)],
  ["partition", "getPartition", (options) => client.getPartition(1, "topics", 0, options)],
  ["partition", "loadPartition", (options) => client.loadPartition(1, "topics", 0, options)],
  ["findings", "getFindings", (options) => client.getFindings(1, "topics", options)],
  ["findings", "the function getFindings", (options) => getFindings(1, "topics", options)],
  ["resume", "resume", (options) => partial.resume(options)],
  ["table", "loadTable", (options) => client.loadTable(1, "topics", options)],
  ["table", "watchTable", (options) => client.watchTable(1, "topics", options).done],
  ["stream", "streamPartitions", (options) => client.streamPartitions(1, "topics", options).next()],
  ["stream", "streamTables", (options) => client.streamTables(1, "topics", options).next()],
];

const [table] = readDocument("www/docs/options.md").split(/^## /m);

/** The rows of the documentation's table: the name of an option, its default with its range, and the kinds of calls to which it applies. */
const rows = Array.from(table.matchAll(/^\| (`.*?) \| (.*?) \| (.*?) \|/gm)).flatMap(([, names, values, kinds]) => {
  const named = Array.from(names.matchAll(/`(\w+)`/g), ([, name]) => name);
  const defaults = named.length === 1 ? [values] : values.split(", ");
  return named.map((name, index) => ({ name, value: defaults[index], kinds: kinds.split(", ") }));
});

/** The message with which a call refuses a value that no option can have. @param {Promise<unknown>} call @returns {Promise<string>} */
const refusalOf = (call) =>
  call.then(
    () => assert.fail("it took the value"),
    ({ message }) => message,
  );

/** The options that do not apply. @param {(options: any) => Promise<unknown>} call @param {string} where */
async function misplacedIn(call, where) {
  const refused = rows.map(async ({ name }) => [name, await refusalOf(call({ [name]: Symbol("no value") }))]);
  return (await Promise.all(refused)).flatMap(([name, message]) => {
    assert.match(message, new RegExp(`^${name}\\b`));
    return message.startsWith(`${name} does not apply to ${where}, only to `) ? name : [];
  });
}

test("the table has the options that the package knows, and no others", async () => {
  // The error lists the options of its call.
  const messages = await Promise.all(calls.map(([, , call]) => refusalOf(call({ unknown: 1 }))));
  const known = new Set(messages.flatMap((message) => message.match(/the options are (.*)$/)?.[1].split(", ") ?? []));
  assert.ok(known.size > 20);
  assert.deepEqual(rows.map(({ name }) => name).toSorted(), [...known].toSorted());
});

for (const [kind, name, call] of calls) {
  test(`${name} takes the options that apply to it, and refuses the others`, async () => {
    const others = rows.filter(({ kinds }) => kinds[0] !== "every call" && !kinds.includes(kind));
    assert.deepEqual(
      await misplacedIn(call, "this call"),
      others.map(({ name }) => name),
    );
  });
}

test("a client takes all options except columns and from", async () => {
  const misplaced = await misplacedIn((options) => new FindingsClient(options).getPartitionCounts(1), "a client");
  assert.deepEqual(misplaced, ["columns", "from"]);
});

test("the table has the range of each number, and the default that the types state", async () => {
  const plain = (/** @type {string} */ value) => value.replaceAll(/[`"]|(?<=\d)[ _](?=\d)/g, "");
  const types = readDocument("dist/options.d.ts");
  let literals = 0;
  for (const { name, value } of rows) {
    const message = await refusalOf(new FindingsClient({ [name]: -1 }).getPartitionCounts(1));
    assert.equal(plain(value).match(/\((\d+ to \d+)\)/)?.[1], message.match(/an integer from (\d+ to \d+)/)?.[1], name);
    const [before] = types.split(new RegExp(`^ {4}${name}\\?:`, "m"));
    const [, inTypes] =
      before
        .split("@default ")
        .at(-1)
        ?.match(/^("[\w-]+"|[\d_]+)/) ?? [];
    if (inTypes === undefined) continue;
    literals += 1;
    assert.equal(plain(value).match(/^[\w-]+/)?.[0], plain(inTypes), name);
  }
  assert.ok(literals > 10);
});
