/** The command `npx inspection-findings`, installed from the tarball, against a service over HTTP. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, afterEach, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { tableFromIPC as readByApache } from "apache-arrow";
import { parse } from "csv-parse/sync";
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from "hyparquet";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { blocksIn } from "../docs/documents.js";
import { serve } from "../service/http-server.js";
import { expectRows, unevenPartitions } from "../uneven-findings.js";
import { installByNpm, makeProject } from "./project.js";

const baseUrl = "https://service.example/cxi/";
const token = "eyJ-a-token-that-must-stay-secret";

const partitions = unevenPartitions("=1+1");
const findings = partitions.flat();

const fake = createFakeService({ baseUrl, sentiment: partitions, topics: { findings: 30, partitions: 2 } });

/** What responds. */
let service = fake;
/** @type {((request: Request) => void | Promise<void>) | undefined} */
let beforeResponse;
const server = await serve(async (request) => {
  await beforeResponse?.(request);
  const { pathname } = new URL(request.url);
  return service.fetch(baseUrl + pathname.slice(1), { headers: Object.fromEntries(request.headers) });
});

const project = makeProject({}, installByNpm);
const command = join(project.folder, "node_modules", ".bin", "inspection-findings");
/** @type {string} */
let folder;

after(async () => {
  project.remove();
  await server.close();
});
beforeEach(() => {
  folder = mkdtempSync(join(project.folder, "export-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
  fake.reset();
  service = fake;
  server.requests.length = 0;
  beforeResponse = undefined;
});

/**
 * Runs the command to its end, as cron would: without a terminal.
 * @param {string[]} words
 * @param {{ env?: Record<string, string>, flags?: string[], onStart?: (child: import("node:child_process").ChildProcess) => void }} [options]
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
function run(words, { env = {}, flags = [], onStart } = {}) {
  const { FINDINGS_URL, FINDINGS_TOKEN, FINDINGS_TOKEN_FILE, ...others } = process.env;
  const options = { cwd: folder, env: { ...others, FINDINGS_URL: `${server.origin}/`, ...env }, timeout: 600_000 };
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [...flags, command, ...words], options, (_, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
    onStart?.(child);
  });
}

/**
 * Runs the command, which must succeed without a word on the standard error.
 * @param {string[]} words
 * @param {Parameters<typeof run>[1]} [options]
 */
async function succeed(words, options) {
  const { code, stdout, stderr } = await run(words, options);
  assert.equal(stderr, "");
  assert.equal(code, 0);
  return stdout;
}

/**
 * Runs the command, which must fail with a message on the standard error alone.
 * @param {string[]} words
 * @param {RegExp} message
 * @param {{ code?: number } & Parameters<typeof run>[1]} [options]
 */
async function fail(words, message, { code = 1, ...options } = {}) {
  const ended = await run(words, options);
  assert.match(ended.stderr, message);
  assert.equal(ended.code, code);
  assert.equal(ended.stdout, "");
  assert.ok(!ended.stderr.includes(token));
}

const exported = (/** @type {string} */ name, kind = "sentiment") => ["export", "42", kind, "--to", name];
const pathOf = (/** @type {string} */ name) => join(folder, name);
const partitionRequests = () => fake.requests.filter(({ url }) => url.includes("/Sentiment/")).map(({ url }) => url);

/** Makes partition 2 fail once another one has been saved. */
function interrupt() {
  fake.use({
    respond: ({ partitionIndex }) => (partitionIndex === 2 ? new Response(null, { status: 404 }) : undefined),
  });
  beforeResponse = async ({ url }) => {
    while (url.endsWith("/2") && savedPartitions().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
}

function savedPartitions() {
  const partial = pathOf("findings.ndjson.partial");
  return existsSync(partial) ? readdirSync(partial).filter((name) => name.endsWith(".table")) : [];
}

function readLines(name = "findings.ndjson") {
  return readFileSync(pathOf(name), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Reads an Arrow file: the rows, and the names of the columns. */
function readArrow() {
  const bytes = readFileSync(pathOf("findings.arrow"));
  assert.deepEqual([bytes.subarray(0, 6), bytes.subarray(-6)].map(String), ["ARROW1", "ARROW1"]);
  const table = readByApache(bytes);
  assert.equal(table.schema.metadata.get("inspection-findings.complete"), "true");
  const rows = table.toArray().map((row) => row.toJSON());
  return { rows, columns: table.schema.fields.map(({ name }) => name) };
}

async function readParquet() {
  const file = await asyncBufferFromFile(pathOf("findings.parquet"));
  const { key_value_metadata: metadata, schema } = await parquetMetadataAsync(file);
  const entries = Object.fromEntries((metadata ?? []).map(({ key, value }) => [key, value]));
  assert.equal(entries["inspection-findings.inspection"], "42");
  assert.equal(entries["inspection-findings.complete"], "true");
  return { rows: await parquetReadObjects({ file }), columns: schema.map(({ name }) => name) };
}

for (const [format, read] of /** @type {const} */ ([
  ["arrow", readArrow],
  ["parquet", readParquet],
])) {
  test(`export writes every finding once, in order, as ${format}, and the documented columns where there are none`, async () => {
    await succeed(exported(`findings.${format}`));
    expectRows((await read()).rows, findings);
    service = createFakeService({ baseUrl, topics: { findings: 0, partitions: 0 } });
    await succeed(exported(`findings.${format}`, "topics"));
    const { rows, columns } = await read();
    assert.deepEqual([rows.length, columns.includes("Comment")], [0, true]);
  });
}

test("export writes CSV with the same columns, in which no text runs as a formula", async () => {
  await succeed(exported("findings.csv"));
  const text = readFileSync(pathOf("findings.csv"), "utf8");
  const rows = /** @type {Record<string, string>[]} */ (parse(text, { columns: true, bom: true }));
  assert.deepEqual(
    rows.map(({ Comment, Note, Sentiment }) => [Comment, Note, Number(Sentiment)]),
    findings.map(({ Comment, Note, Sentiment }) => [
      Comment,
      Note === "=1+1" ? "'=1+1" : String(Note ?? ""),
      Sentiment,
    ]),
  );
});

test("export writes NDJSON that equals what the service sent, and says nothing without a terminal", async () => {
  assert.equal(await succeed(exported("findings.ndjson")), "");
  assert.deepEqual(readLines(), findings);
  assert.deepEqual(readdirSync(folder), ["findings.ndjson"]);
});

test("an interrupted export leaves no file, and continues with what is missing", async () => {
  writeFileSync(pathOf("findings.ndjson"), "the export of yesterday");
  interrupt();
  await fail(exported("findings.ndjson"), /^inspection-findings: sentiment partition 2 of inspection 42 .*404/);
  assert.equal(readFileSync(pathOf("findings.ndjson"), "utf8"), "the export of yesterday");
  const saved = savedPartitions().length;
  assert.ok(saved >= 1 && saved < partitions.length);
  fake.reset();
  beforeResponse = undefined;
  await succeed(exported("findings.ndjson"));
  assert.equal(partitionRequests().length, partitions.length - saved);
  assert.deepEqual(readLines(), findings);
  assert.deepEqual(readdirSync(folder), ["findings.ndjson"]);
});

for (const [signal, code] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143],
])) {
  test(`${signal} ends an export with ${code}, and the next one continues`, async () => {
    /** @type {import("node:child_process").ChildProcess | undefined} */
    let child;
    beforeResponse = async ({ url }) => {
      if (!url.endsWith("/2")) return;
      while (savedPartitions().length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
      child?.kill(signal);
      await new Promise(() => {});
    };
    await fail(exported("findings.ndjson"), /^inspection-findings: interrupted; run the command again to continue\n$/, {
      code,
      onStart: (started) => {
        child = started;
      },
    });
    beforeResponse = undefined;
    fake.reset();
    await succeed(exported("findings.ndjson"));
    assert.equal(partitionRequests().length, 1);
    assert.deepEqual(readLines(), findings);
  });
}

test("an interrupted export does not continue once the inspection has changed", async () => {
  interrupt();
  await fail(exported("findings.ndjson"), /404/);
  fake.use("wrong-total");
  beforeResponse = undefined;
  await fail(exported("findings.ndjson"), /re-analysed\. Delete the folder to begin again\.\n$/);
  await fail(exported("findings.ndjson", "topics"), /Delete the folder to begin again\.\n$/);
});

test("an export whose total is another writes no file", async () => {
  fake.use("wrong-total");
  const message = /expected 26 sentiment findings of inspection 42, received 25; .* re-analysed/;
  await fail(exported("findings.ndjson"), message);
  assert.deepEqual(readdirSync(folder), []);
});

test("findings with repeated keys are refused where they have no columns, and written as NDJSON", async () => {
  const body = '{"Findings":[{"Comment":"one","Comment":"two","Sentiment":1}]}';
  const counts = { SentimentPartitions: 1, SentimentFindings: 1, TopicPartitions: 0, TopicFindings: 0 };
  fake.use({
    respond: ({ partitionIndex }) => new Response(partitionIndex === undefined ? JSON.stringify(counts) : body),
  });
  await fail(exported("findings.parquet"), /Partition 0 has findings .* \.ndjson file instead\.\n$/);
  await succeed(exported("findings.ndjson"));
  assert.deepEqual(readLines(), [{ Comment: "two", Sentiment: 1 }]);
});

test("the token comes from the environment as the service issued it, with or without its prefix", async () => {
  const sent = async (/** @type {Record<string, string>} */ env, /** @type {string[]} */ ...words) => {
    fake.reset();
    await succeed(["counts", "42", ...words], { env });
    return Object.fromEntries(fake.requests[0].headers);
  };
  const prefixed = await sent({ FINDINGS_TOKEN: `bearer ${token}` });
  assert.equal(prefixed.authorization, `bearer ${token}`);
  assert.equal((await sent({ FINDINGS_TOKEN: token })).authorization, `Bearer ${token}`);
  writeFileSync(pathOf("token"), `bearer ${token}\n`);
  assert.equal((await sent({ FINDINGS_TOKEN_FILE: pathOf("token") })).authorization, `bearer ${token}`);
  const other = await sent({ FINDINGS_TOKEN: token }, "--token-header", "authentication");
  assert.equal(other.authentication, token);
  assert.equal(other.authorization, undefined);
});

test("a wrong command line ends with 2, names what is wrong, and quotes no word that may be the token", async () => {
  for (const [words, message] of /** @type {[string[], RegExp][]} */ ([
    [["counts", "42", "--token", token], /The token is not an option: set FINDINGS_TOKEN/],
    [["counts", "42", token], /counts has more words than it can use/],
    [[token], /the first word must be export, counts, summary or check/],
    [["counts", token], /counts needs an inspection key/],
    [["export", "42"], /must be sentiment or topics/],
    [["export", "42", "topics", "--to", "a.xls"], /needs --to FILE, .* \.parquet, \.csv, \.xlsx, \.ndjson, \.arrow/],
    [["export", "42", "topics", "--to", "a.csv", "--json"], /--json does not apply to export/],
    [["summary", "42"], /needs --by COLUMN/],
    [["counts", "42", "--base-url", "https://service.example/?a"], /query/],
    [["counts", "42", "--token-header", "cookie"], /must be authorization or authentication/],
  ])) {
    await fail(words, message, { code: 2 });
  }
  await fail(["counts", "42"], /pass --base-url, or set FINDINGS_URL/, { code: 2, env: { FINDINGS_URL: "" } });
  assert.deepEqual(server.requests, []);
});

test("--help and --version print to the standard output", async () => {
  assert.match(await succeed(["--help"]), /^Usage: npx inspection-findings COMMAND/);
  assert.equal(await succeed([]), await succeed(["export", "--help"]));
  const { version } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  assert.equal(await succeed(["--version"]), `${version}\n`);
});

test("counts prints the numbers of partitions and findings, as text and as JSON", async () => {
  const url = ["--base-url", `${server.origin}/`];
  const text = await succeed(["counts", "42", ...url], { env: { FINDINGS_URL: "http://127.0.0.1:9/" } });
  assert.equal(
    text,
    "kind       partitions  findings\nsentiment           5        25\ntopics              2        30\n",
  );
  assert.deepEqual(JSON.parse(await succeed(["counts", "42", "--json"])), {
    sentiment: { partitions: 5, findings: 25 },
    topics: { partitions: 2, findings: 30 },
  });
});

test("summary prints each group with its number of findings and their mean sentiment, the largest first", async () => {
  const groups = JSON.parse(await succeed(["summary", "42", "--by", "TopicGroup", "--by", "NoTopic", "--json"]));
  const expected = new Map();
  for (const { TopicGroup, NoTopic, Sentiment } of findings) {
    const key = JSON.stringify([TopicGroup, NoTopic]);
    const group = expected.get(key) ?? { count: 0, sum: 0 };
    expected.set(key, { count: group.count + 1, sum: group.sum + Sentiment });
  }
  assert.equal(groups.length, expected.size);
  for (const { key, count, mean } of groups) {
    const group = expected.get(JSON.stringify(key));
    assert.deepEqual({ count, mean }, { count: group.count, mean: group.sum / group.count });
  }
  const counts = Int32Array.from(groups, ({ count }) => count);
  assert.deepEqual(counts, counts.toSorted().reverse());
  const text = await succeed(["summary", "42", "--by", "Note"]);
  assert.match(text, /^Note +findings +mean sentiment\n\(missing\) +13 +-?\d\.\d\d\n=1\+1 +7 /);
});

test("texts of the service cannot control the terminal, and a token in them is not printed", async () => {
  const Findings = [{ TopicGroup: "red\u001b[31m\u202e\n", Sentiment: 1 }];
  const counts = { SentimentPartitions: 1, SentimentFindings: 1, TopicPartitions: 0, TopicFindings: 0 };
  fake.use({ respond: ({ partitionIndex }) => Response.json(partitionIndex === undefined ? counts : { Findings }) });
  assert.match(await succeed(["summary", "42", "--by", "TopicGroup"]), /^red\\u001b\[31m\\u202e\\u000a {2}/m);
  fake.use({ respond: () => Response.json({ errors: ["\u001b[2Jgone"] }) });
  await fail(["counts", "42"], /\\u001b\[2Jgone/);
  fake.use({ respond: () => new Response(token, { status: 403 }) });
  await fail(["counts", "42"], /403/, { env: { FINDINGS_TOKEN: token } });
});

test("on a terminal, progress is one line that is replaced", async () => {
  const terminal = pathToFileURL(join(folder, "terminal.mjs")).href;
  writeFileSync(pathOf("terminal.mjs"), "process.stderr.isTTY = true;");
  const { code, stdout, stderr } = await run(exported("findings.csv"), { flags: ["--import", terminal] });
  assert.equal(code, 0);
  assert.equal(stdout, "");
  assert.ok(stderr.includes("\r\x1b[K5 of 5 partitions fetched\r\x1b[K1 of 5 partitions written"));
  assert.ok(stderr.endsWith("\r\x1b[K25 findings in findings.csv\n"));
});

test("the memory of an export does not depend on the size of the inspection", async () => {
  // What is in use after a garbage collection, where it was most.
  writeFileSync(
    pathOf("peak.mjs"),
    `import { writeFileSync } from "node:fs";
    let peak = 0;
    setInterval(() => {
      gc();
      const { heapUsed, external } = process.memoryUsage();
      peak = Math.max(peak, heapUsed + external);
    }, 50).unref();
    process.on("exit", () => writeFileSync(process.env.PEAK, String(peak)));`,
  );
  const flags = ["--expose-gc", "--import", pathToFileURL(pathOf("peak.mjs")).href];
  const small = createFakeService({ baseUrl, sentiment: { findings: 120_000, partitions: 60 } });
  const large = createFakeService({ baseUrl, sentiment: { findings: 480_000, partitions: 240 } });
  for (const name of ["findings.parquet", "findings.csv"]) {
    const peaks = [];
    for (service of [small, large]) {
      await succeed(exported(name), { flags, env: { PEAK: pathOf("peak") } });
      peaks.push(Number(readFileSync(pathOf("peak"), "utf8")));
    }
    const growth = peaks[1] - peaks[0];
    // What the larger one has more takes 200 MB as JSON, and 127 MB as a table.
    assert.ok(growth < 50_000_000, `${name}: ${growth} bytes more, from ${peaks[0]}`);
  }
});

test("the commands of the guide do what it says", async () => {
  const page = "www/docs/node.md";
  const [{ code }] = blocksIn(page).filter(({ language }) => language === "sh");
  const script = code.replace("https://service.example/cxi/", `${server.origin}/`);
  assert.notEqual(script, code);
  const { stdout, stderr } = await promisify(execFile)("sh", ["-e", "-c", script], { cwd: project.folder });
  assert.match(stdout, /^kind .*\nsentiment +5 +25\n.*^TopicGroup +findings/ms);
  assert.equal(stderr, "");
  const file = await asyncBufferFromFile(join(project.folder, "findings.parquet"));
  assert.equal((await parquetMetadataAsync(file)).num_rows, 25n);
});

test("no other file of the package has the code of the command", () => {
  const dist = join(project.folder, "node_modules", "inspection-findings", "dist");
  for (const name of readdirSync(dist).filter((name) => name.endsWith(".js"))) {
    const code = readFileSync(join(dist, name), "utf8");
    assert.equal(code.includes("hyparquet"), name === "command-main.js", name);
    if (name !== "command.js") assert.ok(!code.includes("/command"), name);
  }
});
