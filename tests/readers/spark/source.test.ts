/** The wheel's data source on one machine: what data frames have, what the service sees, and how a job fails. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createFakeService, type FakeRequest } from "inspection-findings/testing";
import { scenarioOf } from "../../wire/service/bodies.js";
import { rowsOf } from "./rows.ts";
import { serve, until } from "./service.ts";
import { type Question, startSession } from "./session.ts";

const token = "a-token-that-must-stay-secret";

/** The findings of each partition, of a kind. */
function partitionsOf(kind: "sentiment" | "topics", ...lengths: number[]) {
  const findings = createFakeService({ [kind]: { findings: 400, partitions: 1 } }).findings(kind);
  return lengths.map((length) => findings.splice(0, length));
}

const [sentiment, topics] = [partitionsOf("sentiment", 0, 7, 12, 5, 1), partitionsOf("topics", 150, 250)];
// As a DOUBLE, a key has room beyond 32 bits.
topics[0][0].RespondentKey = 3_000_000_000;

const folder = mkdtempSync(join(tmpdir(), "spark-"));
const tokenFile = join(folder, "token");

let server: Awaited<ReturnType<typeof serve>>;
let session: ReturnType<typeof startSession>;

before(async () => {
  server = await serve({ sentiment, topics });
  session = startSession({
    // Four tasks at a time, each of which is run twice at most.
    master: "local[4,2]",
    env: { FINDINGS_TOKEN_FILE: tokenFile },
  });
});
beforeEach(() => {
  server.fake.reset();
  server.requests.length = 0;
  writeFileSync(tokenFile, `${token}\n`);
});
after(async () => {
  await session.end();
  await server.close();
  rmSync(folder, { recursive: true });
});

/** Asks about the sentiment findings of the service. */
function ask(what: Question["do"], options: Record<string, string> = {}, more: Partial<Question> = {}) {
  const { baseUrl } = server.fake;
  return session.ask({ do: what, options: { baseUrl, inspectionKey: "42", kind: "sentiment", ...options }, ...more });
}

/** Rejects with a message that fits and reveals nothing. */
function fails(asked: Promise<unknown>, expected: RegExp) {
  return assert.rejects(asked, ({ message }: Error) => {
    assert.match(message, expected);
    assert.ok(!message.includes(token));
    return true;
  });
}

function requestsFor(partition: number) {
  return server.requests.filter(({ url }) => url.endsWith(`/Sentiment/${partition}`));
}

for (const [tokenHeader, sent] of [
  ["authorization", `Bearer ${token}`],
  ["authentication", token],
]) {
  test(`gives every finding once, in the order of the inspection, with the token as ${tokenHeader}`, async () => {
    assert.deepEqual(await ask("rows", { tokenHeader }), rowsOf(sentiment, "sentiment"));
    const values = server.fake.requests.map(({ headers }) => headers.get(tokenHeader));
    assert.deepEqual([...new Set(values)], [sent]);
  });
}

test("gives topic findings, with the columns that are declared besides", async () => {
  const columns = "RespondentKey DOUBLE, `Topic.Text` STRING, `Extract.Offset` INT, NoSuchField DOUBLE";
  const rows = await ask("rows", { kind: "topics", columns });
  assert.deepEqual(rows, rowsOf(topics, "topics", ["Topic.Text", "Extract.Offset", "NoSuchField"]));
  assert.ok(rows.some((row: any) => row["Topic.Text"] && row["Extract.Offset"] > 0));
});

test("gives an empty data frame for an inspection without findings", async () => {
  server.fake.use(scenarioOf([]));
  assert.deepEqual(await ask("rows"), []);
  assert.equal(await ask("verify"), 0);
});

test("waits for Retry-After in the task, which is not run again", async () => {
  server.fake.use("rate-limited");
  assert.deepEqual(await ask("rows"), rowsOf(sentiment, "sentiment"));
  for (const index of sentiment.keys()) assert.equal(requestsFor(index).length, 2);
});

/** Makes the service respond to a request for the counts, or for a partition. */
function respondTo(partition: number | undefined, respond: (request: FakeRequest) => Response | undefined) {
  server.fake.use({
    respond: (request) => (request.partitionIndex === partition ? respond(request) : undefined),
  });
}

const refuse = () => new Response(null, { status: 401 });

