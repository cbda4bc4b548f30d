/** The texts for readers: their links, and the names, codes, messages and sizes that they repeat. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { FindingsClient, FindingsError, messageOf } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { render } from "../../tools/docs/markdown.ts";
import { section, slug } from "../../tools/docs/pages.ts";
import { readExports } from "../../tools/docs/reference.ts";
import { site } from "../../tools/docs.ts";
import { llmsFile } from "../../tools/llms.ts";
import { dist, inRepository } from "../../tools/repository.js";
import { projects } from "../packaging/projects.js";
import { documents, linksOf, readDocument } from "./documents.js";

const manifest = JSON.parse(readDocument("package.json"));
const exports = readExports();
const { signature } = exports.find(({ name }) => name === "FindingsErrorCode") ?? { signature: "" };
const codes = Array.from(signature.matchAll(/"(.*?)"/g), ([, code]) => code);

for (const file of [...documents, "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]) {
  test(`the links of ${file} lead somewhere`, () => {
    const broken = linksOf(readDocument(file)).filter((href) => !leadsSomewhere(file, href));
    assert.deepEqual(broken, []);
  });
}

test("every link and every file of the built site is there, by a relative URL", () => {
  const pages = readdirSync(site).filter((name) => name.endsWith(".html"));
  assert.ok(pages.length > 20);
  const broken = pages.flatMap((page) =>
    [...readFileSync(join(site, page), "utf8").matchAll(/<[^>]+ (?:href|src)="([^"]*)"/g)]
      .filter(([, url]) => !isInSite(page, url))
      .map(([, url]) => `${page}: ${url}`),
  );
  assert.deepEqual(broken, []);
});

test("the walks of the architecture name functions of the files, and their number", () => {
  const [, ...walks] = section("Walks", "ARCHITECTURE.md").split("\n### ");
  for (const walk of walks) {
    const functions = [...walk.matchAll(/((?:`#?\w+`, )*`#?\w+`) \(`([^`]+)`\)/g)].flatMap(
      ([, names = "", file = ""]) => Array.from(names.matchAll(/#?\w+/g), ([name]) => ({ name, file })),
    );
    assert.match(walk, new RegExp(`^.*: ${functions.length} functions\n`));
    const missing = functions.filter(({ name, file }) => {
      const inScript = `function ${name}\\b|(?<![.#\\w])${name}(?:<[^>]*>)?(?:\\(.*\\{$| = |: \\()`;
      const defined = file.endsWith(".rs") ? `fn ${name}\\b` : inScript;
      return !new RegExp(defined, "m").test(readFileSync(inRepository("src", file), "utf8"));
    });
    assert.deepEqual(missing, []);
  }
});

test("the errors have a section for each code, in the order of the type", () => {
  const sections = section("Codes", "www/docs/errors.md").matchAll(/^### (.*)$/gm);
  assert.ok(codes.length > 10);
  assert.deepEqual(
    Array.from(sections, ([, heading]) => heading),
    codes,
  );
});

test("the messages by which an error can be found are in the sources", () => {
  const table = section("Find an error by its message", "www/docs/errors.md");
  const rows = Array.from(table.matchAll(/^\| (`.*?) \| /gm), ([, cell]) => cell);
  const fragments = rows.flatMap((cell) => Array.from(cell.matchAll(/`(.*?)`/g), ([, fragment]) => fragment));
  assert.ok(fragments.length > 20);
  const sources = readdirSync(inRepository("src"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:rs|ts)$/.test(name) && !/test/.test(name))
    .map((name) => readFileSync(inRepository("src", name), "utf8").replaceAll(/\\\n\s*/g, ""))
    .join("\n");
  assert.deepEqual(
    fragments.filter((fragment) => !sources.includes(fragment)),
    [],
  );
});

test("the guide has each sentence that messageOf() returns", () => {
  const guide = section("A message for users", "www/docs/errors.md");
  const errors = codes.map((code) => new FindingsError(/** @type {any} */ (code), "technical"));
  for (const error of [...errors, new TypeError()]) {
    const code = error instanceof FindingsError ? `\`${error.code}\`` : "any other error";
    const [, sentences = ""] = guide.match(new RegExp(`^\\| ${code} \\| (.*) \\|$`, "m")) ?? [];
    const said = code === "`service`" ? "`messages`" : messageOf(error);
    assert.ok(sentences.includes(String(said)), `${code}: ${said}`);
  }
});

