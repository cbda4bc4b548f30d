/** The texts for readers: their links, and the names, codes, messages and sizes that they repeat. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { FindingsClient, FindingsError, messageOf } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { render } from "../../tools/docs/markdown.ts";
import { section } from "../../tools/docs/pages.ts";
import { readExports } from "../../tools/docs/reference.ts";
import { site } from "../../tools/docs.ts";
import { llmsFile } from "../../tools/llms.ts";
import { dist, inRepository, root } from "../../tools/repository.js";
import { projects } from "../install/packaging/projects.js";
import { blocksIn, documents, linksOf, readDocument } from "./documents.js";

const manifest = JSON.parse(readDocument("package.json"));
const exports = readExports();
const codes = found(exports.find(({ name }) => name === "FindingsErrorCode")?.signature ?? "", /"(.*?)"/g);
const options = exports.find(({ name }) => name === "Options")?.members ?? [];
const others = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
const ofErrors = (/** @type {string} */ heading) => section(heading, "www/docs/errors.md");
const toolchains = readDocument("www/docs/toolchains.md").replaceAll(/\b\n\b/g, " ");
const llms = readFileSync(llmsFile, "utf8");
const firstFinding = "www/docs/first-finding.md";
const sources = readdirSync(inRepository("src"), { recursive: true, encoding: "utf8" })
  .filter((name) => /\.(?:rs|ts)$/.test(name) && !/test/.test(name))
  .map((name) => readDocument(`src/${name}`).replaceAll(/\\\n\s*/g, ""))
  .concat(blocksIn(firstFinding).map(({ code }) => code))
  .join("\n");
/** The anchors of each document. */
const headings = new Map(
  [...documents, ...others].map((file) => [
    file,
    render(readDocument(file), new Map()).headings.map((each) => each.anchor),
  ]),
);
/** The built pages of the demo and of the documentation. */
const www = join(site, "..");
const pages = new Map(
  readdirSync(www, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".html") && name !== "404.html")
    .map((name) => [name, readFileSync(join(www, name), "utf8")]),
);

