/**
 * Writes what the readers in Python compare: streams and exported files of all kinds of findings, each with the values that flechette reads in the
 * stream, which the tests in browsers compare with the findings.
 */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { toArrowIPC } from "inspection-findings/arrow";
import { inRepository } from "../../../tools/repository.js";
import { runNode } from "../../run-node.js";
import { scenarioOf } from "../../wire/service/bodies.js";
import { serveFake } from "../../wire/service/http-server.js";
import { readByFlechette } from "./streams.js";
import { allBodies, load } from "./tables.js";

const folder = inRepository("target", "arrow");
rmSync(folder, { recursive: true, force: true });

const all = allBodies(900);
for (const [name, bodies] of Object.entries(all)) {
  for (const strings of ["dictionary", "utf8"] as const) {
    using table = await load(bodies);
    writeStream(`${name}, ${strings}`, toArrowIPC(table, { strings }));
  }
}
using withoutColumns = await load(['{"Findings":[{"a":1},{"a":2},{"a":3}]}'], { columns: [] });
writeStream("no columns", toArrowIPC(withoutColumns));

for (const [findings, bodies] of Object.entries({ English: all.English, "no findings": ['{"Findings":[]}'] })) {
  for (const name of ["findings.parquet"]) {
    await exportFile(`an export of ${findings} to ${name}`, bodies, name);
  }
}

function writeStream(name: string, stream: Uint8Array) {
  writeFileSync(join(placeOf(name, stream), "findings.arrows"), stream);
}

/** Exports findings by the command. */
async function exportFile(what: string, bodies: string[], name: string) {
  using table = await load(bodies);
  const place = placeOf(what, toArrowIPC(table));
  const { fake, close } = await serveFake({ scenario: scenarioOf(bodies) });
  const words = ["export", "42", "sentiment", "--to", join(place, name), "--base-url", fake.baseUrl];
  await runNode([inRepository("dist", "command.js"), ...words]);
  await close();
}

/** The folder of a case, with the values that each column of the stream has. */
function placeOf(name: string, stream: Uint8Array) {
  const place = join(folder, name);
  mkdirSync(place, { recursive: true });
  const expected = readByFlechette(stream).columns.map(({ name, values }) => ({ name, values: values.map(written) }));
  writeFileSync(join(place, "expected.json"), JSON.stringify(expected));
  return place;
}

/** A number as text, because JSON has neither `-0` nor infinity; another value as it is. */
function written(value: unknown) {
  return typeof value === "number" ? { number: Object.is(value, -0) ? "-0.0" : String(value) } : value;
}
