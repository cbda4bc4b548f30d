/** The bundle: the package's JavaScript, one file for each entry. */

import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Failure } from "./command.js";

/** The files that package.json names. */
export const entries = ["index", "node", "slim", "inline", "worker", "arrow"];

/** The modules that only a page needs. The worker's script has `page-only` in their place. */
const ofPage = /^\.\/(rows|table|worker-link)\.js$/;

/** The module that names the worker's script, which the entry without other files lacks. */
const workerScript = /^\.\/worker-script\.js$/;

/** The entries that Node runs: it prints the line of an uncaught error, so their lines stay. */
const withLines = ["node.js", "inline.js"];

/** The entries that need no other file of the package. */
const alone = ["inline.js", "worker.js", "arrow.js"];

/** What the caller installs for an entry that needs it. */
const peer = "@uwdata/flechette";

/**
 * Bundles each entry of a folder of modules with all that it imports: a page without a bundler loads one script in place of many,
 * one after the other.
 * @param {string} folder
 * @returns {Promise<{ name: string, code: string }[]>} the files, each with its source map
 */
export async function bundle(folder) {
  // Imported late, because the set-up installs it.
  const { rolldown } = await import("rolldown");
  const files = await Promise.all(
    entries.map(async (entry) => {
      const name = `${entry}.js`;
      const bundler = await rolldown({
        input: join(folder, name),
        platform: "neutral",
        external: [/^node:/, peer],
        plugins: [{ name: "maps of the compiler", load: withMap }, ...replacements(folder, entry)],
      });
      const { output } = await bundler.generate({ format: "esm", sourcemap: true });
      await bundler.close();
      const { code, map } = await minified(name, output[0]);
      const link = `//# sourceMappingURL=${name}.map\n`;
      return [
        { name, code: `${withPlainAddresses(name, code)}\n${link}` },
        { name: `${name}.map`, code: JSON.stringify(withPublicNames(name, map)) },
      ];
    }),
  );
  return files.flat();
}

/**
 * Loads a module with its source map, if it has one.
 * @param {string} path
 */
function withMap(path) {
  const map = `${path}.map`;
  return existsSync(map) ? { code: readFileSync(path, "utf8"), map: readFileSync(map, "utf8") } : undefined;
}

/**
 * Names the sources of a map as the repository does; the map has their texts, except that of the module.
 * @param {string} file
 * @param {import("rolldown").ExistingRawSourceMap} map
 */
function withPublicNames(file, { version, sources = [], sourcesContent, names, mappings }) {
  const named = sources.map((source) => {
    const name = basename(source ?? "");
    return name.endsWith(".ts") ? `../src/js/${name}` : `../target/glue/${name}`;
  });
  const texts = sourcesContent?.map((text, index) => (named[index]?.endsWith("/inline_module.js") ? "" : text));
  return { version, file, sources: named, sourcesContent: texts, names, mappings };
}

/**
 * Replaces the modules that an entry has no use for.
 * @param {string} folder
 * @param {string} entry
 * @returns {import("rolldown").Plugin[]}
 */
function replacements(folder, entry) {
  if (entry === "worker") return [replacement(ofPage, join(folder, "page-only.js"))];
  if (entry === "inline") return [replacement(workerScript, join(folder, "no-worker-script.js"))];
  return [];
}

/**
 * @param {RegExp} id
 * @param {string} other
 * @returns {import("rolldown").Plugin}
 */
function replacement(id, other) {
  return { name: "replacement", resolveId: { filter: { id }, handler: () => other } };
}

/**
 * Removes comments and long names; the names of functions and classes stay, for those who read a stack trace.
 * @param {string} name
 * @param {import("rolldown").OutputChunk} chunk
 */
async function minified(name, chunk) {
  const { minify } = await import("vite");
  const keepNames = { function: true, class: true };
  const { code, map, errors } = await minify(name, chunk.code, {
    module: true,
    codegen: { removeWhitespace: !withLines.includes(name) },
    sourcemap: true,
    inputMap: /** @type {any} */ (chunk.map),
    compress: { target: "es2022", keepNames },
    mangle: { toplevel: true, keepNames },
  });
  if (errors.length > 0) {
    throw new Failure(`${name} could not be minified: ${errors.map(({ message }) => message).join("; ")}`);
  }
  return { code, map: /** @type {any} */ (map) };
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
    .replaceAll(/new URL\([`'"]\.\/([\w.]+)[`'"], ?import\.meta\.url\)/g, 'new URL("./$1", import.meta.url)')
    .replaceAll(/import\.meta\.url\), ?\{ ?type: ?[`'"]module[`'"],? ?\}\)/g, 'import.meta.url), { type: "module" })');
  const times = alone.includes(name) ? 0 : 1;
  for (const address of addresses) {
    if (plain.split(address).length !== times + 1) {
      throw new Failure(`${name} does not contain \`${address}\` ${times} times.`);
    }
  }
  if (name === "worker.js" && /\bimport\b/.test(plain)) {
    throw new Failure(`${name} imports something: a worker's script has to be one file.`);
  }
  return plain;
}
