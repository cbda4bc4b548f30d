/** Equality of the values of an Arrow stream with those of findings. */

import { valuesOf } from "../arrow/streams.js";
import { expectSame } from "./same.js";

/**
 * Expects a stream to have these findings: each column of theirs, value by value.
 * @param {Parameters<typeof valuesOf>[0]} read
 * @param {object[]} findings
 * @param {string[]} names of their columns
 */
export function expectFindings(read, findings, names) {
  for (const value of valuesOf(read, findings, names)) expectSame(value.read, value.expected, value.name);
}
