/** The bundle: the package's JavaScript, one file for each entry. */

import { join } from "node:path";
import { Failure } from "./command.js";

/** The files that package.json names. */
export const entries = ["index", "node", "slim"];

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
      const bundler = await rolldown({ input: join(folder, `${entry}.js`), platform: "neutral", external: /^node:/ });
      const { output } = await bundler.generate({ format: "esm" });
      await bundler.close();
      const name = `${entry}.js`;
      return { name, code: withPlainAddress(name, await minified(name, output[0].code)) };
    }),
  );
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

/**
 * Writes the module's address as bundlers look for it: some know no other quotes.
 * @param {string} name
 * @param {string} code
 */
function withPlainAddress(name, code) {
  const address = /new URL\([`'"]\.\/(\w+\.wasm)[`'"],import\.meta\.url\)/g;
  const plain = code.replaceAll(address, 'new URL("./$1", import.meta.url)');
  if (plain.split('new URL("./inspection_findings_bg.wasm", import.meta.url)').length !== 2) {
    throw new Failure(`${name} does not name the module's address once, as \`new URL(…, import.meta.url)\`.`);
  }
  return plain;
}
