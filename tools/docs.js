/** The build of the documentation: static files that work under any path, beside the demo. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "./build.js";
import { fingerprint, unlessUnchanged } from "./build-cache.js";
import { isStarted, log, script } from "./command.js";
import { dist, inRepository } from "./repository.js";
import { setUp } from "./setup.js";

/** The folder of the built site. */
export const site = inRepository("www", "dist", "docs");

/** The folder of the pages. */
const pagesFolder = inRepository("www", "docs");

/** Builds the site from the pages, the README and the built package into `www/dist/docs/`, unless all of them are unchanged. */
export async function buildDocs() {
  await unlessUnchanged({
    name: "docs",
    from: fingerprint([
      "README.md",
      "dist",
      "package.json",
      "package-lock.json",
      "tools/docs",
      "tools/docs.js",
      "www/docs",
      "www/icon.svg",
      "www/style/theme.css",
    ]),
    to: [join(site, "index.html")],
    make: async () => writeAll(await filesOfSite()),
  });
}

/**
 * Makes every file of the site.
 * @returns {Promise<Map<string, string | Buffer>>} the contents by path
 */
async function filesOfSite() {
  // Imported late, because the set-up installs what they need.
  const { parts, readPage, writtenPages } = await import("./docs/pages.js");
  const { render } = await import("./docs/markdown.js");
  const { readExports, reference } = await import("./docs/reference.js");
  const { pageOf } = await import("./docs/template.js");
  const { pages: ofReference, symbols } = reference(readExports());
  const navigation = [
    ...Object.entries(parts).map(([heading, names]) => ({ heading, pages: names.map(readPage) })),
    { heading: "Reference", pages: ofReference },
  ];
  const pages = [...writtenPages(), ...ofReference].map((page) => ({ ...page, ...render(page.markdown, symbols) }));
  return new Map([
    ...pages.map((page) =>
      entry(`${page.name}.html`, pageOf({ ...page, navigation, importMap: importMapOf(page.name) })),
    ),
    entry("search-index.js", searchIndex(pages)),
    entry("style.css", styles()),
    entry("icon.svg", readFileSync(inRepository("www", "icon.svg"))),
    ...filesIn(pagesFolder, /\.png$/),
    ...filesIn(join(pagesFolder, "assets"), /\.js$/),
    ...packageFiles(),
  ]);
}

/**
 * The addresses of the package's entries, for the one page that imports them.
 * @param {string} page
 */
function importMapOf(page) {
  const imports = {
    "inspection-findings": "./package/index.js",
    "inspection-findings/testing": "./package/testing.js",
  };
  return page === "playground" ? JSON.stringify({ imports }) : undefined;
}

/**
 * The index of the search: a script with the text of each section of the site.
 * @param {{ name: string, title: string, sections: import("./docs/markdown.js").Section[] }[]} pages
 */
function searchIndex(pages) {
  const entries = pages.flatMap(({ name, title, sections }) =>
    sections.map(({ heading, text }) => ({
      page: title,
      heading: heading.text,
      address: heading.level === 1 ? `${name}.html` : `${name}.html#${heading.anchor}`,
      text: text.trim().replaceAll(/\s+/g, " "),
    })),
  );
  return `export default ${JSON.stringify(entries)};\n`;
}

/** The colours and sizes of the demo, then the styles of the pages. */
function styles() {
  const files = ["www/style/theme.css", "www/docs/assets/style.css"];
  return files.map((path) => readFileSync(inRepository(path), "utf8")).join("\n");
}

/** What the playground loads of the package. */
function packageFiles() {
  return filesIn(dist, /^(?:index|worker|testing)\.js$|\.wasm$/).map(([name, content]) =>
    entry(`package/${name}`, content),
  );
}

/**
 * @param {string} folder
 * @param {RegExp} chosen the names
 */
function filesIn(folder, chosen) {
  const names = readdirSync(folder).filter((name) => chosen.test(name));
  return names.map((name) => entry(name, readFileSync(join(folder, name))));
}

/**
 * @param {string} path
 * @param {string | Buffer} content
 */
function entry(path, content) {
  return /** @type {[string, string | Buffer]} */ ([path, content]);
}

/**
 * Writes the site, and removes what an earlier build left there. A file is never missing meanwhile, because a server may read it.
 * @param {Map<string, string | Buffer>} files
 */
function writeAll(files) {
  for (const [path, content] of files) {
    const file = join(site, path);
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file) || !readFileSync(file).equals(Buffer.from(content))) {
      writeFileSync(file, content);
    }
  }
  for (const path of readdirSync(site, { recursive: true, encoding: "utf8" }).filter((path) => path.includes("."))) {
    if (!files.has(path.replaceAll("\\", "/"))) {
      rmSync(join(site, path));
    }
  }
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await build();
    await buildDocs();
    log("The documentation is in www/dist/docs/.");
  });
}
