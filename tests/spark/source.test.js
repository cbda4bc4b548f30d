/** The wheel's data source on one machine: what data frames have, what the service sees, and how a job fails. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createFakeService } from "inspection-findings/testing";
import { readerFile } from "../../tools/build.ts";
import { rowsOf } from "./rows.js";
import { mostAtOnce, serve, until } from "./service.js";
import { eventLog, outputOf, startPython, startSession, textsIn } from "./session.js";

const token = "a-token-that-must-stay-secret";

const invented = createFakeService({ sentiment: { findings: 25, partitions: 1 } }).findings("sentiment");
/** The sentiment findings of each partition. */
const sentiment = [0, 7, 12, 5, 1].map((count) => invented.splice(0, count));

const folder = mkdtempSync(join(tmpdir(), "spark-"));
const tokenFile = join(folder, "token");

/** @type {Awaited<ReturnType<typeof serve>>} */
let server;
/** @type {ReturnType<typeof startSession>} */
let session;

before(async () => {
  server = await serve({ sentiment, topics: { findings: 0, partitions: 0 } });
  session = startSession({
    // Four tasks at a time, each of which is run twice at most.
    master: "local[4,2]",
    configuration: { ...eventLog(folder) },
    env: { FINDINGS_TOKEN_FILE: tokenFile },
  });
});
beforeEach(() => {
  server.reset();
  writeFileSync(tokenFile, `${token}\n`);
});
after(async () => {
  await session.end();
  server.close();
  rmSync(folder, { recursive: true });
});

/**
 * Asks about the sentiment findings of the service.
 * @param {import("./session.js").Question["do"]} what
 * @param {Record<string, string>} [options]
 * @param {Partial<import("./session.js").Question>} [more]
 */
function ask(what, options = {}, more = {}) {
  const { baseUrl } = server.service;
  return session.ask({ do: what, options: { baseUrl, inspectionKey: "42", kind: "sentiment", ...options }, ...more });
}

/**
 * Asks for the rows of another service.
 * @param {import("node:test").TestContext} context
 * @param {object[][]} partitions
 * @param {Record<string, string>} [options]
 */
async function askOther(context, partitions, { kind = "sentiment", ...options } = {}) {
  const other = await serve({ [kind]: partitions });
  context.after(other.close);
  return ask("rows", { baseUrl: other.service.baseUrl, kind, ...options });
}

/**
 * Rejects with a message that fits and reveals nothing.
 * @param {Promise<unknown>} asked
 * @param {RegExp} expected
 * @param {string} [secret]
 */
function fails(asked, expected, secret = token) {
  return assert.rejects(asked, (/** @type {Error} */ { message }) => {
    assert.match(message, expected);
    assert.ok(!message.includes(secret));
    return true;
  });
}

/** @param {number} partition */
function requestsFor(partition) {
  return server.seen.filter(({ url }) => url.endsWith(`/Sentiment/${partition}`));
}

test("gives every finding once, in the order of the inspection", async () => {
  assert.deepEqual(await ask("rows"), rowsOf(sentiment, "sentiment"));
  assert.ok(server.service.requests.every(({ headers }) => headers.get("authorization") === `Bearer ${token}`));
});

test("gives topic findings, with the columns that are declared besides", async (context) => {
  const topics = createFakeService({ topics: { findings: 400, partitions: 1 } }).findings("topics");
  const partitions = [topics.slice(0, 150), topics.slice(150)];
  // As a DOUBLE, a key has room beyond 32 bits.
  topics[0].RespondentKey = 3_000_000_000;
  const columns = "RespondentKey DOUBLE, `Topic.Text` STRING, `Extract.Offset` INT, NoSuchField DOUBLE";
  const rows = await askOther(context, partitions, { kind: "topics", columns });
  assert.deepEqual(rows, rowsOf(partitions, "topics", ["Topic.Text", "Extract.Offset", "NoSuchField"]));
  assert.ok(rows.some((/** @type {any} */ row) => row["Topic.Text"] && row["Extract.Offset"] > 0));
});

