/** The documented fields of a finding, which each language of the package lists once. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository } from "../../../tools/repository.js";

/**
 * Reads the matches of an expression with two groups in the part of a file between two texts.
 * @param {string} file
 * @param {string} start
 * @param {string} end
 * @param {RegExp} expression
 * @returns {[name: string, type: string][]}
 */
function listed(file, start, end, expression) {
  const text = readFileSync(inRepository(file), "utf8");
  const part = text.slice(text.indexOf(start)).split(end)[0] ?? "";
  return [...part.matchAll(expression)].map(([, name, type]) => [name ?? "", type ?? ""]);
}

const types = listed("src/js/core/table/finding.ts", "interface InspectionFinding {", "\n}", /^ {2}(\w+)\??: (.*);$/gm);

/** The fields that every kind of findings can have, and that are no objects. @param {Record<string, string>} names of types */
const plain = (names) =>
  types
    .filter(([name, type]) => type !== "FindingText" && name !== "Sentiment")
    .map(([name, type]) => [name, names[type.replace(" | null", "")]]);

test("queries know the documented fields and the texts of those that are objects", () => {
  const expected = types.flatMap(([name, type]) => (type === "FindingText" ? [name, `${name}.Text`] : [name]));
  const known = listed("src/chunk/fields.rs", "const DOCUMENTED", "];", /"([\w.]+)"()/g).map(([name]) => name);
  assert.ok(expected.length > 10);
  // Those that every finding has come first.
  assert.deepEqual([...known, "Sentiment"].toSorted(), expected.toSorted());
  const required = listed(
    "src/js/core/table/finding.ts",
    "interface InspectionFinding {",
    "\n}",
    /^ {2}(\w+): (.*);$/gm,
  );
  assert.deepEqual(
    known.slice(0, required.length),
    required.map(([name]) => name),
  );
});

test("Spark has the documented fields of their types", () => {
  const file = "src/python/pyspark_inspection_findings/request.py";
  const known = listed(file, "DOCUMENTED = {", "}", /"(\w+)": "(\w+)"/g);
  assert.deepEqual(known, plain({ number: "int", string: "string", boolean: "boolean" }));
});

test("Arrow streams and the command know the documented fields of their types", () => {
  const known = listed("src/js/core/table/documented-fields.ts", "const DOCUMENTED", "};", /(\w+): \["(\w+)"/g);
  const names = { number: "integer", string: "string", boolean: "boolean", FindingText: "object" };
  const integer = /^-?\d/;
  const expected = types.map(([name, type]) => {
    const word = integer.test(type) ? "number" : type.replace(" | null", "");
    return [name, names[/** @type {keyof typeof names} */ (word)]];
  });
  assert.deepEqual(known, expected);
});
