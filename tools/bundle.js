/** The bundle: the package's JavaScript, one file for each entry. */

import { join } from "node:path";
import { Failure } from "./command.js";

/** The files that package.json names. */
export const entries = ["index", "node", "slim", "worker"];

/** The modules that only a page needs. The worker's script has {@link pageOnly} in their place. */
const ofPage = /^\.\/(rows|table|worker-link)\.js$/;

/**
 * Bundles each entry of a folder of modules with all that it imports: a page without a bundler loads one script in place of many,
 * one after the other.
 * @param {string} folder
 * @returns {Promise<{ name: string, code: string }[]>} the files
 */
export async function bundle(folder) {
  // Imported late, because the set-up installs it.
  const { rolldown } = await import("rolldown");
  return Promise.all(
    entries.map(async (entry) => {
      const bundler = await rolldown({
        input: join(folder, `${entry}.js`),
        platform: "neutral",
        external: /^node:/,
        plugins: entry === "worker" ? [pageOnly(folder)] : [],
      });
      const { output } = await bundler.generate({ format: "esm" });
      await bundler.close();
      const name = `${entry}.js`;
      return { name, code: withPlainAddresses(name, await minified(name, output[0].code)) };
    }),
  );
}

/**
 * Replaces the modules that only a page needs.
 * @param {string} folder
 * @returns {import("rolldown").Plugin}
 */
function pageOnly(folder) {
  return {
    name: "page-only",
    resolveId: { filter: { id: ofPage }, handler: () => join(folder, "page-only.js") },
  };
}

/**
 * Removes comments and long names; the names of functions and classes stay, for those who read a stack trace.
 * @param {string} name
 * @param {string} code
 */
async function minified(name, code) {
  const { minify } = await import("vite");
  const keepNames = { function: true, class: true };
  const { code: smaller, errors } = await minify(name, code, {
    module: true,
    compress: { target: "es2022", keepNames },
    mangle: { toplevel: true, keepNames },
  });
  if (errors.length > 0) {
    throw new Failure(`${name} could not be minified: ${errors.map(({ message }) => message).join("; ")}`);
  }
  return smaller;
}

/** The addresses in a script of a page, as bundlers look for them: some know no other quotes. */
const addresses = [
  'new URL("./inspection_findings_bg.wasm", import.meta.url)',
  'new Worker(new URL("./worker.js", import.meta.url), { type: "module" })',
];

/**
 * Writes the addresses of other files as bundlers look for them.
 * @param {string} name
 * @param {string} code
 */
function withPlainAddresses(name, code) {
  const plain = code
    .replaceAll(/new URL\([`'"]\.\/([\w.]+)[`'"],import\.meta\.url\)/g, 'new URL("./$1", import.meta.url)')
    .replaceAll(/import\.meta\.url\),\{type:[`'"]module[`'"]\}\)/g, 'import.meta.url), { type: "module" })');
  const times = name === "worker.js" ? 0 : 1;
  for (const address of addresses) {
    if (plain.split(address).length !== times + 1) {
      throw new Failure(`${name} does not contain \`${address}\` ${times} times.`);
    }
  }
  if (times === 0 && /\bimport\b/.test(plain)) {
    throw new Failure(`${name} imports something: a worker's script has to be one file.`);
  }
  return plain;
}
