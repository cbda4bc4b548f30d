/** The file `llms.txt`: the package in a few kilobytes of plain text, for programs that read it in place of a person. */

import { readFileSync, writeFileSync } from "node:fs";
import { summary } from "./docs/reference.js";
import { inRepository } from "./repository.js";

/** @typedef {import("./docs/reference.js").Export} Export */
/** @typedef {import("./docs/reference.js").Member} Member */

export const llmsFile = inRepository("llms.txt");

const files = `## Files

- [README.md](README.md): the guide
- [www/docs/index.md](www/docs/index.md) and the files beside it: the guides
- [www/examples/minimal/index.html](www/examples/minimal/index.html): a page with a client, a live table and a chart
- [CHANGELOG.md](CHANGELOG.md): the changes
- [dist/exports.d.ts](dist/exports.d.ts) and the files that it names: the types, with the whole documentation of each`;

/**
 * Writes the file from the README and the exports of the built package: for each entry what it exports, and sections for what has methods or many
 * members.
 * @param {Export[]} exports
 */
export function writeLlms(exports) {
  const parts = [...Map.groupBy(exports, ({ entry }) => entry)].map(([entry, exported]) => {
    const sections = exported.filter(isLarge).map((each) => {
      const lines = membersOf(each).map((member) => lineOf({ ...member, brief: shapeOf(member) }));
      return `\n### ${each.name}\n\n${summary(each.comment)}\n\n${lines.join("\n")}`;
    });
    const lines = exported.filter((each) => !isLarge(each)).map((each) => lineOf(each) + detailsOf(each));
    return [`## ${entry}\n`, ...lines, ...sections].join("\n");
  });
  const readme = readFileSync(inRepository("README.md"), "utf8");
  writeFileSync(llmsFile, `${[introduction(readme), files, ...parts].join("\n\n")}\n`);
}

/**
 * The title, the first paragraph, and the code for a real service.
 * @param {string} readme
 */
function introduction(readme) {
  const [title, paragraph] = readme.split("\n\n");
  const [, section = ""] = readme.split("\n## Quick start\n");
  const code = [...section.matchAll(/^```js\n.*?^```$/gms)].at(-1)?.[0];
  if (code === undefined) throw new Error("README.md has no code for a real service.");
  return `${title}\n\n> ${paragraph.replaceAll("\n", " ")}\n\n${code}`;
}

/** @param {Export} exported */
function isLarge({ members }) {
  return members.length > 16 || members.some(({ brief, name }) => brief.includes("(") && name !== "call");
}

/** @param {Pick<Export, "members">} exported */
function membersOf({ members }) {
  return members.filter(({ name }) => name !== "constructor" && !name.startsWith("["));
}

/** @param {Pick<Member, "brief" | "comment">} described */
function lineOf({ brief, comment }) {
  const fallback = comment.tags.find(({ name, text }) => name === "default" && text !== "none");
  return `- \`${brief.replaceAll("CallFinding<Finding, Kind, Names>", "Finding")}\`${fallback ? ` (default: ${fallback.text})` : ""}: ${summary(comment)}`;
}

/**
 * The list in the comment of a type, its names or its fields, without what says little; empty for any other.
 * @param {Export} exported
 */
function detailsOf({ signature, comment, members }) {
  const [, list] = comment.text.split(/\n(?=- )(.*)/s);
  if (list !== undefined && signature.startsWith("type "))
    return `\n${list.replaceAll(/\n +/g, " ").replaceAll(/^- /gm, "  - ")}`;
  const [, names] = signature.match(/^type \w+ = ((?:"[\w-]+"(?: \| )?)+);$/) ?? [];
  const fields = members.map(shapeOf);
  const details = names ?? (fields.length > 0 && `{ ${fields.join(", ")} }`);
  return details ? ` \`${details}\`` : "";
}

/**
 * A method in a few words, or a field with its type.
 * @param {Member} member
 */
function shapeOf({ brief, signature }) {
  if (brief.includes("(")) return brief;
  return signature
    .replaceAll(/readonly |;$/g, "")
    .replace(/^get (\w+)\(\)/, "$1")
    .replace(/(?<=^\w+\?: .*) \| undefined$/, "")
    .replaceAll(/;\n\w+: /g, " | ")
    .replace(/(?<=: )(\w+) \| \1$/, "$1")
    .replaceAll(/\s+/g, " ");
}
