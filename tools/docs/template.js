/** The HTML of a page of the site. It has no inline script and no inline style but the import map of the playground. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { inRepository } from "../repository.js";

/** @typedef {{ name: string, title: string }} Link */
/** @typedef {{ heading: string, pages: Link[] }} Part */

/** The content security policy of the pages. */
const policy = {
  "default-src": "'none'",
  "script-src": "'self'",
  "style-src": "'self'",
  "img-src": "'self'",
  "connect-src": "'self'",
  "base-uri": "'none'",
  "form-action": "'none'",
};

const { description } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));

/**
 * @param {object} page
 * @param {string} page.name
 * @param {string} page.title
 * @param {string} page.html its content
 * @param {import("./markdown.js").Heading[]} page.headings
 * @param {Part[]} page.navigation
 * @param {string} [page.importMap] of the playground
 */
export function pageOf({ name, title, html, headings, navigation, importMap }) {
  const all = navigation.flatMap(({ pages }) => pages);
  const place = all.findIndex((page) => page.name === name);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${written(importMap ? ofPlayground(importMap) : policy)}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="theme-color" content="#f6f5f2" media="(prefers-color-scheme: light)" />
    <meta name="theme-color" content="#121316" media="(prefers-color-scheme: dark)" />
    <meta name="description" content="${description}" />
    <title>${name === "index" ? "inspection-findings" : `${title} – inspection-findings`}</title>
    <link rel="icon" type="image/svg+xml" href="./icon.svg" />
    <link rel="stylesheet" href="./style.css" />
${importMap ? `    <script type="importmap">${importMap}</script>\n    <script type="module" src="./playground.js"></script>\n` : ""}    <script type="module" src="./search.js"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header class="masthead">
      <a class="brand" href="./index.html"><img class="emblem" src="./icon.svg" alt="" /><span>inspection-findings</span></a>
      <search class="search">
        <input id="search" type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false" />
        <div id="hits" class="hits" hidden></div>
        <p id="hits-status" class="unseen" role="status"></p>
      </search>
      <a class="all-pages" href="#pages">Pages</a>
      <a class="demo" href="../index.html">Demo</a>
    </header>
    <div class="columns">
      <main id="content">
${html}
${turning(all[place - 1], all[place + 1])}
      </main>
      <nav id="pages" class="navigation" aria-label="Pages">
${navigation.map((part) => listOf(part, name)).join("\n")}
      </nav>
${contentsOf(headings)}
    </div>
  </body>
</html>
`;
}

/**
 * @param {Part} part
 * @param {string} current
 */
function listOf({ heading, pages }, current) {
  const items = pages.map(
    ({ name, title }) =>
      `            <li><a href="./${name}.html"${name === current ? ' aria-current="page"' : ""}>${escaped(title)}</a></li>`,
  );
  return `          <p>${heading}</p>\n          <ul>\n${items.join("\n")}\n          </ul>`;
}

/** @param {import("./markdown.js").Heading[]} headings */
function contentsOf(headings) {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return "";
  const items = shown.map(({ text, anchor }) => `          <li><a href="#${anchor}">${escaped(text)}</a></li>`);
  return `      <nav class="contents" aria-label="On this page">
        <p>On this page</p>
        <ul>
${items.join("\n")}
        </ul>
      </nav>`;
}

/**
 * @param {Link | undefined} before
 * @param {Link | undefined} after
 */
function turning(before, after) {
  /** @type {(page: Link | undefined, relation: string, word: string) => string} */
  const link = (page, relation, word) =>
    page ? `<a rel="${relation}" href="./${page.name}.html"><span>${word}</span>${escaped(page.title)}</a>` : "";
  return `        <nav class="turning" aria-label="Pages before and after">${link(before, "prev", "Before")}${link(after, "next", "Next")}</nav>`;
}

/** @param {string} importMap */
function ofPlayground(importMap) {
  const hash = createHash("sha256").update(importMap).digest("base64");
  return {
    ...policy,
    // What the reader writes becomes a module with an address of its own; no `eval`.
    "script-src": `'self' 'wasm-unsafe-eval' blob: 'sha256-${hash}'`,
    "worker-src": "'self'",
  };
}

/** @param {Record<string, string>} directives */
function written(directives) {
  return Object.entries(directives)
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join("; ");
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
