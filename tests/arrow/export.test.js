/** The example that exports to Parquet: every finding comes back, once, also after an interruption. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { serve } from "../http-server.js";

const program = inRepository("www", "examples", "export", "export.js");

const total = 25;
const invented = createFakeService({ sentiment: { findings: total, partitions: 1 } }).findings("sentiment");

/** The findings of each partition. */
const partitions = [0, 7, 12, 5, 1].map((count) => invented.splice(0, count));

/** @type {(index: number) => number | undefined} the status with which a partition is refused */
let refusal;
/** @type {Record<string, unknown>} the fields that partitions have besides */
let more;
let announced = total;
/** @type {string[]} */
let requests = [];
/** @type {string} */
let folder;

const server = await serve(async ({ url, headers }) => {
  requests.push(`${url} ${headers.get("authorization") ?? ""}`);
  const index = url.match(/Sentiment\/(\d+)$/)?.[1];
  const ofTopics = { TopicPartitions: 0, TopicFindings: 0 };
  const counts = { SentimentPartitions: partitions.length, SentimentFindings: announced, ...ofTopics, errors: null };
  const status = index === undefined ? undefined : refusal(Number(index));
  const findings = partitions[Number(index)]?.map((finding) => ({
    ...finding,
    .../** @type {any} */ (more)[`${index}`],
  }));
  // A program that fails before there is a file has nothing to resume from.
  while (status !== undefined && parquetFiles().length === 0) await pause(5);
  const body = index === undefined ? counts : { Findings: findings, errors: status ? ["no"] : null };
  return Response.json(body, { status: status ?? 200 });
});

after(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-"));
  [refusal, more, announced, requests] = [() => undefined, {}, total, []];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program. */
function run() {
  const parameters = [program, `${server.origin}/cxi/`, "42", "sentiment", folder];
  return promisify(execFile)(process.execPath, parameters, { env: { ...process.env, FINDINGS_TOKEN: "secret" } });
}

function parquetFiles() {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".parquet"))
    .sort();
}

/** Reads all files, and gives each finding its nested form again. */
async function findingsInFiles() {
  const findings = [];
  for (const name of parquetFiles()) {
    const rows = await parquetReadObjects({ file: await asyncBufferFromFile(join(folder, name)) });
    findings.push(...rows);
  }
  return findings;
}

/**
 * A finding as a row: flat, and with null for what is missing.
 * @param {any} finding
 */
function rowOf(finding) {
  /** @type {Record<string, unknown>} */
  const row = {};
  for (const [key, value] of Object.entries(finding)) {
    if (typeof value !== "object" || value === null) row[key] = value;
    else for (const [inner, text] of Object.entries(value)) row[`${key}.${inner}`] = text;
  }
  return row;
}

/** Expects the files to have every finding once, in order. */
async function expectAll() {
  const rows = await findingsInFiles();
  assert.equal(rows.length, total);
  rows.forEach((row, index) => {
    const expected = rowOf(partitions.flat()[index]);
    for (const [name, value] of Object.entries(row)) assert.deepEqual(value, expected[name] ?? null, name);
    for (const name of Object.keys(expected)) assert.ok(name in row, name);
  });
}

test("writes one file for each partition, with every finding", async () => {
  const { stdout } = await run();
  assert.equal(stdout, `${total} findings in ${partitions.length} files\n`);
  assert.deepEqual(
    parquetFiles(),
    ["000000", "000001", "000002", "000003", "000004"].map((name) => `${name}.parquet`),
  );
  await expectAll();
  assert.ok(requests.every((request) => request.endsWith(" Bearer secret")));
});

test("gives all files the same schema, also that of a partition without findings", async () => {
  await run();
  const schemas = await Promise.all(
    parquetFiles().map(
      async (name) => (await parquetMetadataAsync(await asyncBufferFromFile(join(folder, name)))).schema,
    ),
  );
  for (const schema of schemas) assert.deepEqual(schema, schemas[0]);
});

test("gets only what is missing after an interruption", async () => {
  refusal = (index) => (index === 2 ? 404 : undefined);
  await assert.rejects(run(), /404/);
  const done = parquetFiles();
  assert.ok(done.length >= 1 && !done.includes("000002.parquet"));
  requests = [];
  refusal = () => undefined;
  await run();
  assert.equal(requests.filter((request) => request.includes("/Sentiment/")).length, partitions.length - done.length);
  await expectAll();
});

test("stops if the inspection has changed since, or if the total is another", async () => {
  announced = total + 1;
  await assert.rejects(run(), new RegExp(`the files have ${total} findings, and the service announces ${total + 1}`));
  announced = total;
  await assert.rejects(run(), /export to another folder/);
});

test("stops at a value that does not fit the schema, and names its column", async () => {
  more = { 3: { Later: 1 } };
  await assert.rejects(run(), /the column "Later" has values, and schema has no such column/);
  assert.ok(!parquetFiles().includes("000003.parquet"));
});
