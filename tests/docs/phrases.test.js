/** The texts for readers have none of the phrases that `phrases.js` lists. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import ts from "typescript-5";
import { inRepository } from "../../tools/repository.js";
import { documents, readDocument } from "./documents.js";
import { everywhere, inPublic } from "./phrases.js";

/** @typedef {{ place: string, text: string }} Text */

/** The files whose docstrings become the public types. */
const ofPublicTypes = readdirSync(inRepository("dist"))
  .filter((name) => name.endsWith(".d.ts"))
  .map((name) => `dist/${name}`);

/** @type {[texts: string, phrases: import("./phrases.js").Phrase[], find: () => Text[]][]} */
const groups = [
  ["the README, the changelog and the pages", inPublic, () => [...documents, "CHANGELOG.md"].flatMap(prose)],
  ["the documentation of the public types", inPublic, () => ofPublicTypes.flatMap(docstringsOfTypeScript)],
  [
    "the messages",
    inPublic,
    () => [...filesIn("src/js", ".ts").flatMap(textsOfTypeScript), ...rust().flatMap(textsOfRust)],
  ],
  [
    "the demo",
    inPublic,
    () => [...filesIn("www/src", ".ts").flatMap(textsOfTypeScript), ...textOfPage("www/index.html")],
  ],
  [
    "the docstrings",
    everywhere,
    () => [
      ...["src/js", "www/src"].flatMap((folder) => filesIn(folder, ".ts")).flatMap(docstringsOfTypeScript),
      ...rust().flatMap(docstringsOfRust),
    ],
  ],
  [
    "the docstrings of tests, scripts and examples",
    everywhere,
    () => ["tests", "tools", "www/examples"].flatMap(scriptsIn).flatMap(docstringsOfTypeScript),
  ],
  ["the names of the tests", everywhere, () => scriptsIn("tests").flatMap(namesOfTests)],
];

for (const [texts, phrases, find] of groups) {
  test(`${texts} have no phrase that has to be read twice`, () => {
    const found = find();
    assert.ok(found.length > 50, `${found.length} texts`);
    const hits = found.flatMap(({ place, text }) => {
      const line = text.replaceAll(/\s+/g, " ");
      return phrases.flatMap(({ phrase, write }) => {
        const hit = line.match(phrase);
        return hit === null ? [] : [`${place}: "${around(line, hit)}"; write: ${write}`];
      });
    });
    assert.deepEqual(hits, []);
  });
}

/**
 * @param {string} line
 * @param {RegExpMatchArray} hit
 */
function around(line, { 0: phrase, index = 0 }) {
  return line.slice(Math.max(0, index - 40), index + phrase.length + 40);
}

/**
 * The paragraphs of a page, without code.
 * @param {string} file
 * @returns {Text[]}
 */
function prose(file) {
  return new MarkdownIt({ html: false })
    .parse(readDocument(file), {})
    .filter(({ type }) => type === "inline")
    .map(({ children, map }) => ({
      place: `${file}:${(map?.[0] ?? 0) + 1}`,
      text: (children ?? [])
        .map(({ type, content }) => (type === "text" ? content : type === "code_inline" ? "`…`" : " "))
        .join(""),
    }));
}

/**
 * The docstrings of a file, without code and examples.
 * @param {string} file
 * @returns {Text[]}
 */
function docstringsOfTypeScript(file) {
  const text = readDocument(file);
  return Array.from(text.matchAll(/\/\*\*(.*?)\*\//gs), ({ 1: comment, index }) => ({
    place: placeOf(file, text, index),
    text: withoutCode(comment.replaceAll(/^\s*\*/gm, "").replaceAll(/@example\b.*?(?=\n\s*@|$)/gs, "")),
  }));
}

/**
 * @param {string} file
 * @returns {Text[]}
 */
function namesOfTests(file) {
  const text = readDocument(file);
  return Array.from(
    text.matchAll(/\b(?:test|describe)[\w.]*(?:\([^)]*\))?\(\s*(["`])(.*?)\1/g),
    ({ 2: name, index }) => ({
      place: placeOf(file, text, index),
      text: withoutCode(name),
    }),
  );
}

/**
 * The strings of a file that are sentences or parts of them.
 * @param {string} file
 * @returns {Text[]}
 */
function textsOfTypeScript(file) {
  const source = ts.createSourceFile(file, readDocument(file), ts.ScriptTarget.ES2022, true);
  /** @type {Text[]} */
  const found = [];
  /** @param {import("typescript-5").Node} node */
  const visit = (node) => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      if (node.text.trim().includes(" ")) found.push({ place: `${file}:${line + 1}`, text: withoutCode(node.text) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/**
 * @param {string} file
 * @returns {Text[]}
 */
function docstringsOfRust(file) {
  const text = productive(file);
  return Array.from(text.matchAll(/^\s*\/\/[/!].*$(?:\n\s*\/\/[/!].*$)*/gm), ({ 0: comment, index }) => ({
    place: placeOf(file, text, index),
    text: withoutCode(comment.replaceAll(/^\s*\/\/[/!]/gm, "")),
  }));
}

/**
 * @param {string} file
 * @returns {Text[]}
 */
function textsOfRust(file) {
  const text = productive(file).replaceAll(/^\s*\/\/.*$/gm, "");
  return Array.from(text.matchAll(/"((?:[^"\\]|\\.)*)"/gs), ({ 1: string, index }) => ({
    place: placeOf(file, text, index),
    text: withoutCode(string.replaceAll(/\\\n\s*/g, "")),
  })).filter(({ text }) => text.trim().includes(" "));
}

/** The Rust sources of the package. */
function rust() {
  return filesIn("src", ".rs").filter((file) => !/\b(?:tests|simulation|mock_host)\b/.test(file));
}

/**
 * A Rust file without its tests.
 * @param {string} file
 */
function productive(file) {
  return readDocument(file).split(/^#\[cfg\((?:all\()?test\b.*\n(?:pub )?mod \w+ \{/m)[0];
}

/**
 * The texts of a page of HTML.
 * @param {string} file
 * @returns {Text[]}
 */
function textOfPage(file) {
  const html = readDocument(file);
  return Array.from(
    html.matchAll(/>([^<>]*[a-z][^<>]*)<|(?:aria-label|placeholder|title|content)="([^"]*)"/g),
    (match) => ({
      place: placeOf(file, html, match.index),
      text: match[1] ?? match[2],
    }),
  );
}

/** @param {string} text */
function withoutCode(text) {
  return text.replaceAll(/`[^`]*`|\{@link [^}]*\}/g, "`…`");
}

/**
 * The scripts of a folder, without the list of phrases.
 * @param {string} folder
 */
function scriptsIn(folder) {
  return [".js", ".ts"]
    .flatMap((ending) => filesIn(folder, ending))
    .filter((file) => !file.startsWith("tests/docs/phrases"));
}

/**
 * @param {string} folder
 * @param {string} ending
 */
function filesIn(folder, ending) {
  return readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .sort();
}

/**
 * @param {string} file
 * @param {string} text
 * @param {number} index
 */
function placeOf(file, text, index) {
  return `${file}:${text.slice(0, index).split("\n").length}`;
}
