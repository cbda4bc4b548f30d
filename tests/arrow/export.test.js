/** The example that exports to Parquet: every finding comes back, once, also after an interruption. */

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { serve } from "../http-server.js";
import { runNode } from "../run-node.js";

const program = inRepository("www", "examples", "export", "export.js");

const total = 25;
const invented = createFakeService({ sentiment: { findings: total, partitions: 1 } }).findings("sentiment");

/** The findings of each partition. */
const partitions = [0, 7, 12, 5, 1].map((count) => invented.splice(0, count));

const baseUrl = "https://service.example/cxi/";
const fake = createFakeService({ baseUrl, sentiment: partitions, topics: [] });
/** Refuses partition 2. */
const interruption = {
  respond: (/** @type {import("inspection-findings/testing").FakeRequest} */ { partitionIndex }) =>
    partitionIndex === 2 ? new Response(null, { status: 404 }) : undefined,
};

const server = await serve(async (request) => {
  const { pathname } = new URL(request.url);
  const response = await fake.fetch(baseUrl + pathname.slice(1));
  // A program that fails before there is a file has nothing to resume from.
  while (response.status === 404 && parquetFiles().length === 0) await pause(5);
  return response;
});

/** @type {string} */
let folder;

after(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "export-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  fake.reset();
  server.requests.length = 0;
});

/** Runs the program. */
function run(token = "secret") {
  const parameters = [program, `${server.origin}/`, "42", "sentiment", folder];
  return runNode(parameters, { env: { ...process.env, FINDINGS_TOKEN: token } });
}

function parquetFiles() {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".parquet"))
    .sort();
}

/**
 * What is read of each file.
 * @template Value
 * @param {(file: import("hyparquet").AsyncBuffer) => Promise<Value>} read
 */
function ofFiles(read) {
  return Promise.all(parquetFiles().map(async (name) => read(await asyncBufferFromFile(join(folder, name)))));
}

/** Expects the files to have every finding once, in order. */
async function expectAll() {
  const rows = (await ofFiles((file) => parquetReadObjects({ file }))).flat();
  assert.equal(rows.length, total);
  rows.forEach((row, index) => {
    const expected = rowOf(partitions.flat()[index]);
    for (const [name, value] of Object.entries(row)) assert.deepEqual(value, expected[name] ?? null, name);
    for (const name of Object.keys(expected)) assert.ok(name in row, name);
  });
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

test("writes one file for each partition, with every finding, under one schema", async () => {
  const { stdout } = await run();
  assert.equal(stdout, `${total} findings in ${partitions.length} files\n`);
  const names = ["000000", "000001", "000002", "000003", "000004"];
  assert.deepEqual(
    parquetFiles(),
    names.map((name) => `${name}.parquet`),
  );
  await expectAll();
  assert.ok(server.requests.every(({ headers }) => headers.authorization === "Bearer secret"));
  // The first partition has no findings.
  const schemas = await ofFiles(async (file) => (await parquetMetadataAsync(file)).schema);
  for (const schema of schemas) assert.deepEqual(schema, schemas[0]);
});

test("sends a token as it was issued, with its prefix or without", async () => {
  for (const [token, sent] of [
    ["bearer eyJ.a-b", "bearer eyJ.a-b"],
    ["Bearer eyJ.a-b\n", "Bearer eyJ.a-b"],
    ["eyJ.a-b", "Bearer eyJ.a-b"],
  ]) {
    server.requests.length = 0;
    await run(token);
    assert.deepEqual([...new Set(server.requests.map(({ headers }) => headers.authorization))], [sent]);
  }
});

test("gets only what is missing after an interruption", async () => {
  fake.use(interruption);
  await assert.rejects(run(), /404/);
  const done = parquetFiles();
  assert.ok(done.length >= 1 && !done.includes("000002.parquet"));
  fake.reset();
  await run();
  const paths = fake.requests.filter(({ url }) => url.includes("/Sentiment/"));
  assert.equal(paths.length, partitions.length - done.length);
  await expectAll();
});

test("stops if the inspection has changed since, or if the total is another", async () => {
  fake.use("wrong-total");
  await assert.rejects(run(), new RegExp(`the files have ${total} findings, and the service announces ${total + 1}`));
  fake.reset();
  await assert.rejects(run(), /export to another folder/);
});

test("stops at a value that does not fit the schema, and names its column", async () => {
  const Findings = partitions[3].map((finding) => ({ ...finding, Later: 1 }));
  fake.use({ respond: ({ partitionIndex }) => (partitionIndex === 3 ? Response.json({ Findings }) : undefined) });
  await assert.rejects(run(), /the column "Later" has values, but schema has no such column/);
  assert.ok(!parquetFiles().includes("000003.parquet"));
});
