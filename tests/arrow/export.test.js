/** The example that exports to Parquet: every finding comes back, once, also after an interruption. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";

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

const server = createServer((request, response) => {
  const path = request.url ?? "";
  requests.push(`${path} ${request.headers.authorization ?? ""}`);
  const index = path.match(/Sentiment\/(\d+)$/)?.[1];
  const ofTopics = { TopicPartitions: 0, TopicFindings: 0 };
  const counts = { SentimentPartitions: partitions.length, SentimentFindings: announced, ...ofTopics, errors: null };
  const status = index === undefined ? undefined : refusal(Number(index));
  const findings = partitions[Number(index)]?.map((finding) => ({
    ...finding,
    .../** @type {any} */ (more)[`${index}`],
  }));
  const respond = () => {
    response.writeHead(status ?? 200, { "content-type": "application/json" });
    response.end(JSON.stringify(index === undefined ? counts : { Findings: findings, errors: status ? ["no"] : null }));
  };
  if (status === undefined) respond();
  else afterOneFile(respond);
});

/**
 * Calls back once there is a file: a program that fails before has nothing to resume from.
 * @param {() => void} callback
 */
function afterOneFile(callback) {
  const timer = setInterval(() => {
    if (parquetFiles().length === 0) return;
    clearInterval(timer);
    callback();
  }, 5);
}

before(() => new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined))));
after(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-"));
  [refusal, more, announced, requests] = [() => undefined, {}, total, []];
  after(() => rmSync(folder, { recursive: true, force: true }));
});

/** Runs the program. */
function run() {
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const parameters = [program, `http://127.0.0.1:${port}/cxi/`, "42", "sentiment", folder];
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
