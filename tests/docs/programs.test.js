/** The programs of the documentation do in Node what the pages say. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, mock, test } from "node:test";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { FindingsError, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { runNode } from "../run-node.js";
import { serveFake } from "../service/http-server.js";
import { blocksIn, nameOf, readDocument, saveFiles } from "./documents.js";

/** @typedef {import("inspection-findings/testing").FakeRequest} FakeRequest */

const folder = inRepository("target", "programs");
mkdirSync(folder, { recursive: true });

/** The blocks of a page that this file runs. @param {string} page */
const ours = (page) => blocksIn(page).filter(({ marks }) => marks.includes("by=tests/docs/programs.test.js"));

/** The pages with programs and their output, and the heading below which all programs are parts of one. */
const pages = /** @type {[page: string, together?: string][]} */ ([
  ["www/docs/errors.md"],
  ["www/docs/live-tables.md"],
  ["www/docs/surveys.md"],
  ["www/docs/tables.md", "## Methods"],
]);

for (const [page, heading] of pages) {
  test(`each program of ${page} prints what the page says`, async (t) => {
    const saved = saveFiles(page);
    const lines = readDocument(page).split("\n");
    const isPart = (/** @type {{ line: number }} */ { line }) => heading !== undefined && line > lines.indexOf(heading);
    const blocks = ours(page);
    const programs = blocks.flatMap((block, index) => {
      const { language, code } = blocks[index + 1] ?? {};
      return language === "text" ? [{ ...block, output: code, line: Number(block.place.split(":")[1]) }] : [];
    });
    assert.equal(programs.length, blocks.filter(({ language }) => language === "text").length);
    for (const program of programs.filter((each) => !isPart(each))) {
      const file = join(saved, nameOf(program) ?? `line-${program.line}.js`);
      writeFileSync(file, program.code);
      const printed = await printedBy(file);
      await t.test(program.place, () => assert.equal(printed, program.output));
    }
    const parts = programs.filter(isPart);
    const mark = "--- the next part\n";
    const code = parts.map(({ code }) => code).join(`console.log(${JSON.stringify(mark.trim())});\n`);
    // A part that stands alone repeats an import, and a program has it once.
    const imports = [...new Set(code.match(/^import .*\n/gm))].join("");
    writeFileSync(join(saved, "parts.js"), imports + code.replaceAll(/^import .*\n/gm, ""));
    const printed = (await printedBy(join(saved, "parts.js"))).split(mark);
    for (const [index, { place, output }] of parts.entries()) {
      await t.test(place, () => assert.equal(printed[index], output));
    }
  });
}

const formula = { TopicGroup: "=1+1", Sentiment: -2 };
const inside = { TopicGroup: "good;=1+1", Sentiment: 1 };
const quoted = { TopicGroup: 'Price, "net"', Sentiment: 1 };
const wide = { TopicGroup: "＝1+1", Sentiment: 0 };
const { fake, requests, close } = await serveFake({
  sentiment: [[formula, quoted], [inside], [quoted, { TopicGroup: null, Sentiment: 2 }, wide]],
});
const env = { ...process.env, FINDINGS_URL: fake.baseUrl, FINDINGS_TOKEN: "bearer secret" };
const [findingsProgram, groupsProgram] = ours("www/docs/node.md").map(({ code }, index) => {
  const file = join(folder, `node-${index}.js`);
  writeFileSync(file, code);
  return file;
});

after(close);

test("the first program for Node writes every finding as a line of JSON, and nothing beside them", async () => {
  const { stdout, stderr } = await runNode([findingsProgram, "42", "sentiment"], { env });
  const lines = stdout.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    fake.findings("sentiment"),
  );
  assert.equal(stderr, "");
  assert.deepEqual([...new Set(requests.map(({ headers }) => headers.authorization))], ["bearer secret"]);
});

test("the first program for Node writes its progress to a terminal", async () => {
  const asTerminal = "data:text/javascript,process.stderr.isTTY = true;";
  const { stderr } = await runNode(["--import", asTerminal, findingsProgram, "42", "sentiment"], { env });
  assert.match(stderr, /3 of 3 partitions\n$/);
});

