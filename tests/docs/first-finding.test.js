/** The page about the first finding: its steps, in an empty folder and in their order, lead to a chart. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { newPage, startBrowser } from "../package/page.js";
import { installByNpm } from "../package/project.js";
import { runNode } from "../run-node.js";
import { freePort, serve, serveFake } from "../service/http-server.js";
import { blocksIn, nameOf, readDocument } from "./documents.js";

const name = "www/docs/first-finding.md";
const folder = mkdtempSync(join(tmpdir(), "first-finding-"));

/** What the page says, with ports that are free here. */
const ports = [await freePort(), await freePort()];
const url = `http://localhost:${ports[1]}/`;
const here = (/** @type {string} */ text) => text.replaceAll("localhost:8099", `localhost:${ports[0]}`);

const browser = await startBrowser();

/** What ends after the tests. */
const ends = [() => browser.close()];

after(async () => {
  for (const end of ends) await end();
  rmSync(folder, { recursive: true, force: true });
});

test("the steps lead from an empty folder to a chart, in their order", async () => {
  let output = "";
  const started = [];
  for (const block of blocksIn(name)) {
    const { language, code } = block;
    const file = nameOf(block);
    const [, program] = code.match(/^node --env-file=\.env (\w+\.mjs)\n$/) ?? [];
    if (file !== undefined) writeFileSync(join(folder, file), here(code));
    else if (code.startsWith("FINDINGS_URL=")) writeFileSync(join(folder, ".env"), here(code));
    else if (language === "text") assert.equal(output, code);
    else if (code === "npm install inspection-findings\n") installByNpm(folder);
    else if (program === "first.mjs") output = await printed(program);
    else if (program !== undefined) started.push(await firstLine(program, {}));
    else assert.fail(`no step runs: ${code}`);
  }
  assert.deepEqual(started, [`The fake service is at http://localhost:${ports[0]}/cxi/\n`, `Open ${url}\n`]);
  const { page, notices } = await open(url);
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

test("a wrong password is sent once, and the page says that the server cannot sign in", async () => {
  const { url, sessions } = await serverOf({ FINDINGS_PASSWORD: "wrong" });
  for (const _ of ["the first visit", "another visit"]) {
    await open(url, (page) => page.getByText("This server cannot sign in to the service."));
  }
  assert.equal((await fetch(new URL("token", url))).status, 502);
  assert.equal(sessions(), 1);
});

test("a session that ends while a page loads is renewed once, by the server, and the load goes on", async () => {
  const { url, fake, sessions } = await serverOf({});
  await open(url, undefined, (page) =>
    page.route("**/Sentiment/0", async (route) => {
      fake.reset();
      await route.continue();
    }),
  );
  assert.equal(sessions(), 2);
});

test("the client without the proxy asks for a token again that could not be had, and renews one after a 401", async () => {
  const [, file] = readFileSync(join(folder, "index.html"), "utf8").match(/import .* from "(.*)";/) ?? [];
  const direct = readFileSync(join(folder, "direct.js"), "utf8")
    .replace('"inspection-findings"', `"${file}"`)
    .replace(/^console\.log\(.*\n/m, "");
  const script = `${direct}
    const outcomes = [];
    const ask = () => client.getFindings(42, "sentiment").then(({ length }) => length, () => "no token");
    outcomes.push(await ask(), await ask());
    token = Promise.resolve("00000000-0000-4000-8000-000000000000");
    outcomes.push(await ask());
    const item = document.body.appendChild(document.createElement("li"));
    item.textContent = outcomes.join();`;
  writeFileSync(join(folder, "index.html"), `<!doctype html><body><script type="module">${script}</script>`);
  const { page } = await open(url, undefined, (page) =>
    page.route("**/token", (route) => route.fulfill({ status: 502 }), { times: 1 }),
  );
  assert.equal(await page.locator("li").textContent(), "no token,250,250");
});

test("the proxy passes a compressed response on, whatever headers a server forwards", async () => {
  const body = JSON.stringify({ Findings: [{ Comment: "compressed" }] });
  const { origin, close } = await serve(({ method }) => {
    if (method === "POST") return Response.json({ authenticationToken: "a", bearerToken: "bearer b", errors: null });
    const packed = gzipSync(body);
    return new Response(packed, { headers: { "content-encoding": "gzip", "content-length": `${packed.length}` } });
  });
  ends.push(close);
  const forwarding = `
    import { createServer } from "node:http";
    import { proxy } from "./proxy.mjs";
    createServer(async ({ url }, outgoing) => {
      const response = await proxy(url.slice(1));
      outgoing.writeHead(response.status, [...response.headers].flat());
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    }).listen(0, function () { console.log(this.address().port); });`;
  writeFileSync(join(folder, "forwarding.mjs"), forwarding);
  const port = await firstLine("forwarding.mjs", { FINDINGS_URL: `${origin}/cxi/` });
  const response = await fetch(`http://localhost:${Number(port)}/Findings/42/Topics/0`);
  assert.equal(await response.text(), body);
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

test("the recipes wait for a batch, and renew a token", async () => {
  const program = `
    import { untilAnalysed } from "./batch.mjs";
    import { client } from "./renewed.mjs";
    await untilAnalysed(42, 7, 1);
    const { fetch } = globalThis;
    let down = 3;
    globalThis.fetch = async (url, init) => (String(url).includes("Batches") && down-- > 0 ? new Response("<h1>Bad gateway</h1>", { status: 502 }) : fetch(url, init));
    await untilAnalysed(42, 7, 1);
    console.log("the service was down", down < 0);
    globalThis.fetch = fetch;
    await untilAnalysed(42, 0, 1).catch(({ message }) => console.log(message));
    console.log((await client.getFindings(42, "topics")).length);`;
  writeFileSync(join(folder, "recipes.mjs"), program);
  const lines = "the service was down true\nbatch 0 is not being analysed: NotFound\n310\n";
  assert.equal(await printed("recipes.mjs"), lines);
});

test("the messages of the table are those of the programs and of the package", async () => {
  const rows = Array.from(readDocument(name).matchAll(/^\| `(.*?)` \| [A-Z]/gm), ([, message]) => message);
  assert.ok(rows.length > 5);
  const failing = `
    import { getFindings } from "inspection-findings";
    import { baseUrl, signIn } from "./session.mjs";
    const { bearerToken } = await signIn();
    const fail = (call) => call.catch(({ message }) => console.log(message));
    const get = (Authorization, options) => fail(getFindings(42, "topics", { baseUrl, headers: { Authorization }, retries: 0, ...options }));
    await get("bearer x");
    await get("Bearer " + bearerToken);
    await get("Bearer " + undefined);
    await get(bearerToken, { baseUrl: baseUrl + "wrong/" });
    await get(bearerToken, { fetch: async () => new Response("<html>") });
    await get(bearerToken, { fetch: async () => { throw new TypeError("broken"); } });
    await get(bearerToken, { fetch: async () => Response.json({ errors: ["not analysed"] }) });
    process.env.FINDINGS_PASSWORD = "";
    await fail(signIn());
    await fail(fetch("http://localhost:${await freePort()}/cxi/Sessions", { method: "POST" }));`;
  writeFileSync(join(folder, "failing.mjs"), failing);
  const lines = await printed("failing.mjs");
  assert.deepEqual(
    rows.filter((message) => !lines.includes(message)),
    [],
  );
});

/**
 * Opens a page, and waits for what it shows: a bar unless another element is given.
 * @param {string} url
 * @param {(page: import("playwright-core").Page) => import("playwright-core").Locator} [shown]
 * @param {(page: import("playwright-core").Page) => Promise<unknown>} [prepare]
 */
async function open(url, shown = (page) => page.locator("li").first(), prepare = async () => {}) {
  const { page, notices, close } = await newPage(browser);
  ends.unshift(close);
  await prepare(page);
  await page.goto(url);
  await shown(page).waitFor();
  return { page, notices };
}

/**
 * Starts the documented server in front of a fake service that accepts one password.
 * @param {Record<string, string>} credentials other ones than those that the service accepts
 */
async function serverOf(credentials) {
  const account = { FINDINGS_ACCOUNT: "Acme", FINDINGS_USER: "admin", FINDINGS_PASSWORD: "secret" };
  const sessions = { account: "Acme", userName: "admin", password: "secret" };
  const { fake, requests, close } = await serveFake({ sessions });
  ends.push(close);
  const port = String(await freePort());
  await firstLine("server.mjs", { PORT: port, FINDINGS_URL: fake.baseUrl, ...account, ...credentials });
  return {
    url: `http://localhost:${port}/`,
    fake,
    sessions: () => requests.filter(({ url }) => url === "/cxi/Sessions").length,
  };
}

/** @param {string} program */
async function printed(program) {
  const { stdout, stderr } = await runNode(["--env-file=.env", program], { cwd: folder });
  assert.equal(stderr, "");
  return stdout;
}

/**
 * Starts a program that goes on, and returns its first line.
 * @param {string} program
 * @param {Record<string, string>} variables on top of those of the page
 */
async function firstLine(program, variables) {
  const env = { ...process.env, PORT: String(ports[1]), ...variables };
  const child = spawn(process.execPath, ["--env-file=.env", program], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  ends.push(async () => void child.kill());
  const [line] = await once(child.stdout, "data");
  return String(line);
}