test("gives an empty data frame for an inspection without findings", async () => {
  assert.deepEqual(await ask("rows", { kind: "topics" }), []);
  assert.equal(await ask("verify", { kind: "topics" }), 0);
});

test("sends the token by the other header if asked to", async () => {
  await ask("rows", { tokenHeader: "authentication" });
  const sent = server.service.requests.map(({ headers }) => [
    headers.get("authentication"),
    headers.get("authorization"),
  ]);
  assert.ok(sent.every(([authentication, authorization]) => authentication === token && authorization === null));
});

test("waits in the task as long as Retry-After says", async () => {
  server.service.use("rate-limited");
  assert.deepEqual(await ask("rows"), rowsOf(sentiment, "sentiment"));
  for (const index of sentiment.keys()) {
    const [refused, repeated, ...others] = requestsFor(index);
    assert.deepEqual(others, [], "no task is run again");
    assert.ok(repeated.start - refused.start >= 999, `${repeated.start - refused.start} ms`);
  }
});

test("fails at once at a Retry-After that is too long, and names code, partition and URL", async () => {
  server.service.use({
    respond: ({ partitionIndex }) =>
      partitionIndex === 3 ? new Response(null, { status: 429, headers: { "retry-after": "600" } }) : undefined,
  });
  await fails(
    ask("rows"),
    /FindingsError: http: sentiment partition 3 of inspection 42 \(http:\S+\/Sentiment\/3\).*429/,
  );
  // Each of the two runs of the task asks once.
  assert.equal(requestsFor(3).length, 2);
});

test("fails with the typed error if the token is refused", async () => {
  const refused = (/** @type {RegExp} */ expected) => fails(ask("rows"), expected, "wrong-token");
  writeFileSync(tokenFile, "wrong-token");
  /** @param {boolean} isCounts whether the counts are refused, too */
  const refusing = (isCounts) => ({
    respond: (/** @type {import("inspection-findings/testing").FakeRequest} */ { headers, partitionIndex }) =>
      headers.get("authorization") !== `Bearer ${token}` && (isCounts || partitionIndex === 1)
        ? new Response(null, { status: 401 })
        : undefined,
  });
  server.service.use(refusing(true));
  await refused(/FindingsError: unauthorized: .*inspection 42 \(http:\S+\/Findings\/42\)/);
  server.service.use(refusing(false));
  await refused(/FindingsError: unauthorized: sentiment partition 1 of inspection 42 \(http:\S+\/Sentiment\/1\)/);
  rmSync(tokenFile);
  await refused(/FindingsError: Error: .*FINDINGS_TOKEN_FILE cannot be read on this machine/);
});

test("has every finding once after a task has been run again", async () => {
  server.service.use({
    respond: ({ partitionIndex, count }) =>
      partitionIndex === 2 && count === 1 ? new Response('{"Findings":[{"VariableKey":7}, ') : undefined,
  });
  assert.deepEqual(await ask("rows", { maxTasks: "2" }), rowsOf(sentiment, "sentiment"));
  assert.equal(requestsFor(2).length, 2);
});

