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
import { createFakeService } from "inspection-findings/testing";
import { newPage, startBrowser } from "../package/page.js";
import { installByNpm } from "../package/project.js";
import { runNode } from "../run-node.js";
import { freePort, serve } from "../service/http-server.js";
import { blocksIn, nameOf, readDocument } from "./documents.js";

const name = "www/docs/first-finding.md";
const blocks = blocksIn(name);
const folder = mkdtempSync(join(tmpdir(), "first-finding-"));

/** What the page says, with ports that are free here. */
const ports = [await freePort(), await freePort()];
const env = { ...process.env, PORT: String(ports[1]) };
const here = (/** @type {string} */ text) => text.replaceAll("localhost:8099", `localhost:${ports[0]}`);

/** @type {import("node:child_process").ChildProcess[]} */
const running = [];
/** @type {{ close(): Promise<void> }[]} */
const services = [];
const browser = await startBrowser();

after(async () => {
  await browser.close();
  for (const child of running) child.kill();
  for (const service of services) await service.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the steps lead from an empty folder to a chart, in their order", async () => {
  let output = "";
  for (const block of blocks) {
    const { language, code } = block;
    const file = nameOf(block);
    const [, program] = code.match(/^node --env-file=\.env (\w+\.mjs)\n$/) ?? [];
    if (file !== undefined) writeFileSync(join(folder, file), here(code));
    else if (code.startsWith("FINDINGS_URL=")) writeFileSync(join(folder, ".env"), here(code));
    else if (language === "text") assert.equal(output, code);
    else if (code === "npm install inspection-findings\n") installByNpm(folder);
    else if (program === "first.mjs") output = await printed(program);
    else if (program === "fake.mjs") assert.match(await firstLine(program), /^The fake service is at http/);
    else if (program === "server.mjs") {
      const [url] = (await firstLine(program)).match(/http:\S+/) ?? assert.fail("a URL is printed");
      const { page, notices, close } = await newPage(browser);
      await page.goto(url);
      await page.locator("li").first().waitFor();
      const bars = await page.locator("li").allTextContents();
      const counts = bars.map((bar) => Number(bar.match(/^.+: (\d+)$/)?.[1]));
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        250,
      );
      assert.ok(((await page.locator("li").first().boundingBox())?.width ?? 0) > 20);
      // The page has no icon.
      assert.deepEqual(
        notices.failures.filter((failure) => !failure.includes("favicon")),
        [],
      );
      await close();
    } else assert.fail(`no step runs: ${code}`);
  }
  assert.equal(running.length, 2);
});

test("a wrong password is sent once, and the page says that the server cannot sign in", async () => {
  const { url, sessions } = await serverOf({ FINDINGS_PASSWORD: "wrong" });
  const { page, ...opened } = await newPage(browser);
  for (const _ of ["the first visit", "a reload"]) {
    await page.goto(url);
    await page.getByText("This server cannot sign in to the service.").waitFor();
  }
  assert.equal((await fetch(new URL("token", url))).status, 502);
  assert.equal(sessions(), 1);
  await opened.close();
});

test("a session that ends while a page loads is renewed once, by the server, and the load goes on", async () => {
  const { url, fake, sessions } = await serverOf({});
  const { page, ...opened } = await newPage(browser);
  await page.route("**/Sentiment/*", async (route) => {
    if (route.request().url().endsWith("/0")) fake.reset();
    await route.continue();
  });
  await page.goto(url);
  await page.locator("li").first().waitFor();
  assert.equal(sessions(), 2);
  await opened.close();
});

test("the client without the proxy calls the service of another origin with a token, and renews it after a 401", async () => {
  const [, imports] = readFileSync(join(folder, "index.html"), "utf8").match(/import .* from "(.*)";/) ?? [];
  const direct = readFileSync(join(folder, "direct.js"), "utf8").replace('"inspection-findings"', `"${imports}"`);
  const script = `globalThis.again = async () => {
      globalThis.sizes = [(await client.getFindings(42, "sentiment")).length];
      document.title = "done";
    };
    await 0;
    ${direct.replace("console.log(", 'await client.getFindings(42, "sentiment").catch(() => (globalThis.failed = true));\nif (!globalThis.failed) console.log(')}
    if (globalThis.failed) throw new Error("no token");
    globalThis.sizes = [(await client.getFindings(42, "sentiment")).length];
    token = Promise.resolve("00000000-0000-4000-8000-000000000000");
    globalThis.sizes.push((await client.getFindings(42, "sentiment")).length);
    document.title = "done";`;
  writeFileSync(join(folder, "index.html"), `<!doctype html><script type="module">${script}</script>`);
  const { page, close } = await newPage(browser);
  await page.goto(`http://localhost:${ports[1]}/`);
  await page.waitForFunction("document.title === 'done'");
  assert.deepEqual(await page.evaluate("globalThis.sizes"), [250, 250]);
  await close();
});