test("the second program for Node writes the groups as CSV, without a formula", async () => {
  const { stdout } = await runNode([groupsProgram, "42"], { env });
  assert.deepEqual(stdout.split("\r\n"), [
    '\ufeff"group","findings","mean sentiment"',
    '"Price, ""net""",2,1',
    '"\'=1+1",1,-2',
    '"good;\'=1+1",1,1',
    ",1,2",
    '"\'＝1+1",1,0',
    "",
  ]);
});

test("a program for Node that fails exits with code 1 and says why", async () => {
  fake.use("unknown-inspection");
  const error = await runNode([groupsProgram, "42"], { env }).catch((error) => error);
  assert.equal(error.code, 1);
  assert.match(error.stderr, /FindingsError: .*404/);
  assert.doesNotMatch(error.stderr, /secret/);
});

/** What partition 1 responds with, by the first cell of a row of the README's table; the correct response if it is undefined. */
const mistakes = /** @type {Record<string, (request: FakeRequest) => Response | undefined>} */ ({
  'has `{"errors": ["Overloaded"]}`': () => Response.json({ errors: ["Overloaded"] }),
  "has an empty body once": ({ count }) => (count === 1 ? new Response("") : undefined),
  "has status 503 once": ({ count }) => (count === 1 ? new Response("<h1>", { status: 503 }) : undefined),
  "lacks a finding": () => Response.json({ Findings: partitions[1].slice(1) }),
});
const partitions = [0, 1, 2].map((index) =>
  Array.from({ length: 100 }, (_, row) => ({ StringKey: 100 * index + row, Comment: "late" })),
);

test("where a partition is wrong, `fetch` and the package do what the README says", async (t) => {
  const service = createFakeService({ baseUrl: "https://service.example/cxi/", sentiment: partitions });
  const { baseUrl, fetch } = service;
  t.mock.method(globalThis, "fetch", fetch);
  const lines = join(folder, "fetch.mjs");
  writeFileSync(lines, `${ours("README.md")[0].code}\nexport { findings };\n`);
  const outcomes = [];
  for (const [mistake, response] of Object.entries(mistakes)) {
    const respond = (/** @type {FakeRequest} */ request) =>
      request.partitionIndex === 1 ? response(request) : undefined;
    service.use({ respond });
    // Each query runs the lines again.
    const byFetch = await import(`${pathToFileURL(lines)}?${encodeURIComponent(mistake)}`).then(
      ({ findings }) => findings,
      (error) => error,
    );
    service.use({ respond });
    const byPackage = await getFindings(42, "sentiment", { baseUrl, fetch }).catch((error) => error);
    outcomes.push([mistake, outcomeOf(byFetch), outcomeOf(byPackage)]);
  }
  const rows = readDocument("README.md").matchAll(/^\| ((?:has|lacks) .*?) \| (.*?) \| (.*?) \|$/gm);
  assert.deepEqual(
    outcomes,
    Array.from(rows, ([, ...cells]) => cells),
  );
});

/**
 * A cell of the README's table.
 * @param {unknown[] | Error} result
 */
function outcomeOf(result) {
  if (result instanceof FindingsError) {
    const messages = result.messages?.map((message) => `, "${message}"`) ?? [];
    return `rejects: \`${result.code}\`${messages.join("")}`;
  }
  if (result instanceof Error) return `\`${result.name}\``;
  const absent = result.filter((finding) => finding === undefined).length;
  const total = result.length === 300 ? "300 findings" : `${result.length} instead of 300 findings`;
  return absent === 1 ? `${total}, one is undefined` : total;
}

/**
 * What a program prints by `console`, which runs to its end in this process.
 * @param {string} file
 */
async function printedBy(file) {
  let printed = "";
  const print = (/** @type {unknown[]} */ ...values) => {
    printed += `${format(...values)}\n`;
  };
  const mocks = [mock.method(console, "log", print), mock.method(console, "error", print)];
  try {
    await import(file);
  } finally {
    for (const { mock } of mocks) mock.restore();
  }
  return printed;
}