test("fails at a value that does not fit its column, and names the column and the partition", async (context) => {
  const odd = [sentiment[1], [{ ...sentiment[2][0], RespondentKey: "seven" }]];
  await fails(
    askOther(context, odd),
    /FindingsError: TypeError: sentiment partition 1 of inspection 42 \(http.*the column "RespondentKey" has values/,
  );
});

test("has at most maxTasks requests under way", async () => {
  const release = server.hold();
  const rows = ask("rows", { maxTasks: "2" });
  await Promise.race([rows, until(() => server.held() === 2)]);
  // Long enough for another task, of which there are places for four.
  await setTimeout(2_000);
  release();
  await rows;
  assert.equal(mostAtOnce(server.seen), 2);
});

test("the Node program ends with the task that has started it", async () => {
  const release = server.hold();
  const reader = spawn(process.execPath, [readerFile]);
  const { baseUrl } = server.service;
  const request = { read: "partitions", client: { baseUrl }, inspectionKey: "42", kind: "sentiment" };
  reader.stdin.write(`${JSON.stringify({ ...request, tokenHeader: "authorization", columns: {}, indexes: [3] })}\n`);
  await until(() => requestsFor(3).length === 1);
  reader.stdin.end();
  assert.deepEqual(await once(reader, "exit"), [1, null]);
  await until(() => requestsFor(3)[0].broken === true);
  release();
});

test("verify() passes a whole data frame, and notices what is missing, doubled or new", async () => {
  assert.equal(await ask("verify"), 25);
  /** @type {(expected: RegExp, more?: Partial<import("./session.js").Question>) => Promise<void>} */
  const failing = (expected, more) => fails(ask("verify", {}, more), expected);
  await failing(/IncompleteError: the data frame has 13 findings: expected 25; partitions without findings: 0, 2$/, {
    where: "PartitionIndex != 2",
  });
  await failing(/24 findings: partitions with gaps: 3; /, { where: "PartitionIndex != 3 OR FindingIndex != 2" });
  await failing(/50 findings: partitions with findings that occur twice: 1, 2, 3, 4; /, { twice: true });
  const counts = { SentimentPartitions: sentiment.length, SentimentFindings: 26, TopicPartitions: 0, TopicFindings: 0 };
  server.service.use({
    respond: ({ partitionIndex }) =>
      partitionIndex === undefined ? Response.json({ ...counts, errors: null }) : undefined,
  });
  await failing(/25 findings: expected 26; /);
});

test("says so where Node cannot be started, or ends by itself", async () => {
  const code = `
from inspection_findings.program import read_counts
from pyspark_inspection_findings.request import Request
read_counts(Request.of({"baseUrl": "http://127.0.0.1/", "inspectionKey": "42", "kind": "topics"}).message())`;
  for (const [node, expected] of /** @type {[string, RegExp][]} */ ([
    ["/no/node", /FindingsError: Node could not be started as '\/no\/node' on this machine: .*FINDINGS_NODE/],
    ["false", /FindingsError: read\.mjs failed/],
  ])) {
    const child = startPython(["-c", code], { master: "local", env: { FINDINGS_NODE: node } });
    const printed = outputOf(child);
    assert.deepEqual(await once(child, "close"), [1, null]);
    assert.match(printed.stderr, expected);
  }
});

test("refuses wrong options, without their values", async () => {
  for (const [options, expected] of /** @type {[Record<string, string>, RegExp][]} */ ([
    [{ token }, /there is no option 'token'.*FINDINGS_TOKEN_FILE/],
    [{ baseUrl: `http://user:${token}@127.0.0.1/` }, /'baseUrl' has to be an http\(s\) URL without credentials/],
    [{ inspectionKey: "4.2" }, /'inspectionKey' has to be an integer/],
    [{ kind: "words" }, /'kind' has to be one of sentiment, topics/],
    [{ maxTasks: "0" }, /'maxTasks' has to be an integer of at least 1/],
    [{ columns: "comment STRING" }, /'columns' has 'Comment', and another column/],
  ])) {
    await fails(ask("rows", options), expected);
  }
  const schema = "PartitionIndex INT, RespondentKey STRING";
  await fails(ask("rows", {}, { schema }), /the source has a schema of its own/);
  assert.deepEqual(server.seen, []);
});

test("leaves the token out of the plan, the event log and what Spark prints", async () => {
  const plan = await ask("explain");
  assert.match(plan, /inspection_findings/);
  await ask("rows");
  await session.end();
  rmSync(tokenFile);
  const events = textsIn(folder);
  assert.ok(events.includes("SparkListenerTaskEnd"));
  for (const text of [plan, events, session.printed.stdout, session.printed.stderr]) assert.ok(!text.includes(token));
});
