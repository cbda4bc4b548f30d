/** The reference as Markdown, for readers of the tarball: the pages of the site that are made of the types. */

import { writeFolder } from "./folder.js";
import { inRepository } from "./repository.js";

export const referenceFolder = inRepository("reference");

/** Writes a file for each page of the reference. */
export async function writeReference() {
  // Imported late, because the set-up installs what it needs.
  const { readExports, reference } = await import("./docs/reference.js");
  const files = reference(readExports()).pages.map(({ name, markdown }) => {
    const linked = markdown.replaceAll(/\]\(reference-(\w+)\.html(#[^)]*)?\)/g, "]($1.md$2)");
    return /** @type {const} */ ([fileOf(name), `${linked.replaceAll(/\n{3,}/g, "\n\n").trim()}\n`]);
  });
  writeFolder(referenceFolder, new Map(files));
}

/** @param {string} name of a page of the site */
function fileOf(name) {
  return `${name.replace(/^reference-/, "")}.md`;
}