test("the proxy passes a compressed response on, whatever headers a server forwards", async () => {
  const body = JSON.stringify({ Findings: [{ Comment: "compressed" }] });
  const service = await serve(({ method }) => {
    if (method === "POST") return Response.json({ authenticationToken: "a", bearerToken: "bearer b", errors: null });
    const packed = gzipSync(body);
    return new Response(packed, { headers: { "content-encoding": "gzip", "content-length": `${packed.length}` } });
  });
  services.push(service);
  const forwarding = `
    import { createServer } from "node:http";
    import { proxy } from "./proxy.mjs";
    createServer(async ({ url }, outgoing) => {
      const response = await proxy(url.slice(1));
      outgoing.writeHead(response.status, [...response.headers].flat());
      outgoing.end(Buffer.from(await response.arrayBuffer()));
    }).listen(0, function () { console.log(this.address().port); });`;
  writeFileSync(join(folder, "forwarding.mjs"), forwarding);
  const child = spawn(process.execPath, ["forwarding.mjs"], {
    cwd: folder,
    env: { ...env, FINDINGS_URL: `${service.origin}/cxi/` },
  });
  running.push(child);
  const [port] = await once(child.stdout, "data");
  const response = await fetch(`http://localhost:${Number(port)}/Findings/42/Topics/0`);
  assert.equal(await response.text(), body);
});

test("a token that could not be had is asked for again", async () => {
  const { page, close } = await newPage(browser);
  let isDown = true;
  await page.route("**/token", (route) => (isDown ? route.fulfill({ status: 502 }) : route.continue()));
  await page.goto(`http://localhost:${ports[1]}/`);
  await page.waitForFunction("globalThis.failed === true");
  isDown = false;
  await page.evaluate("globalThis.again()");
  await page.waitForFunction("document.title === 'done'");
  await close();
});

test("the server serves nothing but the page, the package and findings", async () => {
  for (const [path, status] of /** @type {[string, number][]} */ ([
    ["/.env", 404],
    ["/session.mjs", 404],
    ["/package.json", 404],
    ["/cxi/Sessions", 404],
    ["/cxi/Findings/1%2f..%2fSessions", 404],
    ["/cxi/Findings/42/Topics/0", 200],
    ["/cxi/Findings/42/Topics/99", 404],
  ])) {
    assert.equal((await fetch(`http://localhost:${ports[1]}${path}`)).status, status, path);
  }
});

test("the recipes wait for a batch, and renew a token", async () => {
  writeFileSync(
    join(folder, "recipes.mjs"),
    `import { untilAnalysed } from "./batch.mjs";
    import { client } from "./renewed.mjs";
    await untilAnalysed(42, 7, 1);
    const { fetch } = globalThis;
    let down = 3;
    globalThis.fetch = async (url, init) => (String(url).includes("Batches") && down-- > 0 ? new Response("<h1>Bad gateway</h1>", { status: 502 }) : fetch(url, init));
    await untilAnalysed(42, 7, 1);
    console.log("the service was down", down < 0);
    globalThis.fetch = fetch;
    await untilAnalysed(42, 0, 1).catch(({ message }) => console.log(message));
    console.log((await client.getFindings(42, "topics")).length);`,
  );
  assert.equal(
    await printed("recipes.mjs"),
    "the service was down true\nbatch 0 is not being analysed: NotFound\n310\n",
  );
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
 * Starts the documented server in front of a fake service that accepts one password.
 * @param {Record<string, string>} credentials other ones than those that the service accepts
 */
async function serverOf(credentials) {
  const baseUrl = "https://service.example/cxi/";
  const sessions = { account: "Acme", userName: "admin", password: "secret" };
  const fake = createFakeService({ baseUrl, sessions });
  const service = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    const { method, headers } = request;
    const body = method === "POST" ? await request.text() : undefined;
    return fake.fetch(new URL(pathname, baseUrl), { method, headers, body });
  });
  services.push(service);
  const port = String(await freePort());
  const account = { FINDINGS_ACCOUNT: "Acme", FINDINGS_USER: "admin", FINDINGS_PASSWORD: "secret" };
  const child = spawn(process.execPath, ["server.mjs"], {
    cwd: folder,
    env: { ...env, PORT: port, FINDINGS_URL: `${service.origin}/cxi/`, ...account, ...credentials },
  });
  running.push(child);
  await once(child.stdout, "data");
  return {
    url: `http://localhost:${port}/`,
    fake,
    sessions: () => service.requests.filter(({ url }) => url === "/cxi/Sessions").length,
  };
}

/** @param {string} program */
async function printed(program) {
  const { stdout, stderr } = await runNode(["--env-file=.env", program], { cwd: folder, env });
  assert.equal(stderr, "");
  return stdout;
}

/**
 * Starts a program that goes on, and returns its first line.
 * @param {string} program
 */
async function firstLine(program) {
  const child = spawn(process.execPath, ["--env-file=.env", program], { cwd: folder, env });
  running.push(child);
  child.stderr.pipe(process.stderr);
  const [line] = await once(child.stdout, "data");
  return String(line);
}
