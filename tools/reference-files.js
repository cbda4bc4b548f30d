/** The reference as Markdown, for readers of the tarball: the pages of the site that are made of the types. */

import { reference } from "./docs/reference.js";
import { writeFolder } from "./folder.js";
import { inRepository } from "./repository.js";

export const referenceFolder = inRepository("reference");

/**
 * Writes a file for each page of the reference.
 * @param {import("./docs/reference.js").Export[]} exports
 */
export function writeReference(exports) {
  const files = reference(exports).pages.map(({ name, markdown }) => {
    const linked = markdown.replaceAll(/\]\(reference-(\w+)\.html(#[^)]*)?\)/g, "]($1.md$2)");
    return /** @type {const} */ ([
      `${name.replace(/^reference-/, "")}.md`,
      `${linked.replaceAll(/\n{3,}/g, "\n\n").trim()}\n`,
    ]);
  });
  writeFolder(referenceFolder, new Map(files));
}
