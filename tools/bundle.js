/** The bundle: the package's JavaScript, one file for each entry. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Failure } from "./command.js";

/** The files that package.json names. */
export const entries = ["index", "node", "workerd", "slim", "inline", "worker", "testing", "arrow", "react", "keep"];

/** The file of the command, which package.json names as `bin`. */
export const program = "command";

/** The program in the Python package, which is one file. */
const reader = "reader";

/** The npm packages in the file of the command, whose users install nothing else. */
export const inProgram = ["@uwdata/flechette", "hyparquet", "hyparquet-writer"];

/** The npm packages in other files. @type {Record<string, string[]>} */
const packages = { [program]: inProgram, [reader]: ["@uwdata/flechette"] };

/** The module that starts the worker's script. Only `index` has the script beside it; the other entries have its text. */
const workerScript = /\/worker-script\.js$/;

/** The entries that Node runs: it prints the line of an uncaught error, so their lines stay. */
const withLines = ["inline", "testing", "arrow"];

/** What an entry imports at run time: other files of the package, and what the caller installs. */
const atRunTime = [/\.wasm\?module$/, "./inline.js", "@uwdata/flechette", "react"];

/** The address of the module, as bundlers look for it: some know no other quotes. */
const moduleAddress = 'new URL("./inspection_findings_bg.wasm", import.meta.url)';

/** The start of the worker, likewise. */
const workerStart = 'new Worker(new URL("./worker.js", import.meta.url), { type: "module" })';

/** The entries that name a file beside them, by its address. */
const named = { [moduleAddress]: ["index", "slim"], [workerStart]: ["index"] };

/**
 * Bundles each entry of a folder of modules with all that it imports: a page without a bundler loads one script in place of many,
 * one after the other.
 * @param {string} folder
 * @returns {Promise<[string, string][]>} the contents of the files and of their source maps, by name
 */
export async function bundle(folder) {
  const worker = await bundled(folder, "worker");
  writeFileSync(join(folder, "worker/worker_text.js"), `export const SCRIPT = ${JSON.stringify(worker.code)};\n`);
  const others = [...entries.filter((entry) => entry !== "worker"), program].map((entry) => bundled(folder, entry));
  return [worker, ...(await Promise.all(others))].flatMap(({ name, code, map }) =>
    // A script that only re-exports has no source to lead to.
    map.sources?.length === 0
      ? [[name, `${code}\n`]]
      : [
          [name, `${code}\n//# sourceMappingURL=${name}.map\n`],
          [`${name}.map`, JSON.stringify(map)],
        ],
  );
}

/**
 * Bundles the program of the Python package, with all that it imports.
 * @param {string} folder with modules, from which the package has been bundled
 */
export async function bundleReader(folder) {
  return (await bundled(folder, reader)).code;
}

/**
 * @param {string} folder
 * @param {string} entry
 */
async function bundled(folder, entry) {
  // Imported late, because the set-up installs it.
  const { rolldown } = await import("rolldown");
  const name = `${entry}.js`;
  const bundler = await rolldown({
    input: join(folder, "entries", name),
    ...(entry in packages
      ? { platform: "node", resolve: { mainFields: ["module", "main"] } }
      : { platform: "neutral", external: atRunTime }),
    plugins: [
      entry === program && {
        name: "the package beside the command",
        resolveId: { filter: { id: /\/inline\.js$/ }, handler: () => ({ id: "./inline.js", external: true }) },
      },
      { name: "maps of the compiler", load: withMap },
      entry !== "index" && {
        name: "embedded worker",
        resolveId: { filter: { id: workerScript }, handler: () => join(folder, "worker/embedded-worker-script.js") },
      },
    ],
  });
  const { output } = await bundler.generate({ format: "esm", sourcemap: true });
  await bundler.close();
  const found = packagesIn(output[0].moduleIds).join(", ");
  if (found !== (packages[entry] ?? []).join(", ")) {
    throw new Failure(`${name} contains other npm packages than tools/bundle.js lists: ${found}.`);
  }
  const { code, map } = await minified(entry, output[0]);
  const plain = { name, code: withPlainAddresses(entry, code), map: withoutTexts(name, map) };
  return entry === program ? executable(plain) : plain;
}

/**
 * The npm packages that modules belong to.
 * @param {string[]} paths
 */
function packagesIn(paths) {
  const names = paths.flatMap(
    (path) => path.match(/(?<=\bnode_modules\/)(?:@[^/]+\/)?[^/]+(?!.*\bnode_modules\/)/) ?? [],
  );
  return [...new Set(names)].sort();
}

/**
 * A script that a shell can start.
 * @param {{ name: string, code: string, map: import("rolldown").ExistingRawSourceMap }} script
 */
function executable({ name, code, map }) {
  return { name, code: `#!/usr/bin/env node\n${code}`, map: { ...map, mappings: `;${map.mappings}` } };
}

/**
 * Loads a module with its source map. What is generated has none, and no source to lead to.
 * @param {string} path
 */
function withMap(path) {
  const map = `${path}.map`;
  return {
    code: readFileSync(path, "utf8"),
    map: existsSync(map) ? readFileSync(map, "utf8") : { mappings: "" },
    // package.json lists the entries with side effects by their built files, and another entry may import one.
    moduleSideEffects: dirname(path).endsWith("entries") ? true : null,
  };
}

/**
 * The map with the places of its sources in the package, which has each source once, for all maps.
 * @param {string} file
 * @param {import("rolldown").ExistingRawSourceMap} map
 */
function withoutTexts(file, { version, sources = [], names, mappings }) {
  const places = sources.flatMap((source) => source?.match(/src\/js\/.*\.ts$/) ?? []);
  return { version, file, sources: places.map((place) => `../${place}`), names, mappings };
}

/**
 * Removes comments and long names. The names of classes stay, which errors and consoles show; source maps have those of functions.
 * @param {string} entry
 * @param {import("rolldown").OutputChunk} chunk
 */
async function minified(entry, chunk) {
  const { minify } = await import("vite");
  const keepNames = { function: false, class: true };
  const { code, map, errors } = await minify(`${entry}.js`, chunk.code, {
    module: true,
    codegen: { removeWhitespace: !withLines.includes(entry) },
    sourcemap: true,
    inputMap: /** @type {any} */ (chunk.map),
    compress: { target: "es2022", keepNames },
    mangle: { toplevel: true, keepNames },
  });
  if (errors.length > 0) {
    throw new Failure(`${entry}.js could not be minified: ${errors.map(({ message }) => message).join("; ")}`);
  }
  return { code, map: /** @type {any} */ (map) };
}

/**
 * Writes the addresses of other files as bundlers look for them.
 * @param {string} entry
 * @param {string} code
 */
function withPlainAddresses(entry, code) {
  const plain = code
    .replaceAll(/new URL\([`'"]\.\/([\w.]+)[`'"], ?import\.meta\.url\)/g, 'new URL("./$1", import.meta.url)')
    .replaceAll(/import\.meta\.url\), ?\{ ?type: ?[`'"]module[`'"],? ?\}\)/g, 'import.meta.url), { type: "module" })');
  for (const [address, namers] of Object.entries(named)) {
    const times = namers.includes(entry) ? 1 : 0;
    if (plain.split(address).length !== times + 1) {
      throw new Failure(`${entry}.js does not contain \`${address}\` ${times} times.`);
    }
  }
  if (entry === "worker" && /\bimport\b/.test(plain)) {
    throw new Failure("worker.js imports something: a worker's script has to be one file.");
  }
  return plain;
}
