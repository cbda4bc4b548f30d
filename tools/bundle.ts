/** The bundle: the package's JavaScript, one file for each entry with all that it imports, so that a page loads one script. */

import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Plugin, rolldown } from "rolldown";
import { Failure } from "./command.js";
import { full, objects } from "./module.ts";
import { dist, inRepository } from "./repository.js";

/** Those with the module without tables. */
const objectsEntries = ["objects", "objects-inline", "objects-workerd"];

/** The files that package.json names. */
export const entries = [
  ...["index", "node", "workerd", "manual", "inline", "worker", "testing"],
  ...["arrow", "view", "react", "keep", "export"],
  ...["survey", "survey-compare", "survey-means", "survey-respondents"],
  ...objectsEntries,
];

/** The npm packages in the file of the command, whose users install nothing else. */
export const inProgram = ["@uwdata/flechette", "csv-parse", "hyparquet", "hyparquet-writer"];

/** The npm packages in files: in the command, which package.json names as `bin`, and in the program of the Python package. */
const packages: Record<string, string[]> = { command: inProgram, reader: ["@uwdata/flechette"] };

/** The entries that Node runs: it prints the line of an uncaught error, so their lines stay. */
const withLines = ["inline", "objects-inline", "testing", "arrow"];

/** What an entry imports at run time: other files of the package, and what the caller installs. */
const atRunTime = [/\.wasm\?module$/, "./inline.js", "@uwdata/flechette", "react"];

/** Bundles the entries of the package with some modules: the contents of the files and of their source maps, which are not published, by name. */
export async function bundle(modules: unknown[]): Promise<[string, string][]> {
  const worker = await bundled("worker");
  const [[, script]] = worker;
  if (/\bimport\b/.test(script))
    throw new Failure("worker.js imports something: a worker's script has to be one file.");
  const others = [...entries.filter((entry) => entry !== "worker" && modules.includes(moduleOf(entry))), "command"];
  // workerd has no workers.
  const scriptIn = (entry: string) => (entry.endsWith("workerd") ? "" : script);
  return [worker, ...(await Promise.all(others.map((entry) => bundled(entry, scriptIn(entry)))))].flat();
}

/** The source of an entry: a build of the main entry, or the file of a room that other projects import. */
export function sourceOf(entry: string) {
  const folders = entry in packages ? "command" : "{entries,subpaths/*}";
  const files = globSync(`src/js/${folders}/${entry}.ts`, { cwd: inRepository() });
  if (files.length !== 1) throw new Failure(`src/js has ${files.length} files for ${entry}.js.`);
  return inRepository(files[0]);
}

/** Bundles the program of the Python package. */
export async function bundleReader() {
  const [[, code]] = await bundled("reader");
  return code;
}

/**
 * Bundles an entry with the worker's script: its script, and a source map that the script does not name, by name. The names of classes stay,
 * which errors and consoles show.
 */
