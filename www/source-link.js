/** The link to the source of the package, as a plugin of Vite that writes it into the page. */

import { readFileSync } from "node:fs";
import { inRepository } from "../tools/repository.js";

/** @returns {import("vite").Plugin} */
export function sourceLink() {
  const { repository } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  // Until the owner publishes the repository, `package.json` names none.
  const url = repository?.url.replace(/^git\+|\.git$/g, "");
  const link = url === undefined ? "" : `<a href="${url}">Source</a>`;
  return { name: "source-link", transformIndexHtml: (html) => html.replace("<!-- source -->", link) };
}