/** What the error of a failed job names, how it comes about, and the message. */
const failing: Record<string, [prepare: () => void, message: RegExp]> = {
  "code, partition and URL at once if Retry-After is too long": [
    () => respondTo(3, () => new Response(null, { status: 429, headers: { "retry-after": "600" } })),
    /FindingsError: http: sentiment partition 3 of inspection 42 \(http:\S+\/Sentiment\/3\).*429/,
  ],
  "the inspection whose counts need another token": [
    () => respondTo(undefined, refuse),
    /FindingsError: unauthorized: .*inspection 42 \(http:\S+\/Findings\/42\)/,
  ],
  "the partition that needs another token": [
    () => respondTo(1, refuse),
    /FindingsError: unauthorized: sentiment partition 1 of inspection 42 \(http:\S+\/Sentiment\/1\)/,
  ],
  "the variable of a lost file with the token": [
    () => rmSync(tokenFile),
    /FindingsError: Error: .*FINDINGS_TOKEN_FILE cannot be read on this machine/,
  ],
  "column and partition of a value that does not fit its column": [
    () => server.fake.use(scenarioOf(['{"Findings":[{}]}', '{"Findings":[{"RespondentKey":"seven"}]}'])),
    /FindingsError: TypeError: sentiment partition 1 of inspection 42 \(http.*the column "RespondentKey" has values/,
  ],
};

for (const [what, [prepare, message]] of Object.entries(failing)) {
  test(`fails with an error that names ${what}`, async () => {
    prepare();
    await fails(ask("rows"), message);
    // Each of the two runs of the task asks once.
    assert.ok(requestsFor(3).length <= 2);
  });
}

test("has every finding once after a task has been run again", async () => {
  respondTo(2, ({ count }) => (count === 1 ? new Response('{"Findings":[{"VariableKey":7}, ') : undefined));
  assert.deepEqual(await ask("rows", { maxTasks: "2" }), rowsOf(sentiment, "sentiment"));
  assert.equal(requestsFor(2).length, 2);
});

test("has at most maxTasks requests under way", async () => {
  const release = server.hold();
  const rows = ask("rows", { maxTasks: "2" });
  await Promise.race([rows, until(() => server.held() === 2)]);
  // Long enough for another task, of which there are places for four.
  await setTimeout(2_000);
  assert.equal(server.held(), 2);
  release();
  assert.deepEqual(await rows, rowsOf(sentiment, "sentiment"));
});

test("verify() passes a whole data frame, and notices what is missing, doubled or new", async () => {
  assert.equal(await ask("verify"), 25);
  const failing: (expected: RegExp, more?: Partial<Question>) => Promise<void> = (expected, more) =>
    fails(ask("verify", {}, more), expected);
  await failing(/IncompleteError: the data frame has 13 findings: expected 25; partitions without findings: 0, 2$/, {
    where: "PartitionIndex != 2",
  });
  await failing(/24 findings: partitions with gaps: 3; /, { where: "PartitionIndex != 3 OR FindingIndex != 2" });
  await failing(/50 findings: partitions with findings that occur twice: 1, 2, 3, 4; /, { twice: true });
  const counts = { SentimentPartitions: sentiment.length, SentimentFindings: 26, TopicPartitions: 0, TopicFindings: 0 };
  respondTo(undefined, () => Response.json(counts));
  await failing(/25 findings: expected 26; /);
});

/** Wrong options, and the words of their errors. */
const wrong: [Record<string, string>, RegExp][] = [
  [{ token }, /there is no option 'token'.*FINDINGS_TOKEN_FILE/],
  [{ baseUrl: `http://user:${token}@127.0.0.1/` }, /'baseUrl' has to be an http\(s\) URL without credentials/],
  [{ inspectionKey: "4.2" }, /'inspectionKey' has to be an integer/],
  [{ kind: "words" }, /'kind' has to be one of sentiment, topics/],
  [{ maxTasks: "0" }, /'maxTasks' has to be an integer of at least 1/],
  [{ columns: "comment STRING" }, /'columns' has 'Comment', and another column/],
];

test("refuses wrong options and another schema, without their values", async () => {
  for (const [options, expected] of wrong) await fails(ask("rows", options), expected);
  const schema = "PartitionIndex INT, RespondentKey STRING";
  await fails(ask("rows", {}, { schema }), /the source has a schema of its own/);
  assert.deepEqual(server.requests, []);
});