test("the table of sizes gives that of each entry in a page, with its .wasm file", () => {
  const rows = section("Sizes", "www/docs/performance.md").matchAll(/^\| `(.*?)`: .*\| (\d+) KB \|$/gm);
  const said = new Map(Array.from(rows, ([, name, size]) => [name, Number(size)]));
  const entries = Object.entries(manifest.exports).filter(([path]) =>
    /^(?!\.\/(?:manual|package|.*\.wasm))/.test(path),
  );
  assert.deepEqual(
    [...said.keys()].toSorted(),
    entries.map(([path]) => (path === "./worker.js" ? "worker.js" : `${manifest.name}${path.slice(1)}`)).toSorted(),
  );
  for (const [name, kilobytes] of said) {
    const entry = name === "worker.js" ? "worker" : name.slice(manifest.name.length + 1).replace("/", "-") || "index";
    const wasm = { index: "inspection_findings_bg.wasm", objects: "inspection_findings_objects_bg.wasm" }[entry] ?? [];
    const files = [`${entry}.js`].concat(wasm);
    const size = files.reduce((sum, file) => sum + brotliCompressSync(readFileSync(join(dist, file))).length, 0);
    // Not every change of a few hundred bytes has to change the page.
    const tolerance = Math.max(1000, size / 50);
    assert.ok(Math.abs(kilobytes * 1000 - size) <= tolerance, `${name}: ${kilobytes} KB, ${size} bytes`);
  }
  const [, inReadme, objects] =
    readDocument("README.md").match(/take (\d+) KB with Brotli.*?(\d+) KB \[without/s) ?? [];
  const [, compared] = readDocument("www/docs/performance.md").match(/^\| size, brotli .* (\d+) KB \(/m) ?? [];
  const [size, ofObjects] = [said.get(manifest.name), said.get(`${manifest.name}/objects`)];
  assert.deepEqual([inReadme, compared, objects].map(Number), [size, size, ofObjects]);
});

test("the documentation names the oldest compiler that compiles the types", () => {
  const names = Object.keys(manifest.devDependencies);
  const versions = names.flatMap((name) => name.match(/^typescript-(\d+\.\d+)$/)?.[1] ?? []);
  const said = documents.flatMap((page) => readDocument(page).match(/TypeScript (\d+\.\d+) or later/)?.[1] ?? []);
  assert.deepEqual(said, versions);
});

test("the guide names the oldest browsers that the error of an older one names", () => {
  const [, inError] = readDocument("src/js/module/module.ts").match(/needs at least (Chrome .*\d)\.";/) ?? [];
  const guide = readDocument("www/docs/toolchains.md").replaceAll("\n", " ");
  assert.equal(guide.match(/oldest supported browsers are (Chrome.*?\d)\. /)?.[1]?.replace(" and ", " or "), inError);
});

test("the table of toolchains names the projects that install the package, and nothing else", () => {
  const [table] = readDocument("www/docs/toolchains.md").split(/^## /m);
  const titles = [...table.matchAll(/^\| (?!toolchain)([^|-]+?) \|/gm)].flatMap(([, cell]) => cell.split(", "));
  // These are pages of tests/package.
  const others = ["No bundler", "A script from another origin"];
  assert.deepEqual(titles.sort(), [...others, ...Object.values(projects).map(({ title }) => title)].sort());
});

test("the guide gives the sizes of the scenarios of the fake service", async () => {
  const rows = readDocument("www/docs/testing.md").matchAll(
    /^\| `([\w-]+)` \| ([\d ]+ in \d+) \| ([\d ]+ in \d+) \|/gm,
  );
  const scenarios = Array.from(rows, ([, name, ...sizes]) => ({ name, sizes }));
  assert.equal(scenarios.length, 12);
  for (const { name, sizes } of scenarios) {
    const service = createFakeService({ scenario: /** @type {any} */ (name) });
    // How the service behaves does not change what it has.
    service.use({ respond: ({ correctResponse }) => correctResponse() });
    const { baseUrl, fetch } = service;
    const { sentiment, topics } = await new FindingsClient({ baseUrl, fetch }).getPartitionCounts(42);
    const counted = [sentiment, topics].map(
      ({ findings, partitions }) => `${findings?.toLocaleString("en").replaceAll(",", " ")} in ${partitions}`,
    );
    assert.deepEqual(sizes, counted, name);
  }
});

test("the reference of the site has a section for each export", () => {
  const pages = readdirSync(site).filter((name) => name.startsWith("reference-"));
  const headings = pages.flatMap((name) => [...readFileSync(join(site, name), "utf8").matchAll(/<h2 id="([^"]*)"/g)]);
  const anchors = new Set(headings.map(([, anchor]) => anchor));
  assert.deepEqual(
    exports.filter(({ name }) => !anchors.has(slug(name))).map(({ name }) => name),
    [],
  );
});

test("the file for programs has every export, option, field and scenario, in at most 36 KB", () => {
  const llms = readFileSync(llmsFile, "utf8");
  const options = exports.find(({ name }) => name === "Options")?.members ?? [];
  assert.ok(exports.length > 20 && options.length > 10);
  const missing = [...exports, ...options].filter(({ name }) => !new RegExp(`(?:^### |\`)${name}\\b`, "m").test(llms));
  assert.deepEqual(missing, []);
  const finding = llms.match(/^- `InspectionFinding`: .*`\{ (.*) \}`$/m)?.[1] ?? "";
  const fields = Object.keys(createFakeService().findings("sentiment")[0]);
  assert.deepEqual(
    fields.filter((name) => !new RegExp(`\\b${name}\\??: `).test(finding)),
    [],
  );
  assert.ok(Buffer.byteLength(llms) < 36_000, `${Buffer.byteLength(llms)} bytes`);
});

/**
 * Whether a link is a URL of the web, or a file of the repository that has the heading.
 * @param {string} from the file with the link
 * @param {string} href
 */
function leadsSomewhere(from, href) {
  if (/^[a-z]+:/.test(href)) return URL.canParse(href) && new URL(href).protocol === "https:";
  const [path, anchor] = href.split("#");
  const file = path === "" ? from : posix.join(posix.dirname(from), path);
  if (!existsSync(inRepository(file)) || statSync(inRepository(file)).size === 0) return false;
  return anchor === undefined || render(readDocument(file), new Map()).headings.some((each) => each.anchor === anchor);
}

/**
 * Whether a URL of a page is one of the web, or leads to a file of the site, and to the only element there with its anchor.
 * @param {string} page
 * @param {string} url
 */
function isInSite(page, url) {
  if (url.startsWith("https:")) return URL.canParse(url);
  const [path, anchor] = url.split("#");
  const file = join(site, path === "" ? page : path);
  if (/^(?:\/|[a-z]+:)/.test(url) || !existsSync(file)) return false;
  return anchor === undefined || readFileSync(file, "utf8").split(`id="${anchor}"`).length === 2;
}
