/** The pages of the site, in the order of its navigation. */

import { readFileSync } from "node:fs";
import { inRepository } from "../repository.js";

/** A page, whose name is that of its file without the ending. */
export type Page = { name: string; title: string; markdown: string };

/** The folder of the pages, from the root of the repository. */
const folder = "www/docs";

/** The names of the pages that are files, by the heading of their part of the navigation. */
export const parts = {
  Start: ["index", "first-finding", "promises"],
  Fetch: ["requests", "errors", "options"],
  "Use findings": ["tables", "surveys", "files", "live-tables", "frameworks", "node", "python"],
  Operate: ["testing", "toolchains", "performance"],
};

/** Reads the pages that are files. */
export function writtenPages() {
  return Object.values(parts).flat().map(readPage);
}

/** Makes the playground: the programs of the pages that need no other service than the fake one, each under the heading above it. */
export function playground(): Page {
  const programs = writtenPages().flatMap(({ markdown }) =>
    markdown.split(/^##+ /m).flatMap((section) => {
      const [, code = ""] = section.match(/^```js(?: by=tests\/docs\/programs\.test\.js)?\n(.*?)^```$/ms) ?? [];
      const title = section.slice(0, section.indexOf("\n")).replace(/^# /, "");
      return isProgram(code) ? [`## ${title}\n\n\`\`\`js\n${code}\`\`\`\n`] : [];
    }),
  );
  const introduction = "Change the code and run it. It uses the [fake service](testing.md), so it needs no network.";
  return {
    name: "playground",
    title: "Playground",
    markdown: ["# Playground", introduction, ...programs].join("\n\n"),
  };
}

/** Whether a module makes its own service, and imports the package alone. */
function isProgram(code: string) {
  const imports = Array.from(code.matchAll(/ from "(.*?)";/g), ([, name]) => name);
  return (
    code.includes("createFakeService(") &&
    imports.every((name) => name === "inspection-findings" || name === "inspection-findings/testing")
  );
}

/** Reads a page. */
export function readPage(name: string): Page {
  const markdown = readFileSync(inRepository(folder, `${name}.md`), "utf8");
  const title = markdown.match(/^# (.+)$/m)?.[1];
  if (title === undefined) throw new Error(`${folder}/${name}.md has no heading.`);
  return { name, title, markdown };
}

/** The text of a section of a file. */
export function section(heading: string, file = "README.md") {
  const [, after] = readFileSync(inRepository(file), "utf8").split(`\n## ${heading}\n`);
  if (after === undefined) throw new Error(`${file} has no section "${heading}".`);
  return `${after.split(/^## /m)[0].trim()}\n`;
}

/** The anchor of a heading, as code hosts make it, so that a link works in both places. */
export function slug(heading: string) {
  return (
    heading
      .trim()
      .toLowerCase()
      // A member keeps its dot as a dash: `FindingsError.code` and `FindingsErrorCode` are on one page of the reference.
      .replace(/^(\w+)\.(?=\w+$)/, "$1-")
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-")
  );
}
