/** Writes what the readers in Python compare: streams and Parquet files of all kinds of findings, each with the values that it has to have. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toArrowIPC } from "inspection-findings/arrow";
import { inRepository } from "../../tools/repository.js";
import { runNode } from "../run-node.js";
import { scenarioOf } from "../service/bodies.js";
import { serveFake } from "../service/http-server.js";
import { keysOf, readByFlechette, valueAt } from "./streams.js";
import { allBodies, load } from "./tables.js";

const folder = inRepository("target", "arrow");
rmSync(folder, { recursive: true, force: true });

for (const [name, bodies] of Object.entries(allBodies(900))) {
  using table = await load(bodies);
  const findings = bodies.flatMap((body) => JSON.parse(body).Findings);
  for (const strings of /** @type {const} */ (["dictionary", "utf8"])) {
    const stream = toArrowIPC(table, { strings });
    const place = join(folder, `${name}, ${strings}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "findings.arrows"), stream);
    writeFileSync(join(place, "expected.json"), JSON.stringify(expectedOf(stream, findings, table)));
  }
}
const largeKeys = ['{"Findings":[{"k":9007199254740993},{"k":9007199254740992}]}', '{"Findings":[{"k":5},{}]}'];
for (const name of ["findings.parquet", "findings.arrow"]) {
  await exportFile("English", allBodies(900).English, name);
  await exportFile("no findings", ['{"Findings":[]}'], name);
  await exportFile("large keys", largeKeys, name);
}
await streamWithoutColumns();

/**
 * The values of all columns of a stream: numbers and JSON as text, because JSON has neither `-0` nor infinity.
 * @param {Uint8Array} stream
 * @param {object[]} findings
 * @param {{ columns: string[] }} table
 */
function expectedOf(stream, findings, table) {
  // A documented field that is always an object has no value of its own.
  const own = new Set(table.columns);
  return readByFlechette(stream).columns.map(({ name, metadata }) => {
    const isJson = metadata.get("inspection-findings.content") === "json";
    const keys = keysOf(name);
    const values = findings.map((finding) => {
      const value = (own.has(name) ? valueAt(finding, keys) : null) ?? null;
      if (value !== null && isJson) return { json: jsonOf(value) };
      if (typeof value === "string") return value.toWellFormed();
      return typeof value === "number" ? { number: Object.is(value, -0) ? "-0.0" : String(value) } : value;
    });
    return { name, values };
  });
}

/**
 * JSON that keeps `-0` and infinity.
 * @param {unknown} value
 * @returns {string}
 */
function jsonOf(value) {
  if (typeof value === "number" && !Number.isFinite(value)) return value > 0 ? "1e999" : "-1e999";
  if (Array.isArray(value)) return `[${value.map(jsonOf)}]`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : JSON.stringify(value);
  return `{${Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${jsonOf(inner)}`)}}`;
}

/**
 * Exports findings by the command.
 * @param {string} findings what they are
 * @param {string[]} bodies
 * @param {string} name of the file
 */
async function exportFile(findings, bodies, name) {
  const { fake, close } = await serveFake({ scenario: scenarioOf(bodies) });
  const place = join(folder, `an export of ${findings} to ${name}`);
  mkdirSync(place);
  const words = ["export", "42", "sentiment", "--to", join(place, name), "--base-url", fake.baseUrl];
  await runNode([inRepository("dist", "command.js"), ...words]);
  await close();
  using table = await load(bodies);
  const expected = expectedOf(
    toArrowIPC(table),
    bodies.flatMap((body) => JSON.parse(body).Findings),
    table,
  );
  const keys = expected.find(({ name }) => name === "k");
  if (keys)
    keys.values = bodies.flatMap((body) =>
      Array.from(body.matchAll(/\{(?:"k":(\d+))?\}/g), ([, digits]) => (digits ? { integer: digits } : null)),
    );
  writeFileSync(join(place, "expected.json"), JSON.stringify(expected));
}

/** Writes a stream whose table keeps only the number of findings. */
async function streamWithoutColumns() {
  using table = await load(['{"Findings":[{"a":1},{"a":2},{"a":3}]}'], { columns: [] });
  const place = join(folder, "no columns");
  mkdirSync(place);
  writeFileSync(join(place, "findings.arrows"), toArrowIPC(table));
  writeFileSync(join(place, "expected.json"), "[]");
}
