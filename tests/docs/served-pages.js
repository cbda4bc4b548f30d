/** Pages that have the built package, without a bundler's help but for the syntax of a block. */

import { readFileSync } from "node:fs";
import { build, transform } from "esbuild";
import { lookup } from "mrmime";
import { dist, inRepository, root } from "../../tools/repository.js";
import { serve } from "../service/http-server.js";

/** @typedef {import("./documents.js").Block} Block */

/** The address of the service in the documentation. */
const documented = "https://service.example/cxi/";

const { name, exports, peerDependencies } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));

/** Where the package's files are: in the repository, where a block expects its own copy, and in a project. */
const folders = /^\/(?:dist|assets|node_modules\/inspection-findings\/dist)\/([\w.-]+)$/;

/**
 * Serves pages, in front of a service that stands behind the documented one.
 * @param {string} baseUrl of the service
 */
export async function servePages(baseUrl) {
  /** @type {Map<string, string>} */
  const files = new Map();
  /** @type {string[]} */
  const asked = [];
  /** @type {{ headers: Record<string, string>, before: (pathname: string) => unknown }} */
  const manner = { headers: {}, before: () => {} };
  const { origin, close } = await serve(async (request) => {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    await manner.before(pathname);
    const content = files.get(pathname) ?? packageFile(pathname) ?? (await peerFile(pathname));
    const headers = { "content-type": lookup(pathname) ?? "text/plain", ...manner.headers };
    return new Response(/** @type {any} */ (content), { status: content === undefined ? 404 : 200, headers });
  });
  files.set("/blocks.html", html(`${importMap()}<script type="module">${blockScript(baseUrl)}</script>`));
  return {
    /** The paths of all requests. */
    asked,
    close,
    /**
     * Opens a page.
     * @param {import("playwright-core").Page} page
     * @param {Record<string, string>} contents the files by their names: `index.html` is the page
     * @param {Partial<typeof manner>} [given] the headers of each response, and what comes before it
     */
    async open(page, contents, given = {}) {
      const headers = Object.entries(given.headers ?? {}).map(([name, value]) => [name, atService(value)]);
      Object.assign(manner, { before: () => {} }, given, { headers: Object.fromEntries(headers) });
      for (const [name, content] of Object.entries(contents)) files.set(`/${name}`, atService(content));
      asked.length = 0;
      await page.goto(`${origin}/index.html`);
    },
    /**
     * Runs a block to its end, in a page whose URL names it.
     * @param {import("playwright-core").Page} page
     * @param {Block} block
     * @param {() => Promise<void>} [prepare] called once what the block uses is there
     * @returns {Promise<string | undefined>} what it throws
     */
    async run(page, { place, code, language }, prepare) {
      const loader = /** @type {"js" | "ts" | "tsx"} */ (language);
      const lowered = await transform(atService(code), { loader, target: "es2022", format: "esm" });
      files.set("/block.js", lowered.code);
      await page.goto(`${origin}/blocks.html?${place}`);
      await page.evaluate("globalThis.ready");
      await prepare?.();
      return page.evaluate("globalThis.run()");
    },
  };

  /** @param {string} text */
  function atService(text) {
    return text.replaceAll(documented, baseUrl).replaceAll(new URL(documented).origin, new URL(baseUrl).origin);
  }
}

/** @param {string} scripts */
export function html(scripts) {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,">${scripts}</html>`;
}

/** @param {string} baseUrl */
function blockScript(baseUrl) {
  return `
    import { FindingsClient } from "${name}";
    globalThis.client = new FindingsClient({ baseUrl: ${JSON.stringify(baseUrl)} });
    globalThis.ready = client.loadTable(42, "sentiment").then((table) => void (globalThis.table = table));
    globalThis.run = () => import("/block.js").then(() => undefined, (error) => String(error?.stack ?? error));`;
}

/** The import map of all entries and peers. */
function importMap() {
  const entries = Object.entries(exports).flatMap(([path, { default: file }]) =>
    file?.endsWith(".js") ? [[`${name}${path.slice(1)}`, file.slice(1)]] : [],
  );
  const peers = Object.keys(peerDependencies).map((peer) => [peer, `/peers/${peer}.js`]);
  const imports = Object.fromEntries([...entries, ...peers]);
  return `<script type="importmap">${JSON.stringify({ imports })}</script>`;
}

/** @param {string} pathname */
function packageFile(pathname) {
  const [, file] = pathname.match(folders) ?? [];
  try {
    return file && readFileSync(`${dist}/${file}`);
  } catch {
    return undefined;
  }
}

/**
 * A peer of the package as one script, as a bundler takes it.
 * @param {string} pathname
 */
async function peerFile(pathname) {
  const [, peer] = pathname.match(/^\/peers\/(.+)\.js$/) ?? [];
  if (peer === undefined) return undefined;
  const contents = `export * from "${peer}";`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    format: "esm",
    write: false,
  });
  return outputFiles[0].text;
}
