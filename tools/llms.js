/** The file `llms.txt`: the package in a few kilobytes of plain text, for programs that read it in place of a person. */

import { readFileSync, writeFileSync } from "node:fs";
import { inRepository } from "./repository.js";

/** @typedef {import("./docs/reference.js").Export} Export */
/** @typedef {import("./docs/reference.js").Member} Member */

export const llmsFile = inRepository("llms.txt");

const files = `- [README.md](README.md): the guide
- [www/docs/index.md](www/docs/index.md) and the files beside it: the guides
- [www/examples/minimal/index.html](www/examples/minimal/index.html): a page with a client, a live table and a chart
- [CHANGELOG.md](CHANGELOG.md): the changes
- [dist/exports.d.ts](dist/exports.d.ts): what the package exports; the types beside it have the whole documentation`;

const failures =
  "A failed call rejects with a TypeError or RangeError for wrong arguments, with what a function of the caller threw, and otherwise with a FindingsError. Its codes:";

/** Writes the file from the README and the types of the built package. */
export async function writeLlms() {
  // Imported late, because the set-up installs what it needs.
  const { readExports, summary } = await import("./docs/reference.js");
  const exports = readExports();
  const main = exports.filter(({ entry }) => !entry.includes("/"));
  const line = (/** @type {Member | Export} */ { brief, comment }) => `- \`${brief}\`: ${summary(comment)}`;
  const parts = [
    introduction(readFileSync(inRepository("README.md"), "utf8")),
    `## Files\n\n${files}`,
    `## Functions\n\n${main.filter(isFunction).map(line).join("\n")}`,
    ...main
      .filter(isObject)
      .map((each) => `## ${each.name}\n\n${summary(each.comment)}\n\n${membersOf(each).map(line).join("\n")}`),
    `## Options\n\nOf a client, of a call, or of both.\n\n${optionsOf(main).map(optionLine).join("\n")}`,
    `## Errors\n\n${failures}\n\n${codesOf(main)}`,
    `## Other types\n\n${main
      .filter((each) => !isFunction(each) && !isObject(each))
      .map((each) => `${line(each)}${shapeOf(each)}`)
      .join("\n")}`,
    `## Other entries\n\n${exports
      .filter(({ entry }) => entry.includes("/"))
      .map((each) => `- \`${each.brief}\` of \`${each.entry}\`: ${summary(each.comment)}${shapeOf(each)}`)
      .join("\n")}`,
  ];
  writeFileSync(llmsFile, `${parts.join("\n\n")}\n`);

  /** @param {Member} option */
  function optionLine({ name, comment }) {
    const fallback = comment.tags.find((tag) => tag.name === "default")?.text ?? "none";
    return `- \`${name}\` (default: ${fallback}): ${summary(comment)}`;
  }
}

/**
 * The title, the first paragraph, and the code for a real service.
 * @param {string} readme
 */
function introduction(readme) {
  const [title, paragraph] = readme.split("\n\n");
  const [, section = ""] = readme.split("\n## Quick start\n");
  const code = [...section.matchAll(/^```js\n.*?^```$/gms)][1]?.[0];
  if (code === undefined) {
    throw new Error("README.md has no code for a real service.");
  }
  return `${title}\n\n> ${paragraph.replaceAll("\n", " ")}\n\n${code}`;
}

/** @param {Export} exported */
function isFunction({ signature }) {
  return signature.startsWith("function ");
}

/**
 * Whether an export is something with methods.
 * @param {Export} exported
 */
function isObject({ signature, members }) {
  return (
    /^(?:class|interface) /.test(signature) && members.some(({ brief, name }) => brief.includes("(") && name !== "call")
  );
}

/** The types whose members stand elsewhere in the file. */
const listedElsewhere =
  /^(?:Counts|Findings|Partition|Stream)?Options$|^FindingsError(?:Code|JSON)?$|^Partial(?:Findings|Table)Error$/;

/**
 * The names of a union, or the fields of an object, as code; empty for any other type.
 * @param {Export} exported
 */
function shapeOf({ name, signature, members }) {
  if (listedElsewhere.test(name)) {
    return "";
  }
  const [, names] = signature.match(/^type \w+ = ((?:"[\w-]+"(?: \| )?)+);$/) ?? [];
  if (names !== undefined) {
    return ` \`${names}\``;
  }
  const fields = membersOf({ members }).map(({ signature }) => fieldOf(signature));
  return fields.length === 0 ? "" : ` \`{ ${fields.join(", ")} }\``;
}

/**
 * A field of a type, without what says little.
 * @param {string} signature
 */
function fieldOf(signature) {
  return signature
    .replaceAll(/readonly |;$/g, "")
    .replace(/(?<=^\w+\?: .*) \| undefined$/, "")
    .replaceAll(/;\n\w+: /g, " | ")
    .replaceAll(/\s+/g, " ");
}

/** @param {Pick<Export, "members">} exported */
function membersOf({ members }) {
  return members.filter(({ name }) => name !== "constructor" && !name.startsWith("["));
}

/** @param {Export[]} exports */
function optionsOf(exports) {
  return exports.find(({ name }) => name === "Options")?.members ?? [];
}

/**
 * The list in the comment of the type of the codes.
 * @param {Export[]} exports
 */
function codesOf(exports) {
  const text = exports.find(({ name }) => name === "FindingsErrorCode")?.comment.text ?? "";
  return text.slice(text.indexOf("- ")).replaceAll(/\n\s+/g, " ");
}
