/** Findings in partitions that differ in columns and types, and the rows that every reader of their table has to show. */

import assert from "node:assert/strict";
import { createFakeService } from "inspection-findings/testing";

/** @typedef {Record<string, any>} Finding */

/**
 * Invents the findings of each partition. The first is empty, and later ones have columns and types that earlier ones lack.
 * @param {string} note of the findings of the first partition that has some
 */
export function unevenPartitions(note) {
  /** @type {Finding[]} */
  const invented = createFakeService({ sentiment: { findings: 25, partitions: 1 } }).findings("sentiment");
  const partitions = [0, 7, 12, 5, 1].map((count) => invented.splice(0, count));
  for (const [index, finding] of partitions[1].entries()) Object.assign(finding, { Weight: index, Note: note });
  for (const [index, finding] of partitions[2].entries())
    Object.assign(finding, { Weight: index + 0.5, Tags: [index] });
  for (const finding of partitions[3]) Object.assign(finding, { Note: 7 });
  return partitions;
}

/**
 * Expects rows to be the findings, in order, with null for what a finding lacks.
 * @param {Record<string, unknown>[]} rows
 * @param {Finding[]} findings
 */
export function expectRows(rows, findings) {
  assert.equal(rows.length, findings.length);
  for (const [index, row] of rows.entries()) {
    const expected = rowOf(findings[index]);
    for (const name of Object.keys(expected)) assert.ok(name in row, name);
    for (const [name, value] of Object.entries(row)) assert.deepEqual(value, expected[name] ?? null, name);
  }
}

/**
 * A finding as a row: flat, and with JSON text in the columns with arrays or values of several types.
 * @param {Finding} finding
 */
function rowOf({ Note, Tags, ...others }) {
  /** @type {Record<string, unknown>} */
  const row = { Note: Note === undefined ? null : JSON.stringify(Note), Tags: Tags ? JSON.stringify(Tags) : null };
  for (const [key, value] of Object.entries(others)) {
    if (typeof value !== "object" || value === null) row[key] = value;
    else for (const [inner, text] of Object.entries(value)) row[`${key}.${inner}`] = text;
  }
  return row;
}
