/** A page that runs a block of code with the built package, and without a bundler's help but for its syntax. */

import { readFileSync } from "node:fs";
import { build, transform } from "esbuild";
import { lookup } from "mrmime";
import { dist, inRepository, root } from "../../tools/repository.js";
import { resultOf } from "../package/page.js";
import { serve } from "../service/http-server.js";

/** @typedef {import("./documents.js").Block} Block */
/** @typedef {{ content: string | Buffer, headers?: Record<string, string> }} ServedFile */

/** The address of the service in the documentation. */
const documented = "https://service.example/cxi/";

/**
 * Serves the pages.
 * @param {string} baseUrl of the service that stands behind the documented one
 */
export async function servePages(baseUrl) {
  /** @type {Map<string, ServedFile>} */
  const files = new Map([["/page.html", { content: pageWith(blockScript(baseUrl)) }]]);
  const { origin, close } = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    const file = files.get(pathname) ?? packageFile(pathname) ?? (await peerFile(pathname));
    const headers = { "content-type": lookup(pathname) ?? "text/plain", ...file?.headers };
    return new Response(/** @type {any} */ (file?.content), { status: file === undefined ? 404 : 200, headers });
  });
  return {
    close,
    /**
     * Runs a block to its end, in a page whose URL names it.
     * @param {import("playwright-core").Page} page
     * @param {Block} block
     * @param {() => Promise<void>} [prepare] called once what the block uses is there
     * @returns {Promise<string | undefined>} what it throws
     */
    async run(page, { place, code, language }, prepare) {
      const loader = /** @type {"js" | "ts" | "tsx"} */ (language);
      const options = /** @type {const} */ ({ loader, target: "es2022", format: "esm" });
      const lowered = await transform(code.replaceAll(documented, baseUrl), options);
      files.set("/block.js", { content: lowered.code });
      await page.goto(`${origin}/page.html?${place}`);
      await page.evaluate("globalThis.ready");
      await prepare?.();
      return page.evaluate("globalThis.run()");
    },
    /**
     * Fetches findings under a policy.
     * @param {import("playwright-core").Page} page
     * @param {string} policy of the documentation
     * @param {boolean} worker
     * @returns {Promise<number>} the number of findings
     */
    async countUnderPolicy(page, policy, worker) {
      const allowed = policy.replaceAll(new URL(documented).origin, new URL(baseUrl).origin);
      files.set("/policy.js", {
        content: `import { getFindings } from "/dist/index.js";
          globalThis.result = getFindings(42, "sentiment", { baseUrl: "${baseUrl}", worker: ${worker} }).then(({ length }) => length, String);`,
      });
      files.set("/policy.html", {
        content: html('<script type="module" src="/policy.js"></script>'),
        headers: { "content-security-policy": allowed },
      });
      await page.goto(`${origin}/policy.html`);
      return resultOf(page);
    },
  };
}

/** @param {string} baseUrl */
function blockScript(baseUrl) {
  return `
    import { FindingsClient } from "inspection-findings";
    globalThis.client = new FindingsClient({ baseUrl: ${JSON.stringify(baseUrl)} });
    globalThis.ready = client.loadTable(42, "sentiment").then((table) => void (globalThis.table = table));
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
