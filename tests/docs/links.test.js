/** The links of the documentation: in its files, where a code host shows them, and in the built site. */

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import ts from "typescript-5";
import { slugger } from "../../tools/docs/slugs.js";
import { site } from "../../tools/docs.js";
import { inRepository } from "../../tools/repository.js";
import { documents, filesOfTarball, linksOf, readDocument } from "./documents.js";

/** The files whose links are checked. */
const files = [...documents, "ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "tests/fake-backend/README.md"];

for (const file of files) {
  test(`the links of ${file} lead somewhere`, () => {
    const broken = linksOf(readDocument(file)).filter((href) => !leadsSomewhere(file, href));
    assert.deepEqual(broken, []);
  });
}

test("the README and the pages are in the tarball, and no relative link or picture leads out of it", () => {
  const packed = filesOfTarball();
  assert.deepEqual(
    documents.filter((file) => !packed.includes(file)),
    [],
  );
  const outside = packed
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      linksOf(readDocument(file))
        .filter((href) => !/^(?:[a-z]+:|#)/.test(href))
        .map((href) => posix.join(posix.dirname(file), href.split("#")[0]))
        .filter((path) => !packed.includes(path))
        .map((path) => `${file}: ${path}`),
    );
  assert.deepEqual(outside, []);
});

test("every link and every file of the built site is there, by a relative URL", () => {
  const pages = readdirSync(site).filter((name) => name.endsWith(".html"));
  assert.ok(pages.length > 20);
  const broken = pages.flatMap((page) =>
    addressesIn(page)
      .filter((address) => !isInSite(page, address))
      .map((address) => `${page}: ${address}`),
  );
  assert.deepEqual(broken, []);
});

test("the errors have a section for each code, in the order of the type", () => {
  const sections = readDocument("www/docs/errors.md").match(/^## .*$/gm) ?? [];
  assert.deepEqual(
    sections.map((line) => line.slice("## ".length)),
    literalsOf("error.d.ts", "FindingsErrorCode"),
  );
});

/**
 * Whether a link is an address of the web, or a file of the repository that has the heading.
 * @param {string} from the file with the link
 * @param {string} href
 */
function leadsSomewhere(from, href) {
  if (/^[a-z]+:/.test(href)) {
    return URL.canParse(href) && new URL(href).protocol === "https:";
  }
  const [path, anchor] = href.split("#");
  const file = path === "" ? from : posix.join(posix.dirname(from), path);
  return (
    existsSync(inRepository(file)) &&
    statSync(inRepository(file)).size > 0 &&
    (anchor === undefined || anchorsOf(readDocument(file)).includes(anchor))
  );
}

/** @param {string} markdown */
function anchorsOf(markdown) {
  const slug = slugger();
  const tokens = new MarkdownIt({ html: false }).parse(markdown, {});
  return tokens.flatMap(({ type }, index) =>
    type === "heading_open" ? slug((tokens[index + 1].children ?? []).map(({ content }) => content).join("")) : [],
  );
}

/** @param {string} page */
function addressesIn(page) {
  const html = readFileSync(join(site, page), "utf8");
  return [...html.matchAll(/<[^>]+ (?:href|src)="([^"]*)"/g)].map(([, address]) => address);
}

/**
 * @param {string} page
 * @param {string} address
 */
function isInSite(page, address) {
  if (address.startsWith("https:")) {
    return URL.canParse(address);
  }
  if (/^(?:\/|[a-z]+:)/.test(address)) {
    return false;
  }
  const [path, anchor] = address.split("#");
  const file = join(site, path === "" ? page : path);
  return existsSync(file) && (anchor === undefined || readFileSync(file, "utf8").includes(`id="${anchor}"`));
}

/**
 * The strings of a union in the package's types.
 * @param {string} file
 * @param {string} name
 */
function literalsOf(file, name) {
  const [declaration] = declarationsOf(file)
    .filter(ts.isTypeAliasDeclaration)
    .filter((node) => node.name.text === name);
  assert.ok(ts.isUnionTypeNode(declaration.type));
  return declaration.type.types.map((type) => type.getText().replaceAll('"', ""));
}

/** @param {string} file */
function declarationsOf(file) {
  const text = readFileSync(inRepository("dist", file), "utf8");
  return [...ts.createSourceFile(file, text, ts.ScriptTarget.ES2022, true).statements];
}
