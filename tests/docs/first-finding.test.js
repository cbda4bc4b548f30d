/** The page about the first finding: its steps, in an empty folder and in their order, lead to a chart, and its programs do what it says. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, mock, test } from "node:test";
import { gzipSync } from "node:zlib";
import { newPage, startBrowser } from "../install/package/page.js";
import { installByNpm } from "../install/package/project.js";
import { runNode } from "../run-node.js";
import { freePort, serveFake } from "../wire/service/http-server.js";
import { blocksIn, nameOf, saveFiles } from "./documents.js";

const name = "www/docs/first-finding.md";
const blocks = blocksIn(name);
const folder = mkdtempSync(join(tmpdir(), "first-finding-"));

/** What the page says, with ports that are free here. */
const ports = [await freePort(), await freePort()];
const url = `http://localhost:${ports[1]}/`;
const env = { PORT: String(ports[1]) };
const here = (/** @type {string} */ text) => text.replaceAll("localhost:8099", `localhost:${ports[0]}`);

/** The body of a response that the service of the tests has compressed. */
const compressed = '{"Findings":[{"Comment":"compressed"}]}';
const respond = (/** @type {import("inspection-findings/testing").FakeRequest} */ { inspectionKey }) =>
  inspectionKey === "7" ? new Response(gzipSync(compressed), { headers: { "content-encoding": "gzip" } }) : undefined;
const sessions = { account: "Acme", userName: "admin", password: "secret" };
const { fake, requests, close } = await serveFake({ sessions, scenario: { respond } });
const opened = () => requests.filter(({ url }) => url === "/cxi/Sessions").length;
const account = { FINDINGS_ACCOUNT: "Acme", FINDINGS_USER: "admin", FINDINGS_PASSWORD: "secret" };
Object.assign(process.env, account, { FINDINGS_URL: fake.baseUrl });

/** The programs, in this process and in front of that service. */
const saved = saveFiles(name);
const [{ proxy }, { untilAnalysed }] = await Promise.all(
  ["proxy", "batch"].map((program) => import(join(saved, `${program}.mjs`))),
);
mock.method(console, "error", () => {});

const browser = await startBrowser();
const { page, notices } = await newPage(browser);
/** @type {import("node:child_process").ChildProcess[]} */
const started = [];

after(async () => {
  for (const child of started) child.kill();
  await browser.close();
  await close();
  rmSync(folder, { recursive: true, force: true });
});

test("the steps lead from an empty folder to a chart, in their order", async () => {
  let output = "";
  const lines = [];
  for (const block of blocks) {
    const { language, code } = block;
    const file = nameOf(block);
    const [, program] = code.match(/^node --env-file=\.env (\w+\.mjs)\n$/) ?? [];
    if (file !== undefined) writeFileSync(join(folder, file), here(code));
    else if (code.startsWith("FINDINGS_URL=")) writeFileSync(join(folder, ".env"), here(code));
    else if (language === "text") assert.equal(output, code);
    else if (code === "npm install inspection-findings\n") installByNpm(folder);
    else if (program === "first.mjs")
      ({ stdout: output } = await runNode(["--env-file=.env", program], { cwd: folder, env }));
    else if (program !== undefined) lines.push(await firstLine(program));
    else assert.fail(`no step runs: ${code}`);
  }
  assert.deepEqual(lines, [`The fake service is at http://localhost:${ports[0]}/cxi/\n`, `Open ${url}\n`]);
  await page.goto(url);
  await page.locator("li").first().waitFor();
  const bars = await page.locator("li").allTextContents();
  assert.equal(
    bars.reduce((sum, bar) => sum + Number(bar.match(/^.+: (\d+)$/)?.[1]), 0),
    250,
  );
  assert.ok(((await page.locator("li").first().boundingBox())?.width ?? 0) > 20);
  // The page has no icon.
  assert.deepEqual(
    notices.failures.filter((failure) => !failure.includes("favicon")),
    [],
  );
});

test("the server serves nothing but the page, the package and findings", async () => {
  const statuses = {
    ".env": 404,
    "session.mjs": 404,
    "package.json": 404,
    "cxi/Sessions": 404,
    "cxi/Findings/1%2f..%2fSessions": 404,
    "cxi/Findings/42/Topics/0": 200,
    "cxi/Findings/42/Topics/99": 404,
  };
  for (const [path, status] of Object.entries(statuses)) assert.equal((await fetch(url + path)).status, status, path);
});

test("the recipe waits for a batch, also while the service is down", async () => {
  const { mock: fetching } = mock.method(globalThis, "fetch");
  // Before them, the recipe signs in.
  fetching.mockImplementationOnce(async () => new Response("<h1>Bad gateway</h1>", { status: 502 }), 1);
  fetching.mockImplementationOnce(() => Promise.reject(new TypeError("fetch failed")), 2);
  await untilAnalysed(42, 7, 1);
  assert.ok(fetching.callCount() > 3);
  fetching.restore();
  await assert.rejects(untilAnalysed(42, 0, 1), { message: "batch 0 is not being analysed: NotFound" });
});

test("the proxy renews a session that has ended, once for all requests", async () => {
  await proxy("Findings/42");
  const before = opened();
  fake.reset();
  const responses = await Promise.all([0, 1, 2].map((index) => proxy(`Findings/42/Sentiment/${index}`)));
  assert.deepEqual([...responses.map(({ status }) => status), opened() - before], [200, 200, 200, 1]);
});

test("the proxy passes a compressed response on without the headers of its compression", async () => {
  const response = await proxy("Findings/7/Topics/0");
  assert.deepEqual([...response.headers.keys()], ["content-type", "retry-after"]);
  assert.equal(await response.text(), compressed);
});

test("a wrong password is sent once, and the page says that the server cannot sign in", async () => {
  process.env.FINDINGS_PASSWORD = "wrong";
  fake.reset();
  const before = opened();
  const responses = [await proxy("Findings/42"), await proxy("Findings/42")];
  const [first, second] = await Promise.all(responses.map((response) => response.text()));
  assert.deepEqual([...responses.map(({ status }) => status), opened() - before], [200, 200, 1]);
  assert.equal(second, first);
  await page.route("**/cxi/**", (route) => route.fulfill({ contentType: "application/json", body: first }));
  await page.reload();
  await page.getByText("This server cannot sign in to the service.").waitFor();
});

/**
 * Starts a program that goes on, and returns its first line.
 * @param {string} program
 */
async function firstLine(program) {
  const child = spawn(process.execPath, ["--env-file=.env", program], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  started.push(child);
  const [line] = await once(child.stdout, "data");
  return String(line);
}
