/** The links that a page has only in the demo, as a plugin of Vite: to the source of the package, and from the page that the package contains back. */

import { readFileSync } from "node:fs";
import { inRepository } from "../tools/repository.js";

/** @returns {import("vite").Plugin} */
export function sourceLink() {
  const { repository } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  // Until the owner publishes the repository, `package.json` names none.
  const url = repository?.url.replace(/^git\+|\.git$/g, "");
  const link = url === undefined ? "" : `<a href="${url}">Source</a>`;
  const back = '<nav aria-label="Pages"><a href="../../index.html">Demo</a></nav>';
  return {
    name: "source-link",
    transformIndexHtml: (html) => html.replace("<!-- source -->", link).replace("<!-- demo -->", back),
  };
}
