/** The page of www/docs/getting-started.md with an import map, under the policy with a hash of www/docs/requests.md. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { lookup } from "mrmime";
import { inRepository } from "../../tools/repository.js";
import { newPage, resultOf, startBrowser } from "../package/page.js";
import { serve } from "../service/http-server.js";
import { blocksIn } from "./documents.js";

const [page] = blocksIn("www/docs/getting-started.md").filter(({ code }) => code.includes('"importmap"'));
const [, map = ""] = page.code.match(/<script type="importmap">(.*?)<\/script>/s) ?? [];
const [policy, ...others] = blocksIn("www/docs/requests.md")
  .filter(({ language, code }) => language === "http" && code.includes("'sha256-"))
  .map(({ code }) => code.replace("Content-Security-Policy: ", "").trim());

const mainScript = `
  import { FindingsClient } from "inspection-findings";
  import { createFakeService } from "inspection-findings/testing";
  const { baseUrl, fetch } = createFakeService();
  globalThis.result = new FindingsClient({ baseUrl, fetch }).getFindings(42, "sentiment").then(({ length }) => length, String);`;

test("the documented page works under the policy with the hash of its import map", async () => {
  assert.deepEqual(others, []);
  assert.ok(policy.includes(`'sha256-${createHash("sha256").update(map).digest("base64")}'`));
  const server = await serve(({ url }) => {
    const { pathname } = new URL(url);
    const headers = { "content-type": lookup(pathname) ?? "text/html", "content-security-policy": policy };
    if (pathname === "/") return new Response(`<link rel="icon" href="data:,">${page.code}`, { headers });
    if (pathname === "/main.js") return new Response(mainScript, { headers });
    const file = inRepository(pathname.replace("/node_modules/inspection-findings/", ""));
    return existsSync(file) ? new Response(readFileSync(file), { headers }) : new Response(null, { status: 404 });
  });
  const browser = await startBrowser();
  after(() => Promise.all([browser.close(), server.close()]));
  const opened = await newPage(browser);
  await opened.page.goto(server.origin);
  assert.equal(await resultOf(opened.page), 250);
  assert.deepEqual(opened.notices.console, []);
});
