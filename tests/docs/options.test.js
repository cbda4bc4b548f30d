/** The table of options in the documentation: which calls take which options, and their defaults and ranges, as the package has them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { FindingsClient, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { readDocument } from "./documents.js";

const { baseUrl, fetch } = createFakeService();
const client = new FindingsClient({ baseUrl, fetch });

/** A client whose calls lack a partition. */
const clientThatLacks = new FindingsClient({
  baseUrl,
  failurePolicy: "collect",
  fetch: async (href, init) => (href.endsWith("/Topics/0") ? new Response(null, { status: 410 }) : fetch(href, init)),
});
const partial = await clientThatLacks.getFindings(1, "topics").catch((error) => error);

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

/** The rows of the documentation's table: the name of an option, its default with its range, and the kinds of calls to which it applies. */
const rows = [
  ...readDocument("www/docs/options.md")
    .split(/^## /m)[0]
    .matchAll(/^\| (`.*?) \| (.*?) \| (.*?) \|/gm),
].flatMap(([, names, values, kinds]) => {
  const named = [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const defaults = named.length === 1 ? [values] : values.split(", ");
  return named.map((name, index) => ({ name, value: defaults[index], kinds: kinds.split(", ") }));
});
const documented = rows.map(({ name }) => name);

/** The message with which a call refuses a value that no option can have. @type {(call: Promise<unknown>) => Promise<string>} */
const refusalOf = (call) =>
  call.then(
    () => assert.fail("it took the value"),
    ({ message }) => message,
  );

test("the table has the options that the package knows, and no others", async () => {
  // The error lists the options of its call.
  const messages = await Promise.all(calls.map(([, , call]) => refusalOf(call({ unknown: 1 }))));
  const known = new Set(messages.flatMap((message) => message.match(/the options are (.*)$/)?.[1].split(", ") ?? []));
  assert.ok(known.size > 20);
  assert.deepEqual(documented.toSorted(), [...known].toSorted());
});

for (const [kind, name, call] of calls) {
  test(`${name} takes the options that apply to it, and refuses the others`, async () => {
    /** @type {string[]} */
    const misplaced = [];
    for (const option of documented) {
      const message = await refusalOf(call({ [option]: Symbol("no value") }));
      if (message.startsWith(`${option} does not apply to this call, only to `)) misplaced.push(option);
      else assert.match(message, new RegExp(`^${option}\\b`));
    }
    const others = rows.filter(({ kinds }) => kinds[0] !== "every call" && !kinds.includes(kind));
    assert.deepEqual(
      misplaced,
      others.map(({ name }) => name),
    );
  });
}

test("a client takes all options except columns and those about an earlier table", async () => {
  const refusals = await Promise.all(
    documented.map(async (option) => {
      const client = new FindingsClient(/** @type {any} */ ({ [option]: Symbol("no value") }));
      const message = await refusalOf(client.getPartitionCounts(1));
      return message.startsWith(`${option} does not apply to a client, only to `) ? option : [];
    }),
  );
  assert.deepEqual(refusals.flat().toSorted(), ["columns", "from", "growth"]);
});

test("the table has the range of each number that the package says", async () => {
  for (const { name, value } of rows) {
    const { message } = await new FindingsClient({ [name]: -1 }).getPartitionCounts(1).catch((error) => error);
    const range = message.match(/an integer from (\d+ to \d+)/)?.[1];
    const said = value.match(/\((\d[\d ]* to [\d ]+)\)/)?.[1].replaceAll(/(?<=\d) (?=\d)/g, "");
    assert.equal(said, range, name);
  }
});

test("the table and the types state the same default of each option that has one", () => {
  const types = readFileSync(inRepository("dist", "options.d.ts"), "utf8");
  const plain = (/** @type {string} */ value) =>
    value.replaceAll(/[`"]|(?<=\d)[ _](?=\d)/g, "").match(/^(?:\d+|[\w-]+)/)?.[0];
  const stated = rows.map(({ name, value }) => {
    const [before] = types.split(new RegExp(`^ {4}${name}\\?:`, "m"));
    return { name, inGuide: plain(value), inTypes: before.split("@default ").at(-1) ?? "" };
  });
  const literals = stated.filter(({ inTypes }) => /^["\d]/.test(inTypes));
  assert.ok(literals.length > 10);
  for (const { name, inGuide, inTypes } of literals) assert.equal(inGuide, plain(inTypes), name);
});
