/** The page about requests: its CORS headers for Express and nginx, and its proxy for Vite, let a page read every response. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createFakeService } from "inspection-findings/testing";
import { createServer as createVite } from "vite";
import { programPath } from "../../tools/programs.js";
import { inRepository } from "../../tools/repository.js";
import { newPage, resultOf, startBrowser } from "../package/page.js";
import { serveFolder } from "../package/static-server.js";
import { freePort, serve } from "../service/http-server.js";
import { isQuick } from "../tier.js";
import { blocksIn, saveFiles } from "./documents.js";

const name = "www/docs/requests.md";
const texts = blocksIn(name).filter(({ language }) => language === "text");
const [ofEach, ofOptions, nginx] = texts.map(({ code }) => code);

const saved = saveFiles(name);
const { allowOrigin } = await import(join(saved, "cors.js"));
const { default: config } = await import(join(saved, "vite.config.js"));

const browser = await startBrowser();
const pages = await serveFolder(inRepository());

after(async () => {
  await browser.close();
  await pages.close();
});

test("the middleware for Express sends the headers that the page lists, by which it can renew a token, wait, and see errors", async (t) => {
  const statuses = [401, 200, 429, 200, 500];
  const app = createServer((request, response) => {
    allowOrigin(request, response, () => {
      const status = statuses.shift() ?? 200;
      const headers = { "content-type": "application/json", ...(status === 429 && { "retry-after": "0" }) };
      const body = status === 200 ? { Findings: [] } : { errors: [`It failed with ${status}.`] };
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
  });
  const { origin, appUrl, close } = await withOrigin(app);
  t.after(close);
  const result = await inPage(`
    const statuses = [];
    const headers = ({ status }) => (statuses.push(status), { Authorization: "bearer a.b.c" });
    const options = { baseUrl: "${origin}/", headers, retries: 1 };
    const renewed = await getPartition(42, "topics", 0, options);
    const waited = await getPartition(42, "topics", 1, options);
    const failed = await getPartition(42, "topics", 2, { ...options, retries: 0 }).catch(({ code, status, messages }) => ({ code, status, messages }));
    return { statuses, renewed, waited, failed };`);
  await sendsListed(appUrl, 200);
  assert.deepEqual(result, {
    statuses: [null, 401, null, 429, null],
    renewed: [],
    waited: [],
    failed: { code: "http", status: 500, messages: ["It failed with 500."] },
  });
});

if (!isQuick) {
  test("the block for nginx sends the headers that the page lists, with an error of the service, too", async () => {
    const service = await serve(() => Response.json({ errors: ["It failed."] }, { status: 500 }));
    const folder = mkdtempSync(join(tmpdir(), "nginx-"));
    const port = await freePort();
    const upstream = `upstream service { server ${new URL(service.origin).host}; }`;
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((name) => `${name}_temp_path temp;`);
    const server = `server { listen 127.0.0.1:${port}; ${nginx} }`;
    const http = `http { access_log off; ${temporary.join(" ")} ${upstream} ${server} }`;
    writeFileSync(join(folder, "nginx.conf"), `daemon off; pid nginx.pid; error_log stderr; events {} ${http}`);
    const parameters = ["-p", folder, "-c", "nginx.conf", "-e", "stderr"];
    const child = spawn(programPath("nginx", ["nginx"]), parameters, { stdio: "inherit" });
    try {
      const url = `http://127.0.0.1:${port}/cxi/Findings/42`;
      while (child.exitCode === null && !(await fetch(url).catch(() => undefined))) await pause(20);
      await sendsListed(url, 500);
    } finally {
      child.kill();
      await once(child, "exit");
      await service.close();
      rmSync(folder, { recursive: true });
    }
  });
}

test("the proxy for Vite passes requests of the page's own origin to the service", async () => {
  const baseUrl = "https://service.example/cxi/";
  const fake = createFakeService({ baseUrl });
  const service = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    return fake.fetch(new URL(pathname, baseUrl));
  });
  const { target, ...rest } = config.server.proxy["/cxi"];
  assert.equal(target, new URL(baseUrl).origin);
  const vite = await createVite({
    root: saved,
    configFile: false,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0, proxy: { "/cxi": { ...rest, target: service.origin } } },
  });
  await vite.listen();
  const response = await fetch(new URL("/cxi/Findings/42", vite.resolvedUrls?.local[0]));
  assert.equal((await response.json()).SentimentFindings, 250);
  await vite.close();
  await service.close();
});

/**
 * Expects the listed headers of a GET and of a preflight.
 * @param {string} url
 * @param {number} expected the status of the GET
 */
async function sendsListed(url, expected) {
  for (const [method, listed] of [
    ["GET", ofEach],
    ["OPTIONS", ofOptions],
  ]) {
    const { headers, status } = await fetch(url, { method });
    assert.equal(status, method === "GET" ? expected : 204);
    for (const line of listed.trim().split("\n")) {
      const [header, value] = line.split(": ");
      assert.equal(headers.get(header), value, method);
    }
  }
}

/**
 * Starts a server in front of another one, which allows the origin of the pages instead of the documented one.
 * @param {import("node:http").Server} app
 */
async function withOrigin(app) {
  app.listen(0, "127.0.0.1");
  await once(app, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (app.address());
  const { origin } = new URL(pages.url);
  const server = await serve(async (request) => {
    const url = new URL(request.url);
    url.port = String(port);
    const { status, headers, body } = await fetch(url, { method: request.method, headers: request.headers });
    const allowed = Object.fromEntries(headers);
    allowed["access-control-allow-origin"] = allowed["access-control-allow-origin"].replace(
      "https://app.example",
      origin,
    );
    return new Response(status === 204 ? null : body, { status, headers: allowed });
  });
  const close = async () => {
    await server.close();
    app.close();
  };
  return { origin: server.origin, appUrl: `http://127.0.0.1:${port}/`, close };
}

/**
 * Runs code in a page, and returns its result.
 * @param {string} code
 */
async function inPage(code) {
  const { page, close } = await newPage(browser);
  await page.goto(new URL("www/docs/assets/search.js", pages.url).href);
  await page.evaluate(
    `globalThis.result = undefined; import("/dist/index.js").then(async ({ getPartition }) => { ${code} }).then((result) => { globalThis.result = JSON.parse(JSON.stringify(result, (key, value) => value === undefined ? null : value)); }, (error) => { globalThis.result = String(error); }); undefined`,
  );
  const result = await resultOf(page);
  await close();
  return result;
}
