/** A page that runs a block of code with the built package, and without a bundler's help but for its syntax. */

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname } from "node:path";
import { build, transform } from "esbuild";
import { dist, inRepository, root } from "../../tools/repository.js";
import { resultOf } from "../package/page.js";

/** @typedef {import("../../tools/docs/blocks.js").Block} Block */
/** @typedef {{ content: string | Buffer, headers?: Record<string, string> }} ServedFile */

/** The address of the service in the documentation. */
const documented = "https://service.example/cxi/";

/** The files that a block may load, and those of the package by its exports. */
const types = /** @type {Record<string, string>} */ ({
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".wasm": "application/wasm",
});

/**
 * Serves the pages.
 * @param {string} baseUrl of the service that stands behind the documented one
 */
export async function servePages(baseUrl) {
  /** @type {Map<string, ServedFile>} */
  const files = new Map();
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://page");
    const file = files.get(pathname) ?? packageFile(pathname) ?? (await peerFile(pathname));
    const type = types[extname(pathname)] ?? "application/octet-stream";
    response.writeHead(file === undefined ? 404 : 200, { "content-type": type, ...file?.headers });
    response.end(file?.content);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const url = `http://127.0.0.1:${port}/`;
  return {
    /**
     * Runs a block to its end.
     * @param {import("playwright-core").Page} page
     * @param {Block} block
     * @param {() => Promise<void>} [prepare] called once what the block uses is there
     * @returns {Promise<string | undefined>} what it throws
     */
    async run(page, { code, language }, prepare) {
      const loader = language === "js" ? "js" : language === "ts" ? "ts" : "tsx";
      const { code: lowered } = await transform(code.replaceAll(documented, baseUrl), {
        loader,
        target: "es2022",
        format: "esm",
      });
      files.set("/block.js", { content: lowered });
      files.set("/page.html", { content: pageWith(blockScript(baseUrl)) });
      await page.goto(`${url}page.html`);
      await page.waitForFunction("globalThis.run !== undefined", undefined, { timeout: 30_000 });
      await prepare?.();
      return page.evaluate("globalThis.run()");
    },
    /**
     * Retrieves findings under a policy.
     * @param {import("playwright-core").Page} page
     * @param {string} policy of the documentation
     * @param {boolean} worker
     * @returns {Promise<number>} the number of findings
     */
    async countUnderPolicy(page, policy, worker) {
      const { origin } = new URL(baseUrl);
      const headers = { "content-security-policy": policy.replaceAll(new URL(documented).origin, origin) };
      files.set("/policy.js", {
        content: `import { getFindings } from "/dist/index.js";
          globalThis.result = getFindings(42, "sentiment", { baseUrl: "${baseUrl}", worker: ${worker} }).then(({ length }) => length, String);`,
      });
      files.set("/policy.html", { content: html('<script type="module" src="/policy.js"></script>'), headers });
      await page.goto(`${url}policy.html`);
      return resultOf(page);
    },
    close: () =>
      /** @type {Promise<void>} */ (
        new Promise((resolve) => {
          server.close(() => resolve());
          server.closeAllConnections();
        })
      ),
  };
}

/** @param {string} baseUrl */
function blockScript(baseUrl) {
  return `
    import { FindingsClient } from "inspection-findings";
    globalThis.client = new FindingsClient({ baseUrl: ${JSON.stringify(baseUrl)} });
    globalThis.table = await client.loadTable(42, "sentiment");
    globalThis.tokenFor = async () => "token";
    globalThis.run = () => import("/block.js").then(() => undefined, (error) => String(error?.stack ?? error));`;
}

/** @param {string} script */
function pageWith(script) {
  const { name, exports, peerDependencies } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  const imports = Object.entries(exports).flatMap(([path, { default: file }]) =>
    file?.endsWith(".js") ? [[`${name}${path.slice(1)}`, file.slice(1)]] : [],
  );
  const peers = Object.keys(peerDependencies).map((peer) => [peer, `/peers/${peer}.js`]);
  const map = JSON.stringify({ imports: Object.fromEntries([...imports, ...peers]) });
  return html(`<script type="importmap">${map}</script><script type="module">${script}</script>`);
}

/** @param {string} scripts */
function html(scripts) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">${scripts}</html>`;
}

/**
 * A file of the package: where a block expects it, or where it is.
 * @param {string} pathname
 * @returns {ServedFile | undefined}
 */
function packageFile(pathname) {
  const [, folder, name = ""] = pathname.split("/");
  try {
    return folder === "dist" || folder === "assets" ? { content: readFileSync(`${dist}/${name}`) } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A peer of the package as one script, as a bundler takes it.
 * @param {string} pathname
 * @returns {Promise<ServedFile | undefined>}
 */
async function peerFile(pathname) {
  const [, peer] = pathname.match(/^\/peers\/(.+)\.js$/) ?? [];
  if (peer === undefined) {
    return undefined;
  }
  const { outputFiles } = await build({
    stdin: { contents: `export * from "${peer}";`, resolveDir: root },
    bundle: true,
    format: "esm",
    write: false,
  });
  return { content: outputFiles[0].text };
}
