/** The import map of www/docs/getting-started.md, under the policies of www/docs/security.md. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { lookup } from "mrmime";
import { blocksOf } from "../../tools/docs/blocks.js";
import { inRepository } from "../../tools/repository.js";
import { serve } from "../http-server.js";
import { newPage, resultOf, startBrowser } from "../package/page.js";
import { readDocument } from "./documents.js";

const guide = readDocument("www/docs/getting-started.md");
const [page] = blocksOf(guide, "www/docs/getting-started.md").filter(({ language }) => language === "html");
const [, map] = page.code.match(/<script type="importmap">(.*?)<\/script>/s) ?? [];
const policies = blocksOf(readDocument("www/docs/security.md"), "www/docs/security.md")
  .filter(({ language }) => language === "http")
  .map(({ code }) => code.replace("Content-Security-Policy: ", "").trim());
const withHash = policies.filter((policy) => policy.includes("'sha256-"));
const withoutHash = policies.filter((policy) => !policy.includes("'sha256-"));

/** Of the main script: the package under this name. */
const byName = "inspection-findings";
const [, byURL] = guide.match(/`from "(\.\/node_modules\/.*?)"`/) ?? [];

/** What the server sends. */
let served = { policy: "", from: byName };
const server = await serve(({ url }) => {
  const { pathname } = new URL(url);
  const type = lookup(pathname) ?? "text/html";
  const headers = { "content-type": type, "content-security-policy": served.policy };
  if (pathname === "/") return new Response(`<link rel="icon" href="data:,">${page.code}`, { headers });
  if (pathname === "/main.js") return new Response(mainScript(served.from), { headers });
  const file = inRepository(pathname.replace("/node_modules/inspection-findings/", ""));
  return existsSync(file) ? new Response(readFileSync(file), { headers }) : new Response(null, { status: 404 });
});
const browser = await startBrowser();

after(async () => {
  await browser.close();
  await server.close();
});

test("the documented hash is that of the documented import map", () => {
  const hash = createHash("sha256")
    .update(map ?? "")
    .digest("base64");
  assert.equal(withHash.length, 1);
  assert.ok(withHash[0].includes(`'sha256-${hash}'`), hash);
});

test("the documented page works under the policy with the hash of its import map", async () => {
  assert.deepEqual(await outcomeOf(withHash[0], byName), { findings: 250, console: [] });
});

test("imports by URL work under the policies without a hash, and need no import map", async () => {
  assert.ok(withoutHash.length > 0);
  for (const policy of withoutHash) {
    const { findings, console } = await outcomeOf(policy, byURL ?? "");
    assert.equal(findings, 250);
    // The page still has the import map, which the policy blocks.
    assert.ok(console.length === 1 && console[0].includes("inline script"), console.join("\n"));
  }
});

/**
 * Opens the documented page.
 * @param {string} policy
 * @param {string} from what the script imports
 */
async function outcomeOf(policy, from) {
  served = { policy, from };
  const { page, notices, close } = await newPage(browser);
  try {
    await page.goto(server.origin);
    return { findings: await resultOf(page), console: notices.console };
  } finally {
    await close();
  }
}

/** @param {string} from */
function mainScript(from) {
  return `
    import { FindingsClient } from "${from}";
    import { createFakeService } from "${from === byName ? `${byName}/testing` : from.replace("index.js", "testing.js")}";
    const { baseUrl, fetch } = createFakeService();
    globalThis.result = new FindingsClient({ baseUrl, fetch }).getFindings(42, "sentiment").then(({ length }) => length, String);`;
}
