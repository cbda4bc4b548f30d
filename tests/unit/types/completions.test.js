/** What an editor completes in calls of the public interface, by the language service of TypeScript. */

import assert from "node:assert/strict";
import { test } from "node:test";
import ts from "typescript-5.7";
import { inRepository } from "../../../tools/repository.js";

/** A file that exists in memory only, beside files that resolve the package's own name. */
const file = inRepository("tests", "unit", "types", "completed.ts");

const known = `
import { FindingsClient, getFindings, type FindingsTable } from "inspection-findings";
declare const table: FindingsTable;
declare const client: FindingsClient;
`;

const names =
  "Comment Expression.Text ExpressionGroup Extract.Text NoExpression NoTopic RespondentId RespondentKey Sentiment " +
  "StringKey Topic.Text TopicGroup VariableKey";
const columns = names.split(" ");
const numbers = ["RespondentKey", "Sentiment", "StringKey", "VariableKey"];

/** @type {[code: string, names: string[]][]} each with a mark where the editor completes */
const cases = [
  ['table.column("¦");', columns],
  ['table.countBy("Comment", "¦");', columns],
  ['table.countBy(["Comment", "¦"]);', columns],
  ['table.summarize("¦", "Sentiment");', columns],
  ['table.summarize("TopicGroup", "¦");', numbers],
  ['table.countBy("TopicGroup", { distinct: "¦" });', columns],
  ['table.filter({ "¦" });', columns],
  ["table.filter({ Sentiment: { ¦ } });", ["max", "min", "missing", "not"]],
  ['table.select(["Comment", "¦"]);', columns],
  ['client.loadTable(1, "topics", { columns: ["Comment", "¦"] });', columns],
  ['getFindings(1, "topics", { columns: ["¦"] });', columns],
  ['table.numbers("¦");', numbers],
  ["table.at(0)!.Topic.¦;", ["Text"]],
];

const text = [known, ...cases.map(([code]) => code.replace("¦", ""))].join("\n");
const { config } = ts.readConfigFile(inRepository("tests", "unit", "types", "tsconfig.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, inRepository("tests", "unit", "types"));
const service = ts.createLanguageService({
  ...ts.sys,
  useCaseSensitiveFileNames: () => true,
  getScriptFileNames: () => [file],
  getScriptVersion: () => "0",
  getScriptSnapshot: (name) => ts.ScriptSnapshot.fromString(name === file ? text : String(ts.sys.readFile(name))),
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
});

for (const [code, names] of cases) {
  test(`an editor completes ${code}`, () => {
    const position = text.indexOf(code.replace("¦", "")) + code.indexOf("¦");
    const { entries = [] } = service.getCompletionsAtPosition(file, position, {}) ?? {};
    // What is written already, here nothing, is a string, too.
    assert.deepEqual(entries.flatMap(({ name }) => name || []).toSorted(), names);
  });
}