async function bundled(entry: string, worker?: string): Promise<[string, string][]> {
  const keepNames = { function: false, class: true };
  const bundler = await rolldown({
    input: { [entry]: sourceOf(entry) },
    tsconfig: inRepository("tsconfig.build.json"),
    platform: entry in packages ? "node" : "neutral",
    external: entry in packages ? [] : atRunTime,
    resolve: {
      extensionAlias: { ".js": [".ts", ".js"] },
      ...(entry in packages && { mainFields: ["module", "main"] }),
    },
    // package.json lists the entries with side effects by their built files, and another entry may import one.
    treeshake: { moduleSideEffects: [{ test: /\/src\/js\/entries\//, sideEffects: true }] },
    experimental: { attachDebugInfo: "none" },
    // The directive "use client" stays at the beginning of its entry.
    checks: { moduleLevelDirective: false },
    plugins: [withOtherFiles(entry, worker)],
  });
  const { output } = await bundler.generate({
    dir: dist,
    banner: ({ isEntry }) => (isEntry && entry === "command" ? "#!/usr/bin/env node" : ""),
    chunkFileNames: "command-main.js",
    comments: false,
    // A map says what a script was made of. Without the sources, which the package lacks, it shows nothing.
    sourcemap: entry === "command" ? false : "hidden",
    sourcemapExcludeSources: true,
    minify: {
      codegen: { removeWhitespace: !withLines.includes(entry) },
      compress: { target: "es2022", keepNames },
      mangle: { toplevel: true, keepNames },
    },
  });
  await bundler.close();
  return output.map((file) => [
    file.fileName,
    // Lines stay where they are, but need no indentation.
    file.type === "chunk" ? `${withPlainAddresses(file.code.replaceAll(/^\t+/gm, ""))}\n` : String(file.source),
  ]);
}

function moduleOf(entry: string) {
  return objectsEntries.includes(entry) ? objects : full;
}

/** Adds what is generated, without a source to lead to, and what differs between the entries. */
function withOtherFiles(entry: string, worker?: string): Plugin {
  const { folder, file } = moduleOf(entry);
  const generated: Record<string, () => string> = {
    "instance-glue.js": () => readFileSync(join(folder, "instance-glue.js"), "utf8"),
    "inline-module.js": () => `export const MODULE = ${JSON.stringify(asText(readFileSync(file)))};`,
    "worker-text.js": () => `export const SCRIPT = ${JSON.stringify(worker)};`,
  };
  return {
    name: "other files",
    resolveId(id, importer = "") {
      const name = basename(id);
      if (name in generated) return name;
      if (importer === "instance-glue.js") return inRepository("src", "js", id.replace(/js$/, "ts"));
      if (entry === "command" && name === "inline.js") return { id: "./inline.js", external: true };
      // Only the entries for pages have the script of the worker beside them; the others have its text.
      if (entry !== "index" && entry !== "objects" && name === "worker-script.js") {
        const script = entry === "manual" ? "own-worker-script.ts" : "embedded-worker-script.ts";
        return inRepository("src", "js", "core", "worker", script);
      }
    },
    load(id) {
      if (id in generated) return { code: generated[id](), map: { mappings: "" } };
      const [, name] = id.match(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/) ?? [];
      if (name === undefined) return;
      if (!packages[entry]?.includes(name)) throw new Failure(`tools/bundle.ts does not list ${name} for ${entry}.js.`);
      return { code: readFileSync(id, "utf8"), map: { mappings: "" } };
    },
  };
}

/**
 * The module as text in a script, which `src/js/core/module/embedded-module.ts` decodes: a table of all bytes, in which the 80 most frequent come first, and the
 * place of each byte of the module in it. It is not compressed: what the server compresses as a whole is smaller by a tenth than what is
 * compressed twice.
 */
function asText(bytes: Buffer) {
  const counts = new Uint32Array(256);
  for (const byte of bytes) counts[byte]++;
  const all = Array.from(counts, (_, byte) => byte);
  const frequent = new Set(all.toSorted((one, other) => counts[other] - counts[one]).slice(0, 80));
  const table = [...all.filter((byte) => frequent.has(byte)), ...all.filter((byte) => !frequent.has(byte))];
  const places = all.map((byte) => table.indexOf(byte));
  const character = (value: number) => String.fromCharCode(35 + value);
  const textOf = (value: number) => (value < 80 ? "" : character(79 + Math.floor(value / 80))) + character(value % 80);
  return [...table, ...Array.from(bytes, (byte) => places[byte])].map(textOf).join("");
}

/** Writes the addresses of other files as bundlers look for them: some know no other quotes. */
function withPlainAddresses(code: string) {
  return code
    .replaceAll(/new URL\([`'"]\.\/([\w.]+)[`'"], ?import\.meta\.url\)/g, 'new URL("./$1", import.meta.url)')
    .replaceAll(/import\.meta\.url\), ?\{ ?type: ?[`'"]module[`'"],? ?\}\)/g, 'import.meta.url), { type: "module" })');
}
