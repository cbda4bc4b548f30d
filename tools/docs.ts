/**
 * The build of the documentation: static files that work under any path, beside the demo. A page is complete without scripts, has no inline style,
 * and takes 11 KB with its style and script, compressed. The same pages by VitePress 1.6 take 161 KB, need inline scripts and hundreds of inline
 * styles, and take ten times as long to build.
 */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { notFoundPage } from "../www/not-found.js";
import { isStarted, script } from "./command.js";
import { render, type Section } from "./docs/markdown.ts";
import { parts, playground, readPage, writtenPages } from "./docs/pages.ts";
import { readExports, reference } from "./docs/reference.ts";
import { pageOf } from "./docs/template.ts";
import { writeFolder } from "./folder.ts";
import { dist, inRepository } from "./repository.js";

type File = [path: string, content: string | Buffer];

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
  return new Map<string, string | Buffer>([
    ...pages.map((page): File => [`${page.name}.html`, pageOf({ ...page, navigation })]),
    ["404.html", notFoundPage()],
    ["search-index.js", searchIndex(pages)],
    // The colours and sizes of the demo, then the styles of the pages.
    ["style.css", `${read("style/theme.css")}\n${read("docs/assets/style.css")}`],
    ["icon.svg", read("icon.svg")],
    ...filesIn(folder, /\.(?:svg|webp)$/),
    ...filesIn(join(folder, "assets"), /\.js$/),
    // What the playground loads of the package.
    ...filesIn(dist, /^(?:index|worker|testing)\.js$|\.wasm$/, "package/"),
  ]);
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

/** The files of a folder with some names, below a prefix. */
function filesIn(folder: string, chosen: RegExp, prefix = "") {
  const names = readdirSync(folder).filter((name) => chosen.test(name));
  return names.map((name): File => [prefix + name, readFileSync(join(folder, name))]);
}

if (isStarted(import.meta)) {
  await script(async () => {
    writeFolder(site, filesOfSite());
    console.log("The documentation is in www/dist/docs/.");
  });
}