says(
  "the errors have a section for each code, in the order of the type",
  found(ofErrors("Codes"), /^### (.*)$/gm),
  codes,
);
says(
  "the documentation names the oldest compiler that compiles the types",
  documents.flatMap((page) => found(readDocument(page), /TypeScript (\d+\.\d+) or later/g)),
  found(Object.keys(manifest.devDependencies).join("\n"), /^typescript-(\d+\.\d+)$/gm),
);
says(
  "the guide names the oldest browsers that the error of an older one names",
  found(toolchains, /oldest supported browsers are (.*?\d)\. /g),
  found(readDocument("src/js/core/module/module.ts").replaceAll(" or ", " and "), /needs at least (Chrome .*\d)\.";/g),
);
// P41
says(
  "the table of toolchains names the projects that install the package, and two pages of `tests/install/package`",
  found(toolchains.split(/^## /m)[0], /^\| (?!toolchain)([^|-]+?) \|/gm)
    .join(", ")
    .split(", ")
    .sort(),
  ["No bundler", "A script from another origin", ...Object.values(projects).map(({ title }) => title)].sort(),
);

lacksNothing(
  "the links of each document lead somewhere",
  [...documents, ...others].flatMap((file) => linksOf(readDocument(file)).map((href) => [file, href])),
  ([file, href]) => leadsSomewhere(root, file, href, (to, anchor) => headings.get(to)?.includes(anchor) ?? false),
);
lacksNothing(
  "the architecture and the page for contributors name files and folders that there are",
  ["ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((file) =>
    found(readDocument(file).replaceAll(/^```.*?^```/gms, ""), /`([\w./-]+\/[\w./-]+)`/g),
  ),
  (path) =>
    path.startsWith(`${manifest.name}/`) ||
    ["", "src/", "src/js/"].some((above) =>
      ["", ".rs", ".ts", ".js"].some((ending) => existsSync(inRepository(above + path + ending))),
    ),
);
lacksNothing(
  "every link and file of the built demo and site is there, by a relative URL",
  [...pages].flatMap(([page, html]) => found(html, /<[^>]+ (?:href|src)="([^"]*)"/g).map((url) => [page, url])),
  ([page, url]) => leadsSomewhere(www, page, url, (to, anchor) => pages.get(to)?.split(`id="${anchor}"`).length === 2),
);
lacksNothing(
  "the package and the first programs have the messages by which an error can be found",
  [
    ...found(found(ofErrors("Codes"), /^- \*\*Message:\*\* (.*)$/gm).join(), /`(.*?)`/g),
    ...found(found(ofErrors("Other errors"), /^- \*\*(.*):\*\*/gm).join(), /`(.*?)`/g),
    ...found(readDocument(firstFinding), /^\| `(?!fetch failed)(.*?)` \| [A-Z]/gm),
  ],
  // They leave holes for names, numbers and values.
  (message) => message.split(/Authorization|\d+|undefined/).every((part) => sources.includes(part)),
);
lacksNothing("the guide has each sentence that messageOf() returns", [...codes, "any other error"], (code) => {
  const error = codes.includes(code) ? new FindingsError(/** @type {any} */ (code), "technical") : new TypeError();
  const said = codes.includes(code) ? (ofErrors("Codes").split(`### ${code}\n`)[1] ?? "") : ofErrors("Other errors");
  const [sentences = ""] = found(said.replaceAll(/\n {2}/g, " "), /[uU]sers read:(.*)$/gm);
  return sentences.includes(code === "service" ? "`messages`" : String(messageOf(error)));
});
lacksNothing(
  "the file for programs has every export and option",
  [...exports, ...options].map(({ name }) => name),
  (name) => new RegExp(`(?:^### |\`)${name}\\b`, "m").test(llms),
);
lacksNothing(
  "the file for programs has every field of a finding",
  Object.keys(createFakeService().findings("sentiment")[0]),
  (name) => new RegExp(`^- \`InspectionFinding\`: .*\\b${name}\\??: `, "m").test(llms),
);

test("the file for programs has at most 37 KB", () => assert.ok(Buffer.byteLength(llms) < 37_000));

test("the table of sizes gives that of each entry in a page, with its .wasm file", () => {
  const rows = section("Sizes", "www/docs/performance.md").matchAll(/^\| `(.*?)`: .*\| (\d+) KB \|$/gm);
  const said = new Map(Array.from(rows, ([, name, size]) => [name, Number(size)]));
  const page = readDocument("www/docs/performance.md");
  const all = Object.keys(manifest.exports).filter((path) => /^(?!\.\/(?:manual|package|.*\.wasm))/.test(path));
  // Those below another entry have no row of their own.
  const [entries, others] = [all.filter((path) => !/survey\//.test(path)), all.filter((path) => /survey\//.test(path))];
  const [, least, most] = page.match(/other entries\]\(surveys\.md\) (\d+) to (\d+) KB each/)?.map(Number) ?? [];
  for (const path of others) {
    const { length } = brotliCompressSync(readFileSync(join(dist, `${path.slice(2).replace("/", "-")}.js`)));
    assert.ok(length > 1000 * (least - 0.5) && length < 1000 * (most + 0.5), `${path}: ${length} bytes`);
  }
  assert.deepEqual(
    [...said.keys()].toSorted(),
    entries.map((path) => (path === "./worker.js" ? "worker.js" : `${manifest.name}${path.slice(1)}`)).toSorted(),
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
  const [, compared] = page.match(/^\| size, brotli .* (\d+) KB \(/m) ?? [];
  const [size, ofObjects] = [said.get(manifest.name), said.get(`${manifest.name}/objects`)];
  assert.deepEqual([inReadme, compared, objects].map(Number), [size, size, ofObjects]);
});

test("the types give the sizes of the scenarios of the fake service", async () => {
  const rows = readDocument("dist/fake-service.d.ts").matchAll(
    /^ \* \| `([\w-]+)` \| ([\d ]+ in \d+) \| ([\d ]+ in \d+) \|/gm,
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

/** @param {string} promise @param {string[]} said @param {string[]} is */
function says(promise, said, is) {
  test(promise, () => {
    assert.notEqual(said.length, 0);
    assert.deepEqual(said, is);
  });
}

/** @template Each @param {string} promise @param {Each[]} all @param {(each: Each) => boolean} has */
function lacksNothing(promise, all, has) {
  test(promise, () => {
    assert.ok(all.length > 10);
    assert.deepEqual(
      all.filter((each) => !has(each)),
      [],
    );
  });
}

/**
 * What a pattern with a group finds in a text.
 * @param {string} text
 * @param {RegExp} pattern
 */
function found(text, pattern) {
  return Array.from(text.matchAll(pattern), ([, part]) => part);
}

/**
 * Whether a URL is one of the web, or leads to a file, and to the only element there with its anchor.
 * @param {string} folder
 * @param {string} from the file with the link, inside the folder
 * @param {string} url
 * @param {(file: string, anchor: string) => boolean} hasAnchor
 */
function leadsSomewhere(folder, from, url, hasAnchor) {
  if (url.startsWith("https:")) return URL.canParse(url);
  const [path, anchor] = url.split("#");
  const file = path === "" ? from : posix.join(posix.dirname(from), path);
  if (/^(?:$|\/|[a-z]+:)/.test(url) || !existsSync(join(folder, file))) return false;
  return anchor === undefined || hasAnchor(file, anchor);
}
