/** The programs of www/docs/node.md, each as a process of Node against a service. */

import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { runNode } from "../run-node.js";
import { serveFake } from "../service/http-server.js";
import { blocksIn } from "./documents.js";

const page = "www/docs/node.md";
const blocks = blocksIn(page).filter(({ marks }) => marks.includes("by=tests/docs/node.test.js"));
const folder = inRepository("target", "node-programs");

const formula = { TopicGroup: "=1+1", Sentiment: -2 };
const inside = { TopicGroup: "good;=1+1", Sentiment: 1 };
const quoted = { TopicGroup: 'Price, "net"', Sentiment: 1 };
const wide = { TopicGroup: "＝1+1", Sentiment: 0 };
const { fake, requests, close } = await serveFake({
  sentiment: [[formula, quoted], [inside], [quoted, { TopicGroup: null, Sentiment: 2 }, wide]],
});

const env = { ...process.env, FINDINGS_URL: fake.baseUrl, FINDINGS_TOKEN: "bearer secret" };

before(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { code } of blocks) writeFileSync(join(folder, nameOf(code)), code);
});

after(close);

test("the first program writes every finding as a line of JSON, and nothing beside them, because cron sends what it prints", async () => {
  const { stdout, stderr } = await run("findings.js", "42", "sentiment");
  const lines = stdout.trimEnd().split("\n");
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    fake.findings("sentiment"),
  );
  assert.equal(stderr, "");
  assert.deepEqual([...new Set(requests.map(({ headers }) => headers.authorization))], ["bearer secret"]);
});

test("the first program writes its progress to a terminal", async () => {
  const asTerminal = "data:text/javascript,process.stderr.isTTY = true;";
  const { stderr } = await runNode(["--import", asTerminal, join(folder, "findings.js"), "42", "sentiment"], { env });
  assert.match(stderr, /3 of 3 partitions\n$/);
});

test("the second program writes the groups as CSV, without a formula", async () => {
  const { stdout } = await run("groups.js", "42");
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

test("a program that fails exits with code 1 and says why", async () => {
  fake.use("unknown-inspection");
  const error = await run("groups.js", "42").catch((error) => error);
  fake.reset();
  assert.equal(error.code, 1);
  assert.match(error.stderr, /FindingsError: .*404/);
  assert.doesNotMatch(error.stderr, /secret/);
});

/** @param {string} code */
function nameOf(code) {
  return code.match(/^\/\/ ([\w-]+\.js): /)?.[1] ?? assert.fail("a program begins with its name");
}

/**
 * @param {string} program
 * @param {string[]} parameters
 */
function run(program, ...parameters) {
  return runNode([join(folder, program), ...parameters], { env });
}
