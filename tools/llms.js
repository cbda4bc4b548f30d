/** The file `llms.txt`: the package in a few kilobytes of plain text, for programs that read it in place of a person. */

import { readFileSync, writeFileSync } from "node:fs";
import { inRepository } from "./repository.js";

/** @typedef {import("./docs/reference.js").Export} Export */
/** @typedef {import("./docs/reference.js").Member} Member */

export const llmsFile = inRepository("llms.txt");

const files = `- [README.md](README.md): the guide
- [www/docs/index.md](www/docs/index.md) and the files beside it: the guides
- [www/examples/minimal/index.html](www/examples/minimal/index.html): a page with a client, a live table and a chart
- [reference/client.md](reference/client.md) and the files beside it: the whole documentation of the types
- [CHANGELOG.md](CHANGELOG.md): the changes
- [dist/exports.d.ts](dist/exports.d.ts): what the package exports`;

const failures =
  "A failed call rejects with a TypeError or RangeError for wrong arguments, with what a function of the caller threw, and otherwise with a FindingsError. Its codes:";

/** Writes the file from the README and the types of the built package. */
export async function writeLlms() {
  // Imported late, because the set-up installs what it needs.
  const { readExports, summary } = await import("./docs/reference.js");
  const exports = readExports();
  const main = exports.filter(({ entry }) => !entry.includes("/"));
  const others = exports.filter(({ entry }) => entry.includes("/"));
  /** @type {(member: Member) => string} */
  const line = ({ brief, comment }) => `- \`${plain(brief)}\`: ${short(summary(comment))}`;
  /** @type {(option: Member) => string} */
  const optionLine = ({ name, comment }) => {
    const fallback = comment.tags.find((tag) => tag.name === "default")?.text ?? "none";
    return `- \`${name}\`${fallback === "none" ? "" : ` (default: ${fallback})`}: ${summary(comment)}`;
  };
  /** @type {(entry: string) => [string, string[]]} */
  const entryPart = (entry) => [
    entry,
    others.filter((each) => each.entry === entry).map((each) => line(each) + shapeOf(each)),
  ];
  /** @type {[string, string[]][]} */
  const parts = [
    ["Files", [files]],
    ["Functions", main.filter(isFunction).map(line)],
    ...main.filter(isObject).map((each) => section(each.name, summary(each.comment), membersOf(each).map(line))),
    section("Options", "Of a client, of a call, or of both.", membersOf(named(main, "Options")).map(optionLine)),
    section("Errors", failures, [codesIn(named(main, "FindingsErrorCode").comment.text)]),
    [
      "Other types",
      main.filter((each) => !isFunction(each) && !isObject(each)).map((each) => line(each) + shapeOf(each)),
    ],
    ...[...new Set(others.map(({ entry }) => entry))].map(entryPart),
  ];
  const text = parts.map(([heading, lines]) => `## ${heading}\n\n${lines.join("\n")}\n`);
  writeFileSync(llmsFile, [`${introduction(readFileSync(inRepository("README.md"), "utf8"))}\n`, ...text].join("\n"));
}

/**
 * @param {string} heading
 * @param {string} text
 * @param {string[]} lines
 * @returns {[string, string[]]}
 */
function section(heading, text, lines) {
  return [heading, [`${text}\n`, ...lines]];
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
  if (listedElsewhere.test(name)) return "";
  const [, names] = signature.match(/^type \w+ = ((?:"[\w-]+"(?: \| )?)+);$/) ?? [];
  if (names !== undefined) return ` \`${names}\``;
  const fields = membersOf({ members }).map(({ signature, brief }) =>
    brief.includes("(") ? plain(brief) : fieldOf(signature),
  );
  return fields.length === 0 ? "" : ` \`{ ${fields.join(", ")} }\``;
}

/**
 * A sentence, without what its colon introduces if it is long.
 * @param {string} sentence
 */
function short(sentence) {
  return sentence.length > 200 ? `${sentence.split(": ")[0].replace(/\.$/, "")}.` : sentence;
}

/**
 * What a function takes and returns, without what says little.
 * @param {string} brief
 */
function plain(brief) {
  return brief.replaceAll("Picked<Finding, Name>", "Finding");
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

/**
 * @param {Export[]} exports
 * @param {string} name
 */
function named(exports, name) {
  return /** @type {Export} */ (exports.find((each) => each.name === name));
}

/**
 * The list in the comment of the type of the codes.
 * @param {string} text
 */
function codesIn(text) {
  return text.slice(text.indexOf("- ")).replaceAll(/\n\s+/g, " ");
}
