/** The code of the documentation in a browser: blocks run to their end, and pages open under the policies that it gives. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { transform } from "esbuild";
import { lookup } from "mrmime";
import { dist, inRepository } from "../../tools/repository.js";
import { newPage, resultOf, startBrowser } from "../install/package/page.js";
import { startService } from "../install/package/service.js";
import { serve } from "../wire/service/http-server.js";
import { allBlocks, blocksIn, readDocument } from "./documents.js";
import { examplesOfTypes } from "./examples.js";
import { proofOf } from "./rules.js";

const peer = "node_modules/@uwdata/flechette/dist/flechette.mjs";
const { name, exports } = JSON.parse(readDocument("package.json"));
const blocks = allBlocks();
const [withMap] = blocksIn("www/docs/toolchains.md").filter(({ language }) => language === "html");
const [policy, policyWithHash] = blocks
  .filter(({ language }) => language === "http")
  .map(({ code }) => code.replace("Content-Security-Policy: ", "").trim());

const service = await startService();
const browser = await startBrowser();

/** What a server of pages has, by its path: the package where a block expects it, its peer, and what a test adds. */
const files = new Map(
  /** @type {[string, string | Uint8Array][]} */ ([["/flechette.js", readFileSync(inRepository(peer))]]),
);
for (const folder of ["/dist", "/assets", `/node_modules/${name}/dist`]) {
  for (const file of readdirSync(dist)) files.set(`${folder}/${file}`, readFileSync(join(dist, file)));
}
/** @type {string[]} the paths of all requests */
const asked = [];
/** The headers of each response, and what it waits for. */
const manner = { headers: {}, before: async (/** @type {string} */ _pathname) => {} };
const pages = await serve(async (request) => {
  const { pathname } = new URL(request.url);
  asked.push(pathname);
  await manner.before(pathname);
  const content = files.get(pathname);
  const headers = { "content-type": lookup(pathname) ?? "text/plain", ...manner.headers };
  return new Response(/** @type {any} */ (content), { status: content === undefined ? 404 : 200, headers });
});

after(async () => {
  await browser.close();
  await pages.close();
  await service.close();
});

test("every block, and every example of the types but those of React, runs to its end, and leaves no error uncaught", async (t) => {
  const { page, notices, close } = await newPage(browser);
  /** A response that is not retried. */
  const gone = { status: 404, headers: { "access-control-allow-origin": "*" }, body: "{}" };
  files.set(
    "/blocks.html",
    html(`${importMap()}<script type="module">
    import { FindingsClient } from "${name}";
    globalThis.client = new FindingsClient({ baseUrl: "${service.baseUrl}" });
    globalThis.ready = client.loadTable(42, "sentiment").then((table) => void (globalThis.table = table));
  </script>`),
  );
  // Components of React render nothing alone.
  const examples = examplesOfTypes().filter(({ code }) => !/"inspection-findings\/react"/.test(code));
  assert.ok(examples.length > 20);
  const inPage = blocks.filter((block) => proofOf(block).isRunInPage);
  for (const { place, language, code, marks } of [...inPage, ...examples.map((each) => ({ ...each, marks: [""] }))]) {
    await t.test(`${place} runs`, async () => {
      const loader = /** @type {"js" | "ts" | "tsx"} */ (language);
      files.set("/block.js", (await transform(atService(code), { loader, target: "es2022", format: "esm" })).code);
      await page.goto(`${pages.origin}/blocks.html?${place}`);
      await page.evaluate("globalThis.ready");
      if (marks.includes("partial")) await page.route("**/Sentiment/1", (route) => route.fulfill(gone), { times: 1 });
      await page.evaluate(() => import(String("/block.js")).then(({ example }) => example?.()).then(() => {}));
      await page.unrouteAll();
    });
  }
  await page.goto("about:blank");
  assert.deepEqual(
    notices.console.filter((words) => words.startsWith("uncaught: ")),
    [],
  );
  await close();
});

/** @type {[name: string, policy: string, index: string, options: string][]} */
const underPolicies = [
  ["allows what the package does in the page", policy, "", "worker: false"],
  ["allows what the package does in a worker", policy, "", "worker: true"],
  ["with a hash allows the import map, which its hash is of", policyWithHash, withMap.code, ""],
];

for (const [promise, policy, index, options] of underPolicies) {
  // P37
  test(`the policy ${promise}`, async () => {
    const entry = index === "" ? "/dist/index.js" : name;
    const others = index === "" ? "" : `import "${name}/survey"; import "${name}/testing";`;
    files.set(
      "/main.js",
      `import { getFindings } from "${entry}"; ${others}
      globalThis.result = getFindings(42, "sentiment", { baseUrl: "${service.baseUrl}", ${options} }).then(({ length }) => length, String);`,
    );
    manner.headers = { "content-security-policy": atService(policy) };
    const { page, notices, close } = await open(index || '<script type="module" src="./main.js"></script>');
    assert.equal(await resultOf(page), 7);
    assert.deepEqual([notices.console, notices.failures], [[], []]);
    await close();
    manner.headers = {};
  });
}

test("the file, the script and the first request leave the page side by side, and the file is loaded once", async () => {
  service.requests.length = 0;
  asked.length = 0;
  const leaves = async (/** @type {string[]} */ paths, /** @type {string} */ end) => {
    while (!paths.some((path) => path.endsWith(end))) await pause(5);
  };
  // Each response waits for the request that must not wait for it.
  manner.before = async (pathname) => {
    if (pathname.endsWith("/manual.js")) await leaves(asked, ".wasm");
    if (pathname.endsWith(".wasm")) await leaves(service.requests, "/Findings/42");
  };
  const { page, notices, close } = await open(`
    <link rel="modulepreload" href="./dist/manual.js">
    <script>
      var wasm = fetch("./dist/inspection_findings_bg.wasm");
      wasm.catch(() => {}); // init() reports the error.
    </script>
    <script type="module">
      import { FindingsClient, init } from "./dist/manual.js";
      const client = new FindingsClient({ baseUrl: "${service.baseUrl}" });
      globalThis.result = Promise.all([client.loadTable(42, "sentiment"), init({ module: wasm })]).then(([{ length }]) => length, String);
    </script>`);
  assert.equal(await resultOf(page), 7);
  assert.equal(asked.filter((pathname) => pathname.endsWith(".wasm")).length, 1);
  assert.deepEqual([notices.console, notices.failures], [[], []]);
  await close();
});

/** @param {string} body */
async function open(body) {
  const opened = await newPage(browser);
  files.set("/index.html", html(atService(body)));
  await opened.page.goto(`${pages.origin}/index.html`);
  return opened;
}

/** @param {string} body */
function html(body) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">${body}</html>`;
}

/** A text with the service of the tests instead of the documented one. @param {string} text */
function atService(text) {
  return text
    .replaceAll("https://service.example/cxi/", service.baseUrl)
    .replaceAll("https://service.example", new URL(service.baseUrl).origin);
}

/** The import map of all entries, and of the peer that they import. */
function importMap() {
  const entries = Object.entries(exports).flatMap(([path, { default: file }]) =>
    file?.endsWith(".js") ? [[`${name}${path.slice(1)}`, file.slice(1)]] : [],
  );
  const imports = { ...Object.fromEntries(entries), "@uwdata/flechette": "/flechette.js" };
  return `<script type="importmap">${JSON.stringify({ imports })}</script>`;
}
