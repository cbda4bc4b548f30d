/** The servers of www/docs/requests.md: Express and nginx send the CORS headers that the page lists. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { programPath } from "../../tools/programs.js";
import { freePort, serve } from "../service/http-server.js";
import { isQuick } from "../tier.js";
import { blocksIn, saveFiles } from "./documents.js";

const page = "www/docs/requests.md";
const [ofEach, ofOptions, nginx] = blocksIn(page).flatMap(({ language, code }) => (language === "text" ? [code] : []));
const { allowOrigin } = await import(join(saveFiles(page), "cors.js"));

test("the middleware for Express sends the listed headers, with an error, too", async (t) => {
  const port = await freePort();
  const app = createServer((request, response) => {
    allowOrigin(request, response, () => response.writeHead(500).end());
  }).listen(port, "127.0.0.1");
  t.after(() => app.close());
  await sendsListed(`http://127.0.0.1:${port}/`);
});

// It needs nginx.
test("the block for nginx sends the listed headers, with an error, too", { skip: isQuick }, async (t) => {
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
  t.after(async () => {
    child.kill();
    await once(child, "exit");
    await service.close();
    rmSync(folder, { recursive: true });
  });
  const url = `http://127.0.0.1:${port}/cxi/Findings/42`;
  while (child.exitCode === null && !(await fetch(url).catch(() => undefined))) await pause(20);
  await sendsListed(url);
});

/**
 * Expects the listed headers of an error and of a preflight. `tests/wire/origins.test.js` proves that a page needs them.
 * @param {string} url
 */
async function sendsListed(url) {
  const expected = /** @type {const} */ ([
    ["GET", 500, ofEach],
    ["OPTIONS", 204, ofOptions],
  ]);
  for (const [method, status, listed] of expected) {
    const response = await fetch(url, { method });
    assert.equal(response.status, status);
    const names = listed.match(/^.*?(?=: )/gm) ?? [];
    assert.equal(names.map((name) => `${name}: ${response.headers.get(name)}\n`).join(""), listed);
  }
}
