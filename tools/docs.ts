/**
 * The build of the documentation: static files that work under any path, beside the demo. A page is complete without scripts, has no inline style,
 * and takes 11 KB with its style and script, compressed. The same pages by VitePress 1.6 take 161 KB, need inline scripts and hundreds of inline
 * styles, and take ten times as long to build.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { notFoundPage } from "../www/not-found.js";
import { script } from "./command.js";
import { render, type Section } from "./docs/markdown.ts";
import { parts, playground, readPage, writtenPages } from "./docs/pages.ts";
import { readExports, reference } from "./docs/reference.ts";
import { pageOf } from "./docs/template.ts";
import { writeFolder } from "./folder.js";
import { dist, inRepository } from "./repository.js";

/** The folder of the built site. */
export const site = inRepository("www", "dist", "docs");

/** Makes every file of the site: the contents by path. */
function filesOfSite() {
  const { pages: ofReference, symbols } = reference(readExports());
  const navigation = [
    ...Object.entries(parts).map(([heading, names]) => ({ heading, pages: names.map(readPage) })),
    { heading: "Reference", pages: ofReference },
    { heading: "Try it", pages: [playground()] },
  ];
  const pages = [...writtenPages(), ...ofReference, playground()].map((page) => ({
    ...page,
    ...render(page.markdown, symbols),
  }));
  const folder = inRepository("www", "docs");
  const read = (path: string) => readFileSync(inRepository("www", path), "utf8");
  return new Map([
    ...pages.map((page) =>
      file(`${page.name}.html`, pageOf({ ...page, navigation, importMap: importMapOf(page.name) })),
    ),
    file("404.html", notFoundPage()),
    file("search-index.js", searchIndex(pages)),
    // The colours and sizes of the demo, then the styles of the pages.
    file("style.css", `${read("style/theme.css")}\n${read("docs/assets/style.css")}`),
    file("icon.svg", read("icon.svg")),
    ...filesIn(folder, /\.webp$/),
    ...filesIn(join(folder, "assets"), /\.js$/),
    // What the playground loads of the package.
    ...filesIn(dist, /^(?:index|worker|testing)\.js$|\.wasm$/, "package/"),
  ]);
}

/** The addresses of the package's entries, for the one page that imports them. */
function importMapOf(page: string) {
  const imports = {
    "inspection-findings": "./package/index.js",
    "inspection-findings/testing": "./package/testing.js",
  };
  return page === "playground" ? JSON.stringify({ imports }) : undefined;
}

/** The index of the search: a script with the text of each section of the site. */
function searchIndex(pages: { name: string; title: string; sections: Section[] }[]) {
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

/**
 * @param chosen the names
 * @param prefix of their paths in the site
 */
function filesIn(folder: string, chosen: RegExp, prefix: string = "") {
  const names = readdirSync(folder).filter((name) => chosen.test(name));
  return names.map((name) => file(prefix + name, readFileSync(join(folder, name))));
}

function file(path: string, content: string | Buffer): [string, string | Buffer] {
  return [path, content];
}

if (import.meta.main) {
  await script(async () => {
    writeFolder(site, filesOfSite());
    console.log("The documentation is in www/dist/docs/.");
  });
}
