/** The HTML of a page of the site. It has no inline script and no inline style but the import map of the playground. */

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { inRepository } from "../repository.js";
import type { Heading } from "./markdown.ts";

type Link = { name: string; title: string };

interface Page extends Link {
  /** The content. */
  html: string;
  headings: Heading[];
  navigation: { heading: string; pages: Link[] }[];
}

const template = readFileSync(inRepository("www", "docs", "assets", "page.html"), "utf8");
const imports = { "inspection-findings": "./package/index.js", "inspection-findings/testing": "./package/testing.js" };
const { description } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));

/** Fills the template. */
export function pageOf({ name, title, html, headings, navigation }: Page) {
  const all = navigation.flatMap(({ pages }) => pages);
  // Only the playground imports the package.
  const importMap = name === "playground" ? JSON.stringify({ imports }) : undefined;
  const place = all.findIndex((page) => page.name === name);
  const parts: Record<string, string> = {
    policy: policy(importMap),
    description,
    title: name === "index" ? "inspection-findings" : `${title} – inspection-findings`,
    playground: importMap
      ? `    <script type="importmap">${importMap}</script>\n    <script type="module" src="./playground.js"></script>\n`
      : "",
    content: html,
    before: turning(all[place - 1], "prev", "Before"),
    next: turning(all[place + 1], "next", "Next"),
    navigation: navigation.map(({ heading, pages }) => `<p>${heading}</p>${listOf(pages, name)}`).join("\n"),
    contents: contentsOf(headings),
  };
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_, part) => parts[part] ?? "");
}

function listOf(pages: Link[], current: string) {
  const items = pages.map(({ name, title }) => {
    const mark = name === current ? ' aria-current="page"' : "";
    return `<li><a href="./${name}.html"${mark}>${escaped(title)}</a></li>`;
  });
  return `<ul>${items.join("\n")}</ul>`;
}

function contentsOf(headings: Heading[]) {
  const shown = headings.filter(({ level }) => level === 2);
  if (shown.length < 2) return "";
  const items = shown.map(({ text, anchor }) => `<li><a href="#${anchor}">${escaped(text)}</a></li>`);
  return `<nav class="contents" aria-label="On this page"><p>On this page</p><ul>${items.join("\n")}</ul></nav>`;
}

function turning(page: Link | undefined, relation: string, word: string) {
  if (page === undefined) return "";
  return `<a rel="${relation}" href="./${page.name}.html"><span>${word}</span>${escaped(page.title)}</a>`;
}

/** The content security policy. What the reader of the playground writes becomes a module with its own URL; no `eval`. */
function policy(importMap = "") {
  const hash = createHash("sha256").update(importMap).digest("base64");
  const ofPlayground = ` 'wasm-unsafe-eval' blob: 'sha256-${hash}'; worker-src 'self'`;
  const sources = "style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";
  return `default-src 'none'; script-src 'self'${importMap ? ofPlayground : ""}; ${sources}`;
}

function escaped(text: string) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
