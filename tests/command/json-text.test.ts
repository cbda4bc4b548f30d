/** The JSON text of an export: every value comes back from it. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "../../src/js/arrow/json-text.js";
import { timesOf } from "../counts.js";

test("JSON text gives back every value that JSON can have", () => {
  fc.assert(
    fc.property(
      fc.letrec((tie) => ({
        value: fc.oneof(
          { maxDepth: 4 },
          fc.string({ unit: "binary" }),
          fc.constantFrom("\ud800", "\udc00x", -0, 0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e21, 5e-324),
          fc.double({ noNaN: true }),
          fc.boolean(),
          fc.constant(null),
          fc.array(tie("value")),
          fc.array(fc.tuple(fc.oneof(fc.string(), fc.constant("__proto__")), tie("value"))).map(objectOf),
        ),
      })).value,
      (value) => {
        const text = jsonText(value);
        expect(text).not.toContain("\n");
        expect(JSON.parse(text)).toEqual(value);
        expect(jsonText(JSON.parse(text))).toBe(text);
      },
    ),
    { numRuns: timesOf(500) },
  );
});

/** Own properties all of them, as `JSON.parse` makes them. */
function objectOf(entries: [string, unknown][]): object {
  return Object.fromEntries(entries);
}
