/** The evaluation of an entry's script, which a page waits for. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { dist } from "../../tools/repository.js";

for (const entry of ["index", "light", "inline", "slim"]) {
  test(`the evaluation of ${entry}.js makes no error, whose position would take another parse of the whole script`, async () => {
    /** @type {string[]} */
    const made = [];
    const global = /** @type {any} */ (globalThis);
    const names = ["Error", "TypeError", "RangeError"];
    const originals = names.map((name) => global[name]);
    for (const name of names) {
      const note = (/** @type {any} */ original, /** @type {any[]} */ parameters) => {
        made.push(`${name}: ${parameters[0]}`);
        return new original(...parameters);
      };
      global[name] = new Proxy(global[name], {
        construct: note,
        apply: (original, _, parameters) => note(original, parameters),
      });
    }
    try {
      await import(join(dist, `${entry}.js`));
    } finally {
      for (const [index, name] of names.entries()) global[name] = originals[index];
    }
    assert.deepEqual(made, []);
  });
}
