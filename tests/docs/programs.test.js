/** The programs of the documentation do in Node what the pages say. */

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, mock, test } from "node:test";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import { FindingsError } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { runNode } from "../run-node.js";
import { serveFake } from "../wire/service/http-server.js";
import { blocksIn, readDocument, saveFiles } from "./documents.js";

/** @typedef {import("inspection-findings/testing").FakeRequest} FakeRequest */

/** The blocks of a page that this file runs. @param {string} page */
const ours = (page) => blocksIn(page).filter(({ marks }) => marks.includes("by=tests/docs/programs.test.js"));

for (const page of ["www/docs/errors.md", "www/docs/surveys.md", "www/docs/tables.md"]) {
  test(`each program of ${page} prints what the page says`, async (t) => {
    const folder = saveFiles(page);
    const blocks = ours(page);
    for (const [index, { language, code: output }] of blocks.entries()) {
      if (language !== "text") continue;
      const { place, code } = blocks[index - 1];
      const file = join(folder, `line-${place.split(":")[1]}.js`);
      writeFileSync(file, code);
      await t.test(place, async () => assert.equal(await printedBy(file), output));
    }
  });
}

/** What a service may send, too: nulls, missing members, a group called NA, and a topic of which everybody speaks. */
const odd = [1, 2, 3, 4].flatMap((key) => {
  const respondent = { RespondentKey: key, RespondentId: `r${key}`, Extract: { Text: `text ${key}` } };
  return [
    { ...respondent, TopicGroup: "Everybody", Sentiment: 1 - key },
    { ...respondent, TopicGroup: key < 3 ? "NA" : null, Sentiment: -2, Extract: key % 2 ? null : {} },
    { RespondentKey: key, Sentiment: null },
    { RespondentKey: null, RespondentId: null, TopicGroup: "Everybody", Sentiment: -2, Extract: { Text: null } },
    { TopicGroup: "Nobody", Sentiment: -2 },
  ];
});

test("each program about a survey runs on nulls, missing members, a group called NA and a topic of everybody, and prints no NaN", async () => {
  const folder = saveFiles("www/docs/surveys.md", inRepository("target", "saved", "odd"));
  const service = `export const createFakeService = (options) => create({ ...options, sentiment: [${JSON.stringify(odd)}] });`;
  writeFileSync(
    join(folder, "odd.js"),
    `import { createFakeService as create } from "inspection-findings/testing";${service}`,
  );
  const programs = ours("www/docs/surveys.md").filter(({ language }) => language === "js");
  assert.ok(programs.length > 8);
  for (const { place, code } of programs) {
    assert.ok(code.trim().split("\n").length <= 25, `${place} has more than 25 lines`);
    const file = join(folder, `line-${place.split(":")[1]}.js`);
    writeFileSync(file, code.replace("inspection-findings/testing", "./odd.js"));
    assert.doesNotMatch(await printedBy(file), /NaN|Infinity/, place);
  }
});

const formula = { TopicGroup: "=1+1", Sentiment: -2 };
const inside = { TopicGroup: "good;=1+1", Sentiment: 1 };
const quoted = { TopicGroup: 'Price, "net"', Sentiment: 1 };
const wide = { TopicGroup: "＝1+1", Sentiment: 0 };
const { fake, close } = await serveFake({
  sentiment: [
    [formula, quoted],
    [inside],
    [quoted, { TopicGroup: null, Sentiment: 2 }, wide, { TopicGroup: "Silent" }],
  ],
});
const env = { ...process.env, FINDINGS_URL: fake.baseUrl, FINDINGS_TOKEN: "bearer secret" };
const groupsProgram = join(saveFiles("www/docs/node.md"), "groups.js");
writeFileSync(groupsProgram, ours("www/docs/node.md")[0].code);

after(close);

test("the program for Node writes the groups as CSV, without a formula", async () => {
  const { stdout } = await runNode([groupsProgram, "42"], { env });
  assert.deepEqual(stdout.split("\r\n"), [
    '\ufeff"group","findings","mean sentiment"',
    '"Price, ""net""",2,1',
    '"\'=1+1",1,-2',
    '"good;\'=1+1",1,1',
    ",1,2",
    '"\'＝1+1",1,0',
    '"Silent",1,',
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
  "lacks a finding": () => Response.json({ Findings: Array(99).fill({ Comment: "late" }) }),
});

test("where a partition is wrong, `fetch` and the package do what the README says", async (t) => {
  const sentiment = Array(3).fill(Array(100).fill({ Comment: "late" }));
  const service = createFakeService({ baseUrl: "https://service.example/cxi/", sentiment });
  t.mock.method(globalThis, "fetch", service.fetch);
  const [byFetch, byPackage] = ours("README.md").map(({ code }, index) => {
    const file = join(saveFiles("README.md"), `lines-${index}.mjs`);
    writeFileSync(file, `${code}\nexport { findings };\n`);
    return file;
  });
  const outcomes = [];
  for (const [mistake, response] of Object.entries(mistakes)) {
    const respond = (/** @type {FakeRequest} */ request) =>
      request.partitionIndex === 1 ? response(request) : undefined;
    service.use({ respond });
    const cells = [];
    for (const file of [byFetch, byPackage]) {
      service.use({ respond });
      // Each query runs the lines again.
      const run = import(`${pathToFileURL(file)}?${encodeURIComponent(mistake)}`);
      cells.push(outcomeOf(await run.then(({ findings }) => findings).catch((error) => error)));
    }
    outcomes.push([mistake, ...cells]);
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
  const total = result.length === 300 ? "300 findings" : `${result.length} instead of 300 findings`;
  return result.filter((finding) => finding === undefined).length === 1 ? `${total}, one is undefined` : total;
}

/**
 * What a program prints by `console`, which runs to its end in this process.
 * @param {string} file
 */
async function printedBy(file) {
  /** @type {string[]} */
  const printed = [];
  const print = (/** @type {unknown[]} */ ...values) => void printed.push(`${format(...values)}\n`);
  const mocks = [mock.method(console, "log", print), mock.method(console, "error", print)];
  await import(file).finally(() => {
    for (const { mock } of mocks) mock.restore();
  });
  return printed.join("");
}
