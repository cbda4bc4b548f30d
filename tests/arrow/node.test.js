/** Arrow streams in Node: every value comes back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { toArrowIPC } from "inspection-findings/arrow";
import { readers, valuesOf } from "./streams.js";
import { allBodies, load } from "./tables.js";

for (const [name, bodies] of Object.entries(allBodies(900))) {
  test(`every value of "${name}" comes back by flechette and apache-arrow`, async () => {
    using table = await load(bodies);
    const findings = bodies.flatMap((body) => JSON.parse(body).Findings);
    for (const strings of /** @type {const} */ (["dictionary", "utf8"])) {
      for (const read of Object.values(readers)) {
        for (const value of valuesOf(read(toArrowIPC(table, { strings })), findings, table.columns)) {
          assert.deepStrictEqual(value.read, value.expected, value.name);
        }
      }
    }
  });
}
