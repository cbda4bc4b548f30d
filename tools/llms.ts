/** The file `llms.txt`: the package in a few kilobytes of plain text, for programs that read it in place of a person. */

import { readFileSync, writeFileSync } from "node:fs";
import { type Export, type Member, summary } from "./docs/reference.ts";
import { inRepository } from "./repository.js";

export const llmsFile = inRepository("llms.txt");

const files = `## Files

- [README.md](README.md): the guide
- [www/docs/index.md](www/docs/index.md) and the files beside it: the guides
- [www/examples/minimal/index.html](www/examples/minimal/index.html): a page that shows what the three functions return
- [CHANGELOG.md](CHANGELOG.md): the changes
- [dist/exports.d.ts](dist/exports.d.ts) and the files that it names: the types, with the whole documentation of each`;

/**
 * Writes the file from the README and the exports of the built package: for each entry what it exports, and sections for what has methods or many
 * members.
 */
export function writeLlms(exports: Export[]) {
  const written = new Set<string>();
  // What several types share is described once.
  const once = (line: string) => {
    const isKnown = written.has(line);
    written.add(line);
    return isKnown ? line.replace(/(?<=^- `.*?`).*/s, "") : line;
  };
  const parts = [...Map.groupBy(exports, ({ entry }) => entry)].map(([entry, exported]) => {
    const sections = exported.filter(isLarge).map((each) => {
      const lines = membersOf(each).map((member) => once(lineOf({ ...member, brief: shapeOf(member) })));
      return `\n### ${each.name}\n\n${summary(each.comment)}\n\n${lines.join("\n")}`;
    });
    const lines = exported.filter((each) => !isLarge(each)).map((each) => lineOf(each) + detailsOf(each));
    return [`## ${entry}\n`, ...lines, ...sections].join("\n");
  });
  const readme = readFileSync(inRepository("README.md"), "utf8");
  writeFileSync(llmsFile, `${[introduction(readme), files, ...parts].join("\n\n")}\n`);
}

/** The title, the first two paragraphs, and the code for a real service. */
function introduction(readme: string) {
  const [title, ...paragraphs] = readme.split("\n\n").slice(0, 3);
  const [, section = ""] = readme.split("\n## A real service\n");
  const [code] = section.match(/^```js\n.*?^```$/ms) ?? [];
  if (code === undefined) throw new Error("README.md has no code for a real service.");
  return `${title}\n\n> ${paragraphs.join(" ").replaceAll("\n", " ")}\n\n${code}`;
}

function isLarge({ members }: Export) {
  return members.length > 16 || members.some(({ brief, name }) => brief.includes("(") && name !== "call");
}

function membersOf({ members }: Pick<Export, "members">) {
  return members.filter(({ name }) => name !== "constructor" && !name.startsWith("["));
}

function lineOf({ brief, comment }: Pick<Member, "brief" | "comment">) {
  const fallback = comment.tags.find(({ name, text }) => name === "default" && text !== "none");
  return `- \`${brief.replaceAll("CallFinding<Finding, Kind, Names>", "Finding")}\`${fallback ? ` (default: ${fallback.text})` : ""}: ${summary(comment)}`;
}

/** The list in the comment of a type, its names or its fields, without what says little; empty for any other. */
function detailsOf({ signature, comment, members }: Export) {
  const [, list] = comment.text.split(/\n(?=- )(.*)/s);
  if (list !== undefined && signature.startsWith("type "))
    return `\n${list.replaceAll(/\n +/g, " ").replaceAll(/^- /gm, "  - ")}`;
  const [, names] = signature.match(/^type \w+ = ((?:"[\w-]+"(?: \| )?)+);$/) ?? [];
  const fields = members.map(shapeOf);
  const details = names ?? (fields.length > 0 && `{ ${fields.join(", ")} }`);
  return details ? ` \`${details}\`` : "";
}

/** A method in a few words, or a field with its type. */
function shapeOf({ brief, signature }: Member) {
  if (brief.includes("(")) return brief;
  return signature
    .replaceAll(/readonly |;$/g, "")
    .replace(/^get (\w+)\(\)/, "$1")
    .replace(/(?<=^\w+\?: .*) \| undefined$/, "")
    .replaceAll(/;\n\w+: /g, " | ")
    .replace(/(?<=: )(\w+) \| \1$/, "$1")
    .replaceAll(/\s+/g, " ");
}
