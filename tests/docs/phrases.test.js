/** The texts for readers have none of these phrases. Words with a second, legitimate sense are not listed alone. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { documents, readDocument } from "./documents.js";

/** Phrases that no comment and no name of a test has, and what to write instead. */
const everywhere = [
  { phrase: /\bfor want of\b|\bno memory (?:is )?left\b/i, write: "out of memory" },
  { phrase: /\banew\b/i, write: "again; re-analysed" },
  { phrase: /\blimits? of time\b/i, write: "timeout" },
  { phrase: /\brandom waits?\b/i, write: "retry delay, backoff" },
  { phrase: /\b(?:without a|needs? no) receiver\b/i, write: "bound method" },
  { phrase: /\blate frames?\b/i, write: "dropped frames" },
  { phrase: /\bmeans the page\b/i, write: "falls back to" },
  { phrase: /\bin (?:its|their) place\b/i, write: "instead, fallback" },
  { phrase: /\bmodule inside\b/i, write: "inlined" },
  { phrase: /\bthere was no answer\b|\b(?:whole|complete) answer\b/i, write: "response" },
  { phrase: /\bthat very\b/i, write: "that error" },
  { phrase: /\bfor ever\b/i, write: "forever; would leak" },
  { phrase: /\bby which to\b/i, write: "compare by" },
  { phrase: /\bwhat none\b|\bof anybody\b|\bits like only\b/i, write: "name the noun" },
  { phrase: /\bcan be had\b|\bstumbl(?:e|es|ed)\b/i, write: "is available; fails" },
  { phrase: /\b(?:tell|tells|told) of\b/i, write: "report, says that" },
  { phrase: /\bis baseUrl right\b/i, write: "Check baseUrl" },
  { phrase: /\bno such (?:escape|number)\b/i, write: "invalid" },
  { phrase: /\bas the faults of\b/i, write: "simulated" },
  { phrase: /(?:^|[.:;] )So (?:do|does|did|is|are|has|have)\b/m, write: "subject, verb, object" },
];

/** Phrases that no text for users has. */
const inPublic = [
  ...everywhere,
  { phrase: /\bretriev(?:e|es|ed|ing|al|als)\b/i, write: "fetch, load, call, request" },
  { phrase: /\baddress(?:es)?\b(?! space)/i, write: "URL" },
  { phrase: /\b(?:no|an|every|each|the) answers?\b/i, write: "response" },
  { phrase: /\b(?:three|which no|an) operations?\b/i, write: "endpoint, request" },
  { phrase: /\bof (?:its|their|your|our) own\b/i, write: "your own …, separate" },
  { phrase: /(?<!WebAssembly )\bthe module\b(?!'s memory)/i, write: "the .wasm file" },
  { phrase: /\bthose of\b/i, write: "name the noun" },
  { phrase: /\bor a clear error\b/i, write: "or fails with an error that says what went wrong" },
  { phrase: /\bfails with all options\b/i, write: "prints all options" },
  { phrase: /\bunconfigured\b/i, write: "without configuration" },
  { phrase: /\ball the same\b/i, write: "still, anyway" },
];

const scripts = ["src", "tests", "tools", "www/src", "www/examples", "www/docs/assets"]
  .flatMap((folder) => filesIn(folder, /\.(?:[jt]sx?|rs|svelte|vue)$/))
  .filter((file) => file !== "tests/docs/phrases.test.js");
const shipped = scripts.filter((file) => /^(?:src|www\/src)\/(?!.*\b(?:tests|simulation|mock_host)\b)/.test(file));

const whole = /[\s\S]+/g;
const comments = /\/\*[\s\S]*?\*\/|(?:\/\/.*\s+)+|\b(?:test|describe)\b.*/g;
const strings = /"(?:\\[\s\S]|[^"\\\n])* (?:\\[\s\S]|[^"\\\n])*"|`[^`\n]* [^`\n]*`/g;

/** @type {[texts: string, phrases: typeof everywhere, files: string[], part: RegExp][]} */
const groups = [
  ["the README, the changelog and the pages", inPublic, [...documents, "CHANGELOG.md", "www/index.html"], whole],
  ["the public types", inPublic, filesIn("dist", /\.d\.ts$/), whole],
  ["the messages and the texts of the demo", inPublic, shipped, strings],
  ["the comments and the names of the tests", everywhere, scripts, comments],
];

for (const [texts, phrases, files, part] of groups) {
  test(`${texts} have no phrase that has to be read twice`, () => {
    const found = files.flatMap((file) =>
      (readDocument(file).match(part) ?? []).map((text) => [file, textOf(text, part)]),
    );
    assert.ok(found.length > 20, `${found.length} texts`);
    const hits = found.flatMap(([file, text]) =>
      phrases.flatMap(({ phrase, write }) => {
        const index = text.search(phrase);
        return index < 0 ? [] : [`${file}: "${text.slice(Math.max(0, index - 40), index + 60)}"; write: ${write}`];
      }),
    );
    assert.deepEqual(hits, []);
  });
}

/**
 * A text in one line, without code.
 * @param {string} text
 * @param {RegExp} part
 */
function textOf(text, part) {
  const prose =
    part === strings
      ? text.replaceAll(/\$\{[^}]*\}/g, "…")
      : text.replaceAll(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)/g, "`…`");
  return prose.replaceAll(/\\?\s*\n\s*(?:\*|\/\/[/!]?)?\s*/g, " ");
}

/**
 * @param {string} folder
 * @param {RegExp} ending
 */
function filesIn(folder, ending) {
  return readdirSync(inRepository(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => ending.test(name))
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`);
}
